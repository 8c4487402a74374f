# Not built by default: `make benchmarks/select_zoo`, `make bench-solver`. `make check` runs the latter's quick form.
EXTRA_PROGRAMS = benchmarks/arm_kernels benchmarks/bundle benchmarks/kernels benchmarks/search benchmarks/select_zoo \
	benchmarks/transforms benchmarks/tuning_race
benchmarks_arm_kernels_SOURCES = benchmarks/arm_kernels.c
benchmarks_arm_kernels_LDADD = libgt-rt.la
benchmarks_arm_kernels_LDFLAGS = $(AM_LDFLAGS) -all-static
benchmarks_bundle_SOURCES = benchmarks/bundle.c benchmarks/invented_records.c benchmarks/invented_records.h
benchmarks_bundle_LDADD = libgt-full.la
benchmarks_kernels_SOURCES = benchmarks/fma_peak.c benchmarks/fma_peak.h benchmarks/kernels.c
benchmarks_kernels_LDADD = libgt-full.la
benchmarks_search_SOURCES = \
	benchmarks/search.c \
	benchmarks/search_replay.c \
	benchmarks/search_replay.h \
	benchmarks/search_share.c \
	benchmarks/search_share.h \
	benchmarks/search_spaces.c \
	benchmarks/search_spaces.h
benchmarks_search_LDADD = libgt-full.la
benchmarks_select_zoo_SOURCES = benchmarks/invented_records.c benchmarks/invented_records.h benchmarks/select_zoo.c
benchmarks_select_zoo_LDADD = libgt-full.la
benchmarks_transforms_SOURCES = benchmarks/transforms.c
benchmarks_transforms_LDADD = libgt-rt.la
benchmarks_tuning_race_SOURCES = benchmarks/tuning_race.c
benchmarks_tuning_race_LDADD = libgt-full.la

if !BOARD_ONLY
check_PROGRAMS += benchmarks/solver
TESTS += benchmarks/test_solver.sh
endif
benchmarks_solver_SOURCES = \
	benchmarks/invented_records.c \
	benchmarks/solver.c \
	benchmarks/solver_draw.c \
	benchmarks/solver_exhaust.c \
	benchmarks/solver_generated.c \
	benchmarks/solver_graphs.c \
	benchmarks/solver_limits.c \
	benchmarks/solver_marginals.c \
	benchmarks/solver_measure.c \
	benchmarks/solver_network.c \
	benchmarks/solver_patterns.c \
	benchmarks/solver_problem.c \
	benchmarks/solver_race.c \
	benchmarks/solver_random.c \
	benchmarks/solver_repeats.c \
	benchmarks/solver_report.c \
	benchmarks/solver_scaling.c \
	benchmarks/solver_selection.c \
	benchmarks/solver_toulbar2.c \
	benchmarks/solver_wired.c \
	benchmarks/solver_zoo.c \
	tests/graph_build.c \
	tests/select_cases.c \
	tests/solve_networks.c \
	benchmarks/invented_records.h \
	benchmarks/solver_measure.h \
	benchmarks/solver_parts.h \
	benchmarks/solver_problem.h \
	benchmarks/solver_race.h \
	benchmarks/solver_report.h \
	benchmarks/solver_selection.h \
	benchmarks/solver_toulbar2.h \
	tests/graph_build.h \
	tests/select_cases.h \
	tests/solve_networks.h
benchmarks_solver_LDADD = libgt-full.la

dist_check_SCRIPTS += benchmarks/test_solver.sh

# The whole benchmark; BENCH_FLAGS as benchmarks/solver.c says, such as "--only zoo" or "--json".
bench-solver: benchmarks/solver$(EXEEXT)
	./benchmarks/solver$(EXEEXT) $(BENCH_FLAGS)
.PHONY: bench-solver

# How much of a config space each search strategy of tune finds; BENCH_FLAGS as benchmarks/search.c says, such as "--each".
bench-search: benchmarks/search$(EXEEXT)
	./benchmarks/search$(EXEEXT) $(BENCH_FLAGS)
.PHONY: bench-search

# What a tune with the defaults loses to one of 20 minutes; BENCH_FLAGS names networks of the zoo.
bench-tuning: graphtune benchmarks/tuning_race$(EXEEXT)
	$(srcdir)/benchmarks/tuning.sh $(BENCH_FLAGS)
.PHONY: bench-tuning

# How long bundles take to open; BENCH_FLAGS names networks of the zoo.
bench-bundle: benchmarks/bundle$(EXEEXT)
	./benchmarks/bundle$(EXEEXT) $(BENCH_FLAGS)
.PHONY: bench-bundle

# Instructions, spills and share of the multiply-add peak of the hot kernels on arm64, cross-built in board-ARCH like
# `make board` and emulated; BENCH_FLAGS names some of the kernels.
bench-arm-kernels:
	+$(AM_V_at)$(srcdir)/benchmarks/arm_kernels.sh $(abs_srcdir) $(BOARD_HOST) $(BOARD_ARCH) $(BENCH_FLAGS)
.PHONY: bench-arm-kernels

# Whole networks there, beside other engines' figures: BENCH_FLAGS="squeezenet resnet18" for some of them.
bench-arm: graphtune
	+$(AM_V_at)$(srcdir)/benchmarks/arm_networks.sh $(abs_srcdir) $(BOARD_HOST) $(BOARD_ARCH) $(BENCH_FLAGS)
.PHONY: bench-arm

# Single kernels on this machine, beside the multiply-add peak and OpenBLAS.
bench-kernels: benchmarks/kernels
	benchmarks/kernels $(BENCH_FLAGS)
.PHONY: bench-kernels

# Layout transforms on this machine, beside memcpy.
bench-transforms: benchmarks/transforms
	benchmarks/transforms $(BENCH_FLAGS)
.PHONY: bench-transforms

# Whole networks on this machine, beside ONNX Runtime and ncnn.
bench-peers: graphtune libgraphtune-rt.la
	+$(AM_V_at)$(srcdir)/benchmarks/peers.sh $(abs_srcdir) $(BENCH_FLAGS)
.PHONY: bench-peers

clean-local-benchmarks:
	rm -rf bench-arm bench-peers bench-tuning
clean-local: clean-local-benchmarks

CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += benchmarks/arm_kernels.sh benchmarks/arm_loops.awk benchmarks/arm_networks.sh benchmarks/arm_networks.txt benchmarks/networks.sh benchmarks/peers.py benchmarks/peers.sh benchmarks/tuning.sh
