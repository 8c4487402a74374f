#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No innermost loop of a kernel that multiplies and adds spills registers on arm64: the kernels are cross-compiled with the
# project's flags, and benchmarks/arm_loops.awk looks for accesses to the stack in the disassembly.
set -u
top=${GT_TOP_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
build=${GT_TOP_BUILDDIR:-$top/build}
compiler=${GT_ARM_CC:-aarch64-linux-gnu-gcc}
objdump=${GT_ARM_OBJDUMP:-aarch64-linux-gnu-objdump}

# File, and how many such loops there are at least: where the disassembly's form or a kernel's names change, none would be
# found, and none would spill.
kernels="conv_direct_micro:50 conv_transpose:1 conv_winograd_tile:20 dense:2 depthwise:40 depthwise_row:10 matmul_micro:23"

# It looks at code that it compiles itself, whatever the build is.
case ${GT_EMULATOR-}${GT_KERNEL_CFLAGS-} in
qemu* | *-fsanitize=*)
    echo "skip - register spills: nothing here is this build's; the plain build's tests look for them"
    exit 77
    ;;
esac

for tool in "$compiler" "$objdump"; do
    command -v "$tool" >/dev/null || {
        echo "skip - register spills: there is no $tool (Debian: gcc-aarch64-linux-gnu)"
        exit 77
    }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/graphtune-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The kernels' own flags; a sanitizer's checks need registers, and are no part of what ships.
flags=
for flag in ${GT_KERNEL_CFLAGS--std=c17 -fno-math-errno -ffp-contract=fast -O3 -fno-schedule-insns -fpeel-loops -Wno-psabi}; do
    case $flag in -fsanitize* | -fno-sanitize* | -fno-omit-frame-pointer | -Wno-ignored-*) ;; *) flags="$flags $flag" ;; esac
done

loops() { # loops NAME LEVEL FILE.c: the loops of its code, one a line
    # shellcheck disable=SC2086
    "$compiler" -D_GNU_SOURCE -DGT_ISA_SUFFIX=base -I"$top" -I"$build" $flags "$2" -c -o "$work/$1$2.o" "$3" || return 1
    "$objdump" -d --no-show-raw-insn "$work/$1$2.o" | awk -f "$top/benchmarks/arm_loops.awk"
}

spilling() { # spilling FILE: of the loops in it, those with accesses to the stack, in words
    awk -F '\t' '$9 > 0 { printf "    %s, loop at 0x%s: %d accesses to the stack among %d instructions, first: %s\n", $1, $2, $9, $4, $10 }' "$1"
}

failed=0
check_kernel() { # check_kernel NAME LEAST LEVEL
    found=$work/$1$3.loops
    if ! loops "$1" "$3" "$top/ops/$1_kernel.c" >"$found" 2>"$found.err"; then
        echo "not ok - $1 $3: $compiler fails: $(head -n 1 "$found.err")"
        return 1
    elif [ "$(wc -l <"$found")" -lt "$2" ]; then
        echo "not ok - $1 $3: $(wc -l <"$found") loops with vector multiply-adds, at least $2 are needed"
        return 1
    elif [ -n "$(spilling "$found")" ]; then
        echo "not ok - $1 $3: registers are spilled"
        spilling "$found"
        return 1
    fi
    echo "ok - $1 $3: none of $(wc -l <"$found") loops spills"
}

# A tile of 9 x 4 vectors has more sums than there are registers; the same code with 4 x 4 has not.
write_tile() { # write_tile ROWS
    cat <<TILE
typedef float v4 __attribute__((vector_size(16)));
void tile(float *c, const float *a, const float *b, long depth)
{
    v4 sum[$1][4] = {{{0}}};
    for (long k = 0; k < depth; k++, a += $1, b += 16) {
        _Pragma("GCC unroll 16") for (int i = 0; i < $1; i++) {
            _Pragma("GCC unroll 16") for (int j = 0; j < 4; j++) sum[i][j] += ((const v4 *)b)[j] * a[i];
        }
    }
    for (int i = 0; i < $1; i++) {
        for (int j = 0; j < 4; j++) ((v4 *)c)[i * 4 + j] = sum[i][j];
    }
}
TILE
}

check_itself() {
    write_tile 9 >"$work/large.c"
    write_tile 4 >"$work/small.c"
    loops large -O3 "$work/large.c" >"$work/large" && loops small -O3 "$work/small.c" >"$work/small" || return 1
    [ -n "$(spilling "$work/large")" ] && [ -s "$work/small" ] && [ -z "$(spilling "$work/small")" ]
}

if check_itself; then
    echo "ok - a tile with too many sums is found, a smaller one is not"
else
    echo "not ok - a tile with too many sums is not found, or a smaller one is"
    failed=1
fi
check_level() { # check_level LEVEL
    for kernel in $kernels; do
        check_kernel "${kernel%:*}" "${kernel#*:}" "$1" || failed=1
    done
    return $failed
}

# The board's build is -O3, configure's default -O2.
check_level -O2 >"$work/O2.out" &
check_level -O3 || failed=1
wait $! || failed=1
cat "$work/O2.out"
exit $failed
