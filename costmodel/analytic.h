/* SPDX-License-Identifier: Apache-2.0 */
/* What a candidate should cost, from its loops and the machine's caches alone.
 *
 * A candidate is described as a loop nest: how many vector operations its loops execute, tails and empty lanes included,
 * and how many bytes enter each level of the caches. The estimate is a roofline (Williams, Waterman and Patterson,
 * "Roofline: an insightful visual performance model for multicore architectures", CACM 52(4), 2009) with one roof per
 * resource; which bytes enter which level follows from what fits where, as in Goto and van de Geijn, "Anatomy of
 * high-performance matrix multiplication" (ACM TOMS 34(3), 2008) and Low et al., "Analytical modeling is enough for
 * high-performance BLIS" (ACM TOMS 43(2), 2016).
 *
 * Estimates order the candidates of a workload; they are no times. */
#ifndef GT_COSTMODEL_ANALYTIC_H
#define GT_COSTMODEL_ANALYTIC_H

#include "costmodel/device.h"
#include "ops/template.h"

/* What the estimate knows of a machine. A cycle is that of the vector unit: one multiply-add of `lanes` floats. */
typedef struct gt_machine {
    int lanes;               /* floats per vector */
    int registers;           /* vector registers */
    int threads;
    double l1_bytes, l2_bytes, l3_bytes; /* private L1 and L2; an L3 of 0: none */
} gt_machine;

/* The fastest class of cores; 32 KiB, 1 MiB and no third level where the caches are unknown. */
gt_machine gt_machine_of(const gt_device *device, gt_isa isa, int threads);

/* All numbers are of one run on one thread, and >= 0. */
typedef struct gt_nest {
    double macs;       /* multiply-adds of the op as such (Winograd's reduced ones) */
    double fma;        /* vector multiply-adds executed: remainders of channels and tiles fill no vector */
    double loads;      /* vectors and scalars loaded by the innermost loops: few where the register tile is square */
    double inner;      /* cycles of the innermost loops: the largest of fma, loads and what the accumulators' latency allows,
                        * register tile by register tile */
    double around;     /* vector operations outside of them: copies, transforms, packing, partial sums, the epilogue */
    double calls;      /* register tiles begun: each costs some cycles */
    double l1_bytes;   /* bytes that enter the first level from the second */
    double l2_bytes;   /* … the second level from the third */
    double memory_bytes; /* … from memory: what is too large for every cache */
    double tile_bytes; /* what the innermost loops go back to: should fit the first level */
    double block_bytes; /* what the loops around them go back to: should fit the second */
    double tasks;      /* independent tasks */
} gt_nest;

/* Describes a candidate that gt_template_valid takes; `space` is its template's for this workload and these layouts.
 * Templates without a description of their own are described by what they read and write. O(knobs). */
void gt_nest_describe(gt_nest *nest, const gt_machine *machine, const gt_template *t, const gt_workload *w, gt_layout in,
                      gt_layout out, const gt_space *space, const gt_config *config);

/* The estimate, in cycles of the vector unit: inner + around + calls * 20 + the bytes over nominal widths (64 bytes a cycle
 * into L1, 16 into L2, 8 from memory) + what uneven tasks leave idle. */
double gt_nest_cycles(const gt_nest *nest, const gt_machine *machine);

#endif
