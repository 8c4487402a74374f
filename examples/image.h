/* SPDX-License-Identifier: Apache-2.0 */
/* Reading pictures, for examples/classify.c. */
#ifndef EXAMPLES_IMAGE_H
#define EXAMPLES_IMAGE_H

/* Pixels from the top left, row by row, three bytes each: red, green, blue. */
struct image {
    int width, height;
    unsigned char *pixels; /* freed by image_clear */
};

/* NULL, or why the file cannot be read. */
const char *image_read(struct image *image, const char *path);
void image_clear(struct image *image);

/* The formats that image_read takes. */
extern const char image_formats[];

#endif
