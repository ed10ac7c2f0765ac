/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_ORT_API_H
#define WEIR_RUNTIME_ORT_API_H

/* The part of ONNX Runtime's C ABI that weir uses, declared here because Debian 12 has no header for it.
 * OrtApi is a table of function pointers that is only ever appended to; a function is its slot. Slots and
 * signatures: the public C API documentation of ONNX Runtime; tests/unit/test_ort_api.c compares them with the
 * real header wherever one is installed.
 *
 * A status that is returned is NULL for success, else it is released with ReleaseStatus. */

#include <stddef.h>
#include <stdint.h>

enum { ORT_API_VERSION_USED = 18 }; /* the lowest that serves; newer libraries still give it */

struct ort_api_base {
    const void *const *(*get_api)(uint32_t version); /* NULL when the library is older */
    const char *(*get_version_string)(void);
};

typedef void ort_status, ort_env, ort_session, ort_session_options, ort_value, ort_memory_info, ort_allocator,
    ort_type_info, ort_tensor_info, ort_model_metadata, ort_run_options;

typedef void ort_log_function(void *user, int severity, const char *category, const char *id, const char *location,
                              const char *message);

enum ort_element {
    ORT_ELEMENT_FLOAT = 1,
    ORT_ELEMENT_UINT8 = 2,
    ORT_ELEMENT_INT8 = 3,
    ORT_ELEMENT_INT32 = 6,
    ORT_ELEMENT_INT64 = 7,
    ORT_ELEMENT_FLOAT16 = 10,
};

enum { ORT_LOG_WARNING = 2, ORT_LOG_ERROR = 3 };

enum { ORT_RUN_SEQUENTIAL = 0, ORT_OPTIMISE_ALL = 99 };
enum { ORT_ARENA_ALLOCATOR = 1, ORT_MEM_TYPE_DEFAULT = 0 };

/* row(slot, name, result, arguments) */
#define ORT_FUNCTIONS(row)                                                                                   \
    row(2, GetErrorMessage, const char *, (const ort_status *))                                              \
    row(4, CreateEnvWithCustomLogger, ort_status *, (ort_log_function *, void *, int, const char *, ort_env **)) \
    row(6, DisableTelemetryEvents, ort_status *, (const ort_env *))                                          \
    row(7, CreateSession, ort_status *, (const ort_env *, const char *, const ort_session_options *, ort_session **)) \
    row(9, Run, ort_status *, (ort_session *, const ort_run_options *, const char *const *, const ort_value *const *, \
                               size_t, const char *const *, size_t, ort_value **))                           \
    row(10, CreateSessionOptions, ort_status *, (ort_session_options **))                                    \
    row(13, SetSessionExecutionMode, ort_status *, (ort_session_options *, int))                             \
    row(23, SetSessionGraphOptimizationLevel, ort_status *, (ort_session_options *, int))                    \
    row(24, SetIntraOpNumThreads, ort_status *, (ort_session_options *, int))                                \
    row(25, SetInterOpNumThreads, ort_status *, (ort_session_options *, int))                                \
    row(30, SessionGetInputCount, ort_status *, (const ort_session *, size_t *))                             \
    row(31, SessionGetOutputCount, ort_status *, (const ort_session *, size_t *))                            \
    row(33, SessionGetInputTypeInfo, ort_status *, (const ort_session *, size_t, ort_type_info **))          \
    row(34, SessionGetOutputTypeInfo, ort_status *, (const ort_session *, size_t, ort_type_info **))         \
    row(36, SessionGetInputName, ort_status *, (const ort_session *, size_t, ort_allocator *, char **))      \
    row(37, SessionGetOutputName, ort_status *, (const ort_session *, size_t, ort_allocator *, char **))     \
    row(49, CreateTensorWithDataAsOrtValue, ort_status *,                                                    \
        (const ort_memory_info *, void *, size_t, const int64_t *, size_t, int, ort_value **))               \
    row(51, GetTensorMutableData, ort_status *, (ort_value *, void **))                                      \
    row(55, CastTypeInfoToTensorInfo, ort_status *, (const ort_type_info *, const ort_tensor_info **))       \
    row(60, GetTensorElementType, ort_status *, (const ort_tensor_info *, int *))                            \
    row(61, GetDimensionsCount, ort_status *, (const ort_tensor_info *, size_t *))                           \
    row(62, GetDimensions, ort_status *, (const ort_tensor_info *, int64_t *, size_t))                       \
    row(63, GetSymbolicDimensions, ort_status *, (const ort_tensor_info *, const char **, size_t))           \
    row(65, GetTensorTypeAndShape, ort_status *, (const ort_value *, ort_tensor_info **))                    \
    row(69, CreateCpuMemoryInfo, ort_status *, (int, int, ort_memory_info **))                               \
    row(76, AllocatorFree, ort_status *, (ort_allocator *, void *))                                          \
    row(78, GetAllocatorWithDefaultOptions, ort_status *, (ort_allocator **))                                \
    row(92, ReleaseEnv, void, (ort_env *))                                                                   \
    row(93, ReleaseStatus, void, (ort_status *))                                                             \
    row(94, ReleaseMemoryInfo, void, (ort_memory_info *))                                                    \
    row(95, ReleaseSession, void, (ort_session *))                                                           \
    row(96, ReleaseValue, void, (ort_value *))                                                               \
    row(98, ReleaseTypeInfo, void, (ort_type_info *))                                                        \
    row(99, ReleaseTensorTypeAndShapeInfo, void, (ort_tensor_info *))                                        \
    row(100, ReleaseSessionOptions, void, (ort_session_options *))                                           \
    row(111, SessionGetModelMetadata, ort_status *, (const ort_session *, ort_model_metadata **))            \
    row(116, ModelMetadataLookupCustomMetadataMap, ort_status *,                                             \
        (const ort_model_metadata *, ort_allocator *, const char *, char **))                                \
    row(118, ReleaseModelMetadata, void, (ort_model_metadata *))                                             \
    row(123, ModelMetadataGetCustomMetadataMapKeys, ort_status *,                                            \
        (const ort_model_metadata *, ort_allocator *, char ***, int64_t *))                                  \
    row(125, GetAvailableProviders, ort_status *, (char ***, int *))                                         \
    row(126, ReleaseAvailableProviders, ort_status *, (char **, int))                                        \
    row(130, AddSessionConfigEntry, ort_status *, (ort_session_options *, const char *, const char *))

struct ort_functions {
#define ORT_MEMBER(slot, name, result, arguments) result(*name) arguments;
    ORT_FUNCTIONS(ORT_MEMBER)
#undef ORT_MEMBER
};

#endif
