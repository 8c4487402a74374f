/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of costmodel/armsim: hints that do nothing on a core, and tell the counter which part of a program to count. On
 * other architectures there is nothing to mark. */
#ifndef GT_COSTMODEL_COUNT_MARKS_H
#define GT_COSTMODEL_COUNT_MARKS_H

#if defined(__aarch64__)
#define GT_I_COUNT_MARK(number) __asm__ volatile("hint #" #number ::: "memory")
#else
#define GT_I_COUNT_MARK(number) ((void)0)
#endif

static inline void gt_i_count_empty_caches(void)
{
    GT_I_COUNT_MARK(114);
}

static inline void gt_i_count_begin(void)
{
    GT_I_COUNT_MARK(112);
}

/* Prints the line of what was executed since gt_i_count_begin. */
static inline void gt_i_count_end(void)
{
    GT_I_COUNT_MARK(113);
}

#endif
