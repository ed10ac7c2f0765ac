/* SPDX-License-Identifier: Apache-2.0 */
#include "image/jpeg_setup.h"

#include <jerror.h>

enum weir_jpeg_code weir_jpeg_code_of(int libjpeg_error)
{
    switch (libjpeg_error) {
    case JERR_OUT_OF_MEMORY:
        return WEIR_JPEG_NO_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return WEIR_JPEG_TOO_LARGE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return WEIR_JPEG_UNSUPPORTED;
    default:
        return WEIR_JPEG_INVALID;
    }
}
