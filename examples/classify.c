/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies a picture with a bundle and prints the five likeliest classes.
 *
 *   classify [--raw] MODEL.gtb PICTURE [LABELS.txt]
 *
 * The picture's shorter side is scaled to 256/224 of the network's input and the centre is cut out, as ImageNet networks
 * expect it; then each channel is normalised with ImageNet's mean and deviation. --raw leaves the values at 0 to 1. Labels:
 * one per line, class 0 first. */
#include <graphtune/runtime.h>

#include "image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP 5
#define LABEL_BYTES 256

static const float mean[3] = {0.485f, 0.456f, 0.406f};
static const float deviation[3] = {0.229f, 0.224f, 0.225f};

/* ---- the picture ---- */

/* The mean of one channel over the rectangle that one pixel of the result covers; at least one pixel. */
static float area_mean(const struct image *image, double x0, double y0, double step, int channel)
{
    int left = (int)fmax(floor(x0 + 0.5), 0);
    int top = (int)fmax(floor(y0 + 0.5), 0);
    left = left < image->width ? left : image->width - 1;
    top = top < image->height ? top : image->height - 1;
    int right = (int)fmin(fmax(floor(x0 + step + 0.5), left + 1), image->width);
    int bottom = (int)fmin(fmax(floor(y0 + step + 0.5), top + 1), image->height);
    double sum = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            sum += image->pixels[((size_t)y * (size_t)image->width + (size_t)x) * 3 + (size_t)channel];
        }
    }
    return (float)(sum / ((double)(right - left) * (bottom - top) * 255));
}

/* Fills an input of shape 1 x 3 x height x width. */
static void fill(float *to, const struct image *image, int width, int height, int raw)
{
    double shorter = image->width < image->height ? image->width : image->height;
    /* Pixels of the picture per pixel of the input. */
    double step = shorter / ((width < height ? width : height) * 256.0 / 224.0);
    double x0 = (image->width - step * width) / 2;
    double y0 = (image->height - step * height) / 2;
    for (int c = 0; c < 3; c++) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                float value = area_mean(image, x0 + x * step, y0 + y * step, step, c);
                *to++ = raw ? value : (value - mean[c]) / deviation[c];
            }
        }
    }
}

/* ---- the result ---- */

/* Probabilities, unless the network has computed some itself. */
static void softmax(float *p, size_t n)
{
    float largest = p[0];
    double sum = 0;
    int probabilities = 1;
    for (size_t i = 0; i < n; i++) {
        largest = p[i] > largest ? p[i] : largest;
        sum += (double)p[i];
        probabilities = probabilities && p[i] >= 0;
    }
    if (probabilities && fabs(sum - 1) < 1e-3) {
        return;
    }
    sum = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = expf(p[i] - largest);
        sum += (double)p[i];
    }
    for (size_t i = 0; i < n; i++) {
        p[i] = (float)(p[i] / sum);
    }
}

/* Line `number` of the file, or the number itself. */
static void find_label(char label[LABEL_BYTES], const char *path, size_t number)
{
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t line = 0;
    snprintf(label, LABEL_BYTES, "class %zu", number);
    for (char text[LABEL_BYTES]; file != NULL && fgets(text, sizeof text, file) != NULL; line++) {
        if (line == number) {
            text[strcspn(text, "\r\n")] = '\0';
            memcpy(label, text, sizeof text);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void print_top(float *p, size_t n, const char *labels)
{
    for (int k = 0; k < TOP && (size_t)k < n; k++) {
        size_t best = 0;
        char label[LABEL_BYTES];
        for (size_t i = 1; i < n; i++) {
            best = p[i] > p[best] ? i : best;
        }
        find_label(label, labels, best);
        printf("%6.2f %%  %s\n", 100 * (double)p[best], label);
        p[best] = -1;
    }
}

/* ---- the program ---- */

static int classify(gt_deployment *net, const struct image *image, int raw, const char *labels)
{
    gt_port in;
    gt_port out;
    if (gt_deployment_input(net, 0, &in) != GT_OK || gt_deployment_output(net, 0, &out) != GT_OK) {
        fprintf(stderr, "classify: %s\n", gt_error_message());
        return 1;
    }
    if (in.type != GT_PORT_F32 || in.rank != 4 || in.dim[0] != 1 || in.dim[1] != 3 || in.bytes == 0) {
        fprintf(stderr, "classify: input \"%s\" is not float32 of shape 1x3xHxW\n", in.name);
        return 1;
    }
    if (out.type != GT_PORT_F32 || out.bytes == 0) {
        fprintf(stderr, "classify: output \"%s\" is not float32\n", out.name);
        return 1;
    }
    fill(in.data, image, (int)in.dim[3], (int)in.dim[2], raw);
    gt_deployment_run(net);
    softmax(out.data, out.bytes / sizeof(float));
    print_top(out.data, out.bytes / sizeof(float), labels);
    return 0;
}

int main(int argc, char **argv)
{
    int raw = argc > 1 && strcmp(argv[1], "--raw") == 0;
    char **operands = argv + 1 + raw;
    int n = argc - 1 - raw;
    gt_bundle *bundle = NULL;
    gt_deployment *net = NULL;
    struct image image = {0};
    int code = 1;
    if (n != 2 && n != 3) {
        fprintf(stderr, "usage: classify [--raw] MODEL.gtb PICTURE [LABELS.txt]\nPictures: %s\n", image_formats);
        return 2;
    }
    const char *why = image_read(&image, operands[1]);
    if (why != NULL) {
        fprintf(stderr, "classify: %s: %s\n", operands[1], why);
    } else if (gt_bundle_open(&bundle, operands[0]) != GT_OK || gt_deployment_create(&net, bundle, 0) != GT_OK) {
        fprintf(stderr, "classify: %s\n", gt_error_message());
    } else {
        code = classify(net, &image, raw, n == 3 ? operands[2] : NULL);
    }
    gt_deployment_close(net);
    gt_bundle_close(bundle);
    image_clear(&image);
    return code;
}
