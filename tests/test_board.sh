#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# graphtune-board: the static arm64 program under qemu, with files alone, and `auto --board` over ssh with this machine as the
# board. The arm64 program is what `make board` has built; the sshd is one of our own, on a port of 127.0.0.1.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"

native=$GT_TOP_BUILDDIR/graphtune-board
arm64=${GT_BOARD_AGENT:-$GT_TOP_BUILDDIR/board-aarch64/graphtune-board}
quick="--trials 1 --candidate-time 1e-5"

board() { # board NAME CODE PATTERN PROGRAM ARGUMENT...: the program ends with this status and says this somewhere
    name=$1 want=$2 pattern=$3
    shift 3
    ran="$*"
    code=0
    "$@" >out 2>err <"${board_input:-/dev/null}" || code=$?
    if clean && [ "$code" = "$want" ] && cat out err | grep -Eq -- "$pattern"; then pass "$name"; else fail "$name" "$pattern"; fi
}

hash_of() { # the hash in a line that `device --json` prints
    sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p' "$1"
}

zoo() { # zoo NAME FILE
    gt zoo "$1" -o "$2" --resolution 64 >/dev/null 2>&1 || exit 1
}

# ---- the program by itself ----

# Records of this machine made to be of an arm64 board: the plan and the bundle are for what its fingerprint says.
other_device() {
    # shellcheck disable=SC2086
    board "it tunes" 0 'candidates measured' ${GT_EMULATOR-} "$native" tune m.tasks.json -o all.jsonl $quick
    hash=$(sed -n 1p all.jsonl | hash_of /dev/stdin)
    sed -e "s/$hash/00000000deadbeef/g" -e '1s/"isa":"[a-z0-9]*"/"isa":"neon"/' all.jsonl >board.jsonl
    expect "select for a board" 0 select m.onnx -r board.jsonl --device 00000000deadbeef -o board.plan.json
    check "its plan is for the board's instruction set" grep -q '"isa": "neon"' board.plan.json
    expect "pack takes it from there" 0 pack board.plan.json -o board.gtb
    check "and says so" grep -q 'packed for neon (aarch64)' out
}

native_commands() {
    # shellcheck disable=SC2086
    board "--help names its commands" 0 '^  bench ' ${GT_EMULATOR-} "$native" --help
    for command in tune run bench device; do
        # shellcheck disable=SC2086
        board "$command --help" 0 "^usage: graphtune-board $command" ${GT_EMULATOR-} "$native" $command --help
    done
    # shellcheck disable=SC2086
    board "--version" 0 '^graphtune-board [0-9]' ${GT_EMULATOR-} "$native" --version
    # shellcheck disable=SC2086
    board "it has no solver" 2 'unknown command "select"' ${GT_EMULATOR-} "$native" select
    zoo squeezenet1.1 m.onnx
    # shellcheck disable=SC2086
    board "it refuses to tune a model" 1 'm.onnx: is no tasks file.*graphtune tasks' ${GT_EMULATOR-} "$native" tune m.onnx
    # shellcheck disable=SC2086
    board "it refuses to run a model" 1 'm.onnx: is no bundle.*graphtune pack' ${GT_EMULATOR-} "$native" run m.onnx
    expect "tasks" 0 tasks m.onnx -o m.tasks.json
    mkfifo line
    wait_for 120 has_lines m.jsonl 3 >line & # held open until it measures
    board_input=line
    # shellcheck disable=SC2086
    board "tethered, it stops when its input ends" 1 'interrupted: m.jsonl holds' ${GT_EMULATOR-} "$native" tune m.tasks.json -o m.jsonl --tethered
    board_input=
    other_device
    gt device --json >own.json && ${GT_EMULATOR-} "$native" device --json >theirs.json
    check "without hwloc, the fingerprint is the same" test "$(hash_of own.json)" = "$(hash_of theirs.json)"
}

# ---- arm64, files alone ----

arm() { # arm NAME CODE PATTERN ARGUMENT...
    name=$1 want=$2 pattern=$3
    shift 3
    board "$name" "$want" "$pattern" qemu-aarch64 -cpu cortex-a53 "$arm64" "$@"
}

arm64_round_trip() {
    check "arm64: there is no dynamic section" eval 'readelf -d "$arm64" | grep -q "no dynamic section"'
    check "arm64: it is for AArch64" eval 'readelf -h "$arm64" | grep -q "Machine: *AArch64"'
    aarch64-linux-gnu-strip -o stripped "$arm64" 2>/dev/null || cp "$arm64" stripped
    check "arm64: stripped, it has at most 3 MB" test "$(wc -c <stripped)" -le 3000000
    arm "arm64: device" 0 '"isa":"neon"' device --json
    device=$(hash_of out)
    zoo squeezenet1.1 net.onnx
    expect "arm64: tasks" 0 tasks net.onnx -o net.tasks.json
    # shellcheck disable=SC2086
    arm "arm64: the board tunes" 0 'candidates measured' tune net.tasks.json -o net.jsonl $quick --budget 60
    lines=$(wc -l <net.jsonl)
    # shellcheck disable=SC2086
    arm "arm64: and has nothing to do the second time" 0 '^0 candidates measured' tune net.tasks.json -o net.jsonl $quick --budget 0.001
    check "arm64: the records stay as they are" test "$(wc -l <net.jsonl)" = "$lines"
    expect "arm64: the host selects for the board" 0 select net.onnx -r net.jsonl --device "$device" -o net.plan.json
    check "arm64: the plan is for NEON" grep -q '"isa": "neon"' net.plan.json
    expect "arm64: the host packs for the board" 0 pack net.plan.json -o net.gtb
    arm "arm64: the board runs the bundle" 0 '^ran in ' run net.gtb --output arm
    arm "arm64: and benches it" 0 'bundle' bench net.gtb --turns 2 --turn-time 0
    expect "arm64: the host does not run it" 1 run net.gtb
    # Another plan for this machine gives the same outputs for the same noise, up to rounding.
    # shellcheck disable=SC2086
    expect "arm64: a plan of this machine" 0 tune net.onnx -o here.jsonl $quick -q
    expect "arm64: is selected" 0 select net.onnx -r here.jsonl -o here.plan.json -q
    expect "arm64: is run" 0 run here.plan.json --output here
    check "arm64: both give the same outputs" "$GT_TOP_BUILDDIR/tests/npy_compare" arm/output_0.npy here/output_0.npy
}

# ---- over ssh ----

sshd_pid=
stop_sshd() {
    [ -z "$sshd_pid" ] || kill "$sshd_pid" 2>/dev/null
    rm -rf "$work"
}

start_sshd() { # on a free port; $where, $options
    mkdir -m 700 keys || return 1
    ssh-keygen -q -t ed25519 -N '' -f keys/host && ssh-keygen -q -t ed25519 -N '' -f keys/user || return 1
    cp keys/user.pub keys/authorized
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd || return 1
    for try in 1 2 3 4 5 6 7 8; do
        port=$((20000 + ($$ * 7 + try * 1009) % 20000))
        cat >keys/config <<END
ListenAddress 127.0.0.1:$port
HostKey $work/keys/host
AuthorizedKeysFile $work/keys/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
END
        "$sshd" -D -f "$work/keys/config" -E "$work/keys/log" &
        sshd_pid=$!
        where=$(id -un)@127.0.0.1:$port
        options="--ssh-option IdentityFile=$work/keys/user --ssh-option IdentitiesOnly=yes --ssh-option BatchMode=yes
            --ssh-option UserKnownHostsFile=$work/keys/known --ssh-option StrictHostKeyChecking=no --ssh-option LogLevel=ERROR"
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 "$sshd_pid" 2>/dev/null || break
            if ssh -T -p "$port" -i keys/user -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=keys/known \
                -o StrictHostKeyChecking=no -o LogLevel=ERROR "$(id -un)@127.0.0.1" true </dev/null 2>/dev/null; then
                return 0
            fi
            sleep 0.2
        done
        kill "$sshd_pid" 2>/dev/null
        sshd_pid=
    done
    return 1
}

wait_for() { # wait_for SECONDS COMMAND...
    left=$(($1 * 50))
    shift
    while [ "$left" -gt 0 ] && ! "$@"; do
        sleep 0.02
        left=$((left - 1))
    done
    "$@"
}

has_lines() { # has_lines FILE N
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

is_unlocked() { # nobody measures into the file any more
    flock -n "$1" true
}

ssh_round_trip() {
    there="$work/a board's \$(folder)"
    records="$there/net.records.jsonl"
    zoo squeezenet1.1 net.onnx
    auto="auto net.onnx -o plans/net.plan.json --board $where --board-agent $native $options $quick"
    mkdir -p plans
    # shellcheck disable=SC2086
    refuse "ssh: a missing agent is named" 1 'no/such/agent' auto net.onnx -o made.plan.json --board "$where" --board-agent no/such/agent --board-dir "$there" $options
    # shellcheck disable=SC2086
    refuse "ssh: nobody listens there" 1 'could not connect|^graphtune: .*127' auto net.onnx -o made.plan.json --board nobody@127.0.0.1:1 --ssh-option LogLevel=QUIET --board-agent "$native"
    refuse "ssh: a host is no option" 2 'USER@HOST' auto net.onnx -o made.plan.json --board -oProxyCommand=touch --board-agent "$native"
    refuse "ssh: a port is a number" 2 'port is "x"' auto net.onnx -o made.plan.json --board me@host:x --board-agent "$native"

    # Ctrl-C at a terminal goes to both processes.
    # shellcheck disable=SC2086
    gt_exec $auto --board-dir "$there" >out 2>err </dev/null &
    pid=$!
    wait_for 120 has_lines "$records" 10
    kill -INT $(cat "/proc/$pid/task/$pid/children") "$pid"
    wait "$pid"
    code=$?
    check "ssh: an interrupt is no failure of ssh" eval '[ $code = 1 ] && grep -q "interrupted; the same command continues" err'
    wait_for 30 is_unlocked "$records"

    # The connection is cut in the middle: as soon as this run has measured something, while most is still to be done. The
    # child that lives then is the ssh that carries the measuring; those that look at the board and copy came before it.
    started_with=$(wc -l <"$records")
    # shellcheck disable=SC2086
    gt_exec $auto --board-dir "$there" >out 2>err </dev/null &
    pid=$!
    wait_for 120 has_lines "$records" $((started_with + 2))
    # shellcheck disable=SC2046
    kill -KILL $(cat "/proc/$pid/task/$pid/children")
    check "ssh: the board measures" has_lines "$records" $((started_with + 2))
    wait "$pid"
    code=$?
    check "ssh: a cut connection is an error that says how to go on" eval '[ $code = 1 ] && grep -q "the same command continues" err'
    wait_for 30 is_unlocked "$records"
    check "ssh: the board stops by itself" is_unlocked "$records"
    cp "$records" before.jsonl
    candidates before.jsonl >before
    check "ssh: it was in the middle" eval '[ -s before ] && [ ! -f plans/net.plan.json ]'

    # shellcheck disable=SC2086
    expect "ssh: the same command continues" 0 $auto --board-dir "$there"
    cp out first.out
    candidates "$records" >after
    check "ssh: nothing that was measured is lost" eval 'head -c "$(wc -c <before.jsonl)" "$records" | cmp -s - before.jsonl'
    check "ssh: nothing is measured twice" test -z "$(uniq -d after)"
    check "ssh: and the rest was measured" test "$(wc -l <after)" -gt "$(wc -l <before)"
    check "ssh: the agent was there already" grep -q 'graphtune-board is there' first.out
    check "ssh: the board's output is the reference's" grep -q '^check .* ok' first.out
    check "ssh: the bundle is timed there" grep -q '^ *bundle ' first.out
    mirror=$(echo net.*.records.jsonl)
    check "ssh: the records are here as well" cmp -s "$mirror" "$records"
    check "ssh: the bundle lies beside the plan" test -f plans/net.gtb
    expect "ssh: the plan can be verified" 0 select --verify plans/net.plan.json

    rm "$records"
    # shellcheck disable=SC2086
    expect "ssh: a board that lost its records gets them back" 0 $auto --board-dir "$there" --no-bench
    check "ssh: and measures nothing again" grep -q '^0 candidates measured' out
    check "ssh: nothing temporary is left" eval '[ -z "$(find . -name "*.tmp.*" -o -name "*.new")" ]'
}

# ---- what can be run here ----

if [ -x "$native" ]; then
    native_commands
else
    skip "graphtune-board" "$native is not built"
fi
if [ -n "${GT_EMULATOR-}" ]; then
    skip "arm64 and ssh" "graphtune itself is emulated"
    exit $failed
fi
if [ ! -x "$arm64" ]; then
    skip "arm64" "$arm64 is not there; make board builds it"
elif ! command -v qemu-aarch64 >/dev/null; then
    skip "arm64" "there is no qemu-aarch64 (Debian: qemu-user)"
else
    arm64_round_trip
fi
sshd=$(command -v sshd || echo /usr/sbin/sshd)
if [ ! -x "$native" ]; then
    skip "ssh" "$native is not built"
elif [ ! -x "$sshd" ] || ! command -v ssh-keygen >/dev/null || ! command -v ssh >/dev/null; then
    skip "ssh" "there is no sshd, ssh or ssh-keygen (Debian: openssh-server, openssh-client)"
else
    trap stop_sshd EXIT
    if start_sshd; then
        ssh_round_trip
    else
        skip "ssh" "sshd does not start here: $(tail -n 1 keys/log 2>/dev/null)"
    fi
fi
exit $failed
