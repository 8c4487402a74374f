#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the solver's optimum with toulbar2's on large layout selection instances, with forbidden pairs
# merely dear, as the generator writes them, and, under a lower bound on the cost, infinite. Needs toulbar2, python3 and
# solver/gen_cfn.py in GT_SHARED_DIR (a folder `shared` beside the source tree unless given); exits 77 (skipped) without them.
# GT_SOLVE_CFN: the program built from solve_cfn_main.c. GT_TEST_EFFORT below 100 takes one seed (slow builds).
set -u

program=${GT_SOLVE_CFN:-./tests/solve_cfn}
generator=${GT_SHARED_DIR:-${GT_TOP_SRCDIR:-.}/../shared}/solver/gen_cfn.py
seeds="1 2 3"
[ "${GT_TEST_EFFORT-100}" -ge 100 ] || seeds=1

skip() {
    echo "skipped: $1"
    exit 77
}
command -v toulbar2 >/dev/null || skip "toulbar2 is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"
[ -f "$generator" ] || skip "$generator does not exist (set GT_SHARED_DIR)"
[ -x "$program" ] || { echo "$program is not built (set GT_SOLVE_CFN)"; exit 1; }

case $program in /*) ;; *) program=$PWD/$program ;; esac
case $generator in /*) ;; *) generator=$PWD/$generator ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

failed=0
compared=0
for network in resnet50 hrnet nasnet densenet121; do
    for seed in ${GT_TEST_SEEDS:-$seeds}; do
        for ratio in 0.1 0.5 1.0 2.0; do
            python3 "$generator" "$network" 5 "$seed" "$ratio" >/dev/null || exit 1
            expected=$(toulbar2 "$network.cfn" 2>&1 | sed -n 's/^Optimum: \([0-9.]*\).*/\1/p')
            sed 's/"<100000000\.0"/"<10000000.0"/' "$network.cfn" >infinite.cfn
            ! cmp -s infinite.cfn "$network.cfn" || { echo "the generator writes another bound"; exit 1; }
            for file in "$network.cfn" infinite.cfn; do
                line=$(${GT_EMULATOR-} "$program" "$file") || failed=1
                found=$(echo "$line" | sed -n 's/.* cost \([0-9.]*\) .* optimal 1 .*/\1/p')
                compared=$((compared + 1))
                if [ -z "$expected" ] || [ "$found" != "$expected" ]; then
                    echo "FAIL seed $seed ratio $ratio $file: toulbar2 '$expected', here: $line"
                    failed=1
                fi
            done
            echo "seed $seed ratio $ratio optimum $expected: $line"
        done
    done
done
echo "$compared comparisons, failed: $failed"
exit $failed
