#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A few instances of everything that `make bench-solver` measures. Exits 1 if anything is wrong, 77 (skipped) where
# toulbar2 is missing, although what exhaustive search can tell was compared.
exec ${GT_EMULATOR-} "${GT_TOP_BUILDDIR:-.}/benchmarks/solver" --quick
