/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_CAMERA_URL_H
#define WEIR_CONFIG_CAMERA_URL_H

/* What can be told from a camera's address before anything connects to it. A password that is written raw
 * makes an address that means something else to each program; such an address is refused here, with advice,
 * so that it does not become a camera that answers 401 for ever.
 *
 * Thread-safety: pure. */

#include "base/buf.h"
#include "base/error.h"

/* err: never holds the address itself, which may hold a password. */
int weir_camera_url_check(const char *url, struct weir_error *err);
/* The address with *** for the password, appended. */
void weir_camera_url_mask(const char *url, struct weir_buf *out);

#endif
