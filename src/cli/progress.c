/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include "base/buf.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TERMINAL_MS = 500, PIPE_MS = 5000, WIDTH_DEFAULT = 100, CAMERAS_NAMED = 8 };

void weir_progress_init(struct weir_progress *progress)
{
    *progress = (struct weir_progress){.terminal = isatty(STDERR_FILENO) == 1};
}

int64_t weir_progress_interval_ns(const struct weir_progress *progress)
{
    return (progress->terminal ? TERMINAL_MS : PIPE_MS) * WEIR_NS_PER_MS;
}

static void print_cameras(const struct weir_snapshot *snapshot, struct weir_buf *line)
{
    size_t live = 0, named = 0;
    for (size_t i = 0; i < snapshot->camera_count; i++)
        live += snapshot->cameras[i].source.state == WEIR_SOURCE_LIVE;
    weir_buf_printf(line, "  live %zu/%zu", live, snapshot->camera_count);
    for (size_t i = 0; i < snapshot->camera_count; i++) {
        const struct weir_camera_snapshot *camera = &snapshot->cameras[i];
        if (camera->source.state == WEIR_SOURCE_LIVE)
            continue;
        if (named++ == CAMERAS_NAMED) {
            weir_buf_text(line, " ...");
            break;
        }
        weir_buf_printf(line, "  %s: %s", camera->id, weir_source_state_name(camera->source.state));
        if (camera->source.reason != WEIR_SOURCE_REASON_NONE)
            weir_buf_printf(line, " (%s)", weir_source_reason_name(camera->source.reason));
    }
}

static void print_totals(const struct weir_snapshot *snapshot, struct weir_buf *line)
{
    const struct weir_books *total = &snapshot->total;
    weir_buf_printf(line, "%4.0f s  read %.1f/s  inferred %.1f/s  dropped %" PRIu64 "  failed %" PRIu64,
                    (double)snapshot->elapsed_ns / WEIR_NS_PER_S, snapshot->read_fps, snapshot->inferred_fps,
                    weir_books_dropped(total), weir_books_failed(total));
    weir_buf_printf(line, "  age p50 %.0f p99 %.0f ms  busy %.0f %%",
                    (double)weir_histogram_quantile_ns(&snapshot->age, 0.5) / WEIR_NS_PER_MS,
                    (double)weir_histogram_quantile_ns(&snapshot->age, 0.99) / WEIR_NS_PER_MS,
                    100 * snapshot->workers_busy);
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : WIDTH_DEFAULT;
}

/* Two lines, and the cursor back at the start of the first: what is logged in between takes their place, and
 * the next time they stand below it. */
static void show_on_terminal(const struct weir_buf *totals, const struct weir_buf *cameras)
{
    int width = terminal_width() - 1;
    fprintf(stderr, "\r\033[J%.*s\n%.*s\r\033[1A", width, totals->data, width, cameras->data);
}

void weir_progress_show(struct weir_progress *progress, const struct weir_snapshot *snapshot)
{
    struct weir_buf totals = {0}, cameras = {0};
    print_totals(snapshot, &totals);
    print_cameras(snapshot, &cameras);
    if (!totals.failed && !cameras.failed && progress->terminal)
        show_on_terminal(&totals, &cameras);
    else if (!totals.failed && !cameras.failed)
        fprintf(stderr, "%s%s\n", totals.data, cameras.data);
    fflush(stderr);
    progress->shown = true;
    weir_buf_fini(&totals);
    weir_buf_fini(&cameras);
}

void weir_progress_clear(struct weir_progress *progress)
{
    if (progress->terminal && progress->shown)
        fputs("\r\033[J", stderr);
    progress->shown = false;
}
