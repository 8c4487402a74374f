#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# costmodel/armsim counts a loop of known length, the same every time.
set -u
top=${GT_TOP_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
compiler=${GT_ARM_CC:-aarch64-linux-gnu-gcc}
for tool in "$compiler" qemu-aarch64 "${CC:-gcc}"; do
    command -v "${tool%% *}" >/dev/null || {
        echo "skip - armsim: there is no $tool (Debian: gcc-aarch64-linux-gnu, qemu-user, gcc)"
        exit 77
    }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/graphtune-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
failed=0

check() { # check NAME COMMAND...: passes when the command does
    name=$1
    shift
    if "$@"; then echo "ok - $name"; else echo "not ok - $name: $*"; failed=1; fi
}

# Four instructions a round: a load, a multiply-add, the count and the branch.
cat >"$work/loop.c" <<'PROGRAM'
#include <stdlib.h>
static float data[4];
int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    __asm__ volatile("1: ldr q0, [%1]\n fmla v1.4s, v0.4s, v0.4s\n subs %0, %0, #1\n b.ne 1b\n"
                     : "+r"(n) : "r"(data) : "v0", "v1", "cc", "memory");
    return 0;
}
PROGRAM
"$compiler" -O2 -static -o "$work/loop" "$work/loop.c" || { echo "not ok - $compiler compiles"; exit 1; }

count() { # count MODEL ROUNDS
    ARMSIM_OUT=$work/out "$top/costmodel/armsim/armsim" -m "$1" "$work/loop" "$2" || return 1
    tail -n 1 "$work/out"
}

field() { # field NAME JSON
    echo "$2" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

difference() { # difference NAME: of 210000 and 110000 rounds, whose digits take as long to read
    echo $(($(field "$1" "$large") - $(field "$1" "$small")))
}

for model in a53 a72 a76; do
    small=$(count $model 110000) || failed=1
    large=$(count $model 210000) || failed=1
    check "$model: multiply-adds" test "$(difference fmla)" = 100000
    check "$model: loads" test "$(difference loads)" = 100000
    check "$model: instructions" test "$(difference instructions)" = 400000
done
again=$(count a76 210000)
check "the same program gives the same figures" test "$large" = "$again"
check "an unknown model is refused" eval '! count a99 1 >/dev/null 2>&1'
exit $failed
