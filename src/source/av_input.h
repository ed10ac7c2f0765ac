/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_SOURCE_AV_INPUT_H
#define WEIR_SOURCE_AV_INPUT_H

/* One opening of a file, an RTSP stream or a device: demuxed and decoded by libav, one frame after the other. Motion JPEG is not
 * decoded here but handed on as it is. A frame that the decoder calls damaged is never handed on as good.
 *
 * Thread-safety: one thread at a time; `interrupted` is asked from inside blocking calls.
 * Ownership: weir_av_input_close frees; frames are the caller's. */

#include "source/source.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_av_input;

struct weir_av_input_params {
    const char *url; /* as libav takes it, credentials inside */
    bool live;       /* begins at a key frame, and its timestamps are not of this machine */
    struct weir_block_pool *pool;
    bool (*interrupted)(void *user); /* true: give up now */
    void *user;
};

enum weir_av_code {
    WEIR_AV_FRAME,   /* *frame is set */
    WEIR_AV_DAMAGED, /* one frame was begun and can't be used; go on */
    WEIR_AV_END,     /* the end of the file or stream */
    WEIR_AV_ERROR,   /* err and reason say what */
};

/* May block. 0, or negative errno; *reason says of which kind. */
int weir_av_input_open(struct weir_av_input **out, const struct weir_av_input_params *params,
                       enum weir_source_reason *reason, struct weir_error *err);
void weir_av_input_close(struct weir_av_input **input);
/* May block. *time_ns: where the frame stands in the recording, from its beginning. */
enum weir_av_code weir_av_input_next(struct weir_av_input *input, struct weir_frame **frame, int64_t *time_ns,
                                     enum weir_source_reason *reason, struct weir_error *err);
/* Back to the beginning. 0 or negative errno. */
int weir_av_input_rewind(struct weir_av_input *input);

#endif
