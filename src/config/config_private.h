/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_CONFIG_CONFIG_PRIVATE_H
#define WEIR_CONFIG_CONFIG_PRIVATE_H

/* What the YAML reader and the command line share. */

#include "config/config.h"

/* One more camera with the present defaults and neither name nor URL. It belongs to the config even on
 * failure. */
int weir_config_new_camera(struct weir_config *config, struct weir_camera_config **out,
                           struct weir_error *err);
/* Checks name, URL and id, and derives the id when there is none. */
int weir_config_finish_camera(struct weir_camera_config *camera, struct weir_error *err);

#endif
