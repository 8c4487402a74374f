# graphtune-board: the program for boards. Where it is configured for (--enable-board-only), it is static and all that is
# built; elsewhere it is built for the tests.
graphtune_board_SOURCES = \
	$(GT_CLI_SHARED) \
	costmodel/device_sysfs.c \
	src/board/cmd_bench.c \
	src/board/cmd_count.c \
	src/board/cmd_run.c \
	src/board/cmd_tune.c \
	src/board/commands.h \
	src/board/main.c \
	src/board/no_plans.c \
	src/board/tether.c \
	src/board/tether.h
graphtune_board_LDADD = libgt-tune.la
if BOARD_ONLY
bin_PROGRAMS += graphtune-board
graphtune_board_LDFLAGS = $(AM_LDFLAGS) -all-static
else
check_PROGRAMS += graphtune-board
endif

# The static program for a board, cross-compiled: `make board`, and as an archive to copy there: `make board-dist`.
BOARD_HOST = aarch64-linux-gnu
BOARD_ARCH = aarch64
board board-dist:
	+$(AM_V_at)$(srcdir)/src/board/build.sh $@ $(abs_srcdir) $(BOARD_HOST) $(BOARD_ARCH) $(PACKAGE_VERSION)
.PHONY: board board-dist
EXTRA_DIST += src/board/build.sh src/board/README.md
distclean-local:
	rm -rf board-$(BOARD_ARCH) graphtune-board-$(BOARD_ARCH).tar.xz graphtune-board-$(BOARD_ARCH).tar.xz.sha256
