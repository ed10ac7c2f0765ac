/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_IMAGE_JPEG_SETUP_H
#define WEIR_IMAGE_JPEG_SETUP_H

/* What decoding and encoding share of libjpeg: its header, which wants stdio.h before it, and what its error
 * numbers mean to weir. Only for the jpeg files of this room.
 * Thread-safety: pure. */

#include "image/jpeg.h"

#include <stdio.h>

#include <jpeglib.h>

enum weir_jpeg_code weir_jpeg_code_of(int libjpeg_error);

#endif
