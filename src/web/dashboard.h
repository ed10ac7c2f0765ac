/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_DASHBOARD_H
#define WEIR_WEB_DASHBOARD_H

/* The web side of `weir run`: the page, /api/v1, /metrics, /healthz (docs/api.md). It only ever reads: a
 * viewer can't change what runs, and the pipeline never waits for a viewer.
 *
 * Thread-safety: start and stop from the owner's thread.
 * Ownership: the pipeline stays the caller's and outlives the dashboard. */

#include "base/error.h"
#include "base/log.h"
#include "pipeline/pipeline.h"

struct weir_dashboard;

/* address: "HOST:PORT", see web/listener.h. */
int weir_dashboard_start(struct weir_dashboard **out, const char *address, struct weir_pipeline *pipeline,
                         struct weir_log *log, struct weir_error *err);
void weir_dashboard_stop(struct weir_dashboard **dashboard);
const char *weir_dashboard_url(const struct weir_dashboard *dashboard); /* "http://127.0.0.1:8089/" */

#endif
