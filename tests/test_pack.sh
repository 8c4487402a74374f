#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands around bundles: pack, and run and bench on what it wrote.
. "$(dirname "$0")/common.sh"

gt zoo squeezenet1.1 -o net.onnx --resolution 64 --width 0.25 >/dev/null
gt auto net.onnx -o net.json -r net.jsonl --trials 1 --no-bench --no-refine --quiet --candidate-time 0.0005 >/dev/null 2>&1
expect "pack" 0 pack net.json -o net.gtb
expect "pack --json" 0 pack net.json -o again.gtb --json
check "its JSON is valid" json_valid out
check "the same plan gives the same bytes" cmp net.gtb again.gtb

# Without the model: the bundle is all that is read.
mkdir alone
mv net.gtb alone
expect "run of the plan" 0 run net.json --output plan
mv net.onnx hidden.onnx
expect "run of the bundle" 0 run alone/net.gtb --output bundle
check "outputs are those of the plan, bit by bit" cmp plan/output_0.npy bundle/output_0.npy
expect "run --profile on two threads" 0 run alone/net.gtb --threads 2 --profile
expect "bench of a bundle" 0 bench alone/net.gtb --turns 2 --turn-time 0
expect "bench --json of a bundle" 0 bench alone/net.gtb --turns 2 --turn-time 0 --json
check "its JSON is valid" json_valid out
mv hidden.onnx net.onnx

refuse "--check has no model" 1 'check needs the model' run alone/net.gtb --check
refuse "--model does not apply" 1 'is a bundle' run alone/net.gtb --model net.onnx
refuse "--weights does not apply" 1 'is a bundle' bench alone/net.gtb --weights net.bin
refuse "pack without --output" 2 'output is needed' pack net.json
refuse "pack for nothing" 1 'isa.*avx9000.*neon, sse2, avx2, avx512' pack net.json -o made.gtb --isa avx9000
refuse "pack of a bundle" 1 'not a plan' pack alone/net.gtb -o made.gtb
refuse "pack into a missing folder" 1 'nowhere' pack net.json -o nowhere/made.gtb

head -c 5000 alone/net.gtb >cut.gtb
refuse "a bundle that was cut short" 1 'cut.gtb: has 5000 bytes.*cut short' run cut.gtb
size=$(wc -c <alone/net.gtb)
{ head -c $((size - 1)) alone/net.gtb && printf '\377'; } >flipped.gtb
refuse "a bundle with a changed byte" 1 'flipped.gtb: the weights section has checksum .*damaged' run flipped.gtb
{ head -c 8 alone/net.gtb && printf '\002\000\000\000' && tail -c +13 alone/net.gtb; } >newer.gtb
refuse "a bundle of another version" 1 'newer.gtb: the bundle.s version is 2, this graphtune reads version 1' run newer.gtb
case $(gt device | sed -n 's/^architecture \([^,]*\),.*/\1/p') in
aarch64) other=sse2 ;;
*) other=neon ;;
esac
expect "pack for another architecture" 0 pack net.json -o other.gtb --isa $other
refuse "a bundle for another architecture" 1 'other.gtb: packed for .*--isa' run other.gtb
exit $failed
