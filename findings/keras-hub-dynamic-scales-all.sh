#!/usr/bin/env bash
# keras-hub 0.32.0: rope_type="dynamic" slows all channels down at every length; it is not dynamic NTK scaling.
#
# Dynamic NTK scaling leaves a sequence within the original context as it is, and beyond it raises the base, which keeps the
# fastest channel and slows the slowest most. The layer divides every frequency by one number, factor ** (d / (d - 2)), for a
# prompt of two tokens, too: position interpolation by 4.18 for factor 4 and heads of 64 channels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 keras==3.15.1 jax==0.10.2 \
    kagglehub==1.0.3
# Without TensorFlow, which the backend JAX does not use.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps keras-hub==0.32.0
KERAS_BACKEND=jax "$folder/venv/bin/python" - 2>/dev/null <<'END'
import keras_hub
import numpy

size = 64


def frequencies(length, **options):
    layer = keras_hub.layers.RotaryEmbedding(**options)
    rotated = numpy.asarray(layer(numpy.ones((1, length, 1, size), "float32")), dtype="float64")[0, 1, 0]
    return numpy.arctan2(rotated[size // 2:], rotated[: size // 2]) - numpy.pi / 4


for length in (2, 512):
    divisors = (frequencies(length) / frequencies(length, rope_type="dynamic", scaling_factor=4.0))[:16]
    print(f"{length} tokens: the first 16 frequencies are divided by {divisors.min():.3f} to {divisors.max():.3f}")
    assert abs(divisors - 4 ** (size / (size - 2))).max() < 0.02
END
