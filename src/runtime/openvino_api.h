/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RUNTIME_OPENVINO_API_H
#define WEIR_RUNTIME_OPENVINO_API_H

/* The part of OpenVINO's C API that weir uses, loaded by name. Signatures and values: the public C API
 * reference of OpenVINO 2026. Its own headers are not needed to build. */

#include <stddef.h>
#include <stdint.h>

typedef void ov_core, ov_model, ov_compiled_model, ov_infer_request, ov_tensor, ov_const_port;

struct ov_shape {
    int64_t rank;
    int64_t *dims;
};

struct ov_dimension {
    int64_t min, max; /* equal: fixed */
};

struct ov_partial_shape {
    struct ov_dimension rank;
    struct ov_dimension *dims;
};

struct ov_property {
    const char *key;
    const void *value;
};

struct ov_version {
    const char *build_number, *description;
};

struct ov_device_list {
    char **devices;
    size_t size;
};

/* ov_element_type_e */
enum ov_element {
    OV_ELEMENT_F16 = 3,
    OV_ELEMENT_F32 = 4,
    OV_ELEMENT_I8 = 7,
    OV_ELEMENT_I32 = 9,
    OV_ELEMENT_I64 = 10,
    OV_ELEMENT_U8 = 16,
};

/* row(name, result, arguments); every status is 0 for success. */
#define OPENVINO_FUNCTIONS(row)                                                                              \
    row(ov_get_openvino_version, int, (struct ov_version *))                                                 \
    row(ov_version_free, void, (struct ov_version *))                                                        \
    row(ov_get_last_err_msg, const char *, (void))                                                           \
    row(ov_get_error_info, const char *, (int))                                                              \
    row(ov_free, void, (const char *))                                                                       \
    row(ov_core_create, int, (ov_core **))                                                                   \
    row(ov_core_free, void, (ov_core *))                                                                     \
    row(ov_core_read_model, int, (const ov_core *, const char *, const char *, ov_model **))                 \
    row(ov_core_compile_model_props, int, (const ov_core *, const ov_model *, const char *, size_t,          \
                                           const struct ov_property *, ov_compiled_model **))                \
    row(ov_core_get_available_devices, int, (const ov_core *, struct ov_device_list *))                      \
    row(ov_available_devices_free, void, (struct ov_device_list *))                                          \
    row(ov_core_get_property, int, (const ov_core *, const char *, const char *, char **))                   \
    row(ov_model_free, void, (ov_model *))                                                                   \
    row(ov_compiled_model_free, void, (ov_compiled_model *))                                                 \
    row(ov_compiled_model_inputs_size, int, (const ov_compiled_model *, size_t *))                           \
    row(ov_compiled_model_outputs_size, int, (const ov_compiled_model *, size_t *))                          \
    row(ov_compiled_model_input_by_index, int, (const ov_compiled_model *, size_t, ov_const_port **))        \
    row(ov_compiled_model_output_by_index, int, (const ov_compiled_model *, size_t, ov_const_port **))       \
    row(ov_compiled_model_get_property, int, (const ov_compiled_model *, const char *, char **))             \
    row(ov_compiled_model_create_infer_request, int, (const ov_compiled_model *, ov_infer_request **))       \
    row(ov_infer_request_free, void, (ov_infer_request *))                                                   \
    row(ov_infer_request_set_input_tensor_by_index, int, (ov_infer_request *, size_t, const ov_tensor *))    \
    row(ov_infer_request_get_output_tensor_by_index, int, (const ov_infer_request *, size_t, ov_tensor **))  \
    row(ov_infer_request_infer, int, (ov_infer_request *))                                                   \
    row(ov_port_get_any_name, int, (const ov_const_port *, char **))                                         \
    row(ov_port_get_partial_shape, int, (const ov_const_port *, struct ov_partial_shape *))                  \
    row(ov_partial_shape_free, void, (struct ov_partial_shape *))                                            \
    row(ov_port_get_element_type, int, (const ov_const_port *, int *))                                       \
    row(ov_output_const_port_free, void, (ov_const_port *))                                                  \
    row(ov_tensor_create_from_host_ptr, int, (int, struct ov_shape, void *, ov_tensor **))                   \
    row(ov_tensor_get_shape, int, (const ov_tensor *, struct ov_shape *))                                    \
    row(ov_shape_free, int, (struct ov_shape *))                                                             \
    row(ov_tensor_get_element_type, int, (const ov_tensor *, int *))                                         \
    row(ov_tensor_get_byte_size, int, (const ov_tensor *, size_t *))                                         \
    row(ov_tensor_data, int, (const ov_tensor *, void **))                                                   \
    row(ov_tensor_free, void, (ov_tensor *))

struct openvino_functions {
#define OPENVINO_MEMBER(name, result, arguments) result(*name) arguments;
    OPENVINO_FUNCTIONS(OPENVINO_MEMBER)
#undef OPENVINO_MEMBER
};

#endif
