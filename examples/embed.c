/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program: a bundle, one inference, the largest number of the first output.
 *
 *   cc embed.c $(pkg-config --cflags --libs graphtune-rt) -o embed && ./embed model.gtb */
#include <graphtune/runtime.h>

#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "embed: %s\n", gt_error_message());
    return 1;
}

int main(int argc, char **argv)
{
    gt_bundle *bundle = NULL;
    gt_deployment *net = NULL;
    gt_port in;
    gt_port out;
    if (argc != 2) {
        fprintf(stderr, "usage: embed MODEL.gtb\n");
        return 2;
    }
    if (gt_bundle_open(&bundle, argv[1]) != GT_OK || gt_deployment_create(&net, bundle, 0) != GT_OK ||
        gt_deployment_input(net, 0, &in) != GT_OK || gt_deployment_output(net, 0, &out) != GT_OK) {
        return fail();
    }
    gt_bundle_close(bundle); /* the deployment keeps it */
    if (in.type != GT_PORT_F32 || out.type != GT_PORT_F32 || out.bytes == 0) {
        fprintf(stderr, "embed: \"%s\" or \"%s\" is not float32\n", in.name, out.name);
        return 1;
    }
    float *x = in.data;
    for (size_t i = 0; i < in.bytes / sizeof *x; i++) {
        x[i] = (float)(i % 255) / 255; /* a picture, in a real program */
    }
    gt_deployment_run(net);
    const float *y = out.data;
    size_t best = 0;
    for (size_t i = 1; i < out.bytes / sizeof *y; i++) {
        best = y[i] > y[best] ? i : best;
    }
    printf("%s[%zu] = %g\n", out.name, best, (double)y[best]);
    gt_deployment_close(net);
    return 0;
}
