/* SPDX-License-Identifier: Apache-2.0 */

/* What every runtime must do alike. Models are the shared test data's; null has its own. */

#include "runtime/runtime.h"

#include "shared.h"
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    const struct weir_runtime_ops *ops;
    struct weir_runtime *runtime;
    char model[PATH_MAX];
};

static bool set_up(struct fixture *f, const char *name)
{
    struct weir_runtime_params params = {0};
    struct weir_error err = {0};
    f->ops = weir_runtime_find(name);
    assert_non_null(f->ops);
    if (f->ops->needs_library && !shared_path(f->model, "models/yolox_nano_416.onnx"))
        return false;
    int code = f->ops->open(&f->runtime, &params, NULL, &err);
    if (code != 0)
        printf("# skipped: %s\n", err.text);
    return code == 0;
}

static struct weir_session *load(struct fixture *f, const char *path, struct weir_error *err)
{
    struct weir_load_params params = {.path = path, .workers = 2, .threads_per_worker = 1, .precision = NULL};
    struct weir_session *session = NULL;
    int code = f->ops->session_new(f->runtime, &params, &session, err);
    assert_int_equal(code == 0, session != NULL);
    return session;
}

static void a_model_is_described_and_runs(struct fixture *f)
{
    struct weir_error err = {0};
    struct weir_session *session = load(f, f->model, &err);
    if (session == NULL)
        fail_msg("%s", err.text);
    const struct weir_session_info *info = f->ops->session_info(session);
    assert_int_equal(info->input_count, 1);
    assert_int_equal(info->output_count, 1);
    assert_string_equal(info->inputs[0].name, "images");
    assert_int_equal(info->inputs[0].dtype, WEIR_DTYPE_F32);
    assert_int_equal(info->inputs[0].shape.rank, 4);
    assert_true(info->device_used[0] != '\0');

    struct weir_request *request;
    struct weir_tensor input, again, output;
    assert_int_equal(f->ops->request_new(session, &request, &err), 0);
    assert_int_equal(f->ops->input(request, 0, &info->inputs[0].shape, &input, &err), 0);
    size_t count;
    assert_true(weir_shape_count(&input.shape, sizeof(float), &count));
    assert_int_equal(input.size, count * sizeof(float));
    assert_int_equal(f->ops->input(request, 0, &info->inputs[0].shape, &again, &err), 0);
    assert_ptr_equal(input.data, again.data); /* the same memory, so that what is constant is written once */
    for (int run = 0; run < 2; run++) {
        assert_int_equal(f->ops->run(request, &err), 0);
        assert_int_equal(f->ops->output(request, 0, &output, &err), 0);
        assert_int_equal(output.dtype, WEIR_DTYPE_F32);
        assert_true(weir_shape_count(&output.shape, sizeof(float), &count));
        assert_int_equal(output.size, count * sizeof(float));
        for (size_t i = 0; i < count; i++)
            assert_true(isfinite(((float *)output.data)[i]));
    }
    f->ops->request_free(request);
    f->ops->session_free(session);
}

static void a_wrong_shape_is_refused_by_name(struct fixture *f)
{
    struct weir_error err = {0};
    struct weir_session *session = load(f, f->model, &err);
    struct weir_request *request;
    struct weir_tensor input;
    assert_int_equal(f->ops->request_new(session, &request, &err), 0);
    struct weir_shape wrong = {4, {1, 3, 17, 17}};
    assert_true(f->ops->input(request, 0, &wrong, &input, &err) < 0);
    assert_non_null(strstr(err.text, "[1, 3, 17, 17]"));
    wrong.rank = 3;
    assert_true(f->ops->input(request, 0, &wrong, &input, &err) < 0);
    f->ops->request_free(request);
    f->ops->session_free(session);
}

/* The bytes of a model are not enough of them, or not a model's. */
static void a_broken_file_is_refused(struct fixture *f)
{
    char path[] = "/tmp/weir-broken-XXXXXX.onnx";
    int fd = mkstemps(path, 5);
    struct weir_error err = {0};
    assert_true(fd >= 0);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(write(fd, &(char){(char)(i * 37)}, 1), 1);
    close(fd);
    assert_null(load(f, path, &err));
    assert_non_null(strstr(err.text, path));
    assert_null(strchr(err.text, '\n'));
    unlink(path);
    memset(&err, 0, sizeof err);
    assert_null(load(f, "/nowhere/model.onnx", &err));
    assert_non_null(strstr(err.text, "/nowhere/model.onnx"));
}

static void loading_again_and_again(struct fixture *f)
{
    for (int i = 0; i < 5; i++) {
        struct weir_error err = {0};
        struct weir_session *session = load(f, f->model, &err);
        assert_non_null(session);
        f->ops->session_free(session);
    }
}

static void suite(const char *name)
{
    struct fixture f = {0};
    if (!set_up(&f, name))
        return;
    a_model_is_described_and_runs(&f);
    a_wrong_shape_is_refused_by_name(&f);
    if (f.ops->needs_library)
        a_broken_file_is_refused(&f);
    loading_again_and_again(&f);
    struct weir_runtime_device devices[8];
    assert_true(f.ops->devices(f.runtime, devices, 8) >= 1);
    assert_true(f.ops->version(f.runtime)[0] != '\0');
    f.ops->close(f.runtime);
}

static void null_conforms(void **state)
{
    (void)state;
    suite("null");
}

static void onnxruntime_conforms(void **state)
{
    (void)state;
    suite("onnxruntime");
}

static void openvino_conforms(void **state)
{
    (void)state;
    suite("openvino");
}

static void auto_says_what_it_tried(void **state)
{
    (void)state;
    const struct weir_runtime_ops *ops;
    struct weir_runtime *runtime;
    struct weir_error err = {0};
    struct weir_runtime_params params = {.library = "/nowhere/libnothing.so"};
    char path[PATH_MAX];
    if (!shared_path(path, "models/yolox_nano_416.onnx"))
        return;
    assert_int_equal(weir_runtime_open("auto", path, &params, NULL, &ops, &runtime, &err), -ENOENT);
    assert_non_null(strstr(err.text, "ONNX Runtime"));
    assert_non_null(strstr(err.text, "OpenVINO"));
    assert_int_equal(weir_runtime_open("tensorflow", path, &params, NULL, &ops, &runtime, &err), -EINVAL);
    assert_non_null(strstr(err.text, "tensorflow"));
}

/* A library that is no library of the kind, and one of another architecture, are messages. */
static void a_wrong_library_is_a_message(void **state)
{
    (void)state;
    static const char *const names[] = {"onnxruntime", "openvino"};
    for (int i = 0; i < 2; i++) {
        struct weir_runtime *runtime = NULL;
        struct weir_error err = {0};
        struct weir_runtime_params params = {.library = "/lib/x86_64-linux-gnu/libm.so.6"};
        if (access(params.library, R_OK) != 0)
            return;
        assert_int_equal(weir_runtime_find(names[i])->open(&runtime, &params, NULL, &err), -ELIBBAD);
        assert_non_null(strstr(err.text, "libm"));
        params.library = "/etc/passwd";
        assert_int_equal(weir_runtime_find(names[i])->open(&runtime, &params, NULL, &err), -ELIBBAD);
        assert_null(runtime);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_conforms),
        cmocka_unit_test(onnxruntime_conforms),
        cmocka_unit_test(openvino_conforms),
        cmocka_unit_test(auto_says_what_it_tried),
        cmocka_unit_test(a_wrong_library_is_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
