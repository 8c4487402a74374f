#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a short tune loses to a long one: `make bench-tuning`.
#
#     tuning.sh [NETWORK...]     (zoo networks; three of them)
#
# Tunes each network with the defaults, and for GT_LONG_SECONDS (1200) with up to 64 configs a template, each timed longer;
# where the model ends before, the rest of the time goes to random configs. The plans selected from both, refined in the running
# network, are timed in turns in one process, GT_BENCH_TURNS (41) turns each. Printed per network: seconds for tuning and
# selecting with the defaults, candidates of both, ms of both, and the ratio. Files stay in bench-tuning: a second run makes
# the plans and times them again.
set -eu
[ $# -gt 0 ] || set -- squeezenet1.1 mobilenet_v2 resnet18
folder=bench-tuning
long=${GT_LONG_SECONDS:-1200}

fail() {
    echo "make bench-tuning: $*" >&2
    exit 1
}

# The seconds that a command takes, on stdout; its own output goes into $folder/log.
seconds_of() {
    begin=$(date +%s.%N)
    "$@" >>"$folder/log" 2>&1 || fail "$* fails: see $folder/log"
    awk -v begin="$begin" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f", end - begin }'
}

select_plan() {
    seconds_of ./graphtune select "$folder/$1.onnx" -r "$folder/$1.$2.jsonl" --refine -q -o "$folder/$1.$2.plan.json"
}

tune_long() {
    records=$folder/$1.long.jsonl
    used=$(seconds_of ./graphtune tune "$folder/$1.onnx" -o "$records" --budget "$long" --trials 64 --candidate-time 0.01)
    rest=$(awk -v all="$long" -v used="$used" 'BEGIN { print int(all - used) }')
    if [ "$rest" -gt 0 ]; then
        seconds_of ./graphtune tune "$folder/$1.onnx" -o "$records" --budget "$rest" --strategy random --trials 200 >/dev/null
    fi
    echo "$long" >"$folder/$1.long.seconds"
}

mkdir -p "$folder"
: >"$folder/log"
printf '%-16s %8s %8s %12s %10s %10s %8s\n' network 'tune s' 'select s' candidates 'short ms' 'long ms' ratio
for network in "$@"; do
    [ -f "$folder/$network.onnx" ] || ./graphtune zoo "$network" -o "$folder/$network.onnx" >/dev/null
    if [ ! -f "$folder/$network.short.seconds" ]; then
        rm -f "$folder/$network.short.jsonl"
        seconds_of ./graphtune tune "$folder/$network.onnx" -o "$folder/$network.short.jsonl" >"$folder/seconds"
        mv "$folder/seconds" "$folder/$network.short.seconds"
    fi
    [ -f "$folder/$network.long.seconds" ] || tune_long "$network"
    selecting=$(select_plan "$network" short)
    select_plan "$network" long >/dev/null
    benchmarks/tuning_race --turns "${GT_BENCH_TURNS:-41}" "$folder/$network.long.plan.json" "$folder/$network.short.plan.json" \
        >"$folder/$network.race" || fail "$network: the plans cannot be timed"
    awk -v network="$network" -v tuning="$(cat "$folder/$network.short.seconds")" -v selecting="$selecting" \
        -v short="$(grep -c '"kind":"op"' "$folder/$network.short.jsonl")" \
        -v long="$(grep -c '"kind":"op"' "$folder/$network.long.jsonl")" '
        { for (i = 1; i < NF; i++) { if ($i == "median") ms[NR] = $(i + 1); if ($i == "ratio") ratio = $(i + 1) } }
        END { printf "%-16s %8.1f %8.1f %5d/%6d %10.3f %10.3f %8.3f\n", network, tuning, selecting, short, long, ms[2], ms[1], ratio }
    ' "$folder/$network.race"
done
