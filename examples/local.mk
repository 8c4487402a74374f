# Programs that use the installed interface alone. They are not installed, and so are linked with the static library.
noinst_PROGRAMS += examples/classify examples/embed
examples_embed_SOURCES = examples/embed.c
examples_embed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include
examples_embed_LDADD = libgt-rt.la
examples_classify_SOURCES = examples/classify.c examples/image.h
examples_classify_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include
examples_classify_LDADD = libgt-rt.la
if HAVE_STB
examples_classify_SOURCES += examples/image_stb.c
examples_classify_CPPFLAGS += $(STB_CFLAGS)
examples_classify_LDADD += $(STB_LIBS)
else
examples_classify_SOURCES += examples/image_ppm.c
endif
