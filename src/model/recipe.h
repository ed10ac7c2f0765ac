/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_MODEL_RECIPE_H
#define WEIR_MODEL_RECIPE_H

/* How a model wants its pixels, in a few words: "letterbox-tl bgr 0..255".
 *
 *   fit       stretch | letterbox | letterbox-tl | crop     (letterbox is centred, -tl is top-left)
 *   order     rgb | bgr | gray
 *   range     0..255 | 0..1 | -1..1 | imagenet               (imagenet: its mean and deviation, values 0..255)
 *   mean=A,B,C std=A,B,C   own numbers, in the model's channel order, of values 0..255; one number counts for all
 *   pad=N     0 to 255, of a letterbox
 *   WxH       input size, where the model leaves it open
 *
 * Words that are not given leave the spec as it is. Thread-safety: pure. */

#include "base/error.h"
#include "image/input.h"

#include <stddef.h>

/* -EINVAL names the word that was not understood and the words there are. */
int weir_recipe_parse(struct weir_input_spec *spec, const char *words, struct weir_error *err);
#define WEIR_RECIPE_TEXT_MAX 192
/* The words for a spec, "letterbox-tl bgr 0..255 pad=114"; returns text. */
char *weir_recipe_text(const struct weir_input_spec *spec, char *text);

#endif
