#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/onnx.md is what the importer's table says, and links in the Markdown files lead somewhere.
set -u
top=${GT_TOP_SRCDIR:-$(dirname "$0")/..}
build=${GT_TOP_BUILDDIR:-.}
failed=0
if ${GT_EMULATOR-} "$build/tests/onnx_table" | cmp -s - "$top/docs/onnx.md"; then
    echo "ok - docs/onnx.md matches the importer's table"
else
    echo "not ok - docs/onnx.md is out of date: run tests/onnx_table > docs/onnx.md"
    failed=1
fi
for page in README.md CONTRIBUTING.md docs/design.md docs/onnx.md docs/autotvm.md; do
    folder=$(dirname "$top/$page")
    for link in $(sed -n 's/.*](\([^)#:]*\)).*/\1/p' "$top/$page"); do
        if [ -e "$folder/$link" ]; then
            echo "ok - $page links to $link"
        else
            echo "not ok - $page links to $link, which does not exist"
            failed=1
        fi
    done
done
exit $failed
