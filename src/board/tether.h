/* SPDX-License-Identifier: Apache-2.0 */
/* Work that ends with the connection over which it was started. */
#ifndef GT_BOARD_TETHER_H
#define GT_BOARD_TETHER_H

/* How long the other end may be silent. It writes a byte every few seconds. */
#define GT_TETHER_SILENCE_MS 60000

/* From a process that will work: a second process watches standard input, and sends this one SIGTERM when it ends or has been
 * silent for GT_TETHER_SILENCE_MS. It ends with this process. Must be called before threads exist. */
void gt_tether(void);

#endif
