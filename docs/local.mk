EXTRA_DIST += docs/design.md docs/onnx.md docs/ncnn.md docs/autotvm.md docs/board.md docs/bundle.md docs/export.md docs/plan.schema.json
