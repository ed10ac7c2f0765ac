/* SPDX-License-Identifier: Apache-2.0 */
#include "result/event.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* json_real refuses NaN and infinity; they must not turn a result into "out of memory". */
static json_t *real(double value)
{
    return json_real(isfinite(value) ? value : 0);
}

json_t *weir_json_number(double value, double unit)
{
    return real(round(value / unit) * unit);
}

json_t *weir_json_text(const char *bytes)
{
    json_t *value = json_string(bytes);
    if (value != NULL)
        return value;
    char safe[1024];
    size_t n = 0;
    for (; bytes[n] != '\0' && n < sizeof safe - 1; n++)
        safe[n] = (unsigned char)bytes[n] < 0x80 ? bytes[n] : '?';
    safe[n] = '\0';
    return json_string(safe);
}

static json_t *points_json(const struct weir_result *result, const struct weir_detection *detection)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < detection->points; i++) {
        const struct weir_point *p = &result->points[detection->points_at + i];
        json_t *row = json_array();
        json_array_append_new(row, weir_json_number(p->x, 0.01));
        json_array_append_new(row, weir_json_number(p->y, 0.01));
        if (p->score >= 0)
            json_array_append_new(row, weir_json_number(p->score, 0.0001));
        json_array_append_new(list, row);
    }
    return list;
}

json_t *weir_detection_json(const struct weir_result *result, const struct weir_detection *detection)
{
    json_t *box = json_array();
    for (int i = 0; i < 4; i++)
        json_array_append_new(box, weir_json_number(detection->box[i], 0.01));
    json_t *object = json_object();
    json_object_set_new(object, "label", weir_json_text(detection->label));
    json_object_set_new(object, "class", json_integer(detection->class_index));
    json_object_set_new(object, "score", weir_json_number(detection->score, 0.0001));
    json_object_set_new(object, "box", box);
    if (detection->angle != 0)
        json_object_set_new(object, "angle", weir_json_number(detection->angle, 0.0001));
    if (detection->points > 0)
        json_object_set_new(object, "points", points_json(result, detection));
    return object;
}

static json_t *detections_json(const struct weir_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->detection_count; i++)
        json_array_append_new(list, weir_detection_json(result, &result->detections[i]));
    return list;
}

static json_t *classes_json(const struct weir_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->class_count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "label", weir_json_text(result->classes[i].label));
        json_object_set_new(row, "class", json_integer(result->classes[i].class_index));
        json_object_set_new(row, "score", weir_json_number(result->classes[i].score, 0.0001));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *embedding_json(const struct weir_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->embedding_size; i++)
        json_array_append_new(list, real(result->embedding[i]));
    return list;
}

static json_t *timings_json(const struct weir_timings *timings)
{
    const struct {
        const char *key;
        int64_t ns;
    } rows[] = {
        {"queueMs", timings->queue_ns},         {"decodeMs", timings->decode_ns},
        {"preMs", timings->preprocess_ns},      {"inferenceMs", timings->inference_ns},
        {"postMs", timings->postprocess_ns},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].ns >= 0)
            json_object_set_new(object, rows[i].key, weir_json_number((double)rows[i].ns / WEIR_NS_PER_MS, 0.001));
    return object;
}

int weir_result_to_json(const struct weir_result *result, json_t *object)
{
    int code = json_object_set_new(object, "status", json_string(weir_status_name(result->status)));
    if (result->reason != WEIR_REASON_NONE)
        code |= json_object_set_new(object, "reason", json_string(weir_reason_name(result->reason)));
    if (result->message[0] != '\0')
        code |= json_object_set_new(object, "message", weir_json_text(result->message));
    if (result->image_width > 0) {
        code |= json_object_set_new(object, "width", json_integer(result->image_width));
        code |= json_object_set_new(object, "height", json_integer(result->image_height));
    }
    if (result->status == WEIR_OK && result->kind == WEIR_RESULT_DETECTIONS)
        code |= json_object_set_new(object, "detections", detections_json(result));
    if (result->status == WEIR_OK && result->kind == WEIR_RESULT_CLASSES)
        code |= json_object_set_new(object, "classes", classes_json(result));
    if (result->status == WEIR_OK && result->kind == WEIR_RESULT_EMBEDDING)
        code |= json_object_set_new(object, "embedding", embedding_json(result));
    code |= json_object_set_new(object, "timings", timings_json(&result->timings));
    if (result->device[0] != '\0')
        code |= json_object_set_new(object, "device", weir_json_text(result->device));
    return code == 0 ? 0 : -ENOMEM;
}

static int refuse(char *message, size_t message_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(char *message, size_t message_size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, message_size, format, args);
    va_end(args);
    return -EINVAL;
}

static bool read_box(const json_t *box, float out[4])
{
    if (!json_is_array(box) || json_array_size(box) != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *value = json_array_get(box, i);
        if (!json_is_number(value))
            return false;
        out[i] = (float)json_number_value(value);
        if (!isfinite(out[i]))
            return false;
    }
    return true;
}

/* The label is "label"; some services say it under "class" and give no index. */
static void read_label(const json_t *row, struct weir_detection *detection)
{
    const json_t *index = json_object_get(row, "class");
    const char *label = json_string_value(json_object_get(row, "label"));
    if (label == NULL)
        label = json_string_value(index);
    json_int_t number = json_is_integer(index) ? json_integer_value(index) : -1;
    detection->class_index = number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
    if (label != NULL)
        (void)snprintf(detection->label, sizeof detection->label, "%s", label);
    else
        (void)snprintf(detection->label, sizeof detection->label, "class_%d", (int)detection->class_index);
}

int weir_result_from_json(struct weir_result *result, const json_t *object, char *message, size_t message_size)
{
    const json_t *list = json_object_get(object, "detections");
    if (!json_is_array(list))
        return refuse(message, message_size, "expected an object with a list \"detections\"");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        float box[4];
        const json_t *score = json_object_get(row, "score");
        if (!read_box(json_object_get(row, "box"), box))
            return refuse(message, message_size, "detections[%zu].box: expected 4 numbers", i);
        if (!json_is_number(score) || !(json_number_value(score) >= 0 && json_number_value(score) <= 1))
            return refuse(message, message_size, "detections[%zu].score: expected a number from 0 to 1", i);
        struct weir_detection *detection = weir_result_add_detection(result);
        if (detection == NULL)
            return refuse(message, message_size, "out of memory for %zu detections", json_array_size(list));
        memcpy(detection->box, box, sizeof box);
        detection->score = (float)json_number_value(score);
        read_label(row, detection);
    }
    return 0;
}

static int append_chunk(const char *bytes, size_t size, void *buf)
{
    weir_buf_append(buf, bytes, size);
    return ((struct weir_buf *)buf)->failed ? -1 : 0;
}

int weir_json_write(const json_t *value, struct weir_buf *out)
{
    return json_dump_callback(value, append_chunk, out, JSON_COMPACT | JSON_REAL_PRECISION(7) | JSON_ENCODE_ANY) == 0
               ? 0
               : -ENOMEM;
}

static json_t *age_ms(const struct weir_event *event, int64_t at_ns)
{
    return weir_json_number((double)(at_ns - event->capture_ns) / WEIR_NS_PER_MS, 0.001);
}

int weir_event_write_json(const struct weir_event *event, struct weir_buf *out)
{
    char captured[WEIR_CLOCK_TEXT_MAX];
    json_t *object = json_object();
    if (object == NULL)
        return -ENOMEM;
    int code = json_object_set_new(object, "camera", weir_json_text(event->camera_name));
    code |= json_object_set_new(object, "id", weir_json_text(event->camera_id));
    code |= json_object_set_new(object, "sequence", json_integer((json_int_t)event->sequence));
    code |= json_object_set_new(object, "captured",
                                json_string(weir_clock_wall_text(event->capture_wall_ns, captured)));
    code |= weir_result_to_json(&event->result, object);
    if (event->published_ns > 0)
        code |= json_object_set_new(object, "ageMs", age_ms(event, event->published_ns));
    if (code == 0)
        code = weir_json_write(object, out);
    weir_buf_text(out, "\n");
    json_decref(object);
    return code == 0 && !out->failed ? 0 : -ENOMEM;
}
