#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# networks.sh [NETWORK...]: tune, select and bench zoo networks; prints for each the plan's median latency, what it was
# predicted to take, and its ratio to the best of the greedy and all single-layout schedules, from one interleaved run.
# Environment: GRAPHTUNE (the command), GT_WORK (folder kept for records, default ./benchmarks.out), GT_TUNE_FLAGS.
set -eu
graphtune=${GRAPHTUNE:-./graphtune}
work=${GT_WORK:-benchmarks.out}
mkdir -p "$work"
[ $# -gt 0 ] || set -- squeezenet1.1 mobilenet_v2 resnet18 densenet121
printf '%-20s %10s %12s %8s %18s\n' network 'plan ms' 'predicted ms' 'off by' 'plan / best other'
for network in "$@"; do
    model=$work/$network.onnx
    [ -f "$model" ] || "$graphtune" zoo "$network" -o "$model" >/dev/null
    # shellcheck disable=SC2086
    "$graphtune" tune "$model" -o "$work/$network.jsonl" --quiet ${GT_TUNE_FLAGS-} >/dev/null
    "$graphtune" select "$model" -r "$work/$network.jsonl" -o "$work/$network.plan.json" --quiet ${GT_SELECT_FLAGS-}
    "$graphtune" bench "$work/$network.plan.json" --turns 21 --json >"$work/$network.bench.json"
    awk -v network="$network" '
        { gsub(/[{},"]/, " ") }
        / name : / {
            for (i = 1; i < NF; i++) {
                if ($i == "name") name = $(i + 2)
                if ($i == "median_ns") median = $(i + 2)
                if ($i == "predicted_ns") predicted = $(i + 2)
                if ($i == "ratio") ratio = $(i + 2)
            }
            if (name == "plan") { m = median; p = predicted } else if (best == "" || ratio < best) best = ratio
        }
        END { printf "%-20s %10.3f %12.3f %+7.1f%% %18.3f\n", network, m / 1e6, p / 1e6, 100 * (p / m - 1), 1 / best }
    ' "$work/$network.bench.json"
done
