EXTRA_DIST += docs/design.md docs/plan.schema.json
