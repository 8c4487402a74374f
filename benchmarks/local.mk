# Not built by default: `make benchmarks/select_zoo`.
EXTRA_PROGRAMS = benchmarks/select_zoo
benchmarks_select_zoo_SOURCES = benchmarks/select_zoo.c
benchmarks_select_zoo_LDADD = libgt-full.la
CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += benchmarks/networks.sh
