#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# select --pin and --forbid, and explain, as commands.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o net.onnx >out
expect "tune" 0 tune net.onnx -o net.jsonl --trials 1 --layouts NCHW,NHWC,NCHW8c --quiet
expect "select" 0 select net.onnx -r net.jsonl -o net.json
check "says how many decisions are certain" grep -Eq '^[0-9]+ of [0-9]+ decisions? (is|are) certain' out
check "the plan holds regrets" grep -q '"regret_ns": [0-9]' net.json

# ---- pins ----

node=fire9.expand1x1
expect "select --pin" 0 select net.onnx -r net.jsonl -o pinned.json --pin "$node=NCHW" --json
check "is JSON with its decisions" eval 'json_valid out && grep -q "\"decisions\": {\"total\": " out'
check "is kept" eval 'grep "\"node\": \"$node\"" pinned.json | head -n 1 | grep -q "\"in\": \"NCHW\", \"out\": \"NCHW\""'
check "and noted" grep -q "\"$node=NCHW\"" pinned.json
expect "a pinned plan is verified" 0 select --verify pinned.json -q
expect "select --pin PATTERN" 0 select net.onnx -r net.jsonl -o pinned.json -q --pin 'fire?.expand1x1=NCHW' --pin "conv1=NCHW->NCHW/conv2d.direct"
check "binds all that match" test "$(sed '/"alternatives"/q' pinned.json | grep '"node": "fire.\.expand1x1"' | grep -c '"in": "NCHW", "out": "NCHW"')" = 8
expect "select --forbid" 0 select net.onnx -r net.jsonl -o made.json -q --forbid "$node=NCHW"
check "is kept" eval '! grep "\"node\": \"$node\"" made.json | head -n 1 | grep -q "\"in\": \"NCHW\", \"out\": \"NCHW\""'
rm made.json

refuse_select() { # refuse_select NAME PATTERN ARGUMENT...
    name=$1 pattern=$2
    shift 2
    refuse "$name" 1 "$pattern" select net.onnx -r net.jsonl -o made.json "$@"
}
refuse_select "an unknown node" 'no op "fire9.expand".*nearest are "fire9.expand1x1", "fire9.expand3x3"' --pin fire9.expand=NCHW
refuse_select "an unknown layout" 'layout "NCWH" is unknown; there are NCHW, NHWC' --pin "$node=NCWH"
refuse_select "an unknown template" 'template "conv2d.dirct" is unknown; did you mean conv2d.direct' --pin "$node=NCHW/conv2d.dirct"
refuse_select "no layout" 'NODE=LAYOUT or NODE=IN->OUT is needed' --forbid "$node"
refuse_select "contradictory pins" "contradict each other for op \"$node\"" --pin "$node=NCHW" --pin "$node=NHWC"
refuse_select "a pin that nothing satisfies" 'no candidate is left by --pin' --pin "$node=NCHW/pool2d.direct"
refuse "--verify takes no pins" 2 'reads from the plan' select --verify net.json --pin "$node=NCHW"

# ---- explain ----

expect "explain" 0 explain net.json
check "says nothing on stderr" test ! -s err
check "shows every layer" test "$(sed '/layout transform/,$d' out | grep -c '^  [a-zA-Z]')" = "$(($(sed '/"alternatives"/,$d' net.json | grep -c '"node": .*"ns"') + 1))"
check "sums up" grep -Eq '^[0-9]+ of [0-9]+ decisions? (is|are) certain; ' out
expect "explain --json" 0 explain net.json --json
check "is JSON" json_valid out
check "is exact" grep -q '"exact": true' out
expect "explain NODE" 0 explain net.json $node
check "marks the choice" test "$(grep -c ' chosen$' out)" = 1
check "the choice costs nothing more" eval "grep ' chosen$' out | grep -q -e '+0.000 '"
check "says what else changes" grep -q '^what else would change' out
expect "explain NODE --json" 0 explain net.json $node --json
check "is JSON" json_valid out
expect "explain of a pinned plan" 0 explain pinned.json $node
check "what pins leave out is said to be" grep -q ' excluded$' out
expect "explain with records given" 0 explain net.json --records net.jsonl
refuse "an unknown layer" 1 'no layer "conv01"; the nearest name is "conv10?"' explain net.json conv01
refuse "explain without a plan" 2 'an argument is missing' explain
refuse "explain of no plan" 1 'not a plan' explain net.onnx
refuse "records of nothing here" 1 '.' explain net.json --records net.json

sed 's/"certain": [a-z]*/"certain": 3/' net.json >bad.json
refuse "a damaged certainty" 1 'ops\[[0-9]+\].certain is 3' explain bad.json
sed 's/"regret_ns": [0-9]*/"regret_ns": -1/' net.json >bad.json
refuse "a negative regret" 1 'ops\[[0-9]+\].regret_ns is -1' explain bad.json
sed 's/, "regret_ns": [0-9]*//; s/, "certain": [a-z]*//; /"selection": {/,/^  },/d' net.json >old.json
check "an older plan is JSON" json_valid old.json
expect "an older plan runs" 0 run old.json
refuse "but does not name its records" 1 'old.json does not name the records.*--records' explain old.json
expect "and is explained with them" 0 explain old.json --records net.jsonl
cp net.jsonl changed.jsonl
echo >>net.jsonl
try explain net.json
check "changed records are noticed" grep -q 'net.jsonl has changed' err

exit $failed
