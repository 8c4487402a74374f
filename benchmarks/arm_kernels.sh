#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the hot kernels cost on arm64, without a board: `make bench-arm-kernels`.
#
#     arm_kernels.sh SRCDIR HOST ARCH [KERNEL...]     (KERNEL: names of the first table; all)
#
# Cross-builds benchmarks/arm_kernels in board-ARCH and prints two tables. The first is counted by costmodel/armsim in whole
# runs, those of two runs less those of one, which leaves set-up out: per four useful multiply-adds (one vector's worth) fmla
# and all instructions, loads per fmla, and which share of the issue cycles multiplies and adds at the core's peak (A53 and
# A72 one fmla a cycle, A76 two; caches are left out). Taps in the padding count as useful, so that fmla may be below 1. Of
# each candidate the config with the fewest issue cycles of an A72 is shown, among the default and those that differ in one
# knob of the register tile. The second is of the innermost loops of the largest register tiles: spills, moves between vector
# registers, and what llvm-mca predicts, where it is installed.
set -eu
source=$1 host=$2 arch=$3
shift 3
wanted="$*"
folder=board-$arch
program=$folder/benchmarks/arm_kernels
armsim=$source/costmodel/armsim/armsim
conv="stride=1x1,pad=1x1x1x1,dilation=1x1"
tiles=5 # of a file, in the second table

# Name, template, in, out, workload.
cases() {
    w3="conv2d(1x64x28x28,64x64x3x3!,64!,_)->1x64x28x28{$conv,groups=1,act=relu}"
    w1="conv2d(1x128x14x14,128x128x1x1!,128!,_)->1x128x14x14{stride=1x1,pad=0x0x0x0,dilation=1x1,groups=1,act=relu}"
    w0="conv2d(1x3x112x112,32x3x3x3!,32!,_)->1x32x56x56{stride=2x2,pad=1x1x1x1,dilation=1x1,groups=1,act=relu}"
    for layout in NCHW4c NCHW8c NHWC; do
        echo "conv3x3 conv2d.direct $layout $layout $w3"
        echo "conv1x1 conv2d.direct $layout $layout $w1"
    done
    for layouts in "NCHW NCHW4c" "NCHW NCHW8c" "NHWC NHWC"; do
        echo "first conv2d.direct $layouts $w0"
    done
    for layout in NCHW4c NHWC; do
        echo "winograd conv2d.winograd_f2 $layout $layout $w3"
        echo "winograd conv2d.winograd_f4 $layout $layout $w3"
        echo "winograd conv2d.winograd_f6 $layout $layout $w3"
    done
    for layout in NCHW NCHW4c NHWC; do
        for k in 3 5; do
            p=$((k / 2))
            echo "depthwise depthwise.direct $layout $layout conv2d(1x64x28x28,64x1x${k}x$k!,64!,_)->1x64x28x28{stride=1x1,pad=${p}x${p}x${p}x$p,dilation=1x1,groups=64,act=relu}"
            echo "depthwise depthwise.direct $layout $layout conv2d(1x64x28x28,64x1x${k}x$k!,64!,_)->1x64x14x14{stride=2x2,pad=${p}x${p}x${p}x$p,dilation=1x1,groups=64,act=relu}"
        done
    done
    echo "dense dense.direct NCHW NCHW dense(1x1024,1000x1024!,1000!)->1x1000{rows=0}"
    echo "gemm dense.direct NCHW NCHW dense(196x256,256x256!,256!)->196x256{rows=0}"
    echo "gemm matmul.direct NCHW NCHW matmul(1x196x256,1x256x256)->1x196x256"
}

fail() {
    echo "make bench-arm-kernels: $*" >&2
    exit 1
}

need() { # need PROGRAM PACKAGE
    command -v "$1" >/dev/null || fail "$1 is missing: apt install $2"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/graphtune-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# ---- whole runs ----

count() { # count MODEL TEMPLATE IN OUT WORKLOAD CONFIG RUNS: issue cycles, instructions, fmla, loads, multiply-adds of a run
    model=$1 runs=$7
    rm -f "$work/count"
    ARMSIM_OUT=$work/count "$armsim" -n -m "$model" "$program" run "$2" "$3" "$4" "$5" "$6" "$runs" >"$work/macs" ||
        fail "$2 $3 -> $4 $5 $6 fails"
    sed 's/[{}":,]/ /g' "$work/count" | awk -v macs="$(cat "$work/macs")" '{
        for (i = 1; i < NF; i++) value[$i] = $(i + 1)
        print value["issue_cycles"], value["instructions"], value["fmla"], value["loads"], macs
    }'
}

one_run() { # one_run MODEL TEMPLATE IN OUT WORKLOAD CONFIG: the same, without set-up
    { count "$@" 1; count "$@" 2; } | awk 'NR == 1 { for (i = 1; i < 5; i++) first[i] = $i }
        NR == 2 { print $1 - first[1], $2 - first[2], $3 - first[3], $4 - first[4], $5 }'
}

best_config() { # best_config TEMPLATE IN OUT WORKLOAD
    qemu-aarch64 "$program" configs "$1" "$2" "$3" "$4" >"$work/configs" || fail "$1 $2 -> $3 does not take $4"
    sort -u "$work/configs" | while read -r config; do
        echo "$(one_run a72 "$1" "$2" "$3" "$4" "$config") $config"
    done | sort -n | sed -n '1s/.* //p'
}

print_case() { # print_case NAME TEMPLATE IN OUT WORKLOAD
    name=$1
    shift
    config=$(best_config "$@")
    a53=$(one_run a53 "$@" "$config")
    a72=$(one_run a72 "$@" "$config")
    a76=$(one_run a76 "$@" "$config")
    # shellcheck disable=SC2086
    echo $a53 $a72 $a76 | awk -v name="$name" -v template="$1" -v layouts="$2->$3" -v workload="$4" -v config="$config" '{
        printf "%-9s %-19s %-15s %6.3f %8.3f %6.3f %5.1f %5.1f %5.1f  %s\n%53s%s\n", name, template, layouts,
            $8 / ($10 / 4), $7 / ($10 / 4), $9 / $8, 100 * $3 / $1, 100 * $8 / $6, 50 * $13 / $11, config, "", workload
    }'
}

is_wanted() { # is_wanted NAME
    case " $wanted " in "  " | *" $1 "*) return 0 ;; esac
    return 1
}

print_runs() {
    echo "Whole runs, by armsim; fmla and instr per 4 useful multiply-adds, share of the multiply-add peak in %"
    printf '%-9s %-19s %-15s %6s %8s %6s %5s %5s %5s  %s\n' kernel template layouts fmla instr 'ld/fma' a53 a72 a76 'config, workload'
    cases | while read -r name template in out workload; do
        is_wanted "$name" || continue
        print_case "$name" "$template" "$in" "$out" "$workload" </dev/null
    done
}

# ---- innermost loops ----

rate() { # rate CPU FILE FMLA: multiply-adds a cycle in 100 rounds of a loop that has FMLA of them, as llvm-mca predicts
    "$mca" -mtriple=aarch64-linux-gnu -mcpu="$1" -iterations=100 "$2" 2>/dev/null |
        awk -v fmla="$3" '/^Total Cycles:/ { rate = sprintf("%.2f", 100 * fmla / $3) } END { print rate == "" ? "-" : rate }'
}

print_loop() { # print_loop FILE SYMBOL FIRST INSTRUCTIONS FMLA LOADS MOVES STACK
    awk -v body="$2" -v from="$3" -f "$source/benchmarks/arm_loops.awk" "$work/$1.dis" >"$work/body.s"
    printf '%-15s %-22s %6d %5d %6d %6d %6d %8.3f %6s %6s\n' "$1" "$2" "$8" "$7" "$4" "$5" "$6" \
        "$(awk -v a="$4" -v b="$5" 'BEGIN { print a / b }')" \
        "$(rate cortex-a72 "$work/body.s" "$5")" "$(rate cortex-a55 "$work/body.s" "$5")"
}

# Loops of which a smaller part multiplies and adds are those of activation functions; those at an image's edge are the inner
# ones with jumps.
largest_tiles() { # largest_tiles FILE.dis
    awk -f "$source/benchmarks/arm_loops.awk" "$1" | awk -F '\t' '3 * $5 >= $4 && $1 !~ /_edge_/' |
        sort -t "$(printf '\t')" -k5,5nr -k4,4n -k1,1 | head -n "$tiles"
}

# llvm-mca's model of the A55 starts two multiply-adds of four floats a cycle, where the core has units for one: its column
# shows what stands beside the multiply-adds, and the peak is what the model makes of independent ones.
print_loops() {
    mca=$(command -v llvm-mca || command -v llvm-mca-14 || echo false)
    awk 'BEGIN { for (i = 0; i < 24; i++) print "\tfmla v" i ".4s, v31.4s, v30.s[1]" }' >"$work/peak.s"
    echo
    echo "Innermost loops of the $tiles largest register tiles of a file; multiply-adds a cycle by llvm-mca (its peaks:" \
        "a72 $(rate cortex-a72 "$work/peak.s" 24), a55 $(rate cortex-a55 "$work/peak.s" 24))"
    [ "$mca" != false ] || echo "(llvm-mca is missing: apt install llvm)"
    printf '%-15s %-22s %6s %5s %6s %6s %6s %8s %6s %6s\n' file loop spills moves instr fmla loads instr/ma a72 a55
    for file in conv_direct_micro matmul_micro depthwise depthwise_row dense; do
        "$host-objdump" -d --no-show-raw-insn "$folder"/ops/*-"${file}_kernel.o" >"$work/$file.dis"
        largest_tiles "$work/$file.dis" | while read -r symbol first last instructions fmla loads stores moves stack access; do
            print_loop "$file" "$symbol" "$first" "$instructions" "$fmla" "$loads" "$moves" "$stack"
        done
    done
}

need "$host-gcc" "gcc-$host"
need "$host-objdump" "binutils-$host"
need qemu-aarch64 qemu-user
"$source/src/board/build.sh" board "$source" "$host" "$arch" -
(cd "$folder" && ${MAKE:-make} -s benchmarks/arm_kernels) || fail "building in $folder failed"
print_runs
print_loops
