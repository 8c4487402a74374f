/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures through stb_image, which is known to this file alone. */
#include "image.h"

#include <stb_image.h>
#include <stddef.h>

const char image_formats[] = "PNG, JPEG, PPM";

const char *image_read(struct image *image, const char *path)
{
    int channels = 0;
    image->pixels = stbi_load(path, &image->width, &image->height, &channels, 3);
    return image->pixels != NULL ? NULL : stbi_failure_reason();
}

void image_clear(struct image *image)
{
    stbi_image_free(image->pixels);
    *image = (struct image){0};
}
