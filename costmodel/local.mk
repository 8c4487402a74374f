libgt_tune_la_SOURCES += \
	costmodel/analytic.c \
	costmodel/analytic.h \
	costmodel/analytic_conv.c \
	costmodel/analytic_depthwise.c \
	costmodel/analytic_internal.h \
	costmodel/analytic_moves.c \
	costmodel/analytic_pair.c \
	costmodel/analytic_product.c \
	costmodel/analytic_winograd.c \
	costmodel/bench_case.c \
	costmodel/child.c \
	costmodel/count_marks.h \
	costmodel/count_serve.c \
	costmodel/count_serve.h \
	costmodel/counter.c \
	costmodel/counter.h \
	costmodel/device.c \
	costmodel/device.h \
	costmodel/device_clusters.c \
	costmodel/device_cores.c \
	costmodel/device_features.c \
	costmodel/device_internal.h \
	costmodel/device_json.c \
	costmodel/device_proc.c \
	costmodel/device_recorded.c \
	costmodel/device_zones.c \
	costmodel/emulator.c \
	costmodel/emulator.h \
	costmodel/features.c \
	costmodel/features.h \
	costmodel/measure.c \
	costmodel/measure.h \
	costmodel/measure_check.c \
	costmodel/measure_internal.h \
	costmodel/measure_record.c \
	costmodel/measure_setup.c \
	costmodel/pin.c \
	costmodel/predict.c \
	costmodel/predict.h \
	costmodel/sysroot.c \
	costmodel/sysroot.h \
	costmodel/timing.c \
	costmodel/watch.c \
	costmodel/watch.h

# The CPUs and caches of this machine, by hwloc; graphtune-board reads them from /sys (device_sysfs.c).
libgt_full_la_SOURCES += costmodel/device_topology.c

# Counts instructions of arm64 programs on a PC; its QEMU plugin is compiled when it is first used.
if !BOARD_ONLY
armsimdir = $(pkgdatadir)/armsim
dist_armsim_SCRIPTS = costmodel/armsim/armsim
dist_armsim_DATA = costmodel/armsim/README.md costmodel/armsim/plugin.c
endif
