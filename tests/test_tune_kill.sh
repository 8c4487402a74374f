#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command that is killed at any moment loses at most what it was about to write: a resumed tune ends with the candidates
# of an undisturbed one, and other files are either the old ones or whole.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

kills=10
seed=${GT_TEST_SEED:-1}
echo "# seed $seed (GT_TEST_SEED)"

gt zoo squeezenet1.1 --width 0.25 --resolution 32 -o net.onnx >out 2>err
tune="tune net.onnx --strategy grid --trials 2 --layouts NCHW,NHWC -q -o"

# The command's run to its end takes $took hundredths of a second, to know when to kill.
hundredths() { # the time since boot
    sed -n '1s/^\([0-9]*\)\.\([0-9][0-9]\).*/\1\2/p' /proc/uptime
}
timed() {
    begin=$(hundredths)
    try "$@"
    took=$(($(hundredths) - begin))
}

# kill_after HUNDREDTHS SIGNAL ARGUMENT...: runs graphtune and sends the signal then; the exit status is in $code
kill_after() {
    delay=$1 signal=$2
    shift 2
    ran="graphtune $* (SIG$signal after $delay/100 s)"
    code=0
    gt_exec "$@" >out 2>err </dev/null &
    victim=$!
    sleep "$((delay / 100)).$(printf '%02d' $((delay % 100)))"
    kill -s "$signal" $victim 2>/dev/null
    wait $victim 2>/dev/null || code=$?
}

# ---- tune ----

# shellcheck disable=SC2086
timed $tune whole.jsonl
whole=$took
candidates whole.jsonl >want.txt
check "an undisturbed tune ($(wc -l <want.txt) candidates in $whole/100 s)" test "$code" = 0 -a -s want.txt

lines=0 killed=0 grew=0 i=0
while [ $i -lt $kills ]; do
    i=$((i + 1))
    roll $((whole / 6 + 2))
    # shellcheck disable=SC2086
    kill_after $((random + 2)) KILL $tune killed.jsonl
    [ "$code" != 137 ] || killed=$((killed + 1))
    now=0
    [ ! -f killed.jsonl ] || now=$(wc -l <killed.jsonl)
    [ "$now" -ge "$lines" ] || fail "kill $i has lost lines: $lines, now $now"
    [ "$now" = "$lines" ] || grew=$((grew + 1))
    lines=$now
done
check "tune is killed at $kills random moments ($killed of them in time, $grew with progress, $lines lines)" test $killed -ge 5
# shellcheck disable=SC2086
expect "and resumed to its end" 0 $tune killed.jsonl
candidates killed.jsonl >have.txt
check "the candidates are those of the undisturbed tune" cmp -s want.txt have.txt
check "none was measured twice" test -z "$(uniq -d have.txt)"
check "one line says what the device is" test "$(grep -c '"kind":"device"' killed.jsonl)" = 1
check "every line is JSON" json_valid killed.jsonl
expect "select takes the records" 0 select net.onnx -r killed.jsonl -o net.json -q
expect "the plan is right" 0 run net.json --check

# What a kill in the middle of a write leaves: the file ends anywhere.
bytes=$(wc -c <whole.jsonl)
i=0
while [ $i -lt 4 ]; do
    i=$((i + 1))
    roll "$bytes"
    [ $i -lt 4 ] || random=20 # inside the first line
    head -c "$random" whole.jsonl >torn.jsonl
    # shellcheck disable=SC2086
    try $tune torn.jsonl
    candidates torn.jsonl >have.txt
    check "a file that ends after $random of $bytes bytes is completed" eval 'clean && [ $code = 0 ] && cmp -s want.txt have.txt'
done

# ---- the model-guided search ----

# What is measured depends on measured times, so that two runs differ; but a resumed one continues, and ends.
guided="tune net.onnx --strategy model --trials 3 --layouts NCHW,NHWC -q -o"
lines=0 i=0
while [ $i -lt 5 ]; do
    i=$((i + 1))
    roll $((whole / 3 + 2))
    # shellcheck disable=SC2086
    kill_after $((random + 2)) KILL $guided guided.jsonl
    now=0
    [ ! -f guided.jsonl ] || now=$(wc -l <guided.jsonl)
    [ "$now" -ge "$lines" ] || fail "kill $i of a guided tune has lost lines: $lines, now $now"
    lines=$now
done
# shellcheck disable=SC2086
expect "a guided tune is killed 5 times and resumed to its end" 0 $guided guided.jsonl
candidates guided.jsonl >have.txt
check "none was measured twice ($(wc -l <have.txt) candidates)" test -s have.txt -a -z "$(uniq -d have.txt)"
before=$(wc -l <guided.jsonl)
# shellcheck disable=SC2086
expect "resumed once more" 0 $guided guided.jsonl
check "it has nothing left to do" test "$(wc -l <guided.jsonl)" = "$before"
gt tune net.onnx --strategy grid --trials 1 --layouts NCHW,NHWC -q -o defaults.jsonl >out 2>err
candidates defaults.jsonl >defaults.txt
check "all defaults are there" test -z "$(comm -23 defaults.txt have.txt)"
expect "select takes the records" 0 select net.onnx -r guided.jsonl -o guided.json -q
refuse "a strategy that there is not" 1 '--strategy best: model, grid or random is needed' tune net.onnx --strategy best -o made.jsonl
refuse "learning without a model" 1 '--learn-from goes with --strategy model' tune net.onnx --strategy grid --learn-from guided.jsonl -o made.jsonl
expect "a guided tune learns from another file" 0 tune net.onnx --learn-from whole.jsonl --trials 2 --layouts NCHW -q -o taught.jsonl
refuse "a file to learn from that is not there" 1 'nothing\.jsonl' tune net.onnx --learn-from nothing.jsonl -q -o made.jsonl

# ---- an interrupted tune ----

for signal in INT TERM; do
    rm -f stopped.jsonl
    kill_after $((whole / 3 + 5)) $signal tune net.onnx --strategy grid --trials 2 --layouts NCHW,NHWC -o stopped.jsonl
    check "SIG$signal ends tune with exit status 1" test "$code" = 1
    check "and a message" grep -Eq '^graphtune: interrupted: stopped\.jsonl holds .*continues' err
    expect "the file is valid" 0 records list stopped.jsonl
    # shellcheck disable=SC2086
    expect "it is resumed" 0 $tune stopped.jsonl
    candidates stopped.jsonl >have.txt
    check "and completed" cmp -s want.txt have.txt
done
kill_after $((whole / 3 + 5)) INT auto net.onnx --trials 2 --layouts NCHW,NHWC -r auto.jsonl -o auto.json
check "SIGINT ends auto behind tune" eval '[ $code = 1 ] && [ ! -e auto.json ] && ! grep -q "^select" out && grep -q "^graphtune: interrupted" err'

# Two at once: the second waits for nobody's lines and says who is writing.
gt_exec tune net.onnx --strategy grid --trials 1000 --layouts NCHW,NHWC -q -o shared.jsonl >out 2>err </dev/null &
first=$!
i=0
while [ ! -s shared.jsonl ] && [ $i -lt 100 ]; do
    sleep 0.1
    i=$((i + 1))
done
refuse "a second tune into the same file" 1 'shared\.jsonl: .*(process [0-9]+|another process) is writing' tune net.onnx -q -o shared.jsonl
kill -s KILL $first
wait $first 2>/dev/null

# ---- what is written in one piece ----

# whole_or_old NAME FILE ARGUMENT...: FILE, made by the command, stays what it was or becomes what the command makes
whole_or_old() {
    name=$1 file=$2
    shift 2
    timed "$@"
    cp "$file" finished
    replaced=0 broken=0 i=0
    while [ $i -lt $kills ]; do
        i=$((i + 1))
        echo "the old file" >"$file"
        roll $((took + 2))
        kill_after "$random" KILL "$@"
        if cmp -s "$file" finished; then
            replaced=$((replaced + 1))
        elif [ "$(cat "$file")" != "the old file" ]; then
            broken=$((broken + 1))
        fi
    done
    check "$name: the old or the whole file after each of $kills kills ($replaced whole)" test $broken = 0
    find . -name '*.tmp.*' -exec rm {} +
}
whole_or_old "zoo" zoo.onnx zoo squeezenet1.1 --width 0.5 --resolution 32 -o zoo.onnx
whole_or_old "select" net.json select net.onnx -r whole.jsonl -o net.json -q
gt select net.onnx -r whole.jsonl -o net.json -q
whole_or_old "run --output" results/output_0.npy run net.json --output results
whole_or_old "tasks" net.tasks.json tasks net.onnx -o net.tasks.json
whole_or_old "records merge" merged.jsonl records merge whole.jsonl killed.jsonl -o merged.jsonl

exit $failed
