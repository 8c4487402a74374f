libgt_full_la_SOURCES += \
	costmodel/bench_case.c \
	costmodel/child.c \
	costmodel/device.c \
	costmodel/device.h \
	costmodel/device_cores.c \
	costmodel/device_internal.h \
	costmodel/device_proc.c \
	costmodel/device_topology.c \
	costmodel/measure.c \
	costmodel/measure.h \
	costmodel/measure_internal.h \
	costmodel/pin.c \
	costmodel/timing.c
