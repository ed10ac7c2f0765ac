/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int weir_session_info_init(struct weir_session_info *info, size_t inputs, size_t outputs, struct weir_error *err)
{
    if (inputs > WEIR_RUNTIME_IO_MAX || outputs > WEIR_RUNTIME_IO_MAX)
        return weir_error_set(err, -ENOTSUP, "the model has %zu inputs and %zu outputs, at most %d of each are supported",
                              inputs, outputs, WEIR_RUNTIME_IO_MAX);
    info->inputs = calloc(inputs + 1, sizeof *info->inputs);
    info->outputs = calloc(outputs + 1, sizeof *info->outputs);
    if (info->inputs == NULL || info->outputs == NULL)
        return weir_error_set(err, -ENOMEM, "no memory to describe the model");
    info->input_count = inputs;
    info->output_count = outputs;
    return 0;
}

static void free_ios(struct weir_io_info *ios, size_t count)
{
    for (size_t i = 0; ios != NULL && i < count; i++) {
        free(ios[i].name);
        for (int d = 0; d < WEIR_TENSOR_RANK_MAX; d++)
            free(ios[i].dim_names[d]);
    }
    free(ios);
}

void weir_session_info_fini(struct weir_session_info *info)
{
    free_ios(info->inputs, info->input_count);
    free_ios(info->outputs, info->output_count);
    for (size_t i = 0; i < info->metadata_count; i++) {
        free(info->metadata[i].key);
        free(info->metadata[i].value);
    }
    free(info->metadata);
    memset(info, 0, sizeof *info);
}

enum weir_dtype weir_dtype_from_native(const int native[WEIR_DTYPE_I64 + 1], int value)
{
    for (int dtype = WEIR_DTYPE_NONE + 1; dtype <= WEIR_DTYPE_I64; dtype++)
        if (native[dtype] == value)
            return (enum weir_dtype)dtype;
    return WEIR_DTYPE_NONE;
}

int weir_io_check_shape(const struct weir_io_info *io, const struct weir_shape *given, struct weir_error *err)
{
    bool fits = io->shape.rank == given->rank;
    for (int i = 0; fits && i < given->rank; i++)
        fits = given->dims[i] >= 0 && (io->shape.dims[i] == WEIR_DIM_DYNAMIC || io->shape.dims[i] == given->dims[i]);
    if (fits)
        return 0;
    char expected[WEIR_SHAPE_TEXT_MAX], found[WEIR_SHAPE_TEXT_MAX];
    return weir_error_set(err, -EINVAL, "input %s: expected shape %s, found %s", io->name,
                          weir_shape_text(&io->shape, expected), weir_shape_text(given, found));
}
