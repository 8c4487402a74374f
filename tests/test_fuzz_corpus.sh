#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plays back every file of the fuzz targets' corpus (tests/fuzz): small files that between them reach whatever the readers
# of models, logs, records, tasks and plans do, and one for each fault that fuzzing found.
set -u
. "${GT_TOP_SRCDIR:-$(dirname "$0")/..}/tests/common.sh"
corpus=$GT_TOP_SRCDIR/tests/fuzz/corpus
ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256:${ASAN_OPTIONS-}
export ASAN_OPTIONS

replay() { # replay TARGET: with a small allowance of memory, where no sanitizer needs it for itself
    program=$GT_TOP_BUILDDIR/tests/fuzz/replay_$1
    if [ -n "${GT_EMULATOR-}" ] || grep -q __asan_init "$program"; then
        ${GT_EMULATOR-} "$program" "$corpus/$1"
    else
        (ulimit -v 1000000 && exec "$program" "$corpus/$1")
    fi
}

total=0
for folder in "$corpus"/*/; do
    target=$(basename "$folder")
    files=$(find "$folder" -type f ! -name '.*' | wc -l)
    if TMPDIR=$work replay "$target" >out 2>err && [ "$files" -gt 0 ] && [ "$(tail -n 1 out)" = "$files" ]; then
        pass "$target: $files files"
        total=$((total + files))
    else
        fail "$target: $files files, the last one is the one that failed" "$(tail -n 12 err)"
    fi
done
for source in "$GT_TOP_SRCDIR"/tests/fuzz/*.c; do
    target=$(basename "$source" .c)
    grep -q LLVMFuzzerTestOneInput "$source" && [ "$target" != replay_main ] || continue
    check "$target has a corpus" test -d "$corpus/$target"
done
check "the corpus has files" test $total -gt 100
echo "# $total files replayed"
exit $failed
