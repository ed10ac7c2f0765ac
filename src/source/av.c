/* SPDX-License-Identifier: Apache-2.0 */

/* Files, RTSP, HLS and devices, by libav. Its calls block, so each such source has a thread of its own. Files end for good; what
 * is live is opened again, after a wait, as HTTP cameras are. */

#include "source/source_private.h"

#include "base/clock.h"
#include "base/thread.h"
#include "source/av_input.h"
#include "source/back_off.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct av_source {
    struct weir_source source;
    struct weir_source_params params; /* texts below */
    struct weir_source_events events;
    void *user;
    char *name, *url;
    bool live;
    struct weir_source_status status; /* the reader's thread */
    struct weir_back_off back_off;
    struct weir_av_input *input; /* opened by open (files) or by the reader */
    pthread_t thread;
    bool started;
    atomic_bool closing;
    atomic_llong give_up_ns; /* deadline of the blocking call under way */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool resumed;
};

static bool starts_with(const char *url, const char *scheme)
{
    return strncasecmp(url, scheme, strlen(scheme)) == 0;
}

static bool av_accepts(const char *url)
{
    const char *query = strchr(url, '?');
    size_t length = query != NULL ? (size_t)(query - url) : strlen(url);
    bool is_playlist = length > 5 && strncasecmp(url + length - 5, ".m3u8", 5) == 0;
    if (starts_with(url, "http://") || starts_with(url, "https://"))
        return is_playlist;
    return starts_with(url, "rtsp://") || starts_with(url, "rtsps://") || starts_with(url, "file:") ||
           strstr(url, "://") == NULL;
}

static bool interrupted(void *user)
{
    struct av_source *av = user;
    return atomic_load(&av->closing) || weir_clock_ns() > atomic_load(&av->give_up_ns);
}

/* Files may take as long as they take; a camera may not. */
static void allow(struct av_source *av, int64_t time_ns)
{
    atomic_store(&av->give_up_ns, av->live ? weir_clock_ns() + time_ns : INT64_MAX);
}

static void enter(struct av_source *av, enum weir_source_state state, enum weir_source_reason reason, const char *detail)
{
    bool news = av->status.reason != reason || (state == WEIR_SOURCE_LIVE && av->status.state != state);
    av->status.state = state;
    av->status.reason = reason;
    av->status.since_ns = weir_clock_ns();
    (void)snprintf(av->status.detail, sizeof av->status.detail, "%s", detail);
    if (news && state == WEIR_SOURCE_LIVE)
        weir_log_info(weir_source_loop_log(av->source.loop), "camera", "%s: live", av->name);
    else if (news && reason != WEIR_SOURCE_REASON_NONE && reason != WEIR_SOURCE_REASON_ENDED)
        weir_log_warn(weir_source_loop_log(av->source.loop), "camera", "%s: %s; %s", av->name, detail,
                      weir_source_reason_advice(reason));
    av->events.status(av->user, &av->status);
}

/* Waits until told to go on, to close, or the time has come. */
static void wait_until(struct av_source *av, int64_t time_ns, bool for_resume)
{
    pthread_mutex_lock(&av->lock);
    while (!atomic_load(&av->closing) && !(for_resume && av->resumed) && weir_clock_ns() < time_ns)
        (void)weir_cond_wait_until(&av->changed, &av->lock, time_ns < weir_clock_ns() + WEIR_NS_PER_S
                                                                ? time_ns : weir_clock_ns() + WEIR_NS_PER_S);
    pthread_mutex_unlock(&av->lock);
}

static void hand_over(struct av_source *av, struct weir_frame *frame)
{
    pthread_mutex_lock(&av->lock);
    av->resumed = false; /* a resume that comes from here on counts */
    pthread_mutex_unlock(&av->lock);
    if (av->events.frame(av->user, frame) == WEIR_SOURCE_PAUSE)
        wait_until(av, INT64_MAX, true);
}

/* One opening from its first frame to its end. */
static enum weir_av_code play(struct av_source *av, enum weir_source_reason *reason, struct weir_error *err)
{
    int64_t began_ns = weir_clock_ns(), time_ns = 0;
    bool first = true;
    for (;;) {
        struct weir_frame *frame = NULL;
        allow(av, first ? av->params.first_frame_timeout_ns : av->params.stall_timeout_ns);
        enum weir_av_code code = weir_av_input_next(av->input, &frame, &time_ns, reason, err);
        if (atomic_load(&av->closing)) {
            weir_frame_unref(&frame);
            return WEIR_AV_END;
        }
        if (code == WEIR_AV_DAMAGED)
            av->events.bad_frame(av->user, WEIR_REASON_CODEC);
        else if (code != WEIR_AV_FRAME)
            return code;
        if (code != WEIR_AV_FRAME)
            continue;
        if (first)
            enter(av, WEIR_SOURCE_LIVE, WEIR_SOURCE_REASON_NONE, "");
        first = false;
        if (av->params.realtime && !av->live) {
            wait_until(av, began_ns + time_ns, false);
            frame->capture_ns = frame->arrival_ns = weir_clock_ns();
            frame->capture_wall_ns = weir_clock_wall_ns();
        }
        hand_over(av, frame);
    }
}

static int open_input(struct av_source *av, enum weir_source_reason *reason, struct weir_error *err)
{
    struct weir_av_input_params params = {
        .url = av->url,
        .live = av->live,
        .pool = weir_source_loop_pool(av->source.loop),
        .interrupted = interrupted,
        .user = av,
    };
    allow(av, av->params.connect_timeout_ns);
    return weir_av_input_open(&av->input, &params, reason, err);
}

static void read_file(struct av_source *av)
{
    enum weir_source_reason reason = WEIR_SOURCE_REASON_ENDED;
    struct weir_error err = {0};
    enum weir_av_code code;
    do
        code = play(av, &reason, &err);
    while (code == WEIR_AV_END && av->params.loop && !atomic_load(&av->closing) && weir_av_input_rewind(av->input) == 0);
    if (!atomic_load(&av->closing))
        enter(av, WEIR_SOURCE_STOPPED, code == WEIR_AV_END ? WEIR_SOURCE_REASON_ENDED : reason, err.text);
}

static void read_live(struct av_source *av)
{
    while (!atomic_load(&av->closing)) {
        enum weir_source_reason reason = WEIR_SOURCE_REASON_ENDED;
        struct weir_error err = {0};
        int64_t began_ns = weir_clock_ns();
        enter(av, WEIR_SOURCE_CONNECTING, av->status.reason, av->status.detail);
        if (open_input(av, &reason, &err) == 0) {
            enter(av, WEIR_SOURCE_WAITING, WEIR_SOURCE_REASON_NONE, "");
            if (play(av, &reason, &err) == WEIR_AV_END)
                (void)snprintf(err.text, sizeof err.text, "the camera closed the stream");
            if (av->status.state == WEIR_SOURCE_LIVE && reason == WEIR_SOURCE_REASON_TIMEOUT)
                reason = WEIR_SOURCE_REASON_STALLED;
            if (av->status.state == WEIR_SOURCE_LIVE)
                weir_back_off_was_live(&av->back_off, weir_clock_ns() - began_ns);
        }
        weir_av_input_close(&av->input);
        if (atomic_load(&av->closing))
            return;
        int64_t wait_ns = weir_back_off_next(&av->back_off, reason, 0, (uint32_t)weir_clock_ns());
        enter(av, WEIR_SOURCE_BACKING_OFF, reason, err.text);
        wait_until(av, weir_clock_ns() + wait_ns, false);
        av->status.reconnects++;
    }
}

static void *run(void *argument)
{
    struct av_source *av = argument;
    if (av->live)
        read_live(av);
    else
        read_file(av);
    weir_av_input_close(&av->input);
    return NULL;
}

static void signal_reader(struct av_source *av, bool resume)
{
    pthread_mutex_lock(&av->lock);
    av->resumed |= resume;
    pthread_cond_broadcast(&av->changed);
    pthread_mutex_unlock(&av->lock);
}

static void stop(struct av_source *av)
{
    atomic_store(&av->closing, true);
    signal_reader(av, false);
    /* Blocking calls ask `interrupted`, so this takes no longer than decoding one frame. */
    if (av->started)
        pthread_join(av->thread, NULL);
    av->started = false;
    weir_av_input_close(&av->input);
    av->source.is_closed = true;
    if (av->status.state != WEIR_SOURCE_STOPPED)
        enter(av, WEIR_SOURCE_STOPPED, WEIR_SOURCE_REASON_NONE, "");
}

static void av_attend(struct weir_source *source, bool resume, bool close)
{
    struct av_source *av = (struct av_source *)source;
    (void)resume;
    if (close)
        stop(av);
    else if (!av->started)
        av->started = weir_thread_start(&av->thread, "reader", run, av) == 0;
}

static void av_resume(struct weir_source *source)
{
    signal_reader((struct av_source *)source, true);
}

static void av_close(struct weir_source *source)
{
    weir_source_post(source, false, true);
}

static void av_free(struct weir_source *source)
{
    struct av_source *av = (struct av_source *)source;
    weir_av_input_close(&av->input);
    pthread_cond_destroy(&av->changed);
    pthread_mutex_destroy(&av->lock);
    free(av->name);
    free(av->url);
    free(av);
}

/* User and password into the address, coded, when they are given apart. */
static char *full_url(const struct weir_source_params *params)
{
    char *text = NULL;
    CURLU *url = curl_url();
    if (params->user_name == NULL || strstr(params->url, "://") == NULL || url == NULL ||
        curl_url_set(url, CURLUPART_URL, params->url, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
        curl_url_cleanup(url);
        return strdup(params->url);
    }
    char *curl_text = NULL;
    if (curl_url_set(url, CURLUPART_USER, params->user_name, CURLU_URLENCODE) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_PASSWORD, params->password != NULL ? params->password : "", CURLU_URLENCODE) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &curl_text, 0) == CURLUE_OK)
        text = strdup(curl_text);
    curl_free(curl_text);
    curl_url_cleanup(url);
    return text;
}

static struct av_source *new_source(const struct weir_source_params *params, const struct weir_source_events *events,
                                    void *user)
{
    struct av_source *av = calloc(1, sizeof *av);
    if (av == NULL)
        return NULL;
    av->params = *params;
    av->events = *events;
    av->user = user;
    av->name = strdup(params->name);
    av->url = full_url(params);
    av->live = weir_source_url_is_live(params->url);
    av->back_off = (struct weir_back_off){.min_ns = params->back_off_min_ns, .max_ns = params->back_off_max_ns};
    pthread_mutex_init(&av->lock, NULL);
    weir_cond_init(&av->changed);
    av->source.attend = av_attend;
    av->source.free = av_free;
    if (av->name == NULL || av->url == NULL) {
        av_free(&av->source);
        return NULL;
    }
    return av;
}

static int av_open(struct weir_source_loop *loop, const struct weir_source_params *params,
                   const struct weir_source_events *events, void *user, struct weir_source **out, struct weir_error *err)
{
    struct av_source *av = new_source(params, events, user);
    if (av == NULL)
        return weir_error_set(err, -ENOMEM, "no memory for a camera");
    enum weir_source_reason reason;
    av->source.ops = &weir_source_av;
    av->source.loop = loop;
    /* A file that can't be played is a mistake of who started us, to be said at once. */
    if (!av->live && open_input(av, &reason, err) != 0) {
        weir_error_prefix(err, "can't play %s", params->url);
        av_free(&av->source);
        return err != NULL ? err->code : -EINVAL;
    }
    *out = &av->source;
    weir_source_loop_add(loop, &av->source);
    return 0;
}

const struct weir_source_ops weir_source_av = {
    .name = "av",
    .accepts = av_accepts,
    .open = av_open,
    .resume = av_resume,
    .close = av_close,
};
