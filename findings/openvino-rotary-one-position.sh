#!/usr/bin/env bash
# OpenVINO 2026.4.1: RotaryEmbedding of com.microsoft rotates all tokens by one position and ignores the head size.
#
# The operator takes position_ids of one element as the position of the first token, which the others follow; onnxruntime
# 1.32.0, whose operator it is, does so. OpenVINO looks this one row up and rotates every token by it, so that a prompt has no
# order. With rotary_embedding_dim and input of shape (batch, tokens, heads x size), it cuts the channels into heads of
# rotary_embedding_dim instead: at a fraction of 50 % the half that should stay as it is gets rotated, too. Nothing is
# reported. Heads that rotate whole, with one position per token, are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openvino==2026.4.1 onnxruntime==1.32.0 onnx==1.23.2
"$folder/venv/bin/python" - <<'END'
import numpy
import onnxruntime
import openvino
from onnx import TensorProto, helper

length, heads, size, rows = 6, 2, 16, 64
x = numpy.random.default_rng(0).standard_normal((1, length, heads * size)).astype("float32")


def rotated(positions, channels=size, heads=heads, **attributes):
    """x rotated by onnxruntime and by OpenVINO; the first channels of each head rotate."""
    angles = numpy.outer(numpy.arange(rows), 10000.0 ** (-numpy.arange(0, channels, 2) / channels))
    inputs = {"x": x, "positions": numpy.array(positions, dtype="int64"),
              "cos": numpy.cos(angles).astype("float32"), "sin": numpy.sin(angles).astype("float32")}
    node = helper.make_node("RotaryEmbedding", list(inputs), ["y"], domain="com.microsoft", interleaved=0, num_heads=heads,
                            **attributes)
    types = {name: TensorProto.INT64 if name == "positions" else TensorProto.FLOAT for name in inputs}
    graph = helper.make_graph([node], "rotation", [helper.make_tensor_value_info(name, types[name], value.shape)
                                                   for name, value in inputs.items()],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return session.run(None, inputs)[0], compiled(inputs)[0]


def apart(a, b):
    return float(abs(a - b).max())


for first in (0, 5, 20):
    reference, seen = rotated([first])
    each, seen_each = rotated([range(first, first + length)])
    same, _ = rotated([[first] * length])
    print(f"first position {first}: OpenVINO differs from onnxruntime by {apart(seen, reference):.2f}, from all tokens at"
          f" position {first} by {apart(seen, same):.1e}; with one position per token by {apart(seen_each, each):.1e}")
    assert apart(reference, each) < 1e-5 and apart(seen_each, each) < 1e-5
    assert apart(seen, same) < 1e-5 and apart(seen, reference) > 1

positions = [range(length)]
reference, seen = rotated(positions, size // 2, rotary_embedding_dim=size // 2)
cut, _ = rotated(positions, size // 2, heads=2 * heads)
changes = [apart(*(array.reshape(length, heads, size)[..., size // 2:] for array in (x, y))) for y in (reference, seen)]
print(f"{size // 2} of {size} channels: the others change by {changes[0]:.2f} in onnxruntime and {changes[1]:.2f} in"
      f" OpenVINO, which differs from heads of {size // 2} by {apart(seen, cut):.1e}")
assert changes[0] == 0 and changes[1] > 1 and apart(seen, cut) < 1e-5
END
