/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SIM_REQUEST_H
#define WEIR_SIM_REQUEST_H

/* The little of HTTP that the simulator understands: method, path and query of a request's first line.
 *
 * Thread-safety: pure.
 * Ownership: the texts are copies in the caller's struct. */

#include <stdbool.h>
#include <stddef.h>

struct weir_sim_request {
    char method[8];
    char path[128];
    char query[256];
};

/* The size of the head with its empty line; 0 when that has not come yet. */
size_t weir_sim_request_head_size(const char *bytes, size_t size);
/* False when the first line is no request. */
bool weir_sim_request_parse(const char *head, size_t size, struct weir_sim_request *request);
/* The value of `name` in the query; false when it is not there or does not fit. */
bool weir_sim_request_argument(const struct weir_sim_request *request, const char *name, char *value,
                               size_t value_size);
/* "/cam12" or "/cam12.jpg": the camera and whether one still is wanted. False for other paths. */
bool weir_sim_request_camera(const struct weir_sim_request *request, int cameras, int *camera, bool *still);

#endif
