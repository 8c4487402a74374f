#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/onnx.md is what the importer's table says, and links in the Markdown files lead somewhere.
set -u
top=${GT_TOP_SRCDIR:-$(dirname "$0")/..}
build=${GT_TOP_BUILDDIR:-.}
failed=0
for format in onnx ncnn; do
    if ${GT_EMULATOR-} "$build/tests/${format}_table" | cmp -s - "$top/docs/$format.md"; then
        echo "ok - docs/$format.md matches the importer's table"
    else
        echo "not ok - docs/$format.md is out of date: run tests/${format}_table > docs/$format.md"
        failed=1
    fi
done
for page in README.md CONTRIBUTING.md docs/design.md docs/onnx.md docs/ncnn.md docs/autotvm.md docs/board.md docs/bundle.md docs/export.md; do
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
