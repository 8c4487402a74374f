#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is installed is enough: examples are compiled against the installed headers and libraries alone, through pkg-config,
# and run a bundle. Also the shared runtime's name, its versioned symbols, and that nothing else is exported or missing.
. "$(dirname "$0")/common.sh"
cc=${CC:-cc}
[ -z "${GT_EMULATOR-}" ] || { echo "skip - installed tree: programs are cross-built"; exit 77; }
command -v pkg-config >/dev/null || { echo "skip - installed tree: there is no pkg-config"; exit 77; }
command -v "$cc" >/dev/null || { echo "skip - installed tree: there is no C compiler $cc"; exit 77; }
if grep -Eq '^GT_LDFLAGS = .*fsanitize' "$GT_TOP_BUILDDIR/Makefile"; then
    echo "skip - installed tree: the libraries are built with a sanitizer"
    exit 77
fi

install_tree() {
    make -s -C "$GT_TOP_BUILDDIR" install-libLTLIBRARIES install-pkgincludeHEADERS install-pkgconfigDATA DESTDIR="$work/root" >log 2>&1 ||
        { cat log; return 1; }
}
check "make install DESTDIR=…" install_tree
pc=$(find "$work/root" -name graphtune-rt.pc)
libdir=$(dirname "$(dirname "${pc:-/none/none}")")

# The flags of an installed package, with the staging folder in front.
flags() { # flags OPTION
    PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config "$1" graphtune-rt
}

build() { # build PROGRAM
    # shellcheck disable=SC2046
    "$cc" -std=c99 -Wall -Wextra -Werror "$GT_TOP_SRCDIR/examples/$1.c" $(flags --cflags) $(flags --libs) -lm -o "$1"
}
check "pkg-config --libs graphtune-rt" flags --libs
check "examples/embed.c builds against the installed tree" build embed
cat >header.cc <<'EOF'
#include <graphtune/graphtune.h>
int main() { return gt_version()[0] == '\0'; }
EOF
# shellcheck disable=SC2046
if command -v c++ >/dev/null; then
    check "the headers are C++ as well" c++ -Wall -Wextra -Werror -fsyntax-only $(flags --cflags) header.cc
fi

gt zoo squeezenet1.1 -o net.onnx --resolution 64 --width 0.25 >/dev/null
gt auto net.onnx -o net.json -r net.jsonl --trials 1 --no-bench --no-refine --quiet --candidate-time 0.0005 >/dev/null 2>&1
expect "pack" 0 pack net.json -o net.gtb
run_embed() {
    LD_LIBRARY_PATH=$libdir ./embed net.gtb >embed.out && grep -Eq '^[^ ]+\[[0-9]+\] = [-0-9.e]+$' embed.out
}
check "it runs a bundle" run_embed
head -c 1000 net.gtb >cut.gtb
refuse() {
    ! LD_LIBRARY_PATH=$libdir ./embed cut.gtb 2>embed.err && grep -q "cut short" embed.err
}
check "it says why it refuses one" refuse

# A picture of noise has no right class; five lines with falling probabilities must come.
{ printf 'P6\n# noise\n40 50\n255\n' && head -c 6000 "$GT_TOP_BUILDDIR/graphtune"; } >noise.ppm
classify() {
    "$GT_TOP_BUILDDIR/examples/classify" net.gtb noise.ppm >classes &&
        awk '$2 != "%" || $1 > last + (NR == 1) * 1000 { bad = 1 } { last = $1 } END { exit bad || NR != 5 }' classes
}
check "examples/classify prints five classes" classify
refuse_picture() { ! "$GT_TOP_BUILDDIR/examples/classify" net.gtb net.json 2>classify.err && grep -q 'net.json' classify.err; }
check "examples/classify refuses what is no picture" refuse_picture

so=$libdir/libgraphtune-rt.so
if [ -e "$so" ] && command -v readelf >/dev/null && command -v nm >/dev/null; then
    soname() { readelf -d "$so" | grep -q 'SONAME.*\[libgraphtune-rt\.so\.[0-9][0-9]*\]'; }
    check "soname" soname
    only_versioned() {
        nm -D --defined-only "$so" | awk '$2 == "T" { n++; if ($3 !~ /^gt_[a-z_0-9]+@@GRAPHTUNE_RT_[0-9.]+$/) { print; bad = 1 } } END { exit bad || n < 10 }'
    }
    check "all symbols are gt_… and have a version" only_versioned
    complete() { ! nm -D --undefined-only "$so" | grep -E ' gt_'; }
    check "no symbol is missing" complete
    small() { ! readelf -d "$so" | grep NEEDED | grep -E 'igraph|protobuf|hwloc'; }
    check "the runtime needs none of the importers' libraries" small
    # One list for the linker, one in the header: neither may forget a function.
    same_lists() {
        nm -D --defined-only "$so" | sed -n 's/.* T \(gt_[a-z_0-9]*\)@@.*/\1/p' | sort -u >exported
        grep -hE '^GT_API' "$GT_TOP_SRCDIR"/include/graphtune/runtime.h "$GT_TOP_SRCDIR"/include/graphtune/status.h |
            grep -oE '\bgt_[a-z_0-9]+\(' | tr -d '(' | sort -u >api
        diff api exported
    }
    check "the header and the linker script name the same functions" same_lists
else
    skip "shared library" "built without"
fi
exit $failed
