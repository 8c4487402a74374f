#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# summary.sh BUILD...: one line per test program, then "N passed, N failed, N skipped" over all of them. Check suites
# count their checks, scripts their "ok - ", "not ok - " and "skip - " lines, anything else counts as one.
set -eu
for build in "$@"; do
    find "$build/tests" "$build/benchmarks" -name '*.trs' | sort
done | {
    passed=0 failed=0 skipped=0
    while read -r trs; do
        log=${trs%.trs}.log
        name=${trs%.trs}
        result=$(sed -n 's/^:global-test-result: *//p' "$trs")
        counts=$(awk '
            /^[0-9]+%: Checks: / {
                gsub(",", ""); checks += $3; bad += $5 + $7; suite = 1
            }
            /^ok - /     { good++; suite = 1 }
            /^not ok - / { bad++; checks++; suite = 1 }
            /^skip - /   { skip++; suite = 1 }
            END { print (suite ? checks - bad + good : -1), bad + 0, skip + 0 }' "$log")
        set -- $counts
        p=$1 f=$2 s=$3
        case $p in -1)
            p=0
            case $result in PASS) p=1 ;; SKIP) s=1 ;; *) f=1 ;; esac ;;
        esac
        # A program that died says less than it should: the harness knows better.
        case $result in FAIL | ERROR) [ "$f" -gt 0 ] || f=1 ;; esac
        printf '%-6s %-28s %5d passed %3d failed %3d skipped\n' "$result" "${name##*/}" "$p" "$f" "$s"
        if [ "$f" -gt 0 ]; then
            grep -E ':[FE]:|^not ok - |ERROR: |runtime error' "$log" | head -n 20 || tail -n 20 "$log"
        fi
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
    echo "$passed passed, $failed failed, $skipped skipped"
}
