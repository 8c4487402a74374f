#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `graphtune export`: what it writes and says, that onnx.checker and graphviz take it, and what it refuses.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o net.onnx >out
gt tune net.onnx -o net.jsonl --trials 1 --layouts NCHW,NHWC,NCHW8c --quiet
gt select net.onnx -r net.jsonl -o net.json -q || fail "a plan to export"
cp net.onnx model.before
cp net.json plan.before

# ---- what is written ----

expect "export" 0 export net.json --onnx plan.onnx --dot plan.dot
check "says what, for each file" test "$(grep -Ec '^wrote plan\.(onnx|dot): [0-9]+ operators, [0-9]+ layout transforms?, [0-9.]+ [KM]iB$' out)" = 2
operators=$(gt inspect net.onnx --json | grep -c '"workload":')
check "counts the plan's operators" grep -q "^wrote plan.onnx: $operators operators" out
check "nothing on stderr" test ! -s err
cp plan.onnx again.onnx
cp plan.dot again.dot
gt export net.json --onnx plan.onnx --dot plan.dot >out
check "the same every time" eval 'cmp -s plan.onnx again.onnx && cmp -s plan.dot again.dot'
gt export net.json --onnx - >out 2>err
check "--onnx - is standard output alone" eval 'cmp -s plan.onnx out && [ ! -s err ]'
gt export net.json --onnx again.onnx --dot - >out 2>err
check "--dot - as well" eval 'cmp -s plan.dot out && [ ! -s err ]'
expect "it is a model that can be inspected" 0 inspect plan.onnx
gt inspect plan.onnx | sed -n 's/.* \([0-9]* unique workloads\)/\1/p' >a
gt inspect net.onnx | sed -n 's/.* \([0-9]* unique workloads\)/\1/p' >b
check "with the workloads of the first" eval '[ -s a ] && cmp -s a b'
expect "and tuned again from the same records" 0 select plan.onnx -r net.jsonl -o second.json -q
check "for the same latency" eval '
    grep -o "\"predicted_ns\": [0-9.]*" net.json >a && grep -o "\"predicted_ns\": [0-9.]*" second.json >b && cmp -s a b'
expect "export --no-weights" 0 export net.json --onnx small.onnx --no-weights
check "is small" test "$(wc -c <small.onnx)" -lt $(($(wc -c <plan.onnx) / 2))
check "plan and model are as they were" eval 'cmp -s net.onnx model.before && cmp -s net.json plan.before'
check "no temporary file stays" no_leftovers

# ---- what others make of it ----

cp "$GT_TOP_SRCDIR/tests/fixtures/ncnn/small.param" .
gt auto small.param --random-weights 3 -o small.json -r small.jsonl --trials 1 --no-bench --quiet >out 2>err || fail "a plan of an ncnn model"
expect "export of an ncnn model's plan" 0 export small.json --onnx ncnn.onnx --dot ncnn.dot
expect "with other weights" 0 export small.json --onnx ncnn.other --weights "$GT_TOP_SRCDIR/tests/fixtures/ncnn/small.bin"
check "they are in the file" eval '! cmp -s ncnn.onnx ncnn.other'

python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || { "$candidate" -c 'import onnx' 2>/dev/null && python=$candidate; }
done
if [ -n "$python" ]; then
    cat >look.py <<'EOF'
import sys, onnx
for name in sys.argv[2:]:
    m = onnx.load(name)
    onnx.checker.check_model(m, full_check=True)
    known = {v.name for v in list(m.graph.value_info) + list(m.graph.input) + list(m.graph.output)}
    for node in m.graph.node:
        assert node.doc_string, node.name
        assert all(o in known for o in node.output), node.name
    props = {p.key: p.value for p in m.metadata_props}
    mains = [n for n in m.graph.node if "template: " in n.doc_string]
    moves = [n for n in m.graph.node if n.doc_string.startswith("transform: ")]
    assert len(mains) == int(props["graphtune.operators"]), len(mains)
    assert len(moves) == int(props["graphtune.transforms"]), len(moves)
    if hasattr(m.graph.node[0], "metadata_props"):
        for node in mains:
            keys = {p.key for p in node.metadata_props}
            assert {"graphtune.template", "graphtune.in_layout", "graphtune.out_layout", "graphtune.time_ms"} <= keys, node.name
    if name == "plan.onnx":
        assert len(mains) == int(sys.argv[1]), len(mains)
        assert len(props["graphtune.plan_sha256"]) == 64
EOF
    check "onnx.checker takes every file, and every node is annotated" \
        "$python" look.py "$operators" plan.onnx small.onnx ncnn.onnx
else
    skip "onnx.checker takes every file" "python3 has no onnx"
fi
if command -v dot >/dev/null; then
    for drawing in plan ncnn; do
        dot -Tsvg $drawing.dot -o $drawing.svg 2>err
        check "graphviz draws $drawing.dot without a complaint" eval '[ ! -s err ] && grep -q "<svg" $drawing.svg'
    done
    # The operators, the input, the output, the transforms, and the legend.
    check "with a node for each in the file" test "$(grep -c '^<g id="node' plan.svg)" = "$(grep -c '\[.*label=.*\];$' plan.dot |
        awk -v edges="$(grep -c '^  [a-z][0-9]* -> ' plan.dot)" '{ print $1 - edges - 1 }')"
else
    skip "graphviz draws it" "dot is not installed"
fi

# ---- what is refused ----

refuse "no file to write" 2 'nothing to write: --onnx FILE, --dot FILE' export net.json
refuse "one file twice" 2 'both write made' export net.json --onnx made --dot made
refuse "standard output twice" 2 'both write standard output' export net.json --onnx - --dot -
refuse "--no-weights of a drawing" 2 '--no-weights .*--onnx' export net.json --dot made --no-weights
refuse "a misspelt option" 2 'did you mean --onnx' export net.json --onxn made
refuse "a plan that is not there" 1 'nowhere.json' export nowhere.json --onnx made
refuse "a folder that is not there" 1 'made/net.onnx: cannot write' export net.json --onnx made/net.onnx
refuse "the model in the place of the output" 1 'is the model itself' export net.json --onnx net.onnx
refuse "the plan in the place of the output" 1 'is the plan itself' export net.json --dot ./net.json
refuse "another model" 1 'model.sha256' export net.json --onnx made --model plan.onnx
sed 's/"template": "[a-z0-9_.]*"/"template": "conv2d.unheard_of"/' net.json >bad.json
refuse "an unknown template" 1 'bad.json: plan: op "[^"]*": unknown template "conv2d.unheard_of"' export bad.json --onnx made
sed 's/"in": "[A-Za-z0-9]*"/"in": "NCHW3c"/' net.json >bad.json
refuse "an unknown layout" 1 'bad.json: .*NCHW3c' export bad.json --onnx made
head -c 2000 net.json >bad.json
refuse "half a plan" 1 'bad.json' export bad.json --dot made
check "model and plan are as they were" eval 'cmp -s net.onnx model.before && cmp -s net.json plan.before'

# ---- a plan that cannot be run ----

sed 's/"template": "[a-z0-9_.]*"/"template": "autotvm.conv2d_nchw_spatial_pack.arm_cpu"/' net.json >tvm.json
expect "run refuses a plan of TVM's candidates" 1 run tvm.json
expect "export shows it" 0 export tvm.json --onnx tvm.onnx --dot tvm.dot
check "with TVM's templates" grep -q 'autotvm.conv2d_nchw_spatial_pack.arm_cpu' tvm.onnx tvm.dot
sed 's/"in": "NHWC"/"in": "NCHW16c"/' tvm.json >bad.json
refuse "unless it does not fit its model" 1 'bad.json: ' export bad.json --onnx made

exit $failed
