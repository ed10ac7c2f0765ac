/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} reasons[] = {
#define REASON_ROW(code, text, meaning) [WEIR_REASON_##code] = {text, meaning},
    WEIR_REASONS(REASON_ROW)
#undef REASON_ROW
};

static const struct weir_timings no_timings = {-1, -1, -1, -1, -1};

const char *weir_status_name(enum weir_status status)
{
    static const char *const names[] = {[WEIR_OK] = "ok", [WEIR_DROPPED] = "dropped", [WEIR_FAILED] = "failed"};
    return names[status];
}

const char *weir_reason_name(enum weir_reason reason)
{
    return reasons[reason].name;
}

const char *weir_reason_meaning(enum weir_reason reason)
{
    return reasons[reason].meaning;
}

void weir_result_init(struct weir_result *result)
{
    memset(result, 0, sizeof *result);
    result->timings = no_timings;
}

void weir_result_fini(struct weir_result *result)
{
    free(result->detections);
    free(result->classes);
    free(result->points);
    free(result->embedding);
    weir_result_init(result);
}

static void empty_lists(struct weir_result *result)
{
    result->detection_count = 0;
    result->class_count = 0;
    result->point_count = 0;
    result->embedding_size = 0;
}

void weir_result_clear(struct weir_result *result)
{
    result->status = WEIR_OK;
    result->reason = WEIR_REASON_NONE;
    result->message[0] = '\0';
    result->kind = WEIR_RESULT_DETECTIONS;
    result->image_width = result->image_height = 0;
    result->timings = no_timings;
    result->device[0] = '\0';
    empty_lists(result);
}

/* Room for one more element; the new one is zeroed. NULL when out of memory, the array is then as it was. */
static void *add(void **array, size_t *count, size_t *capacity, size_t element_size)
{
    if (*count == *capacity) {
        size_t more = *capacity == 0 ? 16 : *capacity * 2;
        void *grown = reallocarray(*array, more, element_size);
        if (grown == NULL)
            return NULL;
        *array = grown;
        *capacity = more;
    }
    char *element = (char *)*array + *count * element_size;
    memset(element, 0, element_size);
    (*count)++;
    return element;
}

struct weir_detection *weir_result_add_detection(struct weir_result *result)
{
    void *array = result->detections;
    struct weir_detection *detection =
        add(&array, &result->detection_count, &result->detection_capacity, sizeof *detection);
    result->detections = array;
    return detection;
}

struct weir_class_score *weir_result_add_class(struct weir_result *result)
{
    void *array = result->classes;
    struct weir_class_score *score = add(&array, &result->class_count, &result->class_capacity, sizeof *score);
    result->classes = array;
    return score;
}

struct weir_point *weir_result_add_point(struct weir_result *result)
{
    void *array = result->points;
    struct weir_point *point = add(&array, &result->point_count, &result->point_capacity, sizeof *point);
    result->points = array;
    return point;
}

int weir_result_set_embedding(struct weir_result *result, const float *values, size_t size)
{
    if (size > result->embedding_capacity) {
        float *grown = reallocarray(result->embedding, size, sizeof *grown);
        if (grown == NULL)
            return -ENOMEM;
        result->embedding = grown;
        result->embedding_capacity = size;
    }
    if (size > 0)
        memcpy(result->embedding, values, size * sizeof *values);
    result->embedding_size = size;
    return 0;
}

static int copy_lists(struct weir_result *to, const struct weir_result *from)
{
    for (size_t i = 0; i < from->detection_count; i++) {
        struct weir_detection *detection = weir_result_add_detection(to);
        if (detection == NULL)
            return -ENOMEM;
        *detection = from->detections[i];
    }
    for (size_t i = 0; i < from->class_count; i++) {
        struct weir_class_score *score = weir_result_add_class(to);
        if (score == NULL)
            return -ENOMEM;
        *score = from->classes[i];
    }
    for (size_t i = 0; i < from->point_count; i++) {
        struct weir_point *point = weir_result_add_point(to);
        if (point == NULL)
            return -ENOMEM;
        *point = from->points[i];
    }
    return weir_result_set_embedding(to, from->embedding, from->embedding_size);
}

int weir_result_copy(struct weir_result *to, const struct weir_result *from)
{
    weir_result_clear(to);
    to->status = from->status;
    to->reason = from->reason;
    memcpy(to->message, from->message, sizeof to->message);
    to->kind = from->kind;
    to->image_width = from->image_width;
    to->image_height = from->image_height;
    to->timings = from->timings;
    memcpy(to->device, from->device, sizeof to->device);
    return copy_lists(to, from);
}

void weir_result_drop(struct weir_result *result, enum weir_reason reason)
{
    empty_lists(result);
    result->status = WEIR_DROPPED;
    result->reason = reason;
    result->message[0] = '\0';
}

void weir_result_fail(struct weir_result *result, enum weir_reason reason, const char *format, ...)
{
    empty_lists(result);
    result->status = WEIR_FAILED;
    result->reason = reason;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(result->message, sizeof result->message, format, args);
    va_end(args);
}
