#!/usr/bin/env bash
# onnxruntime 1.32.0: the CPU kernel of RotaryEmbedding in com.microsoft ignores its attribute scale.
#
# The operator's schema has a scale ("custom scale will be used if specified"). A graph with scale 0.25 or 4 loads without a
# message and returns the bits of scale 1; neither the angle nor the length of the vectors changes. So a position
# interpolation that is written there is lost; it has to be in the tables cos_cache and sin_cache.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2
"$folder/venv/bin/python" - <<'END'
import numpy
import onnxruntime
from onnx import TensorProto, helper

names = {"x": TensorProto.FLOAT, "positions": TensorProto.INT64, "cos": TensorProto.FLOAT, "sin": TensorProto.FLOAT}
length, size = 16, 32
x = numpy.random.default_rng(0).standard_normal((1, 2, length, size)).astype("float32")
positions = numpy.arange(length)[None]


def rotated(factor=1.0, **attributes):
    angles = numpy.outer(numpy.arange(length), 10000.0 ** (-numpy.arange(0, size, 2) / size)) * factor
    node = helper.make_node("RotaryEmbedding", list(names), ["y"], domain="com.microsoft", **attributes)
    graph = helper.make_graph([node], "rotation", [helper.make_tensor_value_info(*item, None) for item in names.items()],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x, "positions": positions, "cos": numpy.cos(angles).astype("float32"),
                              "sin": numpy.sin(angles).astype("float32")})[0]


plain = rotated()
for scale in (0.25, 1.0, 4.0):
    print(f"scale {scale}: largest change {abs(rotated(scale=scale) - plain).max():.3f},"
          f" expected of {scale} times the angles {abs(rotated(factor=scale) - plain).max():.3f},"
          f" of {scale} times the values {abs((scale - 1) * plain).max():.3f}")
    assert numpy.array_equal(rotated(scale=scale), plain)
assert abs(rotated(factor=0.25) - plain).max() > 1
END
