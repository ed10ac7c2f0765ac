/* SPDX-License-Identifier: Apache-2.0 */

/* The four outputs of TensorFlow's object-detection API and of TFLite's detection post-processing: boxes [1, N, 4] as
 * ymin, xmin, ymax, xmax (parts of the input), scores [1, N], classes [1, N], how many count [1]. Scores and classes have equal
 * shapes: their names tell them apart, and without telling names the model is refused. Class numbers are the model's own: in the
 * API's COCO models they start at 1 and have gaps, which a label file of "INDEX NAME" lines follows. */

#include "model/head.h"

#include <math.h>
#include <string.h>

enum { BOXES, CLASSES, SCORES, COUNT, OUTPUTS };

/* TFLite's operator names its outputs by one name and a number. */
static int find_numbered(const struct weir_session_info *info, int number)
{
    static const char base[] = "TFLite_Detection_PostProcess";
    for (size_t i = 0; i < info->output_count; i++) {
        const char *name = info->outputs[i].name;
        if (strncmp(name, base, sizeof base - 1) != 0)
            continue;
        const char *rest = name + sizeof base - 1;
        if (number == 0 ? rest[0] == '\0' : rest[0] == ':' && rest[1] == '0' + number && rest[2] == '\0')
            return (int)i;
    }
    return -1;
}

static bool find_outputs(const struct weir_session_info *info, int found[OUTPUTS])
{
    static const char *const parts[OUTPUTS] = {"boxes", "classes", "scores", "num"};
    bool all = true;
    for (int i = 0; i < OUTPUTS; i++) {
        found[i] = find_numbered(info, i);
        if (found[i] < 0)
            found[i] = weir_find_output(info, parts[i]);
        all = all && found[i] >= 0;
    }
    return all;
}

static enum weir_match tf_match(struct weir_model_spec *spec, const struct weir_session_info *info)
{
    int found[OUTPUTS];
    if (info->output_count != OUTPUTS || !find_outputs(info, found) ||
        !weir_shape_is_map(&info->outputs[found[BOXES]].shape, -1, 4))
        return WEIR_MATCH_NO;
    for (int i = 0; i < OUTPUTS; i++)
        spec->outputs[i] = (size_t)found[i];
    spec->classes = 0;
    return WEIR_MATCH_NAMES;
}

static size_t count_rows(const struct weir_model_spec *spec, const struct weir_tensor *outputs)
{
    const struct weir_tensor *count = &outputs[spec->outputs[COUNT]];
    size_t rows = weir_tensor_rows(&outputs[spec->outputs[BOXES]], 4);
    for (int i = CLASSES; i <= SCORES; i++)
        if (weir_tensor_rows(&outputs[spec->outputs[i]], 1) < rows)
            rows = weir_tensor_rows(&outputs[spec->outputs[i]], 1);
    if (weir_tensor_rows(count, 1) == 0)
        return 0;
    float said = *(const float *)count->data;
    return said >= 0 && said < (float)rows ? (size_t)said : said < 0 ? 0 : rows;
}

static int tf_decode(const struct weir_model_spec *spec, const struct weir_tensor *outputs, struct weir_box_list *boxes)
{
    const float *v = outputs[spec->outputs[BOXES]].data, *classes = outputs[spec->outputs[CLASSES]].data;
    const float *scores = outputs[spec->outputs[SCORES]].data;
    size_t rows = count_rows(spec, outputs);
    float width = (float)spec->input.width, height = (float)spec->input.height;
    int code = 0;
    for (size_t row = 0; code == 0 && row < rows; row++, v += 4) {
        const float box[4] = {v[1] * width, v[0] * height, v[3] * width, v[2] * height};
        if (!(scores[row] < spec->threshold))
            code = weir_head_add_classed(boxes, box, scores[row], classes[row], (uint32_t)row);
    }
    return code;
}

const struct weir_head weir_head_tf = {
    .name = "tf",
    .title = "TensorFlow detection",
    .recipe = "stretch rgb 0..255",
    .threshold = 0.5F,
    .nms_iou = 1,
    .match = tf_match,
    .decode = tf_decode,
};
