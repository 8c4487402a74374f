#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command on small networks: every subcommand, what it prints, what it writes, and that it is the same every time.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

# ---- help ----

help() { # help COMMAND OPTION...: --help names the command, every option, and nothing on stderr
    command=$1
    shift
    # shellcheck disable=SC2086
    try $command --help
    missing=
    for option in "$@" --help; do
        grep -q -e "$option\b" out || missing="$missing $option"
    done
    if clean && [ "$code" = 0 ] && [ ! -s err ] && [ -z "$missing" ] && grep -q "^usage: graphtune $command" out; then
        pass "$command --help"
    else
        fail "$command --help" "missing:$missing"
    fi
    # shellcheck disable=SC2086
    gt $command -h 2>&1 | cmp -s - out || fail "$command -h is --help"
}
tuning="--budget --trials --strategy --learn-from --candidate-time --threads --cpus --max-temp --templates --layouts --tune-seed --quiet"
# shellcheck disable=SC2086
{
    help auto --output --records --shape --weights --random-weights --no-bench --board --board-dir --board-agent --board-cpus --ssh-option $tuning
    help inspect --shape --weights --random-weights --json
    help tasks --output --shape --weights --random-weights
    help tune --output --shape --weights --random-weights $tuning
    help select --records --output --shape --weights --random-weights --threads --layouts --only-layout --device --refine --cpus --time-limit --work-limit --solver-memory --verify --json \
        --quiet --max-memory --pareto --pin --forbid --source --bandwidth --transform-records --emit-autotvm --dump-cfn
    help run --input --output --check --profile --cpus --threads --repeat --seed --model --weights --random-weights --json
    help solve --assignment --output --time-limit --work-limit --solver-memory --json
    help bench --cpus --turns --turn-time --model --weights --random-weights --json
    help explain --records --transform-records --model --weights --random-weights --time-limit --work-limit --solver-memory --json
    help export --onnx --dot --no-weights --model --weights --random-weights
    help "records list" --filter --json
    help "records merge" --output
    help "records import" --autotvm --output --device --threads --skip-malformed --quiet
    help "records prune" --output --best --this-device --keep-failed
    help zoo --output --width --resolution --seed
    help device --json --sysroot
}
try --help
missing=
for command in auto inspect tasks tune select run bench solve explain export records zoo device; do
    grep -q "^  $command " out || missing="$missing $command"
done
check "--help names every command" test -z "$missing"
gt --help | awk 'length > 120' >out
check "no line of it is too long" test ! -s out
expect "--version" 0 --version
check "--version states one" grep -Eq '^graphtune [0-9]+\.[0-9]+' out
expect "no command at all is a usage error" 2
check "that shows the commands" grep -q '^commands:' err

# ---- usage errors suggest something ----

for words in "tunes x" "insepct x" "benchmark x" "tune x --budgett 3" "select x --only_layout NCHW" "records prun x" "run"; do
    # shellcheck disable=SC2086
    try $words
    check "\"$words\" is a usage error with a suggestion" eval \
        'clean && [ $code = 2 ] && [ ! -s out ] && grep -Eq "did you mean|Try .graphtune|usage:" err'
done
try tunes x
check "a misspelt command is recognised" grep -q 'did you mean tune?' err
try tune x --budgett 3
check "a misspelt option is recognised" grep -q 'did you mean --budget?' err
try tune x --zzzzzz
check "nothing is suggested where nothing is near" eval '! grep -q "did you mean" err'

# ---- tables ----

# Every cell of a row begins, or ends, where a column of the heading does.
aligned() { # aligned HEADING-REGEX FILE
    sed 's/→/>/g; s/×/x/g; s/µ/u/g; s/±/+/g; s/…/./g' "$2" | awk -v heading="$1" '
        function cells(line, begin, end,    n, at, rest) {
            n = 0; at = 1; rest = line
            while (match(rest, /[^ ]+( [^ ]+)*/)) {
                n++
                begin[n] = at + RSTART - 1
                end[n] = begin[n] + RLENGTH - 1
                at = end[n] + 1
                rest = substr(line, at)
            }
            return n
        }
        !on && $0 ~ heading { on = 1; indented = /^  /; columns = cells($0, left, right); next }
        on && (!NF || (indented && !/^  /)) { exit }
        on {
            rows++
            n = cells($0, b, e)
            for (i = 1; i <= n; i++) {
                for (k = 1; k <= columns && b[i] != left[k] && e[i] != right[k]; k++) { }
                if (k > columns) { print "misaligned: " $0; bad = 1 }
            }
            if ($0 ~ / $/) { print "ends in a blank: " $0; bad = 1 }
        }
        END { exit bad || rows == 0 }'
}

# ---- zoo ----

expect "zoo lists the architectures" 0 zoo
check "all eighteen" test "$(sed 1d out | wc -l)" = 18
check "in columns" aligned '^name' out
expect "zoo writes one" 0 zoo squeezenet1.1 --width 0.25 --resolution 32 -o net.onnx
gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o again.onnx >out
check "the same every time" cmp -s net.onnx again.onnx
gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o - >again.onnx
check "-o - is standard output" cmp -s net.onnx again.onnx
gt zoo squeezenet1.1 --width 0.25 --resolution 32 --seed 2 -o again.onnx >out
check "another seed gives other weights" eval '! cmp -s net.onnx again.onnx'
rm again.onnx

# ---- inspect ----

cp "$fixtures/good_two_inputs.onnx" two.onnx
expect "inspect" 0 inspect net.onnx
check "inputs and outputs are shown" eval \
    'grep -q "^input .*f32 1x3x32x32" out && grep -q "^output .*f32 1x1000" out'
check "operators in columns" aligned '^  op ' out
check "a summary" grep -Eq 'operators after folding and fusion .*unique workloads' out
check "nothing on stderr" test ! -s err
expect "inspect --json" 0 inspect net.onnx --json
check "is JSON" json_valid out

# ---- tune ----

layouts=NCHW,NHWC
expect "tune" 0 tune net.onnx -o net.jsonl --trials 1 --layouts $layouts
check "the summary counts" grep -Eq '^[0-9]+ candidates measured in .* 0 already there' out
check "the records begin with the device" eval 'sed -n 1p net.jsonl | grep -q "\"kind\":\"device\""'
check "every line is JSON" json_valid net.jsonl
cp net.jsonl before.jsonl
expect "tune again" 0 tune net.onnx -o net.jsonl --trials 1 --layouts $layouts
check "measures nothing" grep -q '^0 candidates measured' out
check "and leaves the file alone" cmp -s before.jsonl net.jsonl
expect "tune --quiet" 0 tune net.onnx -o net.jsonl --trials 1 --layouts $layouts --quiet
check "prints nothing" test ! -s out -a ! -s err
expect "tune --templates" 0 tune two.onnx -o direct.jsonl --trials 1 --layouts NCHW --templates '*.direct,*.view' -q
check "keeps to them" eval '! grep -Eq "\"template\":\"[a-z0-9_]*\.(gemm|winograd|im2col)" direct.jsonl'
check "and to the layout" eval '! grep -q NHWC direct.jsonl'

expect "tasks" 0 tasks two.onnx -o two.tasks.json
check "are JSON" json_valid two.tasks.json
gt tasks two.onnx -o - | cmp -s - two.tasks.json && pass "-o - is standard output" || fail "-o - is standard output"
expect "tuning the model" 0 tune two.onnx -o model.jsonl --strategy grid --trials 2 -q
expect "tuning its tasks" 0 tune two.tasks.json -o tasks.jsonl --strategy grid --trials 2 -q
candidates model.jsonl >model.txt
candidates tasks.jsonl >tasks.txt
check "measures the same candidates ($(wc -l <model.txt))" cmp -s model.txt tasks.txt
expect "tune --budget" 0 tune two.onnx -o budget.jsonl --budget 3 --trials 1000 -q
expect "leaves enough to select from" 0 select two.onnx -r budget.jsonl -o budget.json -q

# ---- select ----

same_plan() { # but for the names and the sums of the records files
    sed '/{"file": /d' "$1" >first.txt
    sed '/{"file": /d' "$2" | cmp -s - first.txt
}

expect "select" 0 select net.onnx -r net.jsonl -o net.json
check "layers in columns" aligned '^  layer' out
check "schedules in columns" aligned '^  schedule' out
check "the proof" grep -q 'proved optimal for these measurements' out
check "the arena" grep -q '^activation arena' out
check "where the plan is" grep -q '^plan written to net\.json$' out
check "nothing on stderr" test ! -s err
check "the plan is JSON" json_valid net.json
expect "select again" 0 select net.onnx -r net.jsonl -o again.json --quiet
check "--quiet prints nothing" test ! -s out -a ! -s err
check "the same bytes" cmp -s net.json again.json
sed 's/"status":"ok"/&,"throttled":true/' net.jsonl >hot.jsonl
expect "select from a throttled machine's records" 0 select net.onnx -r hot.jsonl -o again.json
check "which it says" grep -Eq '^graphtune: warning: [1-9][0-9]* of the schedule.s [0-9]+ times .* throttled' err
{ sed -n 1p net.jsonl; sed 1d net.jsonl | sort -r; } >sorted.jsonl
expect "select from the records in another order" 0 select net.onnx -r sorted.jsonl -o again.json -q
check "the same plan still" same_plan net.json again.json
gt select net.onnx -r net.jsonl -o - >again.json
check "-o - is standard output" cmp -s net.json again.json
expect "select --json" 0 select net.onnx -r net.jsonl -o again.json --json
check "is JSON" json_valid out
check "says what was reached" grep -q '"optimal": true' out
expect "select without -o" 0 select net.onnx -r net.jsonl -q
check "names the plan after the model" cmp -s net.plan.json net.json
arena=$(sed -n 's/.*"arena_bytes": \([0-9]*\).*/\1/p' net.json | head -n 1)
expect "select --max-memory that suffices" 0 select net.onnx -r net.jsonl -o limited.json --max-memory "$arena"
check "is still proved" grep -q '^arena limit .*no schedule within it is faster' out
check "is in the plan" grep -q "\"memory_limit_bytes\": $arena" limited.json
expect "its plan runs" 0 run limited.json --check
expect "select --max-memory that nothing fits" 1 select net.onnx -r net.jsonl -o none.json --max-memory 1K
check "says what is proved and found" grep -q 'at most 1.00 KiB (1024 bytes): proved, none can need less than .*the smallest found needs' err
check "and writes no plan" test ! -e none.json
expect "select --pareto" 0 select net.onnx -r net.jsonl --pareto --max-memory 64M
check "is a table" aligned '^  arena MiB' out
check "marks what fits" grep -q ' fits$' out
check "has no chart off a terminal" eval '! grep -q "│" out'
expect "select --pareto --json" 0 select net.onnx -r net.jsonl --pareto --json -o front.json
check "is JSON" json_valid out
check "begins with the fastest" grep -q '"optimal": true' out
check "and writes the plan that -o asks for" eval 'json_valid front.json && grep -q "\"arena_bytes\": $arena" front.json'
for size in 0 2X "" 1.5M; do
    expect "--max-memory '$size'" 2 select net.onnx -r net.jsonl --max-memory "$size"
done
expect "--max-memory of imported records" 2 select net.onnx -r net.jsonl --source foreign --max-memory 1M

expect "select --refine" 0 select two.onnx -r model.jsonl -o refined.json --refine -q
expect "the refined plan runs" 0 run refined.json --check

# ---- solve, and the network of a selection ----

cat >max.cfn <<'END'
{problem: {name: maximum, mustbe: ">-5.0"}, variables: {v1: [a b], v2: [c d], v3: 2},
 functions: {{scope: [] costs: [-6.0]} {scope: [v1], costs: [1.0, 0.5]} {scope: [v2], costs: [1.0, 0.5]}
  {scope: [v1, v2], costs: [-1.0, 0.5, -2.0, 5.5]} {scope: [v3], costs: [-1, 0]}}}
END
expect "solve" 0 solve max.cfn
check "prints cost, bound and proof" eval 'grep -Eq "^cost +0\.5$" out && grep -Eq "^upper bound +0\.5$" out && grep -Eq "^optimal +proved$" out'
check "and no assignment" eval '! grep -q v1 out'
expect "solve --assignment" 0 solve max.cfn --assignment --time-limit 10 --work-limit 1000000 --solver-memory 64M
check "names variables and values" eval 'grep -Eq "^ *v1 +b$" out && grep -Eq "^ *v2 +d$" out && grep -Eq "^ *v3 +1$" out'
check "in columns" aligned '^  variable' out
expect "solve --json -o" 0 solve max.cfn --json -o result.json
check "is JSON" json_valid out
check "in the file too" eval 'json_valid result.json && grep -q "\"v2\": \"d\"" result.json'
check "with all that is known" eval 'for key in cost bound gap optimal width method seconds assignment; do grep -q "\"$key\":" out || exit 1; done'
check "costs in the decimals of the file" grep -q '"cost": 0\.5,' out
sed 's/>-5\.0/>0.5/' max.cfn >none.cfn
refuse "no assignment beyond the bound" 1 'none\.cfn: no assignment costs more than the bound of 0\.5; the best costs 0\.5' solve none.cfn
echo '{problem: {name: t, mustbe: <2} variables: {x: 2} functions: {{scope: [x] costs: [2 3]}}}' >none.cfn
refuse "nothing that is allowed" 1 'none\.cfn: ' solve none.cfn
echo '{problem: {name: t, mustbe: <2} variables: {x: 2} functions: {{scope: [x] costs: [0.5 1]}}}' >cut.cfn
expect "costs with too many decimals" 0 solve cut.cfn
check "are noted" grep -q 'note: cut\.cfn: 1 cost has more' err
refuse "a malformed network" 1 'bad\.cfn' solve bad.cfn
for size in 1T 64MB -1 "" 3.5G 1 99999999999G; do
    refuse "--solver-memory '$size'" 2 'a size from 1.00 MiB' solve max.cfn --solver-memory "$size"
done

for model in net two; do
    records=$model
    [ $model = net ] || records=model
    expect "select --dump-cfn of $model" 0 select $model.onnx -r $records.jsonl -o dumped.json --dump-cfn $model.cfn -q
    expect "solve reads it" 0 solve $model.cfn
    predicted=$(sed -n 's/.*"predicted_ns": \([0-9]*\),.*/\1/p' dumped.json | head -1)
    check "its optimum is the plan's, $predicted ns" grep -Eq "^cost +$predicted\$" out
    if command -v toulbar2 >/dev/null; then
        check "toulbar2 finds the same" test "$(toulbar2 $model.cfn | sed -n 's/^Optimum: \([0-9]*\) .*/\1/p')" = "$predicted"
    else
        skip "toulbar2 finds the same" "toulbar2 is not installed"
    fi
done
expect "--dump-cfn of a single layout" 0 select net.onnx -r net.jsonl -o dumped.json --only-layout NHWC --dump-cfn net.cfn -q
expect "solve reads it" 0 solve net.cfn
check "its optimum is that plan's" grep -Eq "^cost +$(sed -n 's/.*"predicted_ns": \([0-9]*\),.*/\1/p' dumped.json | head -1)\$" out
refuse "--dump-cfn into a folder that is not there" 1 'made/net\.cfn' select net.onnx -r net.jsonl -o made.json --dump-cfn made/net.cfn

# ---- run ----

expect "run --check" 0 run net.json --check
check "is within tolerance" grep -Eq '^check logits +ok' out
check "nothing on stderr" test ! -s err
expect "run --check with two threads" 0 run net.json --check --threads 2
expect "run --profile" 0 run net.json --profile
check "steps in columns" aligned '^  step' out
expect "run --json" 0 run net.json --json --check --profile
check "is JSON" json_valid out
check "has the check and the profile" eval \
    'grep -q "\"output\": *\"logits\", *\"ok\": *true" out && [ "$(grep -c predicted_ns out)" -gt 30 ]'
expect "run --output" 0 run net.json --output results/ --repeat 3
check "the output's shape" test "$(npy_shape results/output_0.npy)" = "1, 1000"
check "the output's size" test "$(wc -c <results/output_0.npy)" = 4128

expect "select for two threads needs such records" 1 select two.onnx -r model.jsonl --threads 2 -o threads.json
expect "tune --threads 2" 0 tune two.onnx -o threads.jsonl --threads 2 --trials 1 --layouts NCHW -q
expect "select --threads 2" 0 select two.onnx -r threads.jsonl --threads 2 -o threads.json -q
expect "runs on two threads" 0 run threads.json --check
expect "and on one" 0 run threads.json --check --threads 1

# Every layout, each against the reference.
for layout in NCHW NHWC NCHW4c NCHW8c NCHW16c; do
    expect "select --only-layout $layout" 0 select two.onnx -r model.jsonl --only-layout $layout -o $layout.json -q
    expect "that plan is right" 0 run $layout.json --check --output $layout
    [ $layout = NCHW ] || check "convolutions write $layout" eval "sed '/\"alternatives\"/,\$d' $layout.json | grep -q '\"out\": \"$layout\"'"
done
expect "--only-layout of a whole network" 0 select net.onnx -r net.jsonl --only-layout NHWC -o nhwc.json -q
expect "that plan is right" 0 run nhwc.json --check

# Inputs by position and by name: ones on the left, zeros on the right, then the other way round.
floats() { # floats FILE: 1x3x8x8 ones
    npy "$1" '<f4' False '1, 3, 8, 8' 0
    i=0
    while [ $i -lt 192 ]; do
        printf '\000\000\200\077'
        i=$((i + 1))
    done >>"$1"
}
floats one.npy
npy zero.npy '<f4' False '1, 3, 8, 8' 768
expect "inputs by position" 0 run NCHW.json --input one.npy --input zero.npy --output a --check
expect "inputs by name" 0 run NCHW.json --input right=zero.npy --input left=one.npy --output b
expect "the other way round" 0 run NCHW.json --input zero.npy --input one.npy --output c
check "names and positions agree" cmp -s a/output_0.npy b/output_0.npy
check "the order counts" eval '! cmp -s a/output_0.npy c/output_0.npy'
check "shapes of two outputs" test "$(npy_shape a/output_0.npy) and $(npy_shape a/output_1.npy)" = "1, 4, 8, 8 and 1, 4, 1, 1"
check "no third one" test ! -e a/output_2.npy
cp one.npy left=one.npy
expect "a file whose name has an = in it" 0 run NCHW.json --input left=one.npy --input zero.npy --output b
check "is taken by position" cmp -s a/output_0.npy b/output_0.npy
expect "noise is the same every time" 0 run NCHW.json --output a
gt run NCHW.json --output b >out
check "for the same seed" cmp -s a/output_0.npy b/output_0.npy
gt run NCHW.json --seed 2 --output b >out
check "and other for another" eval '! cmp -s a/output_0.npy b/output_0.npy'

# ---- plans and models that move ----

mkdir -p there/models
cp two.onnx there/models/two.onnx
expect "select in another folder" 0 select there/models/two.onnx -r model.jsonl -o there/two.json -q
check "the plan names the model relative to itself" grep -q '"file": "models/two\.onnx"' there/two.json
mv there elsewhere
expect "both may move together" 0 run elsewhere/two.json --check
expect "from any folder" 0 run "$work/elsewhere/two.json"
mv elsewhere/models/two.onnx moved.onnx
expect "the model alone may not" 1 run elsewhere/two.json
expect "unless --model says where it is" 0 run elsewhere/two.json --model moved.onnx --check
expect "bench takes --model too" 0 bench elsewhere/two.json --model moved.onnx --turns 2 --turn-time 0
mkdir -p plans
expect "a plan apart from its model" 0 select moved.onnx -r model.jsonl -o plans/two.json -q
mv plans/two.json two.json
expect "finds it by its absolute path" 0 run two.json

# ---- bench ----

expect "bench" 0 bench net.json --turns 3 --turn-time 0.001
check "schedules in columns" aligned '^  schedule' out
check "a conclusion" grep -Eq '^(the best|every) alternative' out
check "nothing on stderr" test ! -s err
expect "bench --json" 0 bench net.json --turns 2 --turn-time 0 --json
check "is JSON" json_valid out

# ---- auto ----

expect "auto" 0 auto two.onnx -o auto.json -r auto.jsonl --trials 1 --layouts NCHW,NHWC
check "shows every step" eval 'for step in tune select check bench; do grep -q "^$step$" out || exit 1; done'
check "and where the plan is" grep -q '^plan written to auto\.json$' out
expect "its plan runs" 0 run auto.json --check
expect "auto --quiet" 0 auto two.onnx -o auto.json -r auto.jsonl --trials 1 --layouts NCHW,NHWC --quiet
check "prints nothing" test ! -s out -a ! -s err

# ---- records ----

expect "records list" 0 records list model.jsonl
check "in columns" aligned '^workload' out
check "the count" grep -q "^$(($(wc -l <model.jsonl) - 1)) records" out
check "the device can be copied from it" grep -q " $(sed -n '1s/.*"hash":"\([0-9a-f]*\)".*/\1/p' model.jsonl)\$" out
expect "records list --filter" 0 records list model.jsonl --filter 'binary*'
check "filters" eval 'grep -q "^binary" out && ! grep -q "^conv2d" out'
expect "records list --json" 0 records list model.jsonl --json
check "is JSON" json_valid out
expect "records merge" 0 records merge model.jsonl net.jsonl model.jsonl -o merged.jsonl
sort -u model.txt >want.txt
candidates net.jsonl | sort -u - want.txt >all.txt
candidates merged.jsonl >have.txt
check "has the candidates of all" cmp -s all.txt have.txt
gt records merge net.jsonl model.jsonl -o again.jsonl >out
check "in an order of its own" cmp -s merged.jsonl again.jsonl
expect "select from merged records" 0 select net.onnx -r merged.jsonl -o again.json -q
check "is select from the net's own" same_plan net.json again.json
expect "select from both files" 0 select net.onnx -r model.jsonl -r net.jsonl -o again.json -q
expect "records prune --best 1" 0 records prune net.jsonl --best 1 -o best.jsonl
check "drops the slow ones" test "$(wc -l <best.jsonl)" -lt "$(wc -l <net.jsonl)"
expect "select from what is left" 0 select net.onnx -r best.jsonl -o again.json -q
check "is the same plan" same_plan net.json again.json
cp net.jsonl place.jsonl
expect "records prune in place" 0 records prune place.jsonl --this-device
check "keeps what counts" test "$(wc -l <place.jsonl)" = "$(wc -l <net.jsonl)"

# ---- device ----

expect "device" 0 device
check "states the hash of the records" grep -q "^device  *$(sed -n '1s/.*"hash":"\([0-9a-f]*\)".*/\1/p' model.jsonl)\$" out
expect "device --json" 0 device --json
check "is JSON" json_valid out
boards=$GT_TOP_SRCDIR/tests/fixtures/devices
expect "device --sysroot" 0 device --sysroot "$boards/rk3399"
check "states a recorded board's clusters" eval 'grep -q "4 × Cortex-A53 r0p4: CPUs 0-3, LITTLE" out && grep -q "2 × Cortex-A72 r0p2: CPUs 4-5, big" out'
check "nothing on stderr" test ! -s err
expect "device --sysroot --json" 0 device --sysroot "$boards/rk3399" --json
check "is JSON" json_valid out
check "with the clusters in it" grep -q '"clusters":\[{"core":"Cortex-A53","cpus":"0-3","role":"LITTLE"' out
expect "device --sysroot of no folder" 1 device --sysroot nowhere
check "the message names it" grep -q 'sysroot "nowhere": there is no such folder' err
mkdir empty
expect "device --sysroot of an empty folder" 0 device --sysroot empty
check "lists what was not read" grep -q '^not read .*/proc/cpuinfo' out

# ---- a plan from another device ----

check "the plan names the device" grep -q '"device_name": "' net.json
expect "a plan of this device" 0 run net.json
check "runs without a warning" test ! -s err
sed 's/"device": "[0-9a-f]*"/"device": "0123456789abcdef"/; s/"device_name": "[^"]*"/"device_name": "Some Board"/' net.json >foreign.json
expect "a plan of another device" 0 run foreign.json
check "warns, naming both" eval 'grep -q "WARNING.*foreign.json.*\"Some Board\" (0123456789abcdef), but this is" err'
expect "bench of such a plan" 0 bench foreign.json --turns 1 --turn-time 0 --json
check "warns as well" grep -q 'WARNING.*Some Board' err
check "and says so in JSON" grep -q '"device": {"plan": "0123456789abcdef", "this": "[0-9a-f]*", "same": false}' out
expect "run --json of such a plan" 0 run foreign.json --json
check "says so, too" grep -q '"same": false' out
expect "pack of such a plan" 0 pack foreign.json -o foreign.gtb
expect "run of the other device's bundle" 0 run foreign.gtb
check "warns likewise" eval 'grep -q "WARNING.*foreign.gtb.*\"Some Board\" (0123456789abcdef), but this is" err'
expect "pack of a plan of this device" 0 pack net.json -o net.gtb
expect "run of that bundle" 0 run net.gtb
check "warns of nothing" test ! -s err

# ---- which CPUs ----

expect "--cpus with no list" 2 tune net.onnx -o cpus.jsonl --cpus fast
check "the message tells what is allowed" grep -q 'a list such as 0,2-3, or big or little, is needed' err
for cpu in 0 1; do
    mkdir -p "two/sys/devices/system/cpu/cpu$cpu/cpufreq"
    echo "$((1000000 + cpu * 800000))" >"two/sys/devices/system/cpu/cpu$cpu/cpufreq/cpuinfo_max_freq"
done
echo 0-1 >two/sys/devices/system/cpu/online
if [ "$(nproc)" -ge 2 ]; then
    export GT_SYSROOT=two
    expect "where cores differ" 0 run net.json
    check "the fastest are chosen" grep -q 'pinned to CPU 1 (1 × unknown core, big)' err
    expect "--cpus little" 0 run net.json --cpus little
    check "chooses the slowest" grep -q 'pinned to CPU 0 (1 × unknown core, LITTLE)' err
    expect "more threads than big cores" 0 run net.json --cpus big --threads 2
    check "are told" grep -q 'fewer CPUs than threads' err
    unset GT_SYSROOT
fi

# ---- ncnn weights ----

cp "$GT_TOP_SRCDIR/tests/fixtures/ncnn/small.param" .
expect "an ncnn model without weights is refused" 1 inspect small.param
check "the message names both flags" grep -q -- '--weights FILE.*--random-weights SEED' err
expect "--random-weights for an ONNX model is an error" 1 inspect net.onnx --random-weights 1
expect "auto --random-weights" 0 auto small.param --random-weights 3 -o small.json -r small.jsonl --trials 1 --no-bench
check "the plan remembers the seed" grep -q '"random_weights": 3' small.json
expect "run makes the same weights up" 0 run small.json --check
expect "another seed can be given" 0 run small.json --check --random-weights 4
expect "weights of another name" 0 select small.param --weights "$GT_TOP_SRCDIR/tests/fixtures/ncnn/small.bin" -r small.jsonl -o small.json
check "the plan remembers the file" grep -q '"weights": ".*/small.bin"' small.json
expect "run reads it" 0 run small.json --check
expect "both flags exclude each other" 1 run small.json --weights x --random-weights 1

# ---- AutoTVM ----

log=$GT_TOP_SRCDIR/tests/fixtures/autotvm/version_0.2_arm.jsonl
expect "a log of several devices needs a choice" 1 records import --autotvm "$log" -o tvm.jsonl
check "they are listed" grep -q '^  model=boardB  (1 lines)$' err
check "nothing is written" test ! -e tvm.jsonl
expect "records import --autotvm" 0 records import --autotvm "$log" --device model=boardA -o tvm.jsonl
check "what is left out is counted by reason" grep -q '1 skipped: dtype int8' out
expect "imported records are listed" 0 records list tvm.jsonl
expect "and never pruned as old" 0 records prune tvm.jsonl -o pruned.jsonl
check "all five are kept" grep -q '^0 records dropped, 5 kept' out
expect "convolutions that the log lacks are an error" 1 select net.onnx -r tvm.jsonl --source foreign -o tvm.json
expect "--emit-autotvm needs --source foreign" 2 select net.onnx -r tvm.jsonl --emit-autotvm best.log
expect "--refine cannot be had" 2 select net.onnx -r tvm.jsonl --source foreign --refine
expect "an unknown source" 2 select net.onnx -r tvm.jsonl --source guessed
sed 's/"template": "[a-z0-9_.]*"/"template": "autotvm.conv2d_nchw_spatial_pack.arm_cpu"/' net.json >tvm.json
expect "a plan of TVM's candidates is not run" 1 run tvm.json
check "the message says why" grep -q 'only TVM can build and run' err
expect "nor benched" 1 bench tvm.json

# ---- colours ----

escape=$(printf '\033')
for command in "select net.onnx -r net.jsonl -o again.json" "run net.json --check" "inspect net.onnx" \
    "bench net.json --turns 1 --turn-time 0"; do
    # shellcheck disable=SC2086
    gt $command >out 2>&1
    check "no colours in a pipe: ${command%% *}" eval '! grep -q "$escape" out'
done
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    on_terminal() { # on_terminal ENVIRONMENT COMMAND
        env TERM=xterm $1 script -qec "${GT_EMULATOR-} $GT_TOP_BUILDDIR/graphtune $2" /dev/null </dev/null >out 2>err
    }
    on_terminal "GT_X=" "select net.onnx -r net.jsonl -o again.json"
    check "colours on a terminal" grep -q "$escape\[1m" out
    on_terminal "NO_COLOR=1" "select net.onnx -r net.jsonl -o again.json"
    check "none with NO_COLOR" eval '! grep -q "$escape" out'
    on_terminal "GT_X=" "tune two.onnx -o bar.jsonl --trials 4"
    check "a progress bar on a terminal" grep -q 'tuning net .*\[[#.]*\] [0-9]*/[0-9]*.*ETA' out
else
    skip "colours on a terminal" "script(1) is not there"
fi

exit $failed
