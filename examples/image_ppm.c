/* SPDX-License-Identifier: Apache-2.0 */
/* Binary PPM pictures, where no library reads more: "P6 WIDTH HEIGHT 255" and the pixels. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_SIDE 32768

const char image_formats[] = "PPM (P6)";

/* The next number, behind white space and comments; -1 if there is none. */
static int read_number(FILE *file)
{
    int number = -1;
    int c = getc(file);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#') {
        while (c == '#' && c != EOF) {
            do {
                c = getc(file);
            } while (c != '\n' && c != EOF);
        }
        c = getc(file);
    }
    for (; c >= '0' && c <= '9' && number <= MAX_SIDE; c = getc(file)) {
        number = (number < 0 ? 0 : number) * 10 + (c - '0');
    }
    return number; /* one byte behind it is read: the white space before the pixels */
}

static const char *read_pixels(struct image *image, FILE *file)
{
    if (getc(file) != 'P' || getc(file) != '6') {
        return "not a binary PPM (P6); built with stb, this program reads PNG and JPEG as well";
    }
    image->width = read_number(file);
    image->height = read_number(file);
    if (image->width < 1 || image->height < 1 || image->width > MAX_SIDE || image->height > MAX_SIDE ||
        read_number(file) != 255) {
        return "a PPM of 1 to 32768 pixels a side and 255 levels is needed";
    }
    size_t bytes = (size_t)image->width * (size_t)image->height * 3;
    image->pixels = malloc(bytes);
    if (image->pixels == NULL) {
        return "out of memory";
    }
    return fread(image->pixels, 1, bytes, file) == bytes ? NULL : "the file ends before the last pixel";
}

const char *image_read(struct image *image, const char *path)
{
    FILE *file = fopen(path, "rb");
    *image = (struct image){0};
    if (file == NULL) {
        return "cannot open";
    }
    const char *why = read_pixels(image, file);
    fclose(file);
    if (why != NULL) {
        image_clear(image);
    }
    return why;
}

void image_clear(struct image *image)
{
    free(image->pixels);
    *image = (struct image){0};
}
