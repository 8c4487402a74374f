/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting until a throttled machine has cooled down. */
#ifndef GT_TUNE_TUNE_COOL_H
#define GT_TUNE_TUNE_COOL_H

#include "costmodel/watch.h"
#include "src/tune/tune_progress.h"

typedef struct gt_cooling {
    gt_watch *watch;
    gt_progress *progress;           /* NULL: silent */
    bool (*must_stop)(void *context); /* asked between pauses */
    void (*pause)(void *context);     /* NULL: one second */
    void *context;
    int patience;  /* pauses before a wait is given up */
    bool is_vain;  /* the last wait was given up: there are no further ones until gt_cooling_note_good */
    double seconds; /* waited so far */
} gt_cooling;

/* Whether the machine is hotter than the user allows, before anything is measured on it. */
bool gt_cooling_is_needed(const gt_cooling *cooling);

/* Waits until gt_watch_has_cooled; false when it did not in time, waiting is vain, or it must stop. */
bool gt_cooling_wait(gt_cooling *cooling);

/* Something ran undisturbed: waiting may make sense again. */
void gt_cooling_note_good(gt_cooling *cooling);

#endif
