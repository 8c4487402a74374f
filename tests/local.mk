# Tests begin in this order, those that take longest first: the last ones then end at about the same time.
if !BOARD_ONLY
TESTS += \
	tests/test_golden.sh \
	tests/test_networks.sh \
	tests/test_spills.sh \
	tests/solve_against_toulbar2.sh \
	tests/test_board.sh \
	tests/test_golden_board.sh \
	tests/test_memory.sh \
	tests/test_tune_kill.sh \
	tests/test_cli.sh \
	tests/test_malformed.sh \
	tests/test_armsim.sh \
	tests/test_counted.sh \
	tests/test_docs.sh \
	tests/test_explain_cli.sh \
	tests/test_export_cli.sh \
	tests/test_install.sh \
	tests/test_layers.sh \
	tests/test_pack.sh \
	tests/test_verify_cli.sh
endif

# Every tests/test_*.c is one program with its own Check suite. Those of what boards have come first: a build configured
# with --enable-board-only has no others.
if HAVE_CHECK
check_LTLIBRARIES += libgt-test.la
libgt_test_la_SOURCES = \
	tests/graph_build.c \
	tests/kernel_check.c \
	tests/runner.c \
	tests/graph_build.h \
	tests/kernel_check.h \
	tests/runner.h
libgt_test_la_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS)
if BOARD_ONLY
libgt_test_la_SOURCES += costmodel/device_sysfs.c src/records/records_tools.c
GT_TESTED_LIBRARY = libgt-tune.la
else
libgt_test_la_SOURCES += \
	tests/bundle_make.c \
	tests/conformance_case.c \
	tests/conformance_rules.c \
	tests/conformance_run.c \
	tests/conformance_table.c \
	tests/export_check.c \
	tests/graph_eval.c \
	tests/ncnn_cases.c \
	tests/ncnn_model.c \
	tests/onnx_bytes.c \
	tests/onnx_model.c \
	tests/pass_check.c \
	tests/plan_edit.c \
	tests/select_cases.c \
	tests/select_oracle.c \
	tests/solve_networks.c \
	tests/bundle_make.h \
	tests/conformance.h \
	tests/conformance_table.h \
	tests/export_check.h \
	tests/graph_eval.h \
	tests/ncnn_model.h \
	tests/onnx_bytes.h \
	tests/onnx_model.h \
	tests/pass_check.h \
	tests/plan_edit.h \
	tests/select_cases.h \
	tests/select_oracle.h \
	tests/solve_networks.h
GT_TESTED_LIBRARY = libgt-full.la
endif
libgt_test_la_LIBADD = $(GT_TESTED_LIBRARY) $(CHECK_LIBS) $(CJSON_LIBS)

GT_BOARD_TESTS = \
	tests/test_conv_direct \
	tests/test_conv_gemm \
	tests/test_base \
	tests/test_conv_winograd \
	tests/test_costmodel \
	tests/test_dense \
	tests/test_device \
	tests/test_device_boards \
	tests/test_general_ops \
	tests/test_graph \
	tests/test_json \
	tests/test_layouts \
	tests/test_measure \
	tests/test_records \
	tests/test_reference \
	tests/test_strategy \
	tests/test_tune \
	tests/test_watch \
	tests/test_workload
check_PROGRAMS += $(GT_BOARD_TESTS)
TESTS += $(GT_BOARD_TESTS)
if !BOARD_ONLY
GT_HOST_TESTS = \
	tests/test_autotvm \
	tests/test_bundle \
	tests/test_bundle_damage \
	tests/test_cfn_file \
	tests/test_conformance \
	tests/test_explain \
	tests/test_export \
	tests/test_export_ops \
	tests/test_import \
	tests/test_import_errors \
	tests/test_import_ops \
	tests/test_import_unit \
	tests/test_light \
	tests/test_ncnn \
	tests/test_ncnn_errors \
	tests/test_ncnn_networks \
	tests/test_onnx_encodings \
	tests/test_onnx_external \
	tests/test_onnx_file \
	tests/test_onnx_large \
	tests/test_onnx_malformed \
	tests/test_pair \
	tests/test_passes \
	tests/test_passes_layout \
	tests/test_passes_random \
	tests/test_placement \
	tests/test_plan \
	tests/test_select \
	tests/test_select_memory \
	tests/test_select_records \
	tests/test_session \
	tests/test_solve \
	tests/test_solve_marginals \
	tests/test_verify \
	tests/test_zoo
check_PROGRAMS += $(GT_HOST_TESTS)
TESTS += $(GT_HOST_TESTS)
endif

tests_test_autotvm_SOURCES = tests/test_autotvm.c
tests_test_autotvm_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_autotvm_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_base_SOURCES = tests/test_base.c
tests_test_base_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_base_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_bundle_SOURCES = tests/test_bundle.c
tests_test_bundle_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_bundle_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_bundle_damage_SOURCES = tests/test_bundle_damage.c
tests_test_bundle_damage_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_bundle_damage_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_conformance_SOURCES = tests/test_conformance.c
tests_test_conformance_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_conformance_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_cfn_file_SOURCES = tests/test_cfn_file.c
tests_test_cfn_file_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_cfn_file_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_conv_direct_SOURCES = tests/test_conv_direct.c
tests_test_conv_direct_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_conv_direct_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_conv_gemm_SOURCES = tests/test_conv_gemm.c
tests_test_conv_gemm_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_conv_gemm_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_conv_winograd_SOURCES = tests/test_conv_winograd.c
tests_test_conv_winograd_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_conv_winograd_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_dense_SOURCES = tests/test_dense.c
tests_test_dense_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_dense_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_device_SOURCES = tests/test_device.c
tests_test_device_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_device_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_device_boards_SOURCES = tests/test_device_boards.c tests/device_tree.c tests/device_tree.h
tests_test_device_boards_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_device_boards_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_explain_SOURCES = tests/test_explain.c
tests_test_explain_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_explain_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_export_SOURCES = tests/test_export.c
tests_test_export_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_export_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_export_ops_SOURCES = tests/test_export_ops.c
tests_test_export_ops_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_export_ops_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_general_ops_SOURCES = tests/test_general_ops.c
tests_test_general_ops_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_general_ops_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_graph_SOURCES = tests/test_graph.c
tests_test_graph_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_graph_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_import_SOURCES = tests/test_import.c
tests_test_import_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_import_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_import_errors_SOURCES = tests/test_import_errors.c
tests_test_import_errors_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_import_errors_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_import_ops_SOURCES = tests/test_import_ops.c
tests_test_import_ops_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_import_ops_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_import_unit_SOURCES = tests/test_import_unit.c
tests_test_import_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_import_unit_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_json_SOURCES = tests/test_json.c
tests_test_json_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
if BOARD_ONLY
tests_test_json_CPPFLAGS += -DGT_WITHOUT_CJSON
endif
tests_test_json_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_layouts_SOURCES = tests/test_layouts.c
tests_test_layouts_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_layouts_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_light_SOURCES = tests/test_light.c
tests_test_light_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_light_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_measure_SOURCES = tests/test_measure.c
tests_test_measure_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_measure_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_ncnn_SOURCES = tests/test_ncnn.c
tests_test_ncnn_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_ncnn_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_ncnn_errors_SOURCES = tests/test_ncnn_errors.c
tests_test_ncnn_errors_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_ncnn_errors_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_ncnn_networks_SOURCES = tests/test_ncnn_networks.c
tests_test_ncnn_networks_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_ncnn_networks_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_onnx_encodings_SOURCES = tests/test_onnx_encodings.c
tests_test_onnx_encodings_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_onnx_encodings_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_onnx_external_SOURCES = tests/test_onnx_external.c
tests_test_onnx_external_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_onnx_external_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_onnx_file_SOURCES = tests/test_onnx_file.c
tests_test_onnx_file_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_onnx_file_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_onnx_large_SOURCES = tests/test_onnx_large.c
tests_test_onnx_large_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_onnx_large_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_pair_SOURCES = tests/test_pair.c
tests_test_pair_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_pair_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_onnx_malformed_SOURCES = tests/test_onnx_malformed.c
tests_test_onnx_malformed_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_onnx_malformed_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_passes_SOURCES = tests/test_passes.c
tests_test_passes_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_passes_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_passes_layout_SOURCES = tests/test_passes_layout.c
tests_test_passes_layout_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_passes_layout_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_passes_random_SOURCES = tests/test_passes_random.c
tests_test_passes_random_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_passes_random_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_placement_SOURCES = tests/test_placement.c
tests_test_placement_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_placement_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_plan_SOURCES = tests/test_plan.c
tests_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_plan_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_records_SOURCES = tests/test_records.c
tests_test_records_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_records_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_reference_SOURCES = tests/test_reference.c
tests_test_reference_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_reference_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_select_SOURCES = tests/test_select.c
tests_test_select_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_select_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_select_memory_SOURCES = tests/test_select_memory.c
tests_test_select_memory_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_select_memory_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_select_records_SOURCES = tests/test_select_records.c
tests_test_select_records_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_select_records_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_session_SOURCES = tests/test_session.c
tests_test_session_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_session_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_solve_marginals_SOURCES = tests/test_solve_marginals.c
tests_test_solve_marginals_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_solve_marginals_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)

tests_test_solve_SOURCES = tests/test_solve.c
tests_test_solve_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_solve_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_costmodel_SOURCES = tests/test_costmodel.c
tests_test_costmodel_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_costmodel_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_strategy_SOURCES = tests/test_strategy.c
tests_test_strategy_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_strategy_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_tune_SOURCES = tests/test_tune.c tests/device_tree.c tests/device_tree.h
tests_test_tune_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_tune_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_verify_SOURCES = tests/test_verify.c
tests_test_verify_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_verify_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_watch_SOURCES = tests/test_watch.c tests/device_tree.c tests/device_tree.h
tests_test_watch_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_watch_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_workload_SOURCES = tests/test_workload.c
tests_test_workload_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_workload_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
tests_test_zoo_SOURCES = tests/test_zoo.c
tests_test_zoo_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_test_zoo_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)

check_PROGRAMS += tests/npy_compare
tests_npy_compare_SOURCES = tests/npy_compare_main.c
tests_npy_compare_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS)
tests_npy_compare_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)

if !BOARD_ONLY
check_PROGRAMS += tests/ncnn_table
tests_ncnn_table_SOURCES = tests/ncnn_table_main.c
tests_ncnn_table_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS)
tests_ncnn_table_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)

check_PROGRAMS += tests/onnx_table
tests_onnx_table_SOURCES = tests/onnx_table_main.c
tests_onnx_table_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(CJSON_CFLAGS)
tests_onnx_table_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)

check_PROGRAMS += tests/solve_cfn
tests_solve_cfn_SOURCES = tests/solve_cfn_main.c
tests_solve_cfn_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_solve_cfn_LDADD = libgt-test.la $(GT_TESTED_LIBRARY) $(CHECK_LIBS)
endif
endif

dist_check_SCRIPTS += \
	tests/solve_against_toulbar2.sh \
	tests/test_armsim.sh \
	tests/test_board.sh \
	tests/test_cli.sh \
	tests/test_counted.sh \
	tests/test_docs.sh \
	tests/test_explain_cli.sh \
	tests/test_export_cli.sh \
	tests/test_golden.sh \
	tests/test_golden_board.sh \
	tests/test_install.sh \
	tests/test_layers.sh \
	tests/test_malformed.sh \
	tests/test_memory.sh \
	tests/test_networks.sh \
	tests/test_pack.sh \
	tests/test_spills.sh \
	tests/test_tune_kill.sh \
	tests/test_verify_cli.sh
EXTRA_DIST += tests/summary.sh tests/common.sh tests/golden.sh tests/fixtures

# A case that is stuck fails; slow machines (emulation, sanitizers) may raise the limit.
AM_TESTS_ENVIRONMENT = \
	GT_TOP_SRCDIR='$(abs_top_srcdir)'; export GT_TOP_SRCDIR; \
	GT_TOP_BUILDDIR='$(abs_top_builddir)'; export GT_TOP_BUILDDIR; \
	GT_MODELS_DIR="$${GT_MODELS_DIR:-$(abs_top_srcdir)/../shared/models}"; export GT_MODELS_DIR; \
	GT_ONNX_TESTDATA_DIR="$${GT_ONNX_TESTDATA_DIR:-/usr/share/libonnx-testdata/data}"; export GT_ONNX_TESTDATA_DIR; \
	CK_DEFAULT_TIMEOUT="$${CK_DEFAULT_TIMEOUT:-300}"; export CK_DEFAULT_TIMEOUT; \
	ASAN_OPTIONS="allocator_may_return_null=1:$${ASAN_OPTIONS-}"; export ASAN_OPTIONS; \
	GT_EMULATOR="$${GT_EMULATOR-}"; export GT_EMULATOR; \
	GT_KERNEL_CFLAGS='$(GT_KERNEL_CFLAGS)'; export GT_KERNEL_CFLAGS;

# GT_EMULATOR=qemu-aarch64 runs cross-built programs; scripts start the command through it themselves.
LOG_COMPILER = $(GT_EMULATOR)
TEST_EXTENSIONS = .sh
