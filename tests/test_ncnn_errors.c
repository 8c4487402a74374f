/* SPDX-License-Identifier: Apache-2.0 */
/* What the ncnn importer tells malformed, unsupported and hostile files. */
#include "tests/ncnn_model.h"

#include "src/base/file.h"
#include "src/base/rng.h"

#include <stdio.h>
#include <string.h>

#define N(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct bad_case {
    const char *text, *weights;
    gt_status status;
    const char *parts; /* what the message holds, by '|' */
} bad_case;

static const bad_case bad_cases[] = {
    /* the file */
    {"", "", GT_ERROR_FORMAT, "the file is empty"},
    {"7767517\n", "", GT_ERROR_FORMAT, "file ends before"},
    {"\x08\x07 by its first bytes an ONNX file\n", "", GT_ERROR_FORMAT, "line 1: the file begins with"},
    {"7767518\n1 1\n", "", GT_ERROR_FORMAT, "line 1|7767518|7767517"},
    {"75 83\nInput data 0 1 data 0=4\n", "", GT_ERROR_FORMAT, "line 1|'75'|ncnn's own tools"},
    {"7767517 1\n1 1\n", "", GT_ERROR_FORMAT, "line 1|'1' stands behind"},
    {"7767517\nx 1\n", "", GT_ERROR_FORMAT, "line 2|number of layers|'x'"},
    {"7767517\n1\n", "", GT_ERROR_FORMAT, "line 2|number of blobs|''"},
    {"7767517\n-1 1\n", "", GT_ERROR_FORMAT, "line 2|number of layers|'-1'"},
    {NM_HEAD, "", GT_ERROR_FORMAT, "no layers"},
    /* layers */
    {NM_HEAD "Input\n", "", GT_ERROR_FORMAT, "line 3|Input|no name"},
    {NM_HEAD "Input in\n", "", GT_ERROR_FORMAT, "line 3|'in' (Input)|number of bottoms"},
    {NM_HEAD "Input in 0 x\n", "", GT_ERROR_FORMAT, "line 3|'in'|number of tops|'x'"},
    {NM_HEAD "Input in 0 99999999999\n", "", GT_ERROR_FORMAT, "line 3|'in'|number of tops|99999999999"},
    {NM_HEAD "Input in 0 2147483647 x\n", "", GT_ERROR_FORMAT, "line 3|'in'|2147483647 tops|only 1"},
    {NM_INPUT "ReLU r 1 1 nope y\n", "", GT_ERROR_FORMAT, "line 4|'r' (ReLU)|'nope'|no layer before"},
    {NM_INPUT "ReLU r 1 1 x x\n", "", GT_ERROR_FORMAT, "line 4|'r'|blob 'x'|in makes already"},
    {NM_INPUT "ReLU r 1 2 x y y\n", "", GT_ERROR_FORMAT, "line 4|'r'|blob 'y'"},
    {NM_INPUT "ReLU r 1 1 y z\nReLU s 1 1 x y\n", "", GT_ERROR_FORMAT, "line 4|'r'|'y'|no layer before"},
    {NM_INPUT "ReLU r 2 1 x x y\n", "", GT_ERROR_FORMAT, "line 4|'r'|2 bottoms; 1 is needed"},
    {NM_INPUT "ReLU r 1 2 x y z\n", "", GT_ERROR_FORMAT, "line 4|'r'|2 tops; 1 is needed"},
    {NM_INPUT "Eltwise r 1 1 x y\n", "", GT_ERROR_FORMAT, "line 4|'r'|1 bottom; 2 to 4096 are needed"},
    {NM_INPUT "ReLU\xff r 1 1 x y\n", "", GT_ERROR_FORMAT, "line 4: the name 'ReLU?' has bytes that are not UTF-8"},
    {NM_INPUT "ReLU r\x1b 1 1 x y\n", "", GT_ERROR_FORMAT, "line 4: the name 'r?' has|control characters"},
    {NM_INPUT "ReLU r 1 1 x \xc3\n", "", GT_ERROR_FORMAT, "line 4|'r' (ReLU): the name '?' has|UTF-8"},
    {NM_INPUT "ReLU r 1 1 x y 0=\xff\n", "", GT_ERROR_FORMAT, "line 4|parameter 0 is '?'"},
    /* parameters */
    {NM_INPUT "ReLU r 1 1 x y 0\n", "", GT_ERROR_FORMAT, "line 4|'r'|'0' stands|id=value"},
    {NM_INPUT "ReLU r 1 1 x y =1\n", "", GT_ERROR_FORMAT, "line 4|'r'|'=1' stands"},
    {NM_INPUT "ReLU r 1 1 x y 0=\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is ''"},
    {NM_INPUT "ReLU r 1 1 x y 0=abc\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is 'abc'"},
    {NM_INPUT "ReLU r 1 1 x y 0=nan\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 is 'nan'"},
    {NM_INPUT "ReLU r 1 1 x y 32=1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id 32|0 to 31"},
    {NM_INPUT "ReLU r 1 1 x y -5=1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id -5"},
    {NM_INPUT "ReLU r 1 1 x y -23332=1,1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter id 32"},
    {NM_INPUT "ReLU r 1 1 x y 0=1 0=2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|twice"},
    {NM_INPUT "ReLU r 1 1 x y -23300=3,1,2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|'3'|has 2"},
    {NM_INPUT "ReLU r 1 1 x y -23300=-1\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0|'-1'"},
    {NM_INPUT "ReLU r 1 1 x y 0=1,2\n", "", GT_ERROR_FORMAT, "line 4|'r'|parameter 0 (slope)|array of 2"},
    {NM_INPUT "ReLU r 1 1 x y 7=1\n", "", GT_ERROR_UNSUPPORTED, "line 4|r: ReLU|parameter 7"},
    {NM_INPUT "Concat r 1 1 x y 0=1.5\n", "", GT_ERROR_FORMAT, "line 4|parameter 0 (axis)|1.5|integer"},
    {NM_INPUT "Concat r 1 1 x y 0=\"axis\"\n", "", GT_ERROR_UNSUPPORTED, "parameter 0 (axis)|expression"},
    /* shapes of inputs */
    {NM_HEAD "Input in 0 1 x 0=-4\n", "", GT_ERROR_FORMAT, "line 3|'in'|parameter 0 (w)|-4"},
    {NM_HEAD "Input in 0 1 x 1=4\n", "", GT_ERROR_FORMAT, "line 3|'in'|w 0, h 4"},
    {NM_HEAD "Input in 0 1 x\n", "", GT_ERROR_SHAPE, "line 3|'in'|--shape x=1,C,H,W"},
    {NM_HEAD "Input in 0 1 x 0=2147483647 1=2147483647 2=2147483647\n", "", GT_ERROR_SHAPE, "line 3|'in'"},
    {NM_HEAD "MemoryData m 0 1 x 0=2000000000\n", "", GT_ERROR_FORMAT, "line 3|'m'|data|byte 0|8000000000 "
     "bytes|0 more"},
    {NM_HEAD "MemoryData m 0 1 x 0=2\n", "f:1", GT_ERROR_FORMAT, "data|8 bytes|only 4 more"},
    /* weights */
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=3\n", "", GT_ERROR_FORMAT, "line 4|'c'|weight_data_size) is "
     "3|need 2"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "", GT_ERROR_FORMAT, "weight|byte 0|the flag of 2 weights"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "F:1", GT_ERROR_FORMAT,
     "weight|byte 4|8 bytes|only 4 more"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "t:", GT_ERROR_FORMAT, "weight|table|1028 bytes|only 1024"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2\n", "h:", GT_ERROR_FORMAT, "weight|16-bit|4 bytes|only 0"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 5=1\n", "F:1,1", GT_ERROR_FORMAT, "'c'|bias|byte 12|4 bytes"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 8=1\n", "q:1,1; f:1; f:1", GT_ERROR_UNSUPPORTED,
     "int8|not supported yet|c;"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 19=1\n", "", GT_ERROR_UNSUPPORTED,
     "c: Convolution|dynamic_weight"},
    {NM_INPUT "Quantize q 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "q: Quantize|int8|not supported yet"},
    {NM_INPUT "Cast q 1 1 x y 0=1 1=3\n", "", GT_ERROR_UNSUPPORTED, "q: Cast|int8|not supported yet"},
    /* layers' own rules */
    {NM_INPUT "Convolution c 1 1 x y 1=1 6=2\n", "", GT_ERROR_FORMAT, "'c'|num_output) is 0, as it is missing"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=0 6=2\n", "", GT_ERROR_FORMAT, "parameter 1 (kernel_w) is 0|1 to "
     "1048576"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 3=0 6=2\n", "", GT_ERROR_FORMAT, "parameter 3 (stride_w) is 0"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 4=-1 6=2\n", "", GT_ERROR_FORMAT, "pads are -1"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=5 6=50\n", "F:*1", GT_ERROR_FORMAT, "weight"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 9=7\n", "", GT_ERROR_FORMAT, "activation_type) is 7|0 to 6"},
    {NM_INPUT "Convolution c 1 1 x y 0=1 1=1 6=2 9=3\n", "", GT_ERROR_FORMAT,
     "activation_params|0 elements|needs 2"},
    {NM_INPUT "ConvolutionDepthWise c 1 1 x y 0=3 1=1 6=3 7=3\n", "", GT_ERROR_FORMAT,
     "group) is 3|2 input and 3 output"},
    {NM_INPUT "Deconvolution c 1 1 x y 0=1 1=1 6=2 4=3\n", "", GT_ERROR_FORMAT,
     "pads of 3 and 3|4 elements along H"},
    {NM_INPUT "Deconvolution c 1 1 x y 0=1 1=1 6=2 4=-233\n", "", GT_ERROR_FORMAT, "output_h|0"},
    {NM_INPUT "InnerProduct c 1 1 x y 0=3 2=7\n", "", GT_ERROR_FORMAT, "weight_data_size) is 7|multiple of"},
    {NM_INPUT "InnerProduct c 1 1 x y 0=3 2=6\n", "", GT_ERROR_FORMAT, "2 for each of num_output 3|32 elements"},
    {NM_INPUT "Pooling c 1 1 x y 0=2 1=2\n", "", GT_ERROR_FORMAT, "pooling_type) is 2"},
    {NM_INPUT "Pooling c 1 1 x y\n", "", GT_ERROR_FORMAT, "kernel_w) is 0, as it is missing"},
    {NM_INPUT "Pooling c 1 1 x y 1=9\n", "", GT_ERROR_SHAPE, "window of 9|4 elements along H"},
    {NM_INPUT "Pooling c 1 1 x y 1=1 2=2\n", "", GT_ERROR_UNSUPPORTED, "nothing but padding"},
    {NM_INPUT "Pooling c 1 1 x y 7=1 8=5\n", "", GT_ERROR_FORMAT, "out_h) is 5|1 to 4"},
    {NM_INPUT "BatchNorm c 1 1 x y 0=3\n", "", GT_ERROR_FORMAT, "channels) is 3|2 channels"},
    {NM_INPUT "Scale c 1 1 x y 0=-233\n", "", GT_ERROR_FORMAT, "scale_data_size) is -233 with 1 bottoms"},
    {NM_INPUT "PReLU c 1 1 x y 0=5\n", "", GT_ERROR_FORMAT, "num_slope) is 5|2 channels"},
    {NM_INPUT "PReLU c 1 1 x y 0=0\n", "", GT_ERROR_FORMAT, "num_slope) is 0"},
    {NM_INPUT "UnaryOp c 1 1 x y 0=9\n", "", GT_ERROR_UNSUPPORTED, "op_type) is 9"},
    {NM_INPUT "BinaryOp c 2 1 x x y 0=10\n", "", GT_ERROR_UNSUPPORTED, "op_type) is 10"},
    {NM_INPUT "BinaryOp c 1 1 x y\n", "", GT_ERROR_FORMAT, "1 bottoms|with_scalar"},
    {NM_INPUT "Input i 0 1 z 0=3\nBinaryOp c 2 1 x z y\n", "", GT_ERROR_SHAPE, "1x2x4x4|1x3|broadcast"},
    {NM_INPUT "Input i 0 1 z 0=3\nEltwise c 2 1 x z y\n", "", GT_ERROR_SHAPE, "bottom 1|1x3|1x2x4x4"},
    {NM_INPUT "Eltwise c 2 1 x x y 0=1 -23301=1,2.0\n", "", GT_ERROR_FORMAT, "coeffs) has 1|2 bottoms"},
    {NM_INPUT "Concat c 2 1 x x y 0=3\n", "", GT_ERROR_FORMAT, "axis) is 3|-3 to 2"},
    {NM_INPUT "Input i 0 1 z 0=3\nConcat c 2 1 x z y\n", "", GT_ERROR_SHAPE, "'c'|1x3"},
    {NM_INPUT "Slice c 1 2 x y z -23300=1,1\n", "", GT_ERROR_FORMAT, "slices) has 1|2 tops"},
    {NM_INPUT "Slice c 1 2 x y z -23300=2,1,2\n", "", GT_ERROR_FORMAT, "part 1|2 of the 1"},
    {NM_INPUT "Slice c 1 3 x y z u -23300=3,-233,-233,-233\n", "", GT_ERROR_FORMAT,
     "part 0 would have 0 of the 2"},
    {NM_INPUT "Noop c 1 2 x y z\n", "", GT_ERROR_FORMAT, "1 bottoms and 2 tops"},
    {NM_INPUT "Crop c 1 1 x y 0=5\n", "", GT_ERROR_FORMAT, "-1 elements from 5 on along axis 2, which has 4"},
    {NM_INPUT "Crop c 1 1 x y -23309=1,0\n", "", GT_ERROR_FORMAT, "1, 0 and 0 elements"},
    {NM_INPUT "Padding c 1 1 x y 0=-1\n", "", GT_ERROR_FORMAT, "parameter 0 (top) is -1"},
    {NM_INPUT "Padding c 1 1 x y 2=4 4=2\n", "", GT_ERROR_ARGUMENT, "'c'|before|0 to 3"},
    {NM_INPUT "Padding c 1 1 x y 6=2\n", "", GT_ERROR_UNSUPPORTED, "per_channel_pad_data_size"},
    {NM_INPUT "Reshape c 1 1 x y 0=5\n", "", GT_ERROR_SHAPE, "32 elements cannot be seen as 1x5"},
    {NM_INPUT "Reshape c 1 1 x y 0=-1 1=-1\n", "", GT_ERROR_FORMAT, "both -1"},
    {NM_INPUT "Reshape c 1 1 x y 0=-1 1=5\n", "", GT_ERROR_SHAPE, "no multiple of 5"},
    {NM_INPUT "Reshape c 1 1 x y 0=2147483647 1=2147483647 2=2147483647\n", "", GT_ERROR_LIMIT, "'c'|new shape"},
    {NM_INPUT "Reshape c 1 1 x y\n", "", GT_ERROR_FORMAT, "no dimension"},
    {NM_INPUT "Reshape c 1 1 x y 1=2\n", "", GT_ERROR_FORMAT, "parameter 1 (h)|without"},
    {NM_INPUT "Reshape c 1 1 x y 0=4 6=\"0w\"\n", "", GT_ERROR_UNSUPPORTED, "parameter 6"},
    {NM_INPUT "Permute c 1 1 x y 0=6\n", "", GT_ERROR_FORMAT, "order_type) is 6|0 to 5"},
    {NM_INPUT "ExpandDims c 1 1 x y 0=1 1=1\n", "", GT_ERROR_FORMAT, "3 dimensions|2 more"},
    {NM_INPUT "ExpandDims c 1 1 x y -23303=1,7\n", "", GT_ERROR_FORMAT, "axes) is 7"},
    {NM_INPUT "Softmax c 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "fixbug0"},
    {NM_INPUT "Softmax c 1 1 x y 0=-4 1=1\n", "", GT_ERROR_FORMAT, "axis) is -4|-3 to 2"},
    {NM_INPUT "LRN c 1 1 x y 0=1\n", "", GT_ERROR_UNSUPPORTED, "region_type"},
    {NM_INPUT "LRN c 1 1 x y 1=4\n", "", GT_ERROR_UNSUPPORTED, "local_size) is 4"},
    {NM_INPUT "Interp c 1 1 x y 0=3 1=2.0 2=2.0\n", "", GT_ERROR_UNSUPPORTED, "resize_type) is 3"},
    {NM_INPUT "Interp c 1 1 x y 0=1 1=0.0 2=2.0\n", "", GT_ERROR_FORMAT, "height_scale"},
    {NM_INPUT "Interp c 1 1 x y 0=1 1=1.0e30 2=2.0\n", "", GT_ERROR_FORMAT, "height_scale"},
    {NM_INPUT "ShuffleChannel c 1 1 x y 0=3\n", "", GT_ERROR_FORMAT, "group) is 3|2 channels"},
    {NM_INPUT "Reorg c 1 1 x y 0=9\n", "", GT_ERROR_FORMAT, "stride) is 9|4 elements"},
    {NM_INPUT "PixelShuffle c 1 1 x y 0=2\n", "", GT_ERROR_SHAPE, "'c'|block"},
    {NM_INPUT "Normalize c 1 1 x y 3=1\n", "", GT_ERROR_FORMAT, "scale_data_size) is 1; 2"},
    {NM_INPUT "Normalize c 1 1 x y 4=0 3=2\n", "", GT_ERROR_FORMAT, "both 0"},
    {NM_INPUT "Reduction c 1 1 x y 0=6\n", "", GT_ERROR_UNSUPPORTED, "product"},
    {NM_INPUT "Reduction c 1 1 x y 1=0 -23303=1,0\n", "", GT_ERROR_UNSUPPORTED, "fixbug0"},
    {NM_INPUT "PriorBox p 1 1 x y -23300=1,4.0\n", "", GT_ERROR_FORMAT, "image_height) is 0|second bottom"},
    {NM_INPUT "PriorBox p 1 1 x y 9=10 10=10\n", "", GT_ERROR_FORMAT, "min_sizes|0 and 0 elements"},
    {NM_INPUT "PriorBox p 1 1 x y 9=10 10=10 -23300=1,-4.0\n", "", GT_ERROR_FORMAT, "min_sizes) is -4"},
    {NM_HEAD "Input i 0 1 x 0=9000 1=9000 2=1\nPriorBox p 1 1 x y 9=10 10=10 -23300=1,4.0\n", "", GT_ERROR_LIMIT,
     "81000000 prior boxes"},
    {NM_INPUT "Input i 0 1 p 0=8 1=2\nDetectionOutput d 3 1 x x p y 0=2\n", "", GT_ERROR_SHAPE,
     "bottom 1|1x2x4x4|2 prior"},
    {NM_INPUT "DetectionOutput d 3 1 x x x y 0=2\n", "", GT_ERROR_SHAPE, "bottom 2|1x2x4x4|1x2x4P"},
    {NM_INPUT "Input i 0 1 p 0=64 1=2\nDetectionOutput d 3 1 p x p y 0=2\n", "", GT_ERROR_SHAPE,
     "bottom 0|1x2x64"},
    {NM_INPUT "YoloDetectionOutput d 1 1 x y 0=1 1=1\n", "", GT_ERROR_SHAPE, "bottom 0 has 2 channels|needs 6"},
    {NM_HEAD "Input i 0 1 x 0=1 1=1 2=6\nYoloDetectionOutput d 1 1 x y 0=1 1=1\n", "", GT_ERROR_FORMAT,
     "biases) has 0"},
    {NM_HEAD "Input i 0 1 x 0=1 1=1 2=6\nYolov3DetectionOutput d 1 1 x y 0=1 1=1 -23304=2,1.0,1.0\n", "",
     GT_ERROR_FORMAT, "mask, anchors_scale|0 and 0 elements"},
    {NM_INPUT "LSTM a 1 1 x y\nGRU b 1 1 y z\nReLU c 1 1 z u 9=1\nReLU d 1 1 u v\n", "", GT_ERROR_UNSUPPORTED,
     "3 of 5 layers|line 4: a: LSTM|line 5: b: GRU|line 6: c: ReLU: parameter 9"},
    {NM_INPUT "LSTM a 1 1 x y\nConvolution c 1 1 x z 0=1 1=1 6=2\n", "", GT_ERROR_UNSUPPORTED,
     "1 of 3 layers|a: LSTM"},
};

START_TEST(malformed)
{
    const bad_case *c = &bad_cases[_i];
    gt_graph *g = NULL;
    nm_write_param(c->text);
    nm_write_weights(c->weights);
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_import_file(&g, nm_param_path, NULL);
    ck_assert_msg(status == c->status, "%s: %s: %s", c->text, gt_status_name(status), gt_error_message());
    ck_assert_ptr_null(g);
    nm_check_message(c->text, nm_param_path);
    nm_check_message(c->text, c->parts);
    ck_assert_int_eq(gt_i_live_allocations(), live);
}
END_TEST

typedef struct bad_words {
    int32_t words[16];
    int n, bytes; /* bytes: instead of all of the words */
    const char *parts;
} bad_words;

static const bad_words bad_binaries[] = {
    {{GT_NCNN_MAGIC}, 1, 0, "byte 4: the file ends|number of layers"},
    {{GT_NCNN_MAGIC, 1, 1}, 3, 6, "byte 4: the file ends"},
    {{GT_NCNN_MAGIC, 2000000000, 1}, 3, 0, "byte 4|number of layers is 2000000000|0 to 0"},
    {{GT_NCNN_MAGIC, -1, 1}, 3, 0, "byte 4|number of layers is -1"},
    {{GT_NCNN_MAGIC, 1, 99, 16, 0, 1, 0, -233}, 8, 0, "byte 8|number of blobs is 99|0 to 5"},
    {{GT_NCNN_MAGIC, 0, 0}, 3, 0, "no layers"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 1, -233}, 8, 0, "byte 12|layer_0|byte 24: top 0 is blob 1; 0 to 0"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 1, 1, 0, 0, -233}, 9, 0, "byte 12|layer_0|'blob_0', which no layer before"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 5000, 1, 0, 0, -233}, 9, 0, "byte 16|number of bottoms is 5000|0 to 4"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, 0}, 8, 0, "'layer_0' (Input)|byte 32: the file ends|value"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, 50, 1, -233}, 10, 0, "'layer_0'|byte 28|parameter id 50"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -23300, 2000000000}, 9, 0, "'layer_0'|byte 32|elements is "
     "2000000000"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -23300, -1, -233}, 10, 0, "'layer_0'|byte 32|elements is -1"},
    {{GT_NCNN_MAGIC, 1, 1, 16, 0, 1, 0, -233, 7}, 9, 0, "byte 32: 4 bytes follow"},
    {{GT_NCNN_MAGIC, 1, 1, 9999, 0, 1, 0, -233}, 8, 0, "byte 12: layer_0: #9999: this layer type"},
};

START_TEST(malformed_binary)
{
    const bad_words *c = &bad_binaries[_i];
    char path[1100];
    gt_graph *g = NULL;
    nm_binary_path(path, sizeof path);
    nm_ok(gt_file_replace(path, c->words, c->bytes > 0 ? (size_t)c->bytes : (size_t)c->n * 4));
    nm_write_weights("");
    gt_status status = gt_import_file(&g, path, NULL);
    ck_assert_int_ne(status, GT_OK);
    nm_check_message("binary", path);
    nm_check_message("binary", c->parts);
}
END_TEST

/* Behind an unsupported layer nobody knows where weights begin: none are read or made up, however many a layer asks for. */
START_TEST(weights_behind_unsupported_layers)
{
    gt_graph *g = NULL;
    nm_write_param(NM_INPUT "Quux u 0 1 u\nInnerProduct fc 1 1 x y 0=1000000 2=32000000\nReLU r 1 1 y z\nQuux v 0 1 v\n");
    nm_write_weights("");
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, NULL), GT_ERROR_UNSUPPORTED);
    nm_check_message("behind", "2 of 5 layers are not supported|line 4: u: Quux|line 7: v: Quux");
}
END_TEST

START_TEST(int8_networks)
{
    gt_text text = {0};
    gt_text weights = {0};
    gt_graph *g = NULL;
    nm_ok(gt_text_append(&text, "%s", NM_INPUT));
    for (int i = 0; i < 10; i++) {
        nm_ok(gt_text_append(&text, "Convolution q%d 1 1 %s%d y%d 0=2 1=1 6=4 8=2\n", i, i > 0 ? "y" : "x",
                             i - 1, i));
        nm_ok(gt_text_append(&weights, "%sq:1,2,3,4; f:1,1; f:1", i > 0 ? "; " : ""));
    }
    /* The first one reads x. */
    char *first = strstr(text.data, "x-1");
    memcpy(first, "x  ", 3);
    nm_write_param(text.data);
    nm_write_weights(weights.data);
    ck_assert_int_eq(gt_import_file(&g, nm_param_path, NULL), GT_ERROR_UNSUPPORTED);
    nm_check_message("int8", "10 layers have int8 weights|not supported yet|q0, q1|q7, ...|convert the float "
                     "model");
    gt_text_destroy(&text);
    gt_text_destroy(&weights);
}
END_TEST

/* ---- hostile files ---- */

static void silence(void)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void flip_bytes(const char *path, int rounds)
{
    char *data = NULL;
    size_t bytes = 0;
    gt_rng rng;
    nm_ok(gt_file_read(&data, &bytes, path));
    gt_rng_seed(&rng, 11);
    for (int i = 0; i < rounds; i++) {
        gt_graph *g = NULL;
        size_t at = (size_t)gt_rng_below(&rng, (int64_t)bytes);
        char kept = data[at];
        data[at] = (char)(gt_rng_below(&rng, 2) == 0 ? gt_rng_u64(&rng)
                          : (uint64_t)kept ^ 1u << gt_rng_below(&rng, 8));
        size_t length = gt_rng_below(&rng, 8) == 0 ? (size_t)gt_rng_below(&rng, (int64_t)bytes) : bytes;
        nm_ok(gt_file_replace(path, data, length));
        int64_t live = gt_i_live_allocations();
        gt_status status = gt_import_file(&g, path, NULL);
        ck_assert_int_ne(status, GT_ERROR_INTERNAL);
        ck_assert_int_ne(status, GT_ERROR_MEMORY);
        gt_graph_destroy(g);
        ck_assert_int_eq(gt_i_live_allocations(), live);
        data[at] = kept;
    }
    nm_ok(gt_file_replace(path, data, bytes));
    gt_free(data);
}

START_TEST(flipped_bytes)
{
    char path[1100];
    nm_binary_path(path, sizeof path);
    silence();
    nm_write_small();
    nm_write_binary(path, nm_small_text);
    flip_bytes(nm_param_path, 1500);
    flip_bytes(path, 1500);
    flip_bytes(nm_bin_path, 200);
}
END_TEST

/* Imports what must be either right or refused with a message. */
static void import_anything(const char *what)
{
    gt_graph *g = NULL;
    int64_t live = gt_i_live_allocations();
    gt_status status = gt_import_file(&g, nm_param_path, NULL);
    ck_assert_msg(status != GT_ERROR_INTERNAL && status != GT_ERROR_MEMORY, "%s: %s: %s", what,
                  gt_status_name(status), gt_error_message());
    gt_graph_destroy(g);
    ck_assert_msg(gt_i_live_allocations() == live, "%s: leak", what);
}

/* Every number behind '=' or ',' of every case becomes one that nobody expects. */
START_TEST(odd_numbers)
{
    static const char *const odd[] = {"0", "-1", "1", "2", "-233", "-234", "7", "1048576", "1048577", "2147483647",
                                      "-2147483648", "4294967295", "0.5", "-1e30", "3e38", "1e-40"};
    static nm_literal in[8];
    char *text = NULL;
    size_t bytes = 0;
    gt_text changed = {0};
    silence();
    const nm_case *c = &nm_cases[_i];
    nm_write_case(c, in);
    nm_ok(gt_file_read(&text, &bytes, nm_param_path));
    for (size_t at = strcspn(text, "=,"); at < bytes; at += 1 + strcspn(text + at + 1, "=,")) {
        size_t rest = at + 1 + strcspn(text + at + 1, ",= \n");
        for (int k = 0; k < N(odd); k++) {
            nm_ok(gt_text_append(&changed, "%.*s%s%s", (int)at + 1, text, odd[k], text + rest));
            nm_write_param(changed.data);
            import_anything(changed.data);
            gt_text_destroy(&changed);
            changed = (gt_text){0};
        }
    }
    gt_free(text);
}
END_TEST

START_TEST(failing_allocations)
{
    char path[1100];
    nm_binary_path(path, sizeof path);
    silence();
    nm_write_small();
    nm_write_binary(path, nm_small_text);
    for (int form = 0; form < 2; form++) {
        gt_graph *g = NULL;
        gt_status status = GT_ERROR_MEMORY;
        int64_t live = gt_i_live_allocations();
        int64_t k = 0;
        for (; status != GT_OK; k++) {
            ck_assert_int_lt(k, 100000);
            gt_i_fail_allocation(k);
            status = gt_import_file(&g, form == 0 ? nm_param_path : path, NULL);
            gt_i_fail_allocation(-1);
            if (status != GT_OK) {
                ck_assert_msg(status == GT_ERROR_MEMORY, "allocation %lld: %s: %s", (long long)k,
                              gt_status_name(status), gt_error_message());
                ck_assert_ptr_null(g);
                ck_assert_int_eq(gt_i_live_allocations(), live);
            }
        }
        ck_assert_int_gt(k, 100);
        gt_graph_destroy(g);
        ck_assert_int_eq(gt_i_live_allocations(), live);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ncnn errors");
    TCase *bad = tcase_create("malformed files");
    tcase_add_loop_test(bad, malformed, 0, N(bad_cases));
    tcase_add_loop_test(bad, malformed_binary, 0, N(bad_binaries));
    tcase_add_test(bad, weights_behind_unsupported_layers);
    tcase_add_test(bad, int8_networks);
    suite_add_tcase(suite, bad);
    TCase *hostile = tcase_create("hostile files");
    tcase_set_timeout(hostile, 120);
    tcase_add_test(hostile, flipped_bytes);
    tcase_add_loop_test(hostile, odd_numbers, 0, nm_n_cases);
    tcase_add_test(hostile, failing_allocations);
    suite_add_tcase(suite, hostile);
    return nm_run_suite(suite);
}
