#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes go downwards only, each library is known to one file, and lists are not empty (docs/design.md, section 3).
set -eu
top=${GT_TOP_SRCDIR:-$(dirname "$0")/..}
cd "$top"
failed=0

level_of() {
    case $1 in
    include/* | src/base/*) echo 0 ;;
    src/graph/* | src/solve/*) echo 1 ;;
    layouts/*) echo 2 ;;
    ops/*) echo 3 ;;
    src/records/*) echo 4 ;;
    costmodel/*) echo 5 ;;
    src/import/* | src/plan/* | src/zoo/*) echo 6 ;;
    src/run/* | src/tune/* | src/export/*) echo 7 ;;
    src/api/* | src/report/* | src/board/* | src/cli/*) echo 8 ;;
    *) echo 9 ;;
    esac
}

check() { # check DESCRIPTION CONDITION-RESULT
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        failed=1
    fi
}

bad=$(find include src layouts ops costmodel -name '*.[ch]' ! -name '*.pb-c.*' -o -name '*.inc' | while read -r file; do
    own=$(level_of "$file")
    sed -n 's/^#include "\(\(include\|src\|layouts\|ops\|costmodel\)\/[^"]*\)".*/\1/p' "$file" | while read -r included; do
        other=$(level_of "$included")
        [ "$other" -le "$own" ] || echo "$file (L$own) includes $included (L$other)"
    done
done)
[ -z "$bad" ] && result=0 || result=1
check "includes go downwards" $result
[ -z "$bad" ] || printf '%s\n' "$bad"

# src/graph and src/solve stand side by side and do not know each other; src/solve knows no IR.
grep -rlE '#include "(src/graph|layouts|ops)/' src/solve >/dev/null && result=1 || result=0
check "the solver knows only cost tables" $result

one_file() { # one_file LIBRARY REGEX FOLDER...
    name=$1 regex=$2
    shift 2
    n=$(grep -rlE "#include <$regex" "$@" --include='*.c' --include='*.h' | grep -vc 'pb-c' || true)
    headers=$(grep -rlE "#include <$regex" "$@" --include='*.h' | grep -vc 'pb-c' || true)
    [ "$n" = 1 ] && [ "$headers" = 0 ] && result=0 || result=1
    check "$name is known to one source file and no header ($n, $headers)" $result
}
one_file igraph 'igraph' src layouts ops costmodel
one_file cJSON '(cjson/)?cJSON\.h' src layouts ops costmodel
one_file stb '(stb/)?stb_' include src layouts ops costmodel examples
one_file OpenBLAS '(cblas|openblas)' src layouts ops costmodel
one_file hwloc 'hwloc' src layouts ops costmodel

n=$(grep -rlE '#include "src/import/onnx\.pb-c\.h"' src layouts ops costmodel --include='*.c' --include='*.h' | wc -l)
[ "$n" = 1 ] && result=0 || result=1
check "protobuf-c is known to one source file ($n)" $result

for list in ops/templates_conv.inc ops/templates_general.inc ops/kernels_conv.inc ops/kernels_general.inc \
    src/graph/op_kinds.inc src/graph/op_attrs.inc src/zoo/zoo_list.inc src/import/onnx_ops.inc; do
    grep -q '^GT_[A-Z_]*(' "$list" && result=0 || result=1
    check "$list is not empty" $result
done
# Logs go by the name without .sh: two tests of one name would be one.
twice=$(sed -n 's/^\(TESTS += \)\{0,1\}[[:space:]]*\(\(tests\|benchmarks\)\/[a-z0-9_]*\)\(\.sh\)\{0,1\}\( \\\)\{0,1\}$/\2/p' \
    "$top"/tests/local.mk "$top"/tests/fuzz/local.mk "$top"/benchmarks/local.mk | sort | uniq -c | awk '$1 > 2 { print $2 }')
[ -z "$twice" ] && result=0 || result=1
check "every test has a name of its own${twice:+: $twice}" $result

exit $failed
