#!/usr/bin/env bash
# onnx 1.23.2: the reference evaluator returns soft-capped scores where Attention is asked for the plain ones.
#
# qk_matmul_output_mode 0 is, by the operator's text, the output of q·k before the soft cap; mode 1 the one after it. With a
# softcap, ReferenceEvaluator returns the same capped scores for both. onnxruntime 1.32.0 returns q·k in mode 0. So attention
# logits that are read for a study of position encodings differ between the two; without a softcap they agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2
"$folder/venv/bin/python" - <<'END'
import numpy
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

generator = numpy.random.default_rng(0)
inputs = {name: generator.standard_normal((1, 1, 4, 8)).astype("float32") for name in "qkv"}
plain = inputs["q"] @ inputs["k"].swapaxes(2, 3) / 8**0.5
capped = 2 * numpy.tanh(plain / 2)


def scores(mode, **attributes):
    node = helper.make_node("Attention", list(inputs), ["y", "", "", "scores"], qk_matmul_output_mode=mode, **attributes)
    graph = helper.make_graph(
        [node], "attention", [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in inputs.items()],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 23)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return ReferenceEvaluator(model).run(None, inputs)[0], session.run(None, inputs)[0]


def equal(a, b):
    return numpy.allclose(a, b, atol=1e-5)


for mode in (0, 1):
    reference, runtime = scores(mode, softcap=2.0)
    print(f"mode {mode}: reference is {'capped' if equal(reference, capped) else 'plain'},"
          f" onnxruntime is {'capped' if equal(runtime, capped) else 'plain'};"
          f" largest difference {abs(reference - runtime).max():.3f}")
    assert equal(reference, capped) and equal(runtime, plain if mode == 0 else capped)
assert all(equal(x, plain) for x in scores(0))
END
