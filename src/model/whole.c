/* SPDX-License-Identifier: Apache-2.0 */

/* Models that speak of the whole picture: a score a class, or a vector to compare. Both have one output [1, N] (or [1, N, 1, 1]), so
 * neither is taken for granted: metadata or the option layout says which. Scores that are no probabilities (outside 0..1, or
 * not adding up to 1) are logits and go through a softmax. */

#include "model/head.h"

#include "model/metadata.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { BEST = 5 };

static bool is_vector(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    const struct weir_shape *shape = &info->outputs[0].shape;
    if (info->output_count != 1 || shape->rank < 2 || shape->dims[1] < 2)
        return false;
    for (int i = 0; i < shape->rank; i++)
        if (i != 1 && shape->dims[i] != 1 && !(i == 0 && shape->dims[i] == WEIR_DIM_DYNAMIC))
            return false;
    spec->outputs[0] = 0;
    spec->classes = (size_t)shape->dims[1];
    return true;
}

static enum weir_match classify_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    const char *task = weir_metadata_find(info, "task");
    if (!is_vector(spec, info))
        return WEIR_MATCH_NO;
    return task != NULL && strcmp(task, "classify") == 0 ? WEIR_MATCH_NAMES : WEIR_MATCH_IF_ASKED;
}

static enum weir_match embed_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    return is_vector(spec, info) ? WEIR_MATCH_IF_ASKED : WEIR_MATCH_NO;
}

/* What turns a value into its probability: exp(value - shift) / sum, or the value itself when sum is 0. */
struct scale {
    float shift, sum;
};

static int scale_of(const float *values, size_t count, struct scale *scale)
{
    float sum = 0, least = values[0], most = values[0];
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return -EDOM;
        sum += values[i];
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    *scale = (struct scale){.shift = most, .sum = 0};
    if (least >= 0 && fabsf(sum - 1) < 0.02F) /* half-precision outputs add up to 1 only roughly */
        return 0;
    for (size_t i = 0; i < count; i++)
        scale->sum += expf(values[i] - most);
    return 0;
}

/* The best that comes after one already taken, in the order of value, then index; count when there is none. */
static size_t next_best(const float *values, size_t count, size_t last)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        bool later = last == count || values[i] < values[last] || (values[i] == values[last] && i > last);
        if (later && (best == count || values[i] > values[best]))
            best = i;
    }
    return best;
}

static int classify(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_result *result)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    const float *values = tensor->data;
    struct scale scale;
    if (weir_tensor_rows(tensor, 1) < spec->classes || scale_of(values, spec->classes, &scale) != 0)
        return -EDOM;
    result->kind = WEIR_RESULT_CLASSES;
    size_t last = spec->classes;
    for (int i = 0; i < BEST && (last = next_best(values, spec->classes, last)) < spec->classes; i++) {
        struct weir_class_score *row = weir_result_add_class(result);
        if (row == NULL)
            return -ENOMEM;
        row->class_index = (int32_t)last;
        row->score = scale.sum > 0 ? expf(values[last] - scale.shift) / scale.sum : values[last];
        weir_labels_copy(&spec->labels, row->class_index, row->label, sizeof row->label);
    }
    return 0;
}

static int embed(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_result *result)
{
    const struct weir_tensor *tensor = &outputs[spec->outputs[0]];
    const float *values = tensor->data;
    double squares = 0;
    if (weir_tensor_rows(tensor, 1) < spec->classes)
        return -EDOM;
    for (size_t i = 0; i < spec->classes; i++)
        squares += (double)values[i] * values[i];
    if (!isfinite(squares) || squares <= 0)
        return -EDOM;
    result->kind = WEIR_RESULT_EMBEDDING;
    if (weir_result_set_embedding(result, values, spec->classes) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < spec->classes; i++)
        result->embedding[i] = (float)(values[i] / sqrt(squares));
    return 0;
}

const struct weir_head weir_head_classify = {
    .name = "classify",
    .title = "classifier",
    .recipe = "stretch rgb 0..1",
    .threshold = 0.25F,
    .nms_iou = 1,
    .kind = WEIR_RESULT_CLASSES,
    .match = classify_match,
    .describe = classify,
};

const struct weir_head weir_head_embed = {
    .name = "embed",
    .title = "embedding",
    .recipe = "stretch bgr 0..255",
    .labels = "none",
    .threshold = 0.25F,
    .nms_iou = 1,
    .kind = WEIR_RESULT_EMBEDDING,
    .match = embed_match,
    .describe = embed,
};
