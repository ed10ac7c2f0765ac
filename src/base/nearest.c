/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 40, FURTHEST = 8 };

static char canonical(char c)
{
    return c == '-' ? '_' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return canonical(a) == canonical(b);
}

/* Levenshtein's distance in which two neighbours that changed places are one step, since that is what fingers
 * do (optimal string alignment). Names are short; longer ones are far from everything. */
static int distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1]; /* row i is rows[i % 3] */
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size > LONGEST || b_size > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *twice_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = least(above[j - 1] + !same(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], twice_above[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

/* Half its letters wrong is another name, not a slip of the pen. */
void weir_nearest_init(struct weir_nearest *nearest, const char *name)
{
    size_t half = strlen(name) / 2;
    *nearest = (struct weir_nearest){.name = name, .distance = 1 + (int)(half < FURTHEST ? half : FURTHEST)};
}

void weir_nearest_offer(struct weir_nearest *nearest, const char *candidate)
{
    int d = distance(nearest->name, candidate);
    if (d < nearest->distance) {
        nearest->distance = d;
        nearest->found = candidate;
    }
}
