#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Third-party models on boards, against outputs that another engine computed: the host tunes, selects and packs, and
# graphtune-board runs the bundle under qemu. What the host measured with vectors of four floats is given out for the
# board's records, so that plans hold templates, layouts and transforms of all kinds.
#
# GT_BOARD_AGENT, GT_BOARD_AGENT_ARMHF: the programs (`make board` builds the first). GT_TEST_EFFORT below 100 forces one
# layout instead of two.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"
. "$GT_TOP_SRCDIR/tests/golden.sh"
need_golden

arm64=${GT_BOARD_AGENT:-$GT_TOP_BUILDDIR/board-aarch64/graphtune-board}
armhf=${GT_BOARD_AGENT_ARMHF:-$GT_TOP_BUILDDIR/board-armv7l/graphtune-board}
layouts="NHWC NCHW8c"
[ "${GT_TEST_EFFORT-100}" -ge 100 ] || layouts=NCHW8c
quick="--trials 1 --candidate-time 1e-5 --quiet"
agent=

if [ -n "${GT_EMULATOR-}" ]; then
    skip "golden outputs on boards" "graphtune itself is emulated"
    exit 77
fi

# is_there ARCH PROGRAM EMULATOR PACKAGE
is_there() {
    if [ ! -x "$2" ]; then
        skip "golden outputs on $1" "$2 is not there; make board builds it"
    elif ! command -v "$3" >/dev/null; then
        skip "golden outputs on $1" "there is no $3 (Debian: qemu-user)"
    else
        return 0
    fi
    return 1
}

# Records of this machine made to be of a board, which has no OpenBLAS for the GEMM templates; register tiles that only
# AVX-512 has the registers for become the largest that NEON has them for.
measure() { # measure NETWORK
    # shellcheck disable=SC2046,SC2086
    GT_ISA=sse2 gt tune "$models/onnx/$1.onnx" -o here.jsonl $quick $(shape_flag "$1") || return 1
    hash=$(sed -n '1s/.*"hash":"\([0-9a-f]*\)".*/\1/p' here.jsonl)
    [ -n "$hash" ] || return 1
    for isa in neon armv7-neon; do
        sed -e '/"template":"[a-z0-9]*\.[a-z0-9_]*gemm/d' -e "s/$hash/00000000deadbeef/g" \
            -e "1s/\"isa\":\"[a-z0-9-]*\"/\"isa\":\"$isa\"/" \
            -e 's/oc_vectors=2,ow_tile=\(9\|1[0-4]\),/oc_vectors=2,ow_tile=8,/' \
            -e 's/oc_vectors=4,ow_tile=[67],/oc_vectors=4,ow_tile=5,/' here.jsonl >"$isa.jsonl"
    done
}

on_board() { # on_board ARGUMENT...
    # shellcheck disable=SC2086
    $agent "$@"
}

# board NETWORK WHAT ISA AGENT [FLAG...]: the flags are those of select
board() {
    network=$1 what="$1, $2" isa=$3 agent=$4
    shift 4
    # shellcheck disable=SC2046
    quietly "$what: select" gt select "$models/onnx/$network.onnx" -r "$isa.jsonl" --device 00000000deadbeef -o plan.json \
        --quiet $(shape_flag "$network") "$@"
    quietly "$what: pack" gt pack plan.json -o net.gtb
    check "$what: packed for $isa" grep -q "packed for $isa " out
    quietly "$what: the outputs match" same_outputs "$network" on_board run net.gtb
    rm -f plan.json net.gtb
}

with_arm64= with_armhf=
! is_there arm64 "$arm64" qemu-aarch64 || with_arm64=1
! is_there armhf "$armhf" qemu-arm || with_armhf=1
[ -n "$with_arm64$with_armhf" ] || exit 77

for each in $(golden_names); do
    quietly "$each: tune" measure "$each"
    if [ -n "$with_arm64" ]; then
        board "$each" arm64 neon "qemu-aarch64 -cpu cortex-a53 $arm64"
        for layout in $layouts; do
            board "$each" "arm64 in $layout" neon "qemu-aarch64 -cpu cortex-a53 $arm64" --only-layout "$layout"
        done
    fi
    if [ -n "$with_armhf" ]; then
        board "$each" armhf armv7-neon "qemu-arm -cpu cortex-a7 $armhf"
    fi
done
exit $failed
