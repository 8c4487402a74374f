#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every zoo network: imports, tunes, and its plan computes what the reference does (the light graphs: test_light.c).
# Zoo networks are scaled down; GT_TEST_FULL=1 takes them at full size (many minutes),
# GT_TEST_EFFORT below 100 in fewer layouts, below 50 every third one (slow builds).
set -u
build=${GT_TOP_BUILDDIR:-.}
gt() { ${GT_EMULATOR-} "$build/graphtune" "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() { # check DESCRIPTION COMMAND...
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok - $what"
    else
        echo "not ok - $what"
        tail -n 5 "$work/log"
        failed=1
    fi
}

tune_flags="--trials 1 --candidate-time 0.0002 --no-bench --no-refine --quiet"
layouts=NCHW,NHWC,NCHW8c
[ "${GT_TEST_EFFORT-100}" -ge 100 ] || layouts=NCHW,NCHW8c
every=1
[ "${GT_TEST_EFFORT-100}" -ge 50 ] || every=3
[ "${GT_TEST_FULL-0}" = 1 ] || tune_flags="$tune_flags --layouts $layouts"

scale_flags() {
    [ "${GT_TEST_FULL-0}" = 1 ] && return
    case $1 in
    inception_v3) echo --width 0.25 --resolution 107 ;;
    ssd_mobilenet_v1) echo --width 0.25 ;;
    yolov4_tiny) echo --width 0.25 --resolution 96 ;;
    unet) echo --width 0.125 --resolution 64 ;;
    *) echo --width 0.25 --resolution 64 ;;
    esac
}

for name in $(gt zoo | awk -v every=$every 'NR > 1 && (NR - 2) % every == 0 { print $1 }'); do
    model=$work/$name.onnx
    # shellcheck disable=SC2046
    check "$name: zoo" gt zoo "$name" -o "$model" $(scale_flags "$name")
    # shellcheck disable=SC2086
    check "$name: tune, select, run to the reference" gt auto "$model" -o "$work/plan.json" -r "$work/$name.jsonl" $tune_flags
    rm -f "$model"
done

exit $failed
