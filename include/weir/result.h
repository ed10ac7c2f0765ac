/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RESULT_H
#define WEIR_RESULT_H

/* What became of one frame or request. The status is explicit: an empty list under WEIR_OK means
 * "nothing there" and nothing else; a frame that was not looked at is DROPPED or FAILED with a reason.
 *
 * Thread-safety: a result belongs to one owner at a time.
 * Ownership: weir_result_init/fini on the caller's storage; the arrays belong to the result and are
 * reused by weir_result_clear. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

enum weir_status {
    WEIR_OK,      /* looked at; the lists below say what was seen */
    WEIR_DROPPED, /* given up on purpose, unseen; reason says why */
    WEIR_FAILED,  /* could not be looked at or handed on; reason and message say why */
};

/* One row a reason: code name, the stable text that every output uses, what it means. The texts are
 * part of the formats that weir writes: they are added to, never changed. */
#define WEIR_REASONS(row)                                                                                    \
    row(NONE, "none", "no reason: the frame is fine")                                                        \
    /* dropped */                                                                                            \
    row(SUPERSEDED, "superseded", "a newer frame of the same camera took its place")                        \
    row(QUEUE_FULL, "queue_full", "the bounded queue was full")                                              \
    row(SHUTDOWN, "shutdown", "still waiting when the program was told to stop at once")                     \
    row(EXPIRED, "expired", "waited longer than its deadline")                                               \
    row(EVICTED, "evicted", "the oldest waiting request made room for a newer one")                          \
    row(CANCELLED, "cancelled", "its sender took it back")                                                   \
    row(REMOVED, "removed", "its camera or model was taken away")                                            \
    /* failed: the picture */                                                                                \
    row(JPEG_TRUNCATED, "jpeg_truncated", "the JPEG ends before its picture is complete")                   \
    row(JPEG_INVALID, "jpeg_invalid", "not a JPEG, or a broken one")                                         \
    row(JPEG_UNSUPPORTED, "jpeg_unsupported", "a kind of JPEG that is not decoded (12 bit, lossless, ...)") \
    row(IMAGE_INVALID, "image_invalid", "raw pixels whose size and dimensions disagree")                    \
    row(TOO_LARGE, "too_large", "more bytes or pixels than the limit allows")                               \
    row(CODEC, "codec", "the video decoder refused it")                                                      \
    /* failed: the detector */                                                                               \
    row(MODEL_NOT_LOADED, "model_not_loaded", "no such model, or it failed to load")                        \
    row(INFERENCE_FAILED, "inference_failed", "the runtime reported an error")                              \
    row(INFERENCE_TIMEOUT, "inference_timeout", "the runtime did not answer in time")                       \
    row(MODEL_OUTPUT_SUSPECT, "model_output_suspect", "the model's numbers can't be true (NaN, scores over 1, ...)") \
    row(DETECTOR_UNREACHABLE, "detector_unreachable", "the detector service can't be reached")              \
    row(DETECTOR_TIMEOUT, "detector_timeout", "the detector service did not answer in time")                \
    row(DETECTOR_ERROR, "detector_error", "the detector service answered with an error or nonsense")        \
    row(DETECTOR_CRASHED, "detector_crashed", "the detector process ended while it held the frame")         \
    row(OUT_OF_MEMORY, "out_of_memory", "no memory for it")                                                  \
    row(INVALID_REQUEST, "invalid_request", "the request breaks the protocol")                              \
    /* failed: handing on */                                                                                 \
    row(SINK_FAILED, "sink_failed", "the result could not be written to its destination")

enum weir_reason {
#define WEIR_REASON_ENUM(code, text, meaning) WEIR_REASON_##code,
    WEIR_REASONS(WEIR_REASON_ENUM)
#undef WEIR_REASON_ENUM
    WEIR_REASON_COUNT
};

#define WEIR_LABEL_MAX 64 /* bytes of a label with its NUL; longer ones are cut when they are loaded */

struct weir_point {
    float x, y;  /* source pixels */
    float score; /* 0 to 1, or -1 when the model gives none */
};

struct weir_detection {
    int32_t class_index;        /* as the model numbers them */
    float score;                /* 0 to 1 */
    float box[4];               /* x1, y1, x2, y2 in source pixels; x2 and y2 are exclusive edges */
    float angle;                /* radians, oriented boxes only; else 0 */
    uint32_t points_at, points; /* landmarks or keypoints: points[points_at .. points_at + points) of the result */
    char label[WEIR_LABEL_MAX]; /* UTF-8; "class_7" when the model has no name for it */
};

struct weir_class_score {
    int32_t class_index;
    float score;
    char label[WEIR_LABEL_MAX];
};

enum weir_result_kind {
    WEIR_RESULT_DETECTIONS,
    WEIR_RESULT_CLASSES,   /* a classifier: classes, best first */
    WEIR_RESULT_EMBEDDING, /* a vector, L2-normalised */
};

/* Durations of the steps, ns; -1 when a step did not happen. */
struct weir_timings {
    int64_t queue_ns;     /* waited for a worker */
    int64_t decode_ns;    /* JPEG or video to planes */
    int64_t preprocess_ns;/* scale, colour, tensor */
    int64_t inference_ns; /* inside the runtime, or the detector service's whole answer */
    int64_t postprocess_ns;
};

#define WEIR_MESSAGE_MAX 256

struct weir_result {
    enum weir_status status;
    enum weir_reason reason;
    char message[WEIR_MESSAGE_MAX]; /* one sentence when FAILED; else empty */

    enum weir_result_kind kind;
    struct weir_detection *detections; /* best first */
    size_t detection_count, detection_capacity;
    struct weir_class_score *classes;
    size_t class_count, class_capacity;
    struct weir_point *points;
    size_t point_count, point_capacity;
    float *embedding;
    size_t embedding_size, embedding_capacity;

    int32_t image_width, image_height; /* of the source picture, pixels; 0 when unknown */
    struct weir_timings timings;
    char device[32]; /* the device that really ran, when it is not the one asked for; else empty */
};

WEIR_API void weir_result_init(struct weir_result *result);
WEIR_API void weir_result_fini(struct weir_result *result);
/* As after init, but the arrays keep their memory. */
WEIR_API void weir_result_clear(struct weir_result *result);

/* A copy of everything; `to` was initialised. 0 or -ENOMEM (then `to` is to be cleared). */
WEIR_API int weir_result_copy(struct weir_result *to, const struct weir_result *from);

/* The next free detection, zeroed, or NULL when out of memory. */
WEIR_API struct weir_detection *weir_result_add_detection(struct weir_result *result);
WEIR_API struct weir_class_score *weir_result_add_class(struct weir_result *result);
WEIR_API struct weir_point *weir_result_add_point(struct weir_result *result);
/* Makes room for `size` values in embedding and sets embedding_size. 0 or -ENOMEM. */
WEIR_API int weir_result_set_embedding(struct weir_result *result, const float *values, size_t size);

/* Sets status, reason and message and empties the lists. */
WEIR_API void weir_result_drop(struct weir_result *result, enum weir_reason reason);
WEIR_API void weir_result_fail(struct weir_result *result, enum weir_reason reason, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

WEIR_API const char *weir_status_name(enum weir_status status);  /* "ok", "dropped", "failed" */
WEIR_API const char *weir_reason_name(enum weir_reason reason);  /* "superseded", ... */
WEIR_API const char *weir_reason_meaning(enum weir_reason reason);

#ifdef __cplusplus
}
#endif

#endif
