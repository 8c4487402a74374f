EXTRA_DIST += docs/design.md docs/onnx.md docs/autotvm.md docs/plan.schema.json
