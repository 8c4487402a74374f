#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SOURCE-FOLDER BUILD-FOLDER: what `make fuzz` does. Configures and builds SOURCE-FOLDER for libFuzzer, and runs
# each of $FUZZ_TARGETS for $FUZZ_SECONDS seconds, one after the other. New inputs go to BUILD-FOLDER/found/TARGET, inputs
# that end a target to BUILD-FOLDER/faults/. Fails if there is such an input.
set -eu
source=$1 build=$2
: "${FUZZ_CC:=clang}" "${FUZZ_SECONDS:=60}" "${FUZZ_FLAGS:=}" "${MAKE:=make}"

if [ "$FUZZ_CC" = no ]; then
    echo "make fuzz needs clang and its libFuzzer: apt install clang libclang-rt-dev, and configure again" >&2
    exit 1
fi
if [ -f "$source/config.status" ]; then
    echo "make fuzz needs a source folder that nothing is built in: make distclean, and build in a folder of its own" >&2
    exit 1
fi

# ---- building ----

mkdir -p "$build/found" "$build/faults"
cd "$build"
[ -f Makefile ] || "$source/configure" --quiet --enable-fuzzing --disable-shared --without-openblas CC="$FUZZ_CC" CFLAGS="-g -O1"
$MAKE --no-print-directory fuzz-programs

# The words of the formats, from the tables that the importers are made from.
sed -n 's/^GT_NCNN_LAYER(\([A-Za-z0-9]*\),.*/"\1 "/p' "$source/src/import/ncnn_layers.inc" | cat - "$source/tests/fuzz/ncnn.dict" >ncnn.dict
sed -n 's/^[A-Z_]*(\([A-Za-z0-9]*\),.*/"\1"/p' "$source/src/import/onnx_ops.inc" | cat - "$source/tests/fuzz/onnx.dict" >onnx.dict
cp "$source/tests/fuzz/autotvm.dict" "$source/tests/fuzz/json.dict" .

dictionary() { # dictionary TARGET
    case $1 in
    ncnn_param | ncnn_bin) echo ncnn.dict ;;
    onnx | autotvm) echo "$1.dict" ;;
    bundle | plan | records | tasks) echo json.dict ;;
    esac
}

# ---- running ----

# Targets write a file for each input: in memory they are ten times as fast.
[ -n "${TMPDIR-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/gt_fuzz_run_XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM

result=0
for target in $FUZZ_TARGETS; do
    mkdir -p "found/$target"
    dict=$(dictionary "$target")
    echo "== $target: $FUZZ_SECONDS s"
    # shellcheck disable=SC2086
    nice -n 10 "tests/fuzz/fuzz_$target" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="faults/$target-" ${dict:+-dict="$dict"} $FUZZ_FLAGS \
        "found/$target" "$source/tests/fuzz/corpus/$target" >"$target.log" 2>&1 || result=1
    grep -E 'stat::number_of_executed_units|stat::new_units_added' "$target.log" || true
    grep ' cov: ' "$target.log" | tail -n 1
done
find faults -type f -exec echo "fault: {}   (tests/fuzz/replay_TARGET plays it back)" \;
exit $result
