/* SPDX-License-Identifier: Apache-2.0 */
#include "image/input.h"

#include <math.h>

static int round_side(double side, int limit)
{
    double rounded = floor(side + 0.5);
    if (rounded < 1)
        return 1; /* a picture of 16384 x 1 still needs a row */
    return rounded > limit ? limit : (int)rounded;
}

/* The scale is taken from the rounded size, not from the ratio before rounding: it is what the resize
 * really did, so the corners of the picture come back exactly. */
void weir_placement_compute(const struct weir_input_spec *spec, int source_width, int source_height,
                            struct weir_placement *placement)
{
    double ratio_x = (double)spec->width / source_width, ratio_y = (double)spec->height / source_height;
    int width = spec->width, height = spec->height;
    if (spec->fit == WEIR_FIT_CROP) {
        double ratio = fmax(ratio_x, ratio_y);
        width = (int)fmax(floor(source_width * ratio + 0.5), width);
        height = (int)fmax(floor(source_height * ratio + 0.5), height);
    } else if (spec->fit != WEIR_FIT_STRETCH) {
        double ratio = fmin(ratio_x, ratio_y);
        width = round_side(source_width * ratio, spec->width);
        height = round_side(source_height * ratio, spec->height);
    }
    bool centred = spec->fit == WEIR_FIT_LETTERBOX_CENTRED || spec->fit == WEIR_FIT_CROP;
    *placement = (struct weir_placement){
        .scale_x = (float)((double)width / source_width),
        .scale_y = (float)((double)height / source_height),
        .offset_x = centred ? floorf((float)(spec->width - width) / 2) : 0,
        .offset_y = centred ? floorf((float)(spec->height - height) / 2) : 0,
        .resized_width = width,
        .resized_height = height,
        .source_width = source_width,
        .source_height = source_height,
    };
}

void weir_placement_undo(const struct weir_placement *placement, float box[4])
{
    for (int i = 0; i < 4; i += 2) {
        box[i] = (box[i] - placement->offset_x) / placement->scale_x;
        box[i + 1] = (box[i + 1] - placement->offset_y) / placement->scale_y;
    }
}
