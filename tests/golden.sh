# SPDX-License-Identifier: Apache-2.0
# What the tests against other engines' outputs share; sourced after common.sh. $models is the folder with onnx/NAME.onnx
# and golden/NAME/{input,output}_N.npy.
models=${GT_MODELS_DIR:-$GT_TOP_SRCDIR/../shared/models}

need_golden() { # ends the test where there are none
    [ -d "$models/golden" ] || {
        skip "golden outputs" "there is no folder $models/golden (set GT_MODELS_DIR)"
        exit 77
    }
}

golden_names() {
    for folder in "$models"/golden/*/; do
        basename "$folder"
    done
}

shape_flag() { # shape_flag NAME: what a command that reads its model needs
    case $1 in
    cifar_dynamic_batch) echo --shape modelInput=2,3,32,32 ;;
    ppocr_cls) echo --shape x=1,3,48,192 ;;
    esac
}

# same_outputs NAME COMMAND...: COMMAND, given the golden inputs, writes these outputs. It ends with the arguments of
# `run`.
same_outputs() {
    expected=$models/golden/$1
    shift
    inputs=
    for file in "$expected"/input_*.npy; do
        inputs="$inputs --input $file"
    done
    rm -rf outputs
    # shellcheck disable=SC2086
    "$@" $inputs --output outputs || return 1
    for want in "$expected"/output_*.npy; do
        ${GT_EMULATOR-} "$GT_TOP_BUILDDIR/tests/npy_compare" "outputs/${want##*/}" "$want" || return 1
    done
}

quietly() { # quietly NAME COMMAND...: passes when the command does, which need not be graphtune
    title=$1
    shift
    ran="$*"
    if "$@" >out 2>err; then pass "$title"; else code=$? && fail "$title"; fi
}
