/* SPDX-License-Identifier: Apache-2.0 */
#include "publish/sink.h"

#include "publish/sink_private.h"

int weir_sink_open(const struct weir_sink_ops *ops, const char *destination, struct weir_log *log,
                   struct weir_sink **out, struct weir_error *err)
{
    *out = NULL;
    int code = ops->open(destination, log, out, err);
    if (code == 0)
        (*out)->ops = ops;
    return code;
}

int weir_sink_write(struct weir_sink *sink, const struct weir_event *event, struct weir_error *err)
{
    return sink->ops->write(sink, event, err);
}

void weir_sink_interrupt(struct weir_sink *sink)
{
    sink->ops->interrupt(sink);
}

int weir_sink_close(struct weir_sink **sink, struct weir_error *err)
{
    if (*sink == NULL)
        return 0;
    int code = (*sink)->ops->close(*sink, err);
    *sink = NULL;
    return code;
}
