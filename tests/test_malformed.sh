#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Malformed input of every kind gives one clear message and exit status 1 (2 where the command line is wrong), never a
# crash, and leaves no half-made file behind.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

# ---- something good to damage ----

cp "$fixtures"/*.onnx .
expect "the undamaged model is read" 0 inspect good.onnx
# One layout and one template: the plan is then the same on every machine.
flags="--trials 4 --layouts NCHW --templates conv2d.direct -q"
# shellcheck disable=SC2086
expect "it is tuned" 0 tune good.onnx -o good.jsonl $flags
expect "a plan is selected" 0 select good.onnx -r good.jsonl -o good.json -q
expect "the plan runs" 0 run good.json --check
expect "its tasks are written" 0 tasks good.onnx -o good.tasks.json

# ---- model files ----

refuse "a model that is not there" 1 'nowhere\.onnx: cannot open: No such file' inspect nowhere.onnx
mkdir folder
refuse "a folder as a model" 1 'folder: .*not a regular file' inspect folder
: >empty.onnx
refuse "an empty model" 1 'empty\.onnx: the file is empty' inspect empty.onnx
echo "Dear reader, this is no model." >text.onnx
refuse "a text as a model" 1 'text\.onnx: not an ONNX file' inspect text.onnx
head -c 5000 /dev/zero >zeros.onnx
refuse "zeros as a model" 1 'zeros\.onnx: not an ONNX file' inspect zeros.onnx
refuse "a plan as a model" 1 'good\.json: not a model' inspect good.json
refuse "a tasks file as a model" 1 'good\.tasks\.json: not a model' select good.tasks.json -r good.jsonl -o made.json
if [ "$(id -u)" = 0 ]; then
    skip "an unreadable model" "root reads everything"
else
    cp good.onnx unreadable.onnx && chmod 0 unreadable.onnx
    refuse "an unreadable model" 1 'unreadable\.onnx: cannot open: Permission denied' inspect unreadable.onnx
fi
for bytes in 1 7 40 100 300 500 600; do
    head -c $bytes good.onnx >truncated.onnx
    refuse "a model that ends after $bytes bytes" 1 'truncated\.onnx: ' inspect truncated.onnx
done
LC_ALL=C sed "s/conv/co$(printf '\377')v/" good.onnx >latin.onnx
refuse "a name that is not UTF-8" 1 'latin\.onnx: .*not UTF-8' inspect latin.onnx
LC_ALL=C sed "s/conv/$(printf '\033')[7m/" good.onnx >escape.onnx
refuse "a name with an escape sequence" 1 'escape\.onnx: .*control characters' inspect escape.onnx
gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o zoo.onnx >/dev/null
for percent in 2 50 99; do
    head -c $(($(wc -c <zoo.onnx) * percent / 100)) zoo.onnx >truncated.onnx
    refuse "a network that ends after $percent % of its bytes" 1 'truncated\.onnx: ' inspect truncated.onnx
done

refuse "a model without a graph" 1 'no_graph\.onnx: .*no graph' inspect no_graph.onnx
refuse "a model without outputs" 1 'no_outputs\.onnx: .*no outputs' inspect no_outputs.onnx
refuse "an opset of the future" 1 'opset_99\.onnx: opset 99 .*1 to 21' inspect opset_99.onnx
refuse "a cycle" 1 "cycle\.onnx: .*cycle.*'relu'.*'add'" inspect cycle.onnx
refuse "a node that reads itself" 1 "self_cycle\.onnx: .*cycle.*'add'" inspect self_cycle.onnx
refuse "an undefined input" 1 "undefined_input\.onnx: node 'conv' \(Conv\) reads 'nowhere'" inspect undefined_input.onnx
refuse "an undefined output" 1 "undefined_output\.onnx: graph output 'y'" inspect undefined_output.onnx
refuse "a name that two nodes define" 1 "'first'.*'second'.*'y'" inspect duplicate_output.onnx
refuse "two constants of one name" 1 "duplicate_constant\.onnx: .*'w'" inspect duplicate_constant.onnx
refuse "a missing operand" 1 "missing_operand\.onnx: node 'conv' \(Conv\)" inspect missing_operand.onnx
refuse "weights for other channels" 1 "conv_channels\.onnx: node 'conv' \(Conv\): .*4x5x3x3" inspect conv_channels.onnx
refuse "groups that do not divide the channels" 1 "conv_groups\.onnx: node 'conv'.*groups is 2" inspect conv_groups.onnx
refuse "a kernel_shape unlike the weight" 1 "conv_kernel\.onnx: node 'conv'.*5x5.*3x3" inspect conv_kernel.onnx
refuse "a stride of zero" 1 "conv_stride_zero\.onnx: node 'conv'.*'strides' holds 0" inspect conv_stride_zero.onnx
refuse "a pad of 2^62" 1 "conv_huge_pad\.onnx: node 'conv'.*pads" inspect conv_huge_pad.onnx
refuse "shapes that do not broadcast" 1 "add_shapes\.onnx: node 'add' \(Add\).*1x3x8x8.*4x3x3x3" inspect add_shapes.onnx
refuse "a Reshape to another size" 1 "reshape\.onnx: node 'reshape'.*192.*49" inspect reshape.onnx
refuse "an input beyond all memory" 1 "huge_input\.onnx: graph input 'x'" inspect huge_input.onnx
refuse "an input of strings" 1 "string_input\.onnx: graph input 'x'.*string" inspect string_input.onnx
refuse "a constant of strings" 1 "string_constant\.onnx: tensor 'w'.*string" inspect string_constant.onnx
refuse "a constant that is too short" 1 "short_constant\.onnx: tensor 'w'.*432.*424" inspect short_constant.onnx
refuse "a constant with 2^80 elements" 1 "vast_constant\.onnx: tensor 'w'" inspect vast_constant.onnx
refuse "a constant with a negative dimension" 1 "negative_constant\.onnx: tensor 'w'.*-4" inspect negative_constant.onnx
refuse "missing external weights" 1 "external\.onnx: tensor 'w'.*'weights\.bin'" inspect external.onnx
head -c 100 /dev/zero >weights.bin
refuse "external weights that are too short" 1 "external\.onnx: tensor 'w'.*weights\.bin" inspect external.onnx
refuse "external weights outside the model's folder" 1 "external_outside\.onnx: tensor 'w'.*\.\./weights" inspect external_outside.onnx
refuse "external weights with an absolute path" 1 "external_absolute\.onnx: tensor 'w'.*/etc/passwd" inspect external_absolute.onnx
refuse "unsupported nodes" 1 '3 of 3 nodes' inspect unsupported.onnx
check "every unsupported node is listed with its reason" eval \
    "grep -q 'memory: LSTM:' err && grep -q \"odd: Conv: .*'colour'\" err && grep -q \"custom: Gelu: .*'com.example'\" err"

for command in inspect tasks tune auto; do
    output=
    case $command in tasks | auto) output='-o made.json' ;; tune) output='-o made.jsonl' ;; esac
    # shellcheck disable=SC2086
    refuse "$command refuses a damaged model" 1 "cycle\.onnx: .*cycle" $command cycle.onnx $output
done
refuse "select refuses a damaged model" 1 "cycle\.onnx: .*cycle" select cycle.onnx -r good.jsonl -o made.json

# ---- flipped bits: taken, or refused in so many words; never a crash ----

flip() { # flip FILE OFFSET BIT
    old=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $((old ^ (1 << $3))))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

flips() { # flips MODEL COUNT FIRST-BYTE BYTES COMMAND...
    model=$1 count=$2 first=$3 range=$4
    shift 4
    bad=0 refused=0 i=0
    while [ $i -lt "$count" ]; do
        i=$((i + 1))
        cp "$model" flipped.onnx
        roll "$range"
        offset=$((first + random))
        roll 8
        flip flipped.onnx $offset "$random"
        try "$@"
        [ "$code" = 0 ] || refused=$((refused + 1))
        rm -rf made*
        if ! clean || { [ "$code" != 0 ] && { [ "$code" != 1 ] || ! sed -n 1p err | grep -q '^graphtune: '; }; }; then
            bad=$((bad + 1))
            fail "bit $random of byte $offset of $model flipped (seed 1)" "$@"
        fi
    done
    check "$count flipped bits in $model, $1 ($refused refused)" test $bad = 0
}
flips good.onnx 40 0 608 inspect flipped.onnx
flips good_two_inputs.onnx 20 0 400 tasks flipped.onnx -o made.json
flips open_dims.onnx 20 470 140 inspect flipped.onnx --shape x=1,3,8,8
flips zoo.onnx 15 0 900 inspect flipped.onnx
flips good.json 20 0 2000 run flipped.onnx --model good.onnx
flips good.jsonl 20 0 1200 select good.onnx -r flipped.onnx -o made.json -q
flips good.tasks.json 15 0 "$(wc -c <good.tasks.json)" tune flipped.onnx -o made.jsonl --trials 1 --layouts NCHW --templates conv2d.direct -q

# ---- --shape ----

refuse "an open dimension" 1 'open_dims\.onnx: .*open' inspect open_dims.onnx
check "the flag that binds it is shown" grep -q -- '--shape x=1,3,' err
expect "the flag binds it" 0 inspect open_dims.onnx --shape x=1,3,8,8
refuse "a shape of another rank" 1 "open_dims\.onnx: .*1x3x8 .*'x'" inspect open_dims.onnx --shape x=1,3,8
refuse "a shape for an unknown input" 1 "open_dims\.onnx: .*'q'" inspect open_dims.onnx --shape q=1,3,8,8
refuse "a shape that contradicts the model" 1 "open_dims\.onnx: .*1x4x8x8.*contradicts" inspect open_dims.onnx --shape x=1,4,8,8
refuse "a shape smaller than the kernel" 1 "open_dims\.onnx: node 'conv'" inspect open_dims.onnx --shape x=1,3,2,2
refuse "a shape beyond all memory" 1 "open_dims\.onnx: .*'x'" inspect open_dims.onnx --shape x=1,3,2147483647,2147483647
refuse "an input's shape given twice" 1 'twice' inspect open_dims.onnx --shape x=1,3,8,8 --shape x=1,3,9,9
for shape in x=1,3,eight,8 x=1,3,-8,8 x=1,3,0,8 x=1,,3,8 x=1,3,8,8, x=1,3,8,99999999999999999999 = x=1,3,8,8,8,8,8,8,8; do
    refuse "--shape $shape" 2 'shape' inspect open_dims.onnx --shape $shape
done

# ---- .npy files ----

npy good.npy '<f4' False '1, 3, 8, 8' 768
expect "a good .npy file" 0 run good.json --input good.npy
npy f64.npy '<f8' False '1, 3, 8, 8' 1536
refuse "float64 input" 1 'f64\.npy: .*<f8' run good.json --input f64.npy
npy f16.npy '<f2' False '1, 3, 8, 8' 384
refuse "float16 input" 1 'f16\.npy: .*<f2' run good.json --input f16.npy
npy big.npy '>f4' False '1, 3, 8, 8' 768
refuse "big-endian input" 1 'big\.npy: .*>f4' run good.json --input big.npy
npy i64.npy '<i8' False '1, 3, 8, 8' 1536
refuse "int64 where float32 is needed" 1 'i64\.npy: .*i64.*"x" needs f32' run good.json --input i64.npy
npy fortran.npy '<f4' True '1, 3, 8, 8' 768
refuse "Fortran order" 1 'fortran\.npy: .*Fortran order' run good.json --input fortran.npy
npy shape.npy '<f4' False '1, 3, 8, 9' 864
refuse "an input of another shape" 1 'shape\.npy: .*1x3x8x9.*"x" needs 1x3x8x8' run good.json --input shape.npy
npy rank.npy '<f4' False '3, 8, 8' 768
refuse "an input of another rank" 1 'rank\.npy: .*3x8x8.*"x" needs 1x3x8x8' run good.json --input rank.npy
npy ranks.npy '<f4' False '1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 8, 8' 768
refuse "an input of rank 13" 1 'ranks\.npy: ' run good.json --input ranks.npy
npy vast.npy '<f4' False '99999999999, 99999999999, 99999999999' 768
refuse "an input of 10^33 elements" 1 'vast\.npy: ' run good.json --input vast.npy
npy short.npy '<f4' False '1, 3, 8, 8' 760
refuse "truncated data" 1 'short\.npy: .*760' run good.json --input short.npy
npy long.npy '<f4' False '1, 3, 8, 8' 772
refuse "data behind the end" 1 'long\.npy: .*772' run good.json --input long.npy
head -c 60 good.npy >header.npy
refuse "a truncated header" 1 'header\.npy: .*truncated' run good.json --input header.npy
sed 's/shape/shope/' good.npy >shapeless.npy
refuse "a header without a shape" 1 "shapeless\.npy: .*'shape'" run good.json --input shapeless.npy
refuse "a model as input" 1 'good\.onnx: not an \.npy file' run good.json --input good.onnx
refuse "an input file that is not there" 1 'nowhere\.npy: cannot open' run good.json --input nowhere.npy
refuse "a folder as input" 1 'folder: ' run good.json --input folder
refuse "more inputs than the model has" 1 'good\.npy: .*no further input.*"x"' run good.json --input good.npy --input good.npy
refuse "an input of an unknown name" 1 'z=good\.npy: .*"x" \(f32 1x3x8x8\)' run good.json --input z=good.npy
refuse "an input given twice" 1 '"x" is given twice' run good.json --input good.npy --input x=good.npy

# ---- records ----

line=$(sed -n 3p good.jsonl)
# records NAME PATTERN SED-SCRIPT: the edited records are refused by whoever reads them.
records() {
    sed "$3" good.jsonl >bad.jsonl
    if cmp -s good.jsonl bad.jsonl; then
        fail "$1" "the edit changes nothing: $3"
        return
    fi
    refuse "$1" 1 "bad\.jsonl:[0-9:]* *$2" select good.onnx -r bad.jsonl -o made.json
}
refuse "records that are not there" 1 'nowhere\.jsonl: cannot open' select good.onnx -r nowhere.jsonl -o made.json
refuse "a folder as records" 1 'folder: ' select good.onnx -r folder -o made.json
refuse "a model as records" 1 'good\.onnx' select good.onnx -r good.onnx -o made.json
records "a line of garbage in the middle" '' '3s/.*/garbage/'
check "the message names the line" grep -q 'bad\.jsonl:3' err
for command in "records list bad.jsonl" "records prune bad.jsonl -o made.jsonl" "records merge bad.jsonl -o made.jsonl" \
    "tune good.onnx -o bad.jsonl -q" "auto good.onnx -r bad.jsonl -o made.json -q"; do
    # shellcheck disable=SC2086
    refuse "${command%% bad*} refuses it as well" 1 'bad\.jsonl:3' $command
done
records "half a line in the middle" '' "3s/.\{40\}\$//"
records "a record of another version" '.*v is 7.*version 1' '3s/"v":1/"v":7/'
records "a string for a number" '.*threads is "one"' '3s/"threads":1/"threads":"one"/'
records "a number for a string" '.*template is 5' '3s/"template":"[^"]*"/"template":5/'
records "a fraction of a thread" '.*threads is 1\.5' '3s/"threads":1/"threads":1.5/'
records "NaN nanoseconds" '' '3s/"median":[0-9.]*/"median":NaN/'
records "infinite nanoseconds" '.*ns\.median' '3s/"median":[0-9.]*/"median":1e999/'
records "negative nanoseconds" '.*ns\.median is -5' '3s/"median":[0-9.]*/"median":-5/'
records "a median above the interval" '.*ns\.hi' '3s/"hi":[0-9.]*/"hi":0/'
records "an unknown layout" '.*in is "NCHW3c".*"NHWC"' '3s/"in":"[A-Za-z0-9]*"/"in":"NCHW3c"/'
records "an unknown status" '.*status is "splendid"' '3s/"status":"ok"/"status":"splendid"/'
records "an unknown kind" '.*kind is "opinion"' '3s/"kind":"[a-z]*"/"kind":"opinion"/'
records "a device that is no hash" '.*device' '3s/"device":"[0-9a-f]*"/"device":"raspberry"/'
records "a missing key" '.*"workload" is missing' '3s/"workload":"[^"]*",//'
records "a key that stands there twice" '.*"threads"' '3s/"threads":1/"threads":1,"threads":1/'
records "an array for a record" '' '3s/.*/[1,2,3]/'
{ sed -n 1,2p good.jsonl; head -c 20000 /dev/zero | tr '\0' '['; echo; } >bad.jsonl
refuse "brackets without end" 1 'bad\.jsonl:3.*deeper' select good.onnx -r bad.jsonl -o made.json

sed 's/"rev":[0-9]*/"rev":999/' good.jsonl >bad.jsonl
try select good.onnx -r bad.jsonl -o made.json
check "records of another template revision alone are not enough" eval \
    'clean && [ $code = 1 ] && grep -q "note: bad.jsonl: .*revision" err && grep -q "no usable record" err'
sed 's/"status":"ok"/"status":"wrong"/' good.jsonl >bad.jsonl
refuse "candidates that were all wrong" 1 'no usable record.*' select good.onnx -r bad.jsonl -o made.json
other=0123456789abcdef
sed "s/\"device\":\"[0-9a-f]*\"/\"device\":\"$other\"/; s/\"hash\":\"[0-9a-f]*\"/\"hash\":\"$other\"/" good.jsonl >other.jsonl
refuse "records of another device" 1 'no usable record.*device' select good.onnx -r other.jsonl -o made.json
expect "they are used when their device is named" 0 select good.onnx -r other.jsonl --device $other -o foreign.json -q
refuse "records of other threads" 1 'no usable record.*threads=2' select good.onnx -r good.jsonl --threads 2 -o made.json
refuse "records of another model" 1 'no usable record' select good_two_inputs.onnx -r good.jsonl -o made.json
check "what is missing is listed" grep -q 'sub: ' err
# The fastest record of all has a config that its template does not know.
printf '%s\n' "$line" | sed 's/"config":"[^"]*"/"config":"speed=9"/; s/"median":[0-9.]*,"min":[0-9.]*,"lo":[0-9.]*/"median":1,"min":1,"lo":1/' >>other.jsonl
sed "s/$other/$(sed -n '1s/.*"hash":"\([0-9a-f]*\)".*/\1/p' good.jsonl)/g" other.jsonl >unknown.jsonl
expect "a record with an unknown config is passed over" 0 select good.onnx -r unknown.jsonl -o unknown.json -q
check "and not chosen" eval '! grep -q speed=9 unknown.json'

head -c $(($(wc -c <good.jsonl) - 30)) good.jsonl >torn.jsonl
expect "a torn last line is no error" 0 select good.onnx -r torn.jsonl -o torn.json -q
check "but noted" grep -q '^graphtune: note: torn\.jsonl: .*last line' err
# shellcheck disable=SC2086
expect "tune goes on behind a torn line" 0 tune good.onnx -o torn.jsonl $flags
check "and says that it dropped it" grep -q '^graphtune: note: torn\.jsonl: .*last line' err
candidates good.jsonl >want.txt
candidates torn.jsonl >have.txt
check "and measures what was lost" cmp -s want.txt have.txt

# ---- tasks files ----

# tasks NAME PATTERN SED-SCRIPT
tasks() {
    sed "$3" good.tasks.json >bad.json
    if cmp -s good.tasks.json bad.json; then
        fail "$1" "the edit changes nothing: $3"
        return
    fi
    refuse "$1" 1 "bad\.json: $2" tune bad.json -o made.jsonl --trials 1
}
tasks "tasks of another version" 'version is 3' 's/"version": 1/"version": 3/'
tasks "tasks of another format" '' 's/graphtune-tasks/graphtune-chores/'
tasks "tasks without a version" '.*"version" is missing' '/"version"/d'
tasks "an unknown key" 'tasks\[0\]\.colour' 's/"uses"/"colour": 1, "uses"/'
tasks "an unknown operator" 'tasks\[0\]\.workload.*operator' 's/conv2d(/conv9d(/'
tasks "an unknown attribute" 'tasks\[0\]\.workload.*"stride"' 's/stride=/strode=/'
tasks "a stride of zero in a workload" 'tasks\[0\]\.workload.*stride' 's/stride=1x1/stride=0x1/'
tasks "groups that do not divide" 'tasks\[0\]\.workload.*groups' 's/groups=1/groups=2/'
tasks "an unknown activation" 'tasks\[0\]\.workload.*act' 's/act=relu/act=magic/'
tasks "an output that does not follow" 'tasks\[0\]\.workload.*1x4x6x7' 's/->1x4x6x6/->1x4x6x7/'
tasks "an image beyond all memory" 'tasks\[0\]\.workload.*2\^40' 's/(1x3x8x8,/(1x3x8x80000000000000,/'
tasks "a shape beyond all memory" 'shapes\[0\].*2\^40' 's/"1x3x8x8"/"1x3x80000000x80000000"/'
tasks "a shape of rank 3" 'shapes\[0\] is "3x8x8"' 's/"1x3x8x8"/"3x8x8"/'
tasks "no uses" 'tasks\[0\]\.uses is 0' 's/"uses": 1/"uses": 0/'
head -c 150 good.tasks.json >bad.json
refuse "truncated tasks" 1 'bad\.json:' tune bad.json -o made.jsonl

refuse "a shape for a tasks file" 1 'good\.tasks\.json: --shape.*for models' \
    tune good.tasks.json --shape x=1,3,8,8 -o made.jsonl

# ---- plans ----

# plan NAME PATTERN SED-SCRIPT [COMMAND]
plan() {
    sed "$3" good.json >bad.json
    if cmp -s good.json bad.json; then
        fail "$1" "the edit changes nothing: $3"
        return
    fi
    refuse "$1" 1 "bad\.json:[0-9:]* $2" "${4-run}" bad.json
}
refuse "a plan that is not there" 1 'nowhere\.json: cannot open' run nowhere.json
refuse "a model as a plan" 1 'not a plan.*good\.onnx' run good.onnx
refuse "records as a plan" 1 'not a plan.*good\.jsonl' run good.jsonl
refuse "tasks as a plan" 1 'good\.tasks\.json: format is "graphtune-tasks"' run good.tasks.json
plan "the plan of another model" 'model\.sha256 .*good_two_inputs\.onnx' 's/"good\.onnx"/"good_two_inputs.onnx"/'
plan "the plan of another version of the model" 'model\.sha256 .*select again' \
    "s/\"sha256\": \"[0-9a-f]*\"/\"sha256\": \"$(printf '%064d' 0)\"/"
plan "a checksum that is none" 'model\.sha256 is "beef"' 's/"sha256": "[0-9a-f]*"/"sha256": "beef"/'
plan "a model file that is not there" 'the model: nowhere\.onnx: cannot open' 's/"good\.onnx"/"nowhere.onnx"/'
plan "bench without the model" 'the model: nowhere\.onnx: cannot open' 's/"good\.onnx"/"nowhere.onnx"/' bench
refuse "--model with another model" 1 'model\.sha256 .*zoo\.onnx' run good.json --model zoo.onnx
plan "another format" 'format is "recipe"' 's/"graphtune-plan"/"recipe"/'
plan "another version" 'version is 2' 's/"version": 1/"version": 2/'
plan "another instruction set" '.*isa is "abacus"' 's/"isa": "[a-z0-9]*"/"isa": "abacus"/'
plan "bench with another instruction set" '.*isa is "abacus"' 's/"isa": "[a-z0-9]*"/"isa": "abacus"/' bench
plan "no threads" 'threads is 0' 's/"threads": 1/"threads": 0/'
plan "a missing key" '.*"isa" is missing' '/"isa"/d'
plan "another input shape" 'model\.inputs.*1x3x9x9' 's/\[1, 3, 8, 8\]/[1, 3, 9, 9]/'
plan "another input name" "model\.inputs.*'z'" 's/"name": "x"/"name": "z"/'
plan "another output shape" 'model\.outputs\[0\].*1x4x6x7.*1x4x6x6' 's/\[1, 4, 6, 6\]/[1, 4, 6, 7]/'
plan "another output name" 'model\.outputs\[0\].*"z".*"y"' 's/"name": "y"/"name": "z"/'
plan "another type" 'model\.inputs\[0\]\.dtype is "f16"' 's/"dtype": "f32"/"dtype": "f16"/'
plan "another node" '.*op "conv".*"other"' 's/"node": "conv"/"node": "other"/'
plan "another workload" '.*op "conv": workload.*1x3x9x9' 's/(1x3x8x8,/(1x3x9x9,/'
plan "another revision" '.*99 in the plan' 's/"rev": [0-9]*/"rev": 99/' # of every op and alternative
plan "an unknown template" '.*op "conv": unknown template "conv2d\.magic"' 's/"template": "conv2d\.[a-z0-9_]*"/"template": "conv2d.magic"/'
plan "the template of another op" '.*op "conv": template pool2d\.direct' 's/"template": "conv2d\.[a-z0-9_]*"/"template": "pool2d.direct"/'
plan "a layout that nothing makes" '.*NCHW16c' 's/"in": "[A-Za-z0-9]*", "out": "[A-Za-z0-9]*"/"in": "NCHW16c", "out": "NCHW16c"/'
plan "an unknown layout" 'ops\[0\]\.in is "CHWN"' 's/"in": "[A-Za-z0-9]*"/"in": "CHWN"/'
plan "an empty config" '.*op "conv": .*config' 's/"config": "[^"]*"/"config": ""/'
plan "a knob that is not there" '.*op "conv": .*config' 's/"config": "/"config": "warp=9,/'
plan "a value beyond the knob" '.*op "conv": .*config.*= "777777"' 's/"config": "\([a-z_]*\)=[0-9]*/"config": "\1=777777/'
plan "negative time" 'ops\[0\]\.ns is -1' 's/"ns": [0-9.]*/"ns": -1/'
plan "a sum that is not the parts'" 'result\.predicted_ns' 's/"predicted_ns": [0-9.]*/"predicted_ns": 1e9/'
plan "an offset inside another tensor" '.*offsets.*overlap' 's/"offset": [1-9][0-9]*/"offset": 0/'
plan "an offset beyond the arena" '.*offsets.*beyond the arena' 's/"offset": [1-9][0-9]*/"offset": 1048576/'
plan "an offset before the arena" '.*offset is -64' 's/"offset": [1-9][0-9]*/"offset": -64/'
plan "an unaligned offset" '.*offset [0-9]* is not a multiple' 's/"offset": [1-9][0-9]*/"offset": 13/'
plan "an arena that is too small" '.*arena of 64 bytes' 's/"arena_bytes": [0-9]*/"arena_bytes": 64/'
plan "an arena beyond all memory" '.*arena_bytes is 1e\+30' 's/"arena_bytes": [0-9]*/"arena_bytes": 1e30/'
plan "a buffer that is too small" '.*"y" in NCHW has 576 bytes, not 16' 's/"size": 576/"size": 16/'
plan "a buffer of another tensor" '.*offsets has no entry' 's/"tensor": "y"/"tensor": "x"/'
plan "text for a list" 'transforms is "none"' 's/"transforms": \[\]/"transforms": "none"/'
plan "a transform of an unknown tensor" '.*transforms\[0\].*"nobody"' \
    's/"transforms": \[\]/"transforms": [{"tensor": "nobody", "from": "NCHW", "to": "NHWC", "ns": 0}]/'
plan "a damaged alternative" 'alternatives\[0\].*unknown template' '/"alternatives"/,$s/"template": "[a-z0-9_.]*"/"template": "nothing"/' bench
plan "NUL in a name" '.*u0000' 's/"node": "conv"/"node": "co\\u0000nv"/'
for bytes in 0 1 300 900 2000; do
    head -c $bytes good.json >bad.json
    refuse "a plan that ends after $bytes bytes" 1 'not a plan.*bad\.json:' run bad.json
done
head -c 200000 /dev/zero | tr '\0' '[' >bad.json
refuse "200,000 brackets" 1 'bad\.json:.*deeper' run bad.json
refuse "200,000 brackets to bench" 1 'bad\.json:.*deeper' bench bad.json

# ---- output that cannot be written ----

refuse "a model into a folder that is not there" 1 'missing/made\.onnx: cannot write' zoo squeezenet1.1 -w 0.25 -r 32 -o missing/made.onnx
refuse "a model over a folder" 1 'folder: cannot write' zoo squeezenet1.1 -w 0.25 -r 32 -o folder
refuse "tasks into a folder that is not there" 1 'missing/made\.json: cannot write' tasks good.onnx -o missing/made.json
refuse "a plan into a folder that is not there" 1 'missing/made\.json: cannot write' select good.onnx -r good.jsonl -o missing/made.json
refuse "a plan over a folder" 1 'folder: cannot write' select good.onnx -r good.jsonl -o folder
refuse "records into a folder that is not there" 1 'missing/made\.jsonl: cannot' tune good.onnx -o missing/made.jsonl
refuse "records over a folder" 1 'folder: ' tune good.onnx -o folder
refuse "records over a model" 1 'not a records file.*good\.onnx' tune good.onnx -o good.onnx
check "the model is still there" cmp -s good.onnx "$fixtures/good.onnx"
refuse "merged records into a folder that is not there" 1 'missing/made\.jsonl: cannot write' records merge good.jsonl -o missing/made.jsonl
refuse "auto tells it before it tunes" 1 'missing/made\.json: cannot write' auto good.onnx -r made.jsonl -o missing/made.json
refuse "outputs into a folder's folder that is not there" 1 'missing/made' run good.json --output missing/made
refuse "outputs over a file" 1 'good\.npy: is not a folder' run good.json --output good.npy
mkdir -p blocked/output_0.npy
refuse "an output over a folder" 1 'blocked/output_0\.npy: cannot write' run good.json --output blocked
if [ -w /dev/full ]; then
    full='No space left|cannot write to standard output|not a regular file'
    refuse "a plan onto a full disk" 1 "/dev/full: .*($full)" select good.onnx -r good.jsonl -o /dev/full
    refuse "a model onto a full disk" 1 "/dev/full: .*($full)" zoo squeezenet1.1 -w 0.25 -r 32 -o /dev/full
    refuse "tasks onto a full disk" 1 "/dev/full: .*($full)" tasks good.onnx -o /dev/full
    refuse "records onto a full disk" 1 "/dev/full: .*($full)" tune good.onnx -o /dev/full
    mkdir disk && ln -s /dev/full disk/output_0.npy
    refuse "an output onto a full disk" 1 "disk/output_0\.npy: .*($full)" run good.json --output disk
    for command in "inspect good.onnx" "run good.json" "records list good.jsonl" "device" "zoo" "inspect good.onnx --json" \
        "select good.onnx -r good.jsonl -o -"; do
        ran="graphtune $command >/dev/full" code=0
        # shellcheck disable=SC2086
        gt $command >/dev/full 2>err </dev/null || code=$?
        : >out
        check "$command: stdout is full" eval 'clean && [ $code = 1 ] && [ "$(grep -c ^graphtune: err)" = 1 ] && grep -Eq "$full" err'
    done
else
    skip "a full disk" "/dev/full is not there"
fi
if [ "$(id -u)" = 0 ]; then
    skip "a folder that forbids writing" "root writes everywhere"
else
    mkdir forbidden && chmod 500 forbidden
    refuse "a folder that forbids writing" 1 'forbidden/made\.json: cannot write' select good.onnx -r good.jsonl -o forbidden/made.json
fi

# ---- command lines ----

refuse "an unknown command" 2 'unknown command "tunes"; did you mean tune' tunes good.onnx
refuse "an unknown option" 2 'unknown option --layout; did you mean --layouts' tune good.onnx --layout NCHW
refuse "an unknown letter" 2 'unknown option -Z' tune good.onnx -Z
refuse "an unknown action on records" 2 'unknown action "mergee"; did you mean merge' records mergee good.jsonl
refuse "no operand" 2 'argument is missing.*MODEL' inspect
refuse "too many operands" 2 'too many arguments' inspect good.onnx good.onnx
refuse "an option without its value" 2 '--output needs a value' tune good.onnx --output
refuse "a value for a flag" 2 '--quiet takes no value' tune good.onnx --quiet=yes
refuse "select without records" 2 '--records is missing' select good.onnx -o made.json
refuse "merge without output" 2 'OUT is missing' records merge good.jsonl
refuse "an unknown layout" 2 '"NCWH" is unknown.*NCHW16c' tune good.onnx --layouts NCHW,NCWH -o made.jsonl
refuse "an empty layout" 2 'layout' tune good.onnx --layouts NCHW,,NHWC -o made.jsonl
refuse "an unknown single layout" 2 '"nchw" is unknown' select good.onnx -r good.jsonl --only-layout nchw -o made.json
for cpus in one 0- 1-0 -1 0,,1 '' 99999 99999999999999999999; do
    refuse "--cpus '$cpus'" 2 '--cpus' tune good.onnx -o made.jsonl --cpus "$cpus"
done
for words in "--threads 0" "--threads -1" "--threads 1.5" "--threads many" "--threads 99999999999999999999" "--trials 0" \
    "--trials -3" "--budget -1" "--budget nan" "--budget inf" "--tune-seed -1"; do
    # shellcheck disable=SC2086
    refuse "$words" 2 "${words%% *}.*is needed" tune good.onnx -o made.jsonl $words
done
refuse "no repeat" 2 '--repeat 0' run good.json --repeat 0
refuse "a template that is not there" 1 'no template matches "conv3d\.\*"' tune good.onnx --templates 'conv3d.*' -o made.jsonl
refuse "an unknown architecture" 1 "'alexnet'.*squeezenet1\.1" zoo alexnet -o made.onnx
refuse "a resolution below the architecture's" 1 'resolution 3,.*allowed' zoo squeezenet1.1 --resolution 3 -o made.onnx
refuse "a width of nothing" 2 '--width 0' zoo squeezenet1.1 --width 0 -o made.onnx
refuse "a device that is no hash" 1 'device "pi"' select good.onnx -r good.jsonl --device pi -o made.json

exit $failed
