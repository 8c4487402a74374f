#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Third-party models against outputs that another engine computed: the chosen plan, its bundle, and forced single-layout plans.
# The reference is computed once a model, by auto, and has to agree as well.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"
. "$GT_TOP_SRCDIR/tests/golden.sh"
need_golden
if [ -n "${GT_EMULATOR-}" ]; then
    skip "golden models" "tuning them takes too long under emulation; test_golden_board runs them from bundles"
    exit 77
fi

for network in $(golden_names); do
    model=$models/onnx/$network.onnx
    # shellcheck disable=SC2046
    quietly "$network: auto" gt auto "$model" -o plan.json -r records.jsonl --trials 1 --no-bench --no-refine --quiet \
        --candidate-time 0.0005 $(shape_flag "$network")
    quietly "$network: the plan's outputs match" same_outputs "$network" gt run plan.json
    quietly "$network: pack" gt pack plan.json -o net.gtb
    quietly "$network: the bundle's outputs match" same_outputs "$network" gt run net.gtb
    for layout in NCHW NHWC NCHW4c NCHW8c; do
        # shellcheck disable=SC2046
        quietly "$network: select --only-layout $layout" gt select "$model" -r records.jsonl -o one.json --quiet \
            --only-layout "$layout" $(shape_flag "$network")
        quietly "$network: outputs in $layout match" same_outputs "$network" gt run one.json
    done
    rm -f records.jsonl
done
exit $failed
