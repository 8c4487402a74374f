# Every target is one file with a LLVMFuzzerTestOneInput (fuzz.h). It links with replay_main.c, for `make check` to play
# back the corpus, and in a build configured with --enable-fuzzing with libFuzzer; `make fuzz` makes such a build.
FUZZ_SECONDS = 60
FUZZ_TARGETS = autotvm bundle ncnn_bin ncnn_param ncnn_param_bin onnx plan records tasks
FUZZ_SHARED = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
FUZZ_NCNN = tests/fuzz/ncnn_import.c tests/fuzz/ncnn_import.h

if !BOARD_ONLY
TESTS += tests/test_fuzz_corpus.sh
check_PROGRAMS += \
	tests/fuzz/replay_autotvm \
	tests/fuzz/replay_bundle \
	tests/fuzz/replay_ncnn_bin \
	tests/fuzz/replay_ncnn_param \
	tests/fuzz/replay_ncnn_param_bin \
	tests/fuzz/replay_onnx \
	tests/fuzz/replay_plan \
	tests/fuzz/replay_records \
	tests/fuzz/replay_tasks
endif

tests_fuzz_replay_autotvm_SOURCES = tests/fuzz/autotvm.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_autotvm_LDADD = libgt-full.la
tests_fuzz_replay_bundle_SOURCES = tests/fuzz/bundle.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_bundle_LDADD = libgt-full.la
tests_fuzz_replay_ncnn_bin_SOURCES = tests/fuzz/ncnn_bin.c $(FUZZ_SHARED) $(FUZZ_NCNN) tests/fuzz/replay_main.c
tests_fuzz_replay_ncnn_bin_LDADD = libgt-full.la
tests_fuzz_replay_ncnn_param_SOURCES = tests/fuzz/ncnn_param.c $(FUZZ_SHARED) $(FUZZ_NCNN) tests/fuzz/replay_main.c
tests_fuzz_replay_ncnn_param_LDADD = libgt-full.la
tests_fuzz_replay_ncnn_param_bin_SOURCES = tests/fuzz/ncnn_param_bin.c $(FUZZ_SHARED) $(FUZZ_NCNN) tests/fuzz/replay_main.c
tests_fuzz_replay_ncnn_param_bin_LDADD = libgt-full.la
tests_fuzz_replay_onnx_SOURCES = tests/fuzz/onnx.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_onnx_LDADD = libgt-full.la
tests_fuzz_replay_plan_SOURCES = tests/fuzz/plan.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_plan_LDADD = libgt-full.la
tests_fuzz_replay_records_SOURCES = tests/fuzz/records.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_records_LDADD = libgt-full.la
tests_fuzz_replay_tasks_SOURCES = tests/fuzz/tasks.c $(FUZZ_SHARED) tests/fuzz/replay_main.c
tests_fuzz_replay_tasks_LDADD = libgt-full.la

EXTRA_PROGRAMS += \
	tests/fuzz/fuzz_autotvm \
	tests/fuzz/fuzz_bundle \
	tests/fuzz/fuzz_ncnn_bin \
	tests/fuzz/fuzz_ncnn_param \
	tests/fuzz/fuzz_ncnn_param_bin \
	tests/fuzz/fuzz_onnx \
	tests/fuzz/fuzz_plan \
	tests/fuzz/fuzz_records \
	tests/fuzz/fuzz_tasks

tests_fuzz_fuzz_autotvm_SOURCES = tests/fuzz/autotvm.c $(FUZZ_SHARED)
tests_fuzz_fuzz_autotvm_LDADD = libgt-full.la
tests_fuzz_fuzz_autotvm_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_bundle_SOURCES = tests/fuzz/bundle.c $(FUZZ_SHARED)
tests_fuzz_fuzz_bundle_LDADD = libgt-full.la
tests_fuzz_fuzz_bundle_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_ncnn_bin_SOURCES = tests/fuzz/ncnn_bin.c $(FUZZ_SHARED) $(FUZZ_NCNN)
tests_fuzz_fuzz_ncnn_bin_LDADD = libgt-full.la
tests_fuzz_fuzz_ncnn_bin_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_ncnn_param_SOURCES = tests/fuzz/ncnn_param.c $(FUZZ_SHARED) $(FUZZ_NCNN)
tests_fuzz_fuzz_ncnn_param_LDADD = libgt-full.la
tests_fuzz_fuzz_ncnn_param_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_ncnn_param_bin_SOURCES = tests/fuzz/ncnn_param_bin.c $(FUZZ_SHARED) $(FUZZ_NCNN)
tests_fuzz_fuzz_ncnn_param_bin_LDADD = libgt-full.la
tests_fuzz_fuzz_ncnn_param_bin_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_onnx_SOURCES = tests/fuzz/onnx.c $(FUZZ_SHARED)
tests_fuzz_fuzz_onnx_LDADD = libgt-full.la
tests_fuzz_fuzz_onnx_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/plan.c $(FUZZ_SHARED)
tests_fuzz_fuzz_plan_LDADD = libgt-full.la
tests_fuzz_fuzz_plan_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_records_SOURCES = tests/fuzz/records.c $(FUZZ_SHARED)
tests_fuzz_fuzz_records_LDADD = libgt-full.la
tests_fuzz_fuzz_records_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_tasks_SOURCES = tests/fuzz/tasks.c $(FUZZ_SHARED)
tests_fuzz_fuzz_tasks_LDADD = libgt-full.la
tests_fuzz_fuzz_tasks_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

fuzz-programs: $(FUZZ_TARGETS:%=tests/fuzz/fuzz_%)

dist_check_SCRIPTS += tests/test_fuzz_corpus.sh
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run.sh tests/fuzz/autotvm.dict tests/fuzz/json.dict tests/fuzz/ncnn.dict \
	tests/fuzz/onnx.dict

.PHONY: fuzz fuzz-programs
fuzz:
	FUZZ_CC='$(FUZZ_CC)' FUZZ_TARGETS='$(FUZZ_TARGETS)' FUZZ_SECONDS='$(FUZZ_SECONDS)' MAKE='$(MAKE)' \
		$(SHELL) $(srcdir)/tests/fuzz/run.sh '$(abs_top_srcdir)' '$(abs_top_builddir)/fuzz'
