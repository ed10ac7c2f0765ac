/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/thread.h"
#include "publish/sink.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct weir_event event = {.camera_id = "front", .camera_name = "front", .sequence = 1};

static void each_event_is_a_line_at_the_end_of_the_file(void **state)
{
    (void)state;
    char path[] = "/tmp/weir-jsonl-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "old\n", 4), 4);
    close(fd);
    struct weir_sink *sink;
    assert_int_equal(weir_sink_open(&weir_sink_jsonl, path, NULL, &sink, NULL), 0);
    assert_int_equal(weir_sink_write(sink, &event, NULL), 0);
    assert_int_equal(weir_sink_write(sink, &event, NULL), 0);
    assert_int_equal(weir_sink_close(&sink, NULL), 0);
    struct weir_buf text = {0};
    assert_int_equal(weir_buf_read_file(&text, path, 10000), 0);
    assert_memory_equal(text.data, "old\n{\"camera\":\"front\"", 21);
    int lines = 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    assert_int_equal(lines, 3);
    weir_buf_fini(&text);
    unlink(path);
}

static void a_place_that_can_not_be_written_is_named(void **state)
{
    (void)state;
    struct weir_sink *sink;
    struct weir_error err = {0};
    assert_int_equal(weir_sink_open(&weir_sink_jsonl, "/nowhere/out.jsonl", NULL, &sink, &err), -ENOENT);
    assert_null(sink);
    assert_non_null(strstr(err.text, "/nowhere/out.jsonl"));
}

static void a_full_disk_is_an_error_of_its_event(void **state)
{
    (void)state;
    struct weir_sink *sink;
    struct weir_error err = {0};
    assert_int_equal(weir_sink_open(&weir_sink_jsonl, "/dev/full", NULL, &sink, &err), 0);
    assert_int_equal(weir_sink_write(sink, &event, &err), -ENOSPC);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_int_equal(weir_sink_close(&sink, NULL), 0);
}

static void *write_until_it_fails(void *argument)
{
    int code;
    do
        code = weir_sink_write(argument, &event, NULL);
    while (code == 0);
    return (void *)(intptr_t)code;
}

static void an_interrupt_frees_a_writer_from_a_reader_that_does_not_read(void **state)
{
    (void)state;
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/weir-jsonl-fifo-%d", (int)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct weir_sink *sink;
    assert_int_equal(weir_sink_open(&weir_sink_jsonl, path, NULL, &sink, NULL), 0);
    pthread_t thread;
    assert_int_equal(weir_thread_start(&thread, "writer", write_until_it_fails, sink), 0);
    weir_sink_interrupt(sink);
    void *code;
    pthread_join(thread, &code);
    assert_int_equal((intptr_t)code, -ECANCELED);
    assert_int_equal(weir_sink_close(&sink, NULL), 0);
    close(reader);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_is_a_line_at_the_end_of_the_file),
        cmocka_unit_test(a_place_that_can_not_be_written_is_named),
        cmocka_unit_test(a_full_disk_is_an_error_of_its_event),
        cmocka_unit_test(an_interrupt_frees_a_writer_from_a_reader_that_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
