libgt_rt_la_SOURCES += \
	layouts/layout.c \
	layouts/layout.h \
	layouts/transform.c \
	layouts/transform.h
