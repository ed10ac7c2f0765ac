# SPDX-License-Identifier: Apache-2.0
"""Models whose answer is a constant: Identity of an initializer. What they mean is known by hand, whatever the picture."""

import pytest


def save(path, outputs, size=64, metadata=None, input_shape=None, float16=False, extra_inputs=(), labels_int64=()):
    """outputs: name -> numpy array. float16: input and outputs. labels_int64: names of outputs of that type."""
    np = pytest.importorskip("numpy")
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    kind = kinds.FLOAT16 if float16 else kinds.FLOAT
    inputs = [helper.make_tensor_value_info("images", kind, input_shape or [1, 3, size, size])]
    inputs += [helper.make_tensor_value_info(name, kinds.INT64, shape) for name, shape in extra_inputs]
    nodes, values, constants = [], [], []
    for name, array in outputs.items():
        array = np.asarray(array, np.int64 if name in labels_int64 else np.float16 if float16 else np.float32)
        constants.append(onnx.numpy_helper.from_array(array, name + "_constant"))
        nodes.append(helper.make_node("Identity", [name + "_constant"], [name]))
        values.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
    graph = helper.make_graph(nodes, "constant", inputs, values, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    if metadata:
        helper.set_model_props(model, metadata)
    onnx.save(model, path)
    return str(path)


def yolov8(values, rows=84, boxes=()):
    """The map [1, values, rows]; boxes: (row, cx, cy, w, h, class, score)."""
    np = pytest.importorskip("numpy")
    output = np.zeros((1, values, rows), np.float32)
    for row, cx, cy, w, h, index, score in boxes:
        output[0, :4, row] = cx, cy, w, h
        output[0, 4 + index, row] = score
    return output
