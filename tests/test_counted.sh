#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tune --source counted: candidates run under an instruction counter, as on an Arm core. The program that runs them is what
# `make board` has built.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

arm64=${GT_BOARD_AGENT:-$GT_TOP_BUILDDIR/board-aarch64/graphtune-board}

# Everything that can be refused without running anything.
refusals() {
    refuse "a source that there is not" 1 '--source guessed: measured or counted' tune net.onnx -o made.jsonl --source guessed
    refuse "--core without counting" 1 '--core.* go with --source counted' tune net.onnx -o made.jsonl --core a72
    refuse "more than all misses" 2 '--miss-weight' tune net.onnx -o made.jsonl --source counted --miss-weight 1.5
    refuse "no such agent" 1 'no/agent: No such file' tune net.onnx -o made.jsonl --source counted --board-agent no/agent
    refuse "records that were measured" 1 'none of the records are counted' select net.onnx -r measured.jsonl --source counted -o made.json
    refuse "--refine is about this machine" 2 '--refine times the network on this machine' select net.onnx -r measured.jsonl --source counted --refine -o made.json
}

counting() {
    count="tune net.onnx --source counted --board-agent $arm64 --trials 2 --layouts NCHW,NCHW4c"
    refuse "a core that there is not" 1 'no model of a core "a99": a53, a72 or a76' tune net.onnx -o made.jsonl --source counted --core a99 --board-agent "$arm64"
    refuse "two threads cannot be counted" 1 'only one thread can be counted' tune net.onnx -o made.jsonl --source counted --threads 2 --board-agent "$arm64"
    # shellcheck disable=SC2086
    expect "it counts" 0 $count -o first.jsonl
    check "nothing is wrong" eval '! grep -v "\"status\":\"\(ok\|failed\)\"" first.jsonl | grep -q "\"kind\":\"op\""'
    check "the records say that they are counted" grep -q '"source":"counted"' first.jsonl
    check "and of which core" grep -q '"model":"armsim a72, issue cycles and 1 of the misses at 1 GHz"' first.jsonl
    # shellcheck disable=SC2086
    expect "it skips what is there" 0 $count -o first.jsonl
    check "and says so" grep -q '^0 candidates measured' out
    # shellcheck disable=SC2086
    expect "it counts again" 0 $count -o second.jsonl
    sort first.jsonl >first.sorted && sort second.jsonl >second.sorted
    check "the figures are the same every time" cmp -s first.sorted second.sorted
    # shellcheck disable=SC2086
    expect "another cost" 0 $count --miss-weight 0 --core a53 -o first.jsonl
    refuse "records of several cores" 1 'of several cores' select net.onnx -r first.jsonl --source counted -o made.json
    expect "select by them" 0 select net.onnx -r second.jsonl --source counted -o net.plan.json
    check "the plan is for arm64" grep -q '"isa": "neon"' net.plan.json
    check "and says that it was counted" grep -q '"source": "counted"' net.plan.json
    expect "pack" 0 pack net.plan.json -o net.gtb
    qemu-aarch64 "$arm64" run net.gtb --output arm >out 2>err </dev/null
    code=$?
    check "the bundle runs" test "$code" = 0
    expect "the records measured here choose another plan" 0 select net.onnx -r measured.jsonl -o here.json
    expect "it runs here" 0 run here.json --output here
    check "both give the same outputs" "$GT_TOP_BUILDDIR/tests/npy_compare" arm/output_0.npy here/output_0.npy
}

# A program that is none, or dies, is an error that says what ran; no record is made of it.
broken_agents() {
    printf '#!/bin/sh\nexit 3\n' >dead && chmod +x dead
    try tune net.onnx -o made.jsonl --source counted --board-agent "$work/dead"
    check "an agent that cannot be run" eval '[ $code = 1 ] && clean && grep -Eq "dead count: ended with status" err'
    check "leaves no record" eval '! grep -q "\"kind\":\"op\"" made.jsonl'
    rm -f made.jsonl
}

if [ -n "${GT_EMULATOR-}" ]; then
    skip "counting" "graphtune itself is emulated"
    exit "$failed"
fi
gt zoo squeezenet1.1 -o net.onnx --resolution 32 --width 0.25 >/dev/null 2>&1 || exit 1
expect "records measured here" 0 tune net.onnx -o measured.jsonl --trials 1 --candidate-time 1e-5
if [ ! -f "$arm64" ]; then
    skip "counting" "$arm64 is not built (make board)"
elif ! command -v qemu-aarch64 >/dev/null || ! command -v gcc >/dev/null; then
    skip "counting" "there is no qemu-aarch64 or gcc (Debian: qemu-user, gcc)"
else
    refusals
    broken_agents
    counting
fi
exit "$failed"
