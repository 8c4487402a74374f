#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The peak memory of `graphtune run` is at most weights + arena + 20 MB: a model is in memory once, while it is read,
# folded, packed and run. Weights are those that run reports, or the model's own where these are larger; the 20 MB hold
# everything else, the libraries too.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"
slack=20000000

if [ -n "${GT_EMULATOR-}" ]; then
    skip "peak memory" "an emulator's own memory would be counted"
    exit 0
fi
if grep -Eq '__(asan|msan|tsan|hwasan)_init' "$GT_TOP_BUILDDIR/graphtune"; then
    skip "peak memory" "a sanitizer's own memory would be counted"
    exit 0
fi
if [ ! -r /proc/self/status ]; then
    skip "peak memory" "there is no /proc"
    exit 0
fi

figure() { # the number of a key in ./out
    sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" out
}

within_bound() { # within_bound MODEL: of the run whose report is ./out
    weights=$(figure packed_bytes)
    arena=$(figure arena_bytes)
    peak=$(figure peak_rss_bytes)
    model=$(wc -c <"$1")
    [ -n "$weights" ] && [ -n "$arena" ] && [ -n "$peak" ] || return 1
    [ "$weights" -ge "$model" ] || weights=$model
    echo "# $1: weights $weights, arena $arena, peak $peak: $((peak - weights - arena)) of $slack beside them"
    # A peak below the weights would mean that the figure is no peak.
    [ "$peak" -gt "$weights" ] && [ "$peak" -le $((weights + arena + slack)) ]
}

# measure NETWORK TEMPLATES: plans with these convolutions. Direct ones pack weights into as much room, so that every
# copy of them shows; Winograd's are several times as large, and packing is where the peak could be.
others='dense.direct,depthwise.direct,pool2d.*,reduce.*,concat.*,binary.*,scale.*,unary.*,reshape.*,copy.*'
measure() {
    what="$1 with $2"
    network=$1
    case $network in
    *.param) ;;
    *) network=$1.onnx ;;
    esac
    [ -f "$network" ] || expect "$1: zoo" 0 zoo "$1" -o "$network"
    rm -f records.jsonl plan.json
    expect "$what: tune" 0 tune "$network" -o records.jsonl --trials 1 --candidate-time 0.0002 --layouts NCHW --quiet \
        --templates "$2,$others"
    expect "$what: select" 0 select "$network" -r records.jsonl -o plan.json
    for threads in 1 4; do
        expect "$what: run, threads $threads" 0 run plan.json --json --threads $threads
        check "$what: peak memory, threads $threads" within_bound "$network"
    done
}

measure resnet18 conv2d.direct
measure resnet18 'conv2d.*'
measure densenet121 conv2d.direct

# ncnn's weights stand in a file of their own: here 39 MB of zeros, which are also the flags of plain floats.
{
    printf '%s\n' 7767517 '9 9' 'Input in 0 1 x0 0=1100'
    for i in 1 2 3 4 5 6 7 8; do
        echo "InnerProduct fc$i 1 1 x$((i - 1)) x$i 0=1100 2=1210000"
    done
} >fc.param
head -c $((8 * (4 + 4 * 1210000))) /dev/zero >fc.bin
measure fc.param dense.direct
exit $failed
