/* SPDX-License-Identifier: Apache-2.0 */

/* Our declaration of ONNX Runtime's ABI against the real header, wherever one is installed (Debian 13:
 * libonnxruntime-dev; else the build option onnxruntime_include). Each slot, each signature, each constant. */

#include "runtime/ort_api.h"

#include "unit.h"

/* Ours declare the opaque types as void; the real ones are structs. The names of both meet only here. */
#include <onnxruntime_c_api.h>

static void every_function_is_in_its_slot(void **state)
{
    (void)state;
#define CHECK_SLOT(slot, name, result, arguments) assert_int_equal(offsetof(OrtApi, name) / sizeof(void *), slot);
    ORT_FUNCTIONS(CHECK_SLOT)
#undef CHECK_SLOT
}

static void take(OrtStatusPtr status)
{
    (void)status;
}

/* The number of arguments and each one's size, told by the compiler: a call of ours through the real type. Opaque pointers
 * convert from void *, anything else that differs does not compile. */
static void signatures_accept_our_calls(void **state)
{
    (void)state;
    const OrtApi *api = NULL;
    void *p = NULL;
    int i = 0;
    size_t n = 0;
    if (api == NULL)
        return; /* it is enough that this compiles */
    (void)api->GetErrorMessage(p);
    take(api->CreateEnvWithCustomLogger((OrtLoggingFunction)p, p, (OrtLoggingLevel)ORT_LOG_WARNING, "", p));
    take(api->DisableTelemetryEvents(p));
    take(api->CreateSession(p, "", p, p));
    take(api->Run(p, p, p, p, n, p, n, p));
    take(api->CreateSessionOptions(p));
    take(api->SetSessionExecutionMode(p, (ExecutionMode)ORT_RUN_SEQUENTIAL));
    take(api->SetSessionGraphOptimizationLevel(p, (GraphOptimizationLevel)ORT_OPTIMISE_ALL));
    take(api->SetIntraOpNumThreads(p, i));
    take(api->SetInterOpNumThreads(p, i));
    take(api->SessionGetInputCount(p, &n));
    take(api->SessionGetOutputCount(p, &n));
    take(api->SessionGetInputTypeInfo(p, n, p));
    take(api->SessionGetOutputTypeInfo(p, n, p));
    take(api->SessionGetInputName(p, n, p, p));
    take(api->SessionGetOutputName(p, n, p, p));
    take(api->CreateTensorWithDataAsOrtValue(p, p, n, (const int64_t *)p, n, (ONNXTensorElementDataType)i, p));
    take(api->GetTensorMutableData(p, p));
    take(api->CastTypeInfoToTensorInfo(p, p));
    take(api->GetTensorElementType(p, p));
    take(api->GetDimensionsCount(p, &n));
    take(api->GetDimensions(p, (int64_t *)p, n));
    take(api->GetSymbolicDimensions(p, p, n));
    take(api->GetTensorTypeAndShape(p, p));
    take(api->CreateCpuMemoryInfo((enum OrtAllocatorType)ORT_ARENA_ALLOCATOR, (enum OrtMemType)ORT_MEM_TYPE_DEFAULT, p));
    take(api->AllocatorFree(p, p));
    take(api->GetAllocatorWithDefaultOptions(p));
    take(api->SessionGetModelMetadata(p, p));
    take(api->ModelMetadataLookupCustomMetadataMap(p, p, "", p));
    take(api->ModelMetadataGetCustomMetadataMapKeys(p, p, p, (int64_t *)p));
    take(api->GetAvailableProviders(p, &i));
    take(api->ReleaseAvailableProviders(p, i));
    take(api->AddSessionConfigEntry(p, "", ""));
}

static void constants_are_the_same(void **state)
{
    (void)state;
    assert_int_equal(ORT_ELEMENT_FLOAT, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    assert_int_equal(ORT_ELEMENT_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8);
    assert_int_equal(ORT_ELEMENT_INT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8);
    assert_int_equal(ORT_ELEMENT_INT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32);
    assert_int_equal(ORT_ELEMENT_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
    assert_int_equal(ORT_ELEMENT_FLOAT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16);
    assert_int_equal(ORT_LOG_WARNING, ORT_LOGGING_LEVEL_WARNING);
    assert_int_equal(ORT_LOG_ERROR, ORT_LOGGING_LEVEL_ERROR);
    assert_int_equal(ORT_RUN_SEQUENTIAL, ORT_SEQUENTIAL);
    assert_int_equal(ORT_OPTIMISE_ALL, ORT_ENABLE_ALL);
    assert_int_equal(ORT_ARENA_ALLOCATOR, OrtArenaAllocator);
    assert_int_equal(ORT_MEM_TYPE_DEFAULT, OrtMemTypeDefault);
    assert_true(ORT_API_VERSION_USED <= ORT_API_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_in_its_slot),
        cmocka_unit_test(signatures_accept_our_calls),
        cmocka_unit_test(constants_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
