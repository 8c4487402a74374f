libgt_rt_la_SOURCES += \
	ops/argmax.c \
	ops/binary.c \
	ops/blas.c \
	ops/cast.c \
	ops/concat.c \
	ops/config.c \
	ops/conv_common.c \
	ops/conv_direct.c \
	ops/conv_direct_pack.c \
	ops/conv_gemm.c \
	ops/conv_transpose.c \
	ops/conv_winograd.c \
	ops/conv_winograd_pack.c \
	ops/copy.c \
	ops/dense.c \
	ops/depth_space.c \
	ops/depthwise.c \
	ops/detection.c \
	ops/detection_direct.c \
	ops/gather.c \
	ops/general_common.c \
	ops/general_common_move.c \
	ops/lrn.c \
	ops/matmul.c \
	ops/pad.c \
	ops/pair.c \
	ops/pool.c \
	ops/reduce.c \
	ops/reference.c \
	ops/reference_conv.c \
	ops/reference_detection.c \
	ops/reference_elementwise.c \
	ops/reference_move.c \
	ops/reference_pair.c \
	ops/reference_reduce.c \
	ops/reference_spatial.c \
	ops/registry.c \
	ops/reshape.c \
	ops/resize.c \
	ops/resize_coord.c \
	ops/scale.c \
	ops/shuffle.c \
	ops/slice.c \
	ops/softmax.c \
	ops/tile.c \
	ops/transpose.c \
	ops/unary.c \
	ops/kernel.c \
	ops/argmax.h \
	ops/binary.h \
	ops/blas.h \
	ops/cast.h \
	ops/concat.h \
	ops/conv_common.h \
	ops/conv_direct.h \
	ops/conv_direct_finish.h \
	ops/conv_direct_width.h \
	ops/conv_gemm.h \
	ops/conv_transpose.h \
	ops/conv_winograd.h \
	ops/conv_winograd_pixels.h \
	ops/conv_winograd_points.h \
	ops/conv_winograd_tile.h \
	ops/copy.h \
	ops/dense.h \
	ops/depth_space.h \
	ops/depthwise.h \
	ops/depthwise_row_width.h \
	ops/depthwise_width.h \
	ops/detection.h \
	ops/general_common.h \
	ops/general_common_move.h \
	ops/general_common_simd.h \
	ops/kernels.h \
	ops/kernels.inc \
	ops/kernels_conv.inc \
	ops/kernels_general.inc \
	ops/lrn.h \
	ops/matmul.h \
	ops/matmul_finish.h \
	ops/matmul_micro.h \
	ops/matmul_transpose.h \
	ops/pair.h \
	ops/pool.h \
	ops/pool_window.h \
	ops/reduce.h \
	ops/reference.h \
	ops/reference_internal.h \
	ops/resize.h \
	ops/resize_coord.h \
	ops/scale.h \
	ops/simd.h \
	ops/simd_width.inc \
	ops/softmax.h \
	ops/template.h \
	ops/templates.inc \
	ops/templates_conv.inc \
	ops/templates_general.inc \
	ops/transpose.h \
	ops/unary.h \
	ops/unary_math.h

GT_KERNEL_SOURCES = \
	layouts/transform_kernel.c \
	ops/argmax_kernel.c \
	ops/binary_kernel.c \
	ops/cast_kernel.c \
	ops/concat_kernel.c \
	ops/conv_direct_kernel.c \
	ops/conv_direct_micro_kernel.c \
	ops/conv_gemm_kernel.c \
	ops/conv_transpose_kernel.c \
	ops/conv_winograd_kernel.c \
	ops/conv_winograd_tile_kernel.c \
	ops/copy_kernel.c \
	ops/dense_kernel.c \
	ops/depth_space_kernel.c \
	ops/depthwise_kernel.c \
	ops/depthwise_row_kernel.c \
	ops/general_common_move_kernel.c \
	ops/lrn_kernel.c \
	ops/matmul_kernel.c \
	ops/matmul_micro_kernel.c \
	ops/pool_kernel.c \
	ops/reduce_kernel.c \
	ops/resize_kernel.c \
	ops/scale_kernel.c \
	ops/softmax_kernel.c \
	ops/transpose_kernel.c \
	ops/unary_kernel.c

# Kernels: every *_kernel.c, layouts' one too, is compiled once per instruction set. Scheduling before register allocation undoes
# register tiles (docs/design.md, section 7); -fpeel-loops unrolls their constant loops even at -O2.
GT_KERNEL_CFLAGS = $(AM_CFLAGS) -O3 -fno-schedule-insns -fpeel-loops -Wno-psabi $(GT_KERNEL_DEBUG) $(GT_KERNEL_SANITIZE)

noinst_LTLIBRARIES += libgt-kernels-base.la
libgt_rt_la_LIBADD += libgt-kernels-base.la
libgt_kernels_base_la_SOURCES = $(GT_KERNEL_SOURCES)
libgt_kernels_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DGT_ISA_SUFFIX=base
libgt_kernels_base_la_CFLAGS = $(GT_KERNEL_CFLAGS) $(GT_BASE_KERNEL_CFLAGS)

if ARCH_X86_64
noinst_LTLIBRARIES += libgt-kernels-avx2.la libgt-kernels-avx512.la
libgt_rt_la_LIBADD += libgt-kernels-avx2.la libgt-kernels-avx512.la
libgt_kernels_avx2_la_SOURCES = $(GT_KERNEL_SOURCES)
libgt_kernels_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DGT_ISA_SUFFIX=avx2
libgt_kernels_avx2_la_CFLAGS = $(GT_KERNEL_CFLAGS) -mavx2 -mfma
libgt_kernels_avx512_la_SOURCES = $(GT_KERNEL_SOURCES)
libgt_kernels_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DGT_ISA_SUFFIX=avx512
libgt_kernels_avx512_la_CFLAGS = $(GT_KERNEL_CFLAGS) -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512
endif
