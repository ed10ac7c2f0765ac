/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/summary.h"

#include "base/clock.h"

#include <inttypes.h>

void weir_summary_reasons(const uint64_t counts[WEIR_REASON_COUNT], struct weir_buf *out)
{
    size_t before = out->size;
    for (int i = 0; i < WEIR_REASON_COUNT; i++)
        if (counts[i] > 0)
            weir_buf_printf(out, "%s%s %" PRIu64, out->size > before ? ", " : "",
                            weir_reason_name((enum weir_reason)i), counts[i]);
    if (out->size == before)
        weir_buf_text(out, "none");
}

static double ms(const struct weir_histogram *histogram, double quantile)
{
    return (double)weir_histogram_quantile_ns(histogram, quantile) / WEIR_NS_PER_MS;
}

static void print_ages(const struct weir_snapshot *snapshot, struct weir_buf *out)
{
    if (snapshot->age.count == 0) {
        weir_buf_text(out, "age: nothing was published\n");
        return;
    }
    weir_buf_printf(out, "age: p50 %.0f ms, p95 %.0f ms, p99 %.0f ms (capture to published)\n",
                    ms(&snapshot->age, 0.5), ms(&snapshot->age, 0.95), ms(&snapshot->age, 0.99));
}

/* One line a camera that had something to say: the whole story is in /api/v1/status and --json. */
static void print_troubled_cameras(const struct weir_snapshot *snapshot, struct weir_buf *out)
{
    for (size_t i = 0; i < snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &snapshot->cameras[i];
        if (camera->source.reconnects == 0 && camera->books.read > 0)
            continue;
        weir_buf_printf(out, "camera %s: read %" PRIu64 ", %u reconnects, last reason %s%s%s\n", camera->name,
                        camera->books.read, camera->source.reconnects,
                        weir_source_reason_name(camera->source.reason),
                        camera->source.detail[0] != '\0' ? ": " : "", camera->source.detail);
    }
}

void weir_summary_print(const struct weir_snapshot *snapshot, struct weir_buf *out)
{
    double seconds = (double)snapshot->elapsed_ns / WEIR_NS_PER_S;
    const struct weir_books *total = &snapshot->total;
    weir_buf_printf(out, "\nran %.1fs\n", seconds);
    weir_buf_printf(out,
                    "stats: {'read': %" PRIu64 ", 'dropped': %" PRIu64 ", 'inferred': %" PRIu64
                    ", 'published': %" PRIu64 "}\n",
                    total->read, weir_books_dropped(total), total->inferred, total->published);
    weir_buf_printf(out, "throughput: %.1f frames/s inferred\n",
                    seconds > 0 ? (double)total->inferred / seconds : 0.0);
    print_ages(snapshot, out);
    weir_buf_text(out, "dropped: ");
    weir_summary_reasons(total->dropped, out);
    weir_buf_text(out, " · failed: ");
    weir_summary_reasons(total->failed, out);
    if (total->unpublished > 0)
        weir_buf_printf(out, " · unpublished: %" PRIu64, total->unpublished);
    weir_buf_printf(out, "\nbottleneck: %s; workers %.0f %% busy\n", snapshot->bottleneck,
                    100 * snapshot->workers_busy_total);
    print_troubled_cameras(snapshot, out);
}
