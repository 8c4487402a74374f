#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whole networks on this machine, beside ONNX Runtime and ncnn: `make bench-peers`.
#
#     peers.sh SRCDIR [NETWORK...]     (zoo networks; ten of them)
#
# Makes a Python environment in bench-peers (onnxruntime and numpy; ncnn and pnnx, its converter, where they are to be had),
# tunes the networks, and has peers.py compare. Records stay in bench-peers: a second run tunes nothing. GT_BENCH_BUDGET is
# the tuning time of a network in seconds (120), GT_BENCH_TURNS the number of turns (21).
set -eu
source=$1
shift
[ $# -gt 0 ] || set -- squeezenet1.1 mobilenet_v1 mobilenet_v2 mobilenet_v3_large resnet18 resnet50 inception_v3 densenet121 \
    shufflenet_v2 efficientnet_b0
folder=bench-peers
python=$folder/venv/bin/python

fail() {
    echo "make bench-peers: $*" >&2
    exit 1
}

if [ ! -x "$python" ]; then
    mkdir -p "$folder"
    python3 -m venv "$folder/venv" || fail "no Python environment: apt install python3-venv"
    "$folder/venv/bin/pip" install -q onnxruntime numpy || fail "onnxruntime cannot be installed here"
    "$folder/venv/bin/pip" install -q ncnn pnnx || echo "make bench-peers: no ncnn here; it is left out" >&2
fi
for network in "$@"; do
    model=$folder/$network.onnx
    [ -f "$model" ] || ./graphtune zoo "$network" -o "$model" >/dev/null
    ./graphtune tune "$model" -o "$folder/$network.jsonl" --budget "${GT_BENCH_BUDGET:-120}" >/dev/null || fail "$network: tune fails"
    ./graphtune select "$model" -r "$folder/$network.jsonl" --refine -q -o "$folder/$network.plan.json" || fail "$network: select fails"
    ./graphtune pack "$folder/$network.plan.json" -o "$folder/$network.gtb" >/dev/null || fail "$network: pack fails"
    if [ -x "$folder/venv/bin/pnnx" ] && [ ! -f "$folder/$network.ncnn.param" ]; then
        size=$(./graphtune inspect "$model" --json | sed -n '/"inputs"/,/]/s/.*"shape": \[\([0-9, ]*\)\].*/\1/p' | tr -d ' ' | head -n 1)
        # It writes eight files beside the model, named after it; a model that it cannot take leaves ncnn out.
        (cd "$folder" && venv/bin/pnnx "$network.onnx" "inputshape=[$size]" >"$network.pnnx.log" 2>&1) || true
    fi
done
library=$(ls "$PWD"/.libs/libgraphtune-rt.so 2>/dev/null) || fail "there is no shared library: configure without --disable-shared"
"$python" "$source/benchmarks/peers.py" "$library" "${GT_BENCH_TURNS:-21}" "$folder" "$@"
