/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/bottleneck.h"

const char *weir_bottleneck_name(const struct weir_bottleneck_input *input)
{
    /* From the end of the line to its beginning: a full stage makes all before it look busy. */
    if (input->publish_fill >= 0.9)
        return "publish";
    if (input->workers_busy >= 0.9 || (input->drop_fraction >= 0.02 && input->workers_busy >= 0.75))
        return input->decode_share > 0.5 ? "decode" : "inference";
    if (input->cameras > 0 && input->cameras_live == 0)
        return "cameras";
    return "none";
}
