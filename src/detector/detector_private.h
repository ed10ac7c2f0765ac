/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_DETECTOR_DETECTOR_PRIVATE_H
#define WEIR_DETECTOR_DETECTOR_PRIVATE_H

/* What every kind of detector and session begins with: only detector.c and the kinds include this. */

#include "detector/detector.h"

struct weir_detector {
    const struct weir_detector_ops *ops; /* set by weir_detector_open */
};

struct weir_detector_session {
    const struct weir_detector_ops *ops;
};

extern const struct weir_detector_ops weir_detector_local;
extern const struct weir_detector_ops weir_detector_http;

#endif
