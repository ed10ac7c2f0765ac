/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_BASE_NEAREST_H
#define WEIR_BASE_NEAREST_H

/* Which of the right names a wrong one was meant to be: offer them all, then look at found.
 *
 * Thread-safety: pure.
 * Ownership: plain value; the names are the caller's. */

struct weir_nearest {
    const char *name;  /* the wrong one */
    const char *found; /* NULL: it looks like none of them */
    int distance;      /* of found; 0: the same but for - and _ */
};

void weir_nearest_init(struct weir_nearest *nearest, const char *name);
/* The first of equals stays. */
void weir_nearest_offer(struct weir_nearest *nearest, const char *candidate);

#endif
