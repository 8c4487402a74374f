#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# select --verify on the command line, and the same bytes from select whatever the number of threads around it.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o net.onnx >/dev/null 2>&1 || exit 1
gt tune net.onnx -o net.jsonl --trials 1 --layouts NCHW,NHWC,NCHW8c -q || exit 1

# ---- the same bytes ----

expect "select" 0 select net.onnx -r net.jsonl -o net.json -q
for threads in 1 2 4; do
    for run in first second; do
        OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads gt select net.onnx -r net.jsonl -o again.json -q
        check "the same bytes with $threads threads around it, $run run" cmp -s net.json again.json
    done
done
expect "select --work-limit" 0 select net.onnx -r net.jsonl -o limited.json -q --work-limit 1
expect "select --work-limit again" 0 select net.onnx -r net.jsonl -o again.json -q --work-limit 1
check "the same bytes" cmp -s limited.json again.json
check "no time of the solver's is stored" eval '! grep -q solver_ns net.json'
expect "select --solver-memory" 0 select net.onnx -r net.jsonl -o again.json -q --solver-memory 1M
expect "a size that is none" 2 select net.onnx -r net.jsonl -o again.json --solver-memory lots

# ---- what is right ----

expect "select --verify" 0 select --verify net.json
check "says so" grep -Eq '^verified: [0-9.]+ (ms|µs) is the optimum of these records \(two proofs\)$' out
check "nothing on stderr" test ! -s err
expect "select --verify --json" 0 select --verify net.json --json
check "says so" grep -q '"verdict": "optimum"' out
check "has no differences" grep -q '"differences": \[\]' out
expect "select --verify --quiet" 0 select --verify net.json -q
check "prints nothing" test ! -s out -a ! -s err
mkdir elsewhere
cp net.jsonl elsewhere/copy.jsonl
expect "the same records of another name" 0 select --verify net.json --records elsewhere/copy.jsonl
expect "a refined plan" 0 select net.onnx -r net.jsonl -o refined.json --refine -q
expect "is verified on its own figures" 0 select --verify refined.json
check "and says so" grep -q "is the optimum of these records and the plan's own figures" out
expect "--verify with what the plan says" 2 select --verify net.json --layouts NCHW

# ---- what was changed ----

# tampered NAME SED-EXPRESSION PATTERN: the changed plan is refused, and the output names what was changed.
tampered() {
    sed "$2" net.json >changed.json
    if cmp -s net.json changed.json; then
        fail "$1" "nothing was changed"
        return
    fi
    expect "$1" 1 select --verify changed.json
    check "$1: is named" grep -Eq -- "$3" out err
}
predicted=$(sed -n 's/^ *"predicted_ns": \([0-9]*\),$/\1/p' net.json)
first_ns=$(sed -n '/^ *{"node": /{s/.*"ns": \([0-9]*\).*/\1/p;q;}' net.json)
more="s/\"predicted_ns\": $predicted/\"predicted_ns\": $((predicted + 1))/;s/\"lower_bound_ns\": $predicted/\"lower_bound_ns\": $((predicted + 1))/"
tampered "another total" "s/\"predicted_ns\": $predicted/\"predicted_ns\": 1/" 'predicted_ns is 1'
tampered "another time of one op" "0,/\"ns\": $first_ns/s//\"ns\": $((first_ns + 1))/" 'predicted_ns'
tampered "another time, and totals to match" "0,/\"ns\": $first_ns/s//\"ns\": $((first_ns + 1))/;$more" \
    "ns is $((first_ns + 1)), but found: $first_ns"
tampered "a lower bound raised" "s/\"lower_bound_ns\": $predicted/\"lower_bound_ns\": $((predicted + 1))/" 'lower_bound_ns'
tampered "another layout" '0,/"in": "[A-Za-z0-9]*", "out": "[A-Za-z0-9]*"/s//"in": "NCHW16c", "out": "NCHW16c"/' 'NCHW16c'
tampered "the sum of the records" 's/\({"file": "net.jsonl", "sha256": "\)..../\10000/' 'sha256 is 0000'
tampered "no selection" 's/"selection"/"choice"/' '"selection" is missing'

cp net.jsonl saved.jsonl
awk '/"kind":"op"/ { sub(/"ns":[{][^}]*[}]/, "\"ns\":{\"median\":9,\"min\":9,\"lo\":9,\"hi\":9,\"runs\":9}") } { print }' saved.jsonl >net.jsonl
expect "records that were measured again" 1 select --verify net.json
check "are named" grep -q 'net.jsonl.*sha256' out
expect "given by hand as well" 1 select --verify net.json --records net.jsonl
check "with a note" grep -q 'net.jsonl is not the file that the plan was selected from' err
mv saved.jsonl net.jsonl
expect "the old records" 0 select --verify net.json

exit $failed
