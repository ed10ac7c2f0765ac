/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_PUBLISH_SINK_PRIVATE_H
#define WEIR_PUBLISH_SINK_PRIVATE_H

/* What every kind of sink begins with: only sink.c and the sinks themselves include this. */

struct weir_sink {
    const struct weir_sink_ops *ops; /* set by weir_sink_open */
};

#endif
