/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H

/* A loaded model (shared) and a worker (one thread's tools to run it): picture in, result out.
 *
 * Thread-safety: a loaded model is immutable and may be used by any number of workers; a worker belongs to
 * one thread.
 * Ownership: workers are freed before their model. */

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "image/input.h"
#include "image/jpeg.h"
#include "weir/result.h"

#include <math.h>
#include <stddef.h>

struct weir_model_params {
    const char *path;        /* NULL with runtime "null" */
    const char *runtime;     /* "auto", "onnxruntime", "openvino", "null" */
    const char *runtime_library; /* or NULL: search */
    const char *device;      /* NULL: the runtime's rule */
    bool require_device;
    int workers;             /* that will run at the same time, >= 1 */
    const char *labels;      /* label file, "coco", "none", or NULL: from the model */
    float threshold;         /* 0 to 1; NAN: the model family's default */
    float nms_iou;           /* 0 to 1; NAN: the model family's default */
    const char *layout;      /* head: "yolox", "ssd", ...; NULL: found from metadata and shapes */
    const char *recipe;      /* input recipe by name or words ("letterbox bgr 0..255"); NULL: found */
    int64_t null_run_ns;     /* runtime "null": how long a run takes */
    struct weir_jpeg_params jpeg;
};
#define WEIR_MODEL_PARAMS_DEFAULT                                                                            \
    {.runtime = "auto", .workers = 1, .threshold = NAN, .nms_iou = NAN, .jpeg = WEIR_JPEG_PARAMS_DEFAULT}

struct weir_model;
int weir_model_load(struct weir_model **out, const struct weir_model_params *params, struct weir_log *log,
                    struct weir_error *err);
void weir_model_free(struct weir_model **model);
/* "ssd_mobilenetv2_oidv4_fp16 (ssd) on OpenVINO 2026.4.1, CPU": for people. */
const char *weir_model_summary(const struct weir_model *model);

/* Lines of what was found, from where, and what was assumed: for people. Appended to text. */
void weir_model_describe(const struct weir_model *model, struct weir_buf *text);

struct weir_worker;
int weir_worker_new(struct weir_worker **out, struct weir_model *model, struct weir_error *err);
void weir_worker_free(struct weir_worker **worker);

/* Looks at one picture. The outcome, good or bad, is in result (cleared first); decode, preprocess,
 * inference and postprocess times are set. */
void weir_worker_detect_jpeg(struct weir_worker *worker, const void *bytes, size_t size, struct weir_result *result);
void weir_worker_detect_image(struct weir_worker *worker, const struct weir_image *image,
                              const struct weir_region *region, struct weir_result *result);

#endif
