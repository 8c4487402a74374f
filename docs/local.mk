EXTRA_DIST += docs/design.md docs/onnx.md docs/plan.schema.json
