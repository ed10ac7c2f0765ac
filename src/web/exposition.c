/* SPDX-License-Identifier: Apache-2.0 */
#include "web/exposition.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* HELP text and label values escape a backslash and a line feed; label values a double quote too. */
static void escape(struct weir_buf *out, const char *text, bool quotes)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            weir_buf_text(out, "\\\\");
        else if (*text == '\n')
            weir_buf_text(out, "\\n");
        else if (*text == '"' && quotes)
            weir_buf_text(out, "\\\"");
        else
            weir_buf_append(out, text, 1);
    }
}

void weir_exposition_head(struct weir_buf *out, const char *name, const char *type, const char *help)
{
    weir_buf_printf(out, "# HELP %s ", name);
    escape(out, help, false);
    weir_buf_printf(out, "\n# TYPE %s %s\n", name, type);
}

static void write_labels(struct weir_buf *out, const struct weir_label *labels, size_t count)
{
    const char *before = "{";
    for (size_t i = 0; i < count; i++) {
        if (labels[i].name == NULL)
            continue;
        weir_buf_printf(out, "%s%s=\"", before, labels[i].name);
        escape(out, labels[i].value, true);
        weir_buf_text(out, "\"");
        before = ",";
    }
    if (*before == ',')
        weir_buf_text(out, "}");
}

void weir_exposition_sample(struct weir_buf *out, const char *name, const char *suffix,
                            const struct weir_label *labels, size_t label_count, double value)
{
    weir_buf_text(out, name);
    weir_buf_text(out, suffix);
    write_labels(out, labels, label_count);
    if (isfinite(value))
        weir_buf_printf(out, " %.15g\n", value);
    else
        weir_buf_text(out, isnan(value) ? " NaN\n" : value > 0 ? " +Inf\n" : " -Inf\n");
}

void weir_exposition_summary(struct weir_buf *out, const char *name, const struct weir_label *labels,
                             size_t label_count, const struct weir_histogram *histogram)
{
    static const struct {
        const char *text;
        double q;
    } quantiles[] = {{"0.5", 0.5}, {"0.95", 0.95}, {"0.99", 0.99}};
    struct weir_label row[3] = {{0}};
    assert(label_count <= 2);
    if (label_count > 0)
        memcpy(row, labels, label_count * sizeof *labels);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        row[label_count] = (struct weir_label){"quantile", quantiles[i].text};
        weir_exposition_sample(out, name, "", row, label_count + 1,
                               (double)weir_histogram_quantile_ns(histogram, quantiles[i].q) / WEIR_NS_PER_S);
    }
    weir_exposition_sample(out, name, "_sum", labels, label_count, (double)histogram->sum_ns / WEIR_NS_PER_S);
    weir_exposition_sample(out, name, "_count", labels, label_count, (double)histogram->count);
}
