# What ships to a board.
libgt_rt_la_SOURCES += \
	src/base/clock.c \
	src/base/clock.h \
	src/base/cpu.c \
	src/base/cpu.h \
	src/base/file.c \
	src/base/file.h \
	src/base/file_map.c \
	src/base/memory.c \
	src/base/memory.h \
	src/base/npy.c \
	src/base/npy.h \
	src/base/rng.c \
	src/base/rng.h \
	src/base/sha256.c \
	src/base/status.c \
	src/base/status.h \
	src/base/text.c \
	src/base/text.h \
	src/base/threads.c \
	src/base/threads.h \
	src/base/utf8.c \
	src/base/utf8.h \
	src/base/xxh64.c \
	src/base/xxh64.h
libgt_rt_la_SOURCES += \
	src/graph/graph.c \
	src/graph/graph_order.c \
	src/graph/graph_verify.c \
	src/graph/infer.c \
	src/graph/infer_detection.c \
	src/graph/infer_move.c \
	src/graph/infer_pair.c \
	src/graph/infer_point.c \
	src/graph/infer_window.c \
	src/graph/name_index.c \
	src/graph/op.c \
	src/graph/pair.c \
	src/graph/shape.c \
	src/graph/workload.c \
	src/graph/workload_format.c \
	src/graph/workload_parse.c \
	src/graph/graph.h \
	src/graph/graph_internal.h \
	src/graph/infer.h \
	src/graph/name_index.h \
	src/graph/op.h \
	src/graph/op_attrs.inc \
	src/graph/op_enums.inc \
	src/graph/op_kinds.inc \
	src/graph/pair.h \
	src/graph/shape.h \
	src/graph/workload.h \
	src/graph/workload_text.h
libgt_rt_la_SOURCES += \
	src/records/json.c \
	src/records/json_internal.h \
	src/records/json_read.c \
	src/records/json_scan.c \
	src/records/json_write.c \
	src/records/record_line.c \
	src/records/json.h \
	src/records/records.h \
	src/records/records_internal.h
if BOARD_ONLY
libgt_rt_la_SOURCES += src/records/json_plain.c
else
libgt_rt_la_SOURCES += src/records/json_cjson.c
endif
libgt_rt_la_SOURCES += \
	src/api/deployment.c \
	src/api/deployment.h \
	src/plan/bundle.h \
	src/plan/bundle_file.c \
	src/plan/bundle_open.c \
	src/plan/bundle_read.c \
	src/plan/bundle_target.c \
	src/plan/bundle_write.c \
	src/plan/arena.c \
	src/plan/forms.c \
	src/plan/memory_map.c \
	src/plan/placement.c \
	src/plan/placement.h \
	src/plan/plan.c \
	src/plan/plan.h \
	src/plan/plan_names.h \
	src/plan/plan_parts.h \
	src/plan/plan_read.c \
	src/plan/plan_result.c \
	src/plan/plan_selection.c \
	src/plan/plan_write.c \
	src/plan/program.c \
	src/plan/program.h \
	src/run/bench.c \
	src/run/bench.h \
	src/run/graph_reference.c \
	src/run/kernels.c \
	src/run/kernels.h \
	src/run/noise.c \
	src/run/session.c \
	src/run/session.h
libgt_rt_la_CPPFLAGS += $(CJSON_CFLAGS) $(OPENBLAS_CFLAGS)
libgt_rt_la_LIBADD += $(CJSON_LIBS) $(OPENBLAS_LIBS)

# What a board that measures needs beside it.
libgt_tune_la_SOURCES += \
	src/import/import_shape.c \
	src/records/records.c \
	src/records/records_file.c \
	src/tune/strategy.c \
	src/tune/strategy.h \
	src/tune/strategy_arm.c \
	src/tune/strategy_internal.h \
	src/tune/strategy_pairs.c \
	src/tune/strategy_points.c \
	src/tune/strategy_recall.c \
	src/tune/tasks.c \
	src/tune/tune.c \
	src/tune/tune.h \
	src/tune/tune_cases.c \
	src/tune/tune_cases.h \
	src/tune/tune_cool.c \
	src/tune/tune_cool.h \
	src/tune/tune_internal.h \
	src/tune/tune_item.c \
	src/tune/tune_known.c \
	src/tune/tune_plan.c \
	src/tune/tune_plan.h \
	src/tune/tune_progress.c \
	src/tune/tune_progress.h \
	src/tune/tune_sample.c \
	src/tune/tune_setup.c \
	src/tune/tune_share.c \
	src/tune/tune_tell.c

# What runs on the developer's machine as well.
libgt_full_la_SOURCES += \
	src/graph/pass_activation.c \
	src/graph/pass_activation_chain.c \
	src/graph/pass_affine.c \
	src/graph/pass_clean.c \
	src/graph/pass_common.c \
	src/graph/pass_fold_scale.c \
	src/graph/pass_identity.c \
	src/graph/pass_pad.c \
	src/graph/pass_perm.c \
	src/graph/pass_permute_op.c \
	src/graph/pass_residual.c \
	src/graph/pass_shuffle.c \
	src/graph/pass_transpose.c \
	src/graph/pass_transpose_move.c \
	src/graph/pass_util.c \
	src/graph/passes.c \
	src/graph/pass_activation.h \
	src/graph/pass_affine.h \
	src/graph/pass_clean.h \
	src/graph/pass_perm.h \
	src/graph/pass_transpose.h \
	src/graph/pass_util.h \
	src/graph/passes.h
libgt_full_la_SOURCES += \
	src/solve/arena.c \
	src/solve/arena.h \
	src/solve/bound.c \
	src/solve/branch.c \
	src/solve/branch.h \
	src/solve/bucket.c \
	src/solve/bucket.h \
	src/solve/bucket_pass.c \
	src/solve/bucket_walk.c \
	src/solve/bucket_walk.h \
	src/solve/build.c \
	src/solve/build.h \
	src/solve/cfn.c \
	src/solve/cfn.h \
	src/solve/classes.c \
	src/solve/classes.h \
	src/solve/dive.c \
	src/solve/dominance.c \
	src/solve/edge.c \
	src/solve/edge.h \
	src/solve/eliminate.c \
	src/solve/exhaustive.c \
	src/solve/fold.c \
	src/solve/fold.h \
	src/solve/forced.c \
	src/solve/forced.h \
	src/solve/igraph_order.c \
	src/solve/igraph_order.h \
	src/solve/marginals.c \
	src/solve/network.h \
	src/solve/order.c \
	src/solve/order.h \
	src/solve/order_dense.c \
	src/solve/order_dense.h \
	src/solve/order_sparse.c \
	src/solve/order_sparse.h \
	src/solve/record.c \
	src/solve/record.h \
	src/solve/reduce.c \
	src/solve/search.c \
	src/solve/solve.c \
	src/solve/solver.h \
	src/solve/split.c \
	src/solve/split.h \
	src/solve/wcsp.c \
	src/solve/wcsp.h
libgt_full_la_SOURCES += \
	src/records/records_tools.c
libgt_full_la_SOURCES += \
	src/import/autotvm.c \
	src/import/autotvm_line.c \
	src/import/autotvm_task.c \
	src/import/cfn_build.c \
	src/import/cfn_cost.c \
	src/import/cfn_function.c \
	src/import/cfn_read.c \
	src/import/cfn_scan.c \
	src/import/cfn_words.c \
	src/import/cfn_write.c \
	src/import/fold_budget.c \
	src/import/import.c \
	src/import/name_map.c \
	src/import/ncnn_binary.c \
	src/import/ncnn_build.c \
	src/import/ncnn_conv.c \
	src/import/ncnn_deconv.c \
	src/import/ncnn_detect.c \
	src/import/ncnn_import.c \
	src/import/ncnn_param.c \
	src/import/ncnn_param_bin.c \
	src/import/ncnn_param_text.c \
	src/import/ncnn_point.c \
	src/import/ncnn_pool.c \
	src/import/ncnn_priors.c \
	src/import/ncnn_read.c \
	src/import/ncnn_reduce.c \
	src/import/ncnn_shape.c \
	src/import/ncnn_slice.c \
	src/import/ncnn_source.c \
	src/import/ncnn_spatial.c \
	src/import/ncnn_weights.c \
	src/import/onnx_const.c \
	src/import/onnx_conv.c \
	src/import/onnx_elementwise.c \
	src/import/onnx_external.c \
	src/import/onnx_file.c \
	src/import/onnx_fold.c \
	src/import/onnx_import.c \
	src/import/onnx_inputs.c \
	src/import/onnx_linear.c \
	src/import/onnx_model.c \
	src/import/onnx_names.c \
	src/import/onnx_node.c \
	src/import/onnx_notes.c \
	src/import/onnx_pool.c \
	src/import/onnx_reduce.c \
	src/import/onnx_resize.c \
	src/import/onnx_shape_ops.c \
	src/import/onnx_slice_ops.c \
	src/import/onnx_value.c \
	src/import/onnx_window.c \
	src/import/onnx_write.c \
	src/import/autotvm.h \
	src/import/autotvm_line.h \
	src/import/cfn_cost.h \
	src/import/cfn_file.h \
	src/import/cfn_read.h \
	src/import/cfn_scan.h \
	src/import/fold_budget.h \
	src/import/format.h \
	src/import/import.h \
	src/import/name_map.h \
	src/import/ncnn_context.h \
	src/import/ncnn_conv.h \
	src/import/ncnn_layers.inc \
	src/import/ncnn_param.h \
	src/import/ncnn_types.inc \
	src/import/ncnn_weights.h \
	src/import/onnx_context.h \
	src/import/onnx_external.h \
	src/import/onnx_file.h \
	src/import/onnx_inputs.h \
	src/import/onnx_names.h \
	src/import/onnx_ops.inc \
	src/import/onnx_window.h
nodist_libgt_full_la_SOURCES = \
	src/import/onnx.pb-c.c \
	src/import/onnx.pb-c.h
libgt_full_la_SOURCES += \
	src/zoo/architectures.h \
	src/zoo/builder.c \
	src/zoo/builder.h \
	src/zoo/builder_shapes.c \
	src/zoo/builder_weights.c \
	src/zoo/densenet.c \
	src/zoo/efficientnet.c \
	src/zoo/googlenet.c \
	src/zoo/hrnet.c \
	src/zoo/inception.c \
	src/zoo/mnasnet.c \
	src/zoo/mobilenet.c \
	src/zoo/moments.c \
	src/zoo/moments.h \
	src/zoo/nasnet.c \
	src/zoo/resnet.c \
	src/zoo/shufflenet.c \
	src/zoo/squeezenet.c \
	src/zoo/ssd.c \
	src/zoo/unet.c \
	src/zoo/yolo.c \
	src/zoo/zoo.c \
	src/zoo/zoo.h \
	src/zoo/zoo_list.inc
libgt_full_la_SOURCES += \
	src/export/dot_export.c \
	src/export/onnx_emit.c \
	src/export/onnx_export.c \
	src/export/onnx_move_ops.c \
	src/export/onnx_node_notes.c \
	src/export/onnx_point_ops.c \
	src/export/onnx_window_ops.c \
	src/export/outline.c \
	src/export/export.h \
	src/export/onnx_emit.h \
	src/export/outline.h
libgt_full_la_SOURCES += \
	src/api/open.c \
	src/tune/autotvm_emit.c \
	src/tune/autotvm_emit.h \
	src/tune/explain.c \
	src/tune/explain.h \
	src/tune/refine.c \
	src/tune/refine.h \
	src/tune/refine_figures.c \
	src/tune/refine_figures.h \
	src/tune/select.c \
	src/tune/select.h \
	src/tune/select_branch.c \
	src/tune/select_copies.c \
	src/tune/select_device.c \
	src/tune/select_domain.c \
	src/tune/select_dump.c \
	src/tune/select_footprint.c \
	src/tune/select_foreign.c \
	src/tune/select_front.c \
	src/tune/select_group.c \
	src/tune/select_improve.c \
	src/tune/select_internal.h \
	src/tune/select_least.c \
	src/tune/select_memory.c \
	src/tune/select_memory.h \
	src/tune/select_memory_internal.h \
	src/tune/select_network.c \
	src/tune/select_noise.c \
	src/tune/select_pins.c \
	src/tune/select_region.c \
	src/tune/select_regret.c \
	src/tune/select_regret.h \
	src/tune/select_solve.c \
	src/tune/select_tally.c \
	src/tune/select_views.c \
	src/tune/select_way.c \
	src/tune/select_weights.c \
	src/tune/verify.c \
	src/tune/verify.h \
	src/tune/verify_internal.h \
	src/tune/verify_schedule.c
libgt_full_la_CPPFLAGS += $(IGRAPH_CFLAGS) $(PROTOBUF_C_CFLAGS) $(HWLOC_CFLAGS)
libgt_full_la_LIBADD += libgt-tune.la $(IGRAPH_LIBS) $(PROTOBUF_C_LIBS) $(HWLOC_LIBS)

if !BOARD_ONLY
noinst_LTLIBRARIES += libgt-full.la

# The ONNX messages, generated from our own subset of the schema.
BUILT_SOURCES += src/import/onnx.pb-c.h
CLEANFILES += src/import/onnx.pb-c.c src/import/onnx.pb-c.h
EXTRA_DIST += src/import/onnx.proto
src/import/onnx.pb-c.c: src/import/onnx.proto
	$(AM_V_GEN)$(MKDIR_P) src/import && \
	$(PROTOC_C) --proto_path=$(srcdir)/src/import --c_out=src/import $(srcdir)/src/import/onnx.proto
src/import/onnx.pb-c.h: src/import/onnx.pb-c.c
$(libgt_full_la_OBJECTS): | src/import/onnx.pb-c.h

# The libraries and the command.
lib_LTLIBRARIES += libgraphtune-rt.la libgraphtune.la
libgraphtune_rt_la_SOURCES =
libgraphtune_rt_la_LIBADD = libgt-rt.la
libgraphtune_rt_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined
EXTRA_libgraphtune_rt_la_DEPENDENCIES = src/api/graphtune-rt.map
libgraphtune_la_SOURCES =
libgraphtune_la_LIBADD = libgt-full.la
libgraphtune_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined
EXTRA_libgraphtune_la_DEPENDENCIES = src/api/graphtune.map
if HAVE_VERSION_SCRIPT
libgraphtune_rt_la_LDFLAGS += -Wl,--version-script=$(srcdir)/src/api/graphtune-rt.map
libgraphtune_la_LDFLAGS += -Wl,--version-script=$(srcdir)/src/api/graphtune.map
endif
EXTRA_DIST += src/api/graphtune-rt.map src/api/graphtune.map

bin_PROGRAMS += graphtune
pkgconfig_DATA += graphtune.pc graphtune-rt.pc
endif

pkginclude_HEADERS += include/graphtune/graphtune.h include/graphtune/runtime.h include/graphtune/status.h
# What graphtune-board shares.
GT_CLI_SHARED = \
	src/cli/arguments.c \
	src/cli/bench_table.c \
	src/cli/check.c \
	src/cli/cli.h \
	src/cli/cmd_device.c \
	src/cli/common.h \
	src/cli/device_flags.c \
	src/cli/device_flags.h \
	src/cli/dispatch.c \
	src/cli/open_bundle.c \
	src/cli/options.c \
	src/cli/output.c \
	src/cli/run_files.c \
	src/cli/run_plan.c \
	src/cli/run_plan.h \
	src/cli/tune_flags.c \
	src/cli/tune_flags.h

graphtune_SOURCES = \
	$(GT_CLI_SHARED) \
	src/cli/agent.c \
	src/cli/agent.h \
	src/cli/auto.h \
	src/cli/auto_board.c \
	src/cli/auto_board.h \
	src/cli/auto_board_run.c \
	src/cli/board.c \
	src/cli/board.h \
	src/cli/cmd_auto.c \
	src/cli/cmd_bench.c \
	src/cli/cmd_explain.c \
	src/cli/cmd_export.c \
	src/cli/cmd_inspect.c \
	src/cli/cmd_pack.c \
	src/cli/cmd_records.c \
	src/cli/cmd_records_import.c \
	src/cli/cmd_run.c \
	src/cli/cmd_select.c \
	src/cli/cmd_solve.c \
	src/cli/cmd_tasks.c \
	src/cli/cmd_tune.c \
	src/cli/cmd_zoo.c \
	src/cli/common.c \
	src/cli/counter_flags.c \
	src/cli/counter_flags.h \
	src/cli/main.c \
	src/cli/pareto.c \
	src/cli/pareto.h \
	src/cli/print_explain.c \
	src/cli/print_explain.h \
	src/cli/print_explain_json.c \
	src/cli/print_plan.c \
	src/cli/print_verify.c \
	src/cli/select_verify.c \
	src/cli/select_verify.h \
	src/cli/solver_flags.h \
	src/cli/solver_watch.c \
	src/cli/ssh.c \
	src/cli/ssh.h
graphtune_CPPFLAGS = $(AM_CPPFLAGS) -DGT_PKGDATADIR='"$(pkgdatadir)"'
graphtune_LDADD = libgt-full.la

include src/board/local.mk
