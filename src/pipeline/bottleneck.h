/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PIPELINE_BOTTLENECK_H
#define WEIR_PIPELINE_BOTTLENECK_H

/* "Where is the bottleneck?", answered from the numbers of the last seconds: a pure function.
 * Thread-safety: pure. */

#include <stddef.h>
#include <stdint.h>

struct weir_bottleneck_input {
    double workers_busy;        /* 0 to 1 */
    double publish_fill;        /* fullest publish queue, 0 to 1 */
    double drop_fraction;       /* of the frames read: superseded or queue_full */
    double decode_share;        /* of a worker's busy time spent before inference: decode and preprocess, 0 to 1 */
    size_t cameras, cameras_live;
};

/* "none", "publish", "inference", "decode", "cameras": static text. */
const char *weir_bottleneck_name(const struct weir_bottleneck_input *input);

#endif
