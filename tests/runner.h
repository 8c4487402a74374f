/* SPDX-License-Identifier: Apache-2.0 */
/* What the main function of every unit test does. */
#ifndef GT_TESTS_RUNNER_H
#define GT_TESTS_RUNNER_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The seed of this run: GT_TEST_SEED where it is set, else `usual`. Prints it. */
uint64_t gt_test_seed(uint64_t usual);

/* How many rounds a test of random cases makes: `usual`, or the percentage of it that GT_TEST_EFFORT says, which is for slow
 * builds (sanitizers, emulation); at least 1. */
int gt_test_rounds(int usual);

/* Makes a folder for this run, in TMPDIR or /tmp, and writes its path; ends the process where that fails. gt_test_run
 * removes it with all that is in it. Once a process. */
void gt_test_folder(char *path, size_t bytes);

/* Runs and frees the suite; the exit status of the process. */
int gt_test_run(Suite *suite);

/* The same, and `last` is asked before the folder goes: false fails the run. */
int gt_test_run_then(Suite *suite, bool (*last)(void));

#endif
