# SPDX-License-Identifier: Apache-2.0
# What the tests of the command share; sourced. Leaves the caller in a fresh folder $work that goes away at the end.
#
# GT_TOP_SRCDIR and GT_TOP_BUILDDIR are the source and build trees; GT_EMULATOR is put before the command, such as
# "qemu-aarch64 -L /usr/aarch64-linux-gnu". A sanitizer's complaint on stderr fails the check in whose course it appears.
: "${GT_TOP_SRCDIR:=$(cd "$(dirname "$0")/.." && pwd)}"
: "${GT_TOP_BUILDDIR:=$GT_TOP_SRCDIR/build}"
fixtures=$GT_TOP_SRCDIR/tests/fixtures/malformed
unset NO_COLOR GT_ISA
LC_ALL=C
export LC_ALL

work=$(mktemp -d "${TMPDIR:-/tmp}/graphtune-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
[ -x "$GT_TOP_BUILDDIR/graphtune" ] || { echo "not ok - $GT_TOP_BUILDDIR/graphtune is not there"; exit 1; }

failed=0
code=0
ran=

gt() {
    ${GT_EMULATOR-} "$GT_TOP_BUILDDIR/graphtune" "$@"
}

# For the background: the command replaces the subshell, so that $! is its own process.
gt_exec() {
    # shellcheck disable=SC2086
    exec ${GT_EMULATOR-} "$GT_TOP_BUILDDIR/graphtune" "$@"
}

pass() { # pass NAME
    echo "ok - $1"
}

fail() { # fail NAME [WHAT...]: the last command's state follows
    echo "not ok - $1"
    shift
    [ $# = 0 ] || echo "    $*"
    [ -z "$ran" ] || echo "    \$ $ran   (exit status $code)"
    [ ! -s err ] || sed -n '1,12s/^/    stderr: /p' err
    [ ! -s out ] || sed -n '1,6s/^/    stdout: /p' out
    failed=1
}

skip() { # skip NAME REASON
    echo "skip - $1: $2"
}

check() { # check NAME COMMAND...: passes when the command does
    name=$1
    shift
    if "$@"; then pass "$name"; else fail "$name" "$*"; fi
}

# Runs graphtune with its output in ./out and ./err, and its exit status in $code.
try() {
    ran="graphtune $*"
    code=0
    gt "$@" >out 2>err </dev/null || code=$?
}

clean() { # no sanitizer has complained, and no signal has ended the command
    [ "$code" -lt 126 ] && ! grep -Eq 'ERROR: [A-Za-z]*Sanitizer|runtime error:|invariant broken' err
}

expect() { # expect NAME CODE ARGUMENT...: the command ends with this status
    name=$1 want=$2
    shift 2
    try "$@"
    if ! clean; then
        fail "$name" "crashed"
    elif [ "$code" != "$want" ]; then
        fail "$name" "exit status $want is needed"
    else
        pass "$name"
    fi
}

no_leftovers() { # no temporary file, and nothing that a refused command was to make
    [ -z "$(find . -name '*.tmp.*' -o -name 'made*')" ]
}

# refuse NAME CODE PATTERN ARGUMENT...: the command ends with this status; its one message matches the extended regular
# expression; stdout stays empty; no temporary file and no file called made* is left behind.
refuse() {
    name=$1 want=$2 pattern=$3
    shift 3
    try "$@"
    if ! clean; then
        fail "$name" "crashed"
    elif [ "$code" != "$want" ]; then
        fail "$name" "exit status $want is needed"
    elif [ -s out ]; then
        fail "$name" "something is on stdout"
    elif [ "$(grep -c '^graphtune' err)" != 1 ] || ! sed -n 1p err | grep -q '^graphtune'; then
        fail "$name" "one message is needed"
    elif sed 1d err | grep -Evq '^  |^Try `graphtune'; then
        fail "$name" "something stands behind the message"
    elif ! grep -Eq -- "$pattern" err; then
        fail "$name" "the message does not match: $pattern"
    elif ! no_leftovers; then
        fail "$name" "left behind: $(find . -name '*.tmp.*' -o -name 'made*')"
    else
        pass "$name"
    fi
    rm -rf made*
}

# A pseudo-random number below $1 in $random; the sequence depends on $seed alone.
seed=1
roll() {
    seed=$(((seed * 1103515245 + 12345) & 2147483647))
    random=$((seed / 65536 % $1))
}

# npy FILE DTYPE FORTRAN-ORDER SHAPE BYTES: a NumPy file of zeros, such as  npy x.npy '<f4' False '1, 3, 8, 8' 768
npy() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
        head -c "$5" /dev/zero
    } >"$1"
}

npy_shape() { # the shape in a .npy file's header: "1, 4, 8, 8"
    head -c 128 "$1" | tr -d '\0' | sed -n "s/.*'shape': (\([^)]*\)).*/\1/p"
}

json_valid() { # json_valid FILE; true when nothing is there to tell
    if command -v jq >/dev/null; then
        jq -e . "$1" >/dev/null
    elif command -v python3 >/dev/null; then
        case $1 in
        *.jsonl) python3 -m json.tool --json-lines "$1" >/dev/null ;;
        *) python3 -m json.tool "$1" >/dev/null ;;
        esac
    fi
}

# What a records file says was measured, one candidate a line, without the times.
candidates() {
    sed -n 's/.*"kind":"\([a-z]*\)",.*"workload":"\([^"]*\)","in":"\([^"]*\)","out":"\([^"]*\)","template":"\([^"]*\)",.*"config":"\([^"]*\)".*/\1 \2 \3 \4 \5 \6/p' \
        "$1" | sort
}
