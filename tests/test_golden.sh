#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Third-party models against outputs that another engine computed: the chosen plan and forced single-layout plans.
set -u
build=${GT_TOP_BUILDDIR:-.}
models=${GT_MODELS_DIR:-../shared/models}
gt() { ${GT_EMULATOR-} "$build/graphtune" "$@"; }
if [ ! -d "$models/golden" ]; then
    echo "skip - golden outputs: there is no folder $models/golden (set GT_MODELS_DIR)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

shape_flag() {
    case $1 in
    cifar_dynamic_batch) echo --shape modelInput=2,3,32,32 ;;
    ppocr_cls) echo --shape x=1,3,48,192 ;;
    esac
}

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

# Runs a plan (with --check) or a bundle on the golden inputs and compares every output.
compare() { # compare NAME PLAN-OR-BUNDLE [FLAG]
    inputs=
    for file in "$models/golden/$1"/input_*.npy; do
        inputs="$inputs --input $file"
    done
    rm -rf "$work/out"
    # shellcheck disable=SC2086
    gt run "$2" $inputs ${3-} --output "$work/out" || return 1
    for want in "$models/golden/$1"/output_*.npy; do
        ${GT_EMULATOR-} "$build/tests/npy_compare" "$work/out/${want##*/}" "$want" || return 1
    done
}

for folder in "$models"/golden/*/; do
    name=$(basename "$folder")
    model=$models/onnx/$name.onnx
    records=$work/$name.jsonl
    # shellcheck disable=SC2046
    check "$name: auto" gt auto "$model" -o "$work/$name.json" -r "$records" --trials 1 --no-bench --no-refine --quiet \
        --candidate-time 0.0005 $(shape_flag "$name")
    check "$name: the plan's outputs match" compare "$name" "$work/$name.json" --check
    check "$name: pack" gt pack "$work/$name.json" -o "$work/$name.gtb"
    check "$name: the bundle's outputs match" compare "$name" "$work/$name.gtb"
    for layout in NCHW NHWC NCHW4c NCHW8c; do
        # shellcheck disable=SC2046
        check "$name: select --only-layout $layout" gt select "$model" -r "$records" -o "$work/$name.$layout.json" --quiet \
            --only-layout $layout $(shape_flag "$name")
        check "$name: outputs in $layout match" compare "$name" "$work/$name.$layout.json" --check
    done
done
exit $failed
