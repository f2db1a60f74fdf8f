#!/usr/bin/env bash
# EasyDeL 0.3.0: with Llama 3's scaling all tokens beyond the original context have the same position.
#
# The table of cosines and sines has a row per position of the original context, 8192 for Llama 3.1, not of the 131,072 that
# the scaling extends it to. JAX takes the last row for every position beyond, without an error, so that these tokens are
# rotated like token 8191: among themselves they have no order, and their distance to the earlier ones is wrong. Positions up
# to 8191 are right. Without scaling and with YaRN, positions go on to the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check easydel==0.3.0 jax==0.9.2
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - 2>/dev/null <<'END'
import numpy
from easydel.layers.rotary import RopeConfig, get_frequencies, get_rope

size, theta, original, length = 64, 500000.0, 8192, 131072
last = original - 1
positions = numpy.array([[1, 100, last, original, 20000, length - 1]])
beyond = positions[0] > last
ones = numpy.ones((1, positions.size, 1, size), dtype="float32")
plain = theta ** (-numpy.arange(0, size, 2) / size)
share = numpy.clip((original * plain / (2 * numpy.pi) - 1) / (4 - 1), 0, 1)  # of the plain frequency, between both limits
frequencies = {"default": plain, "llama3": plain * (share + (1 - share) / 8)}

for scaling in ({"rope_type": "default"},
                {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": original},
                {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                 "original_max_position_embeddings": original}):
    name = scaling["rope_type"]
    rope = get_rope(size, size, length, theta, rope_scaling=scaling)
    seen = numpy.asarray(rope(positions=positions, query=ones, key=ones)[0])[0, :, 0].astype("float64")
    # The table that a model of this config makes once and passes to all layers.
    rows = get_frequencies(size, size, length, theta, rope_scaling=RopeConfig.from_dict(scaling).to_dict()).shape[0]
    moved = abs(seen - seen[positions[0] == last]).max(-1)
    print(f"{name}: {rows} rows; from position {last} differs", *(f"{position}: {value:.2f};" for position, value
                                                                 in zip(positions[0, beyond], moved[beyond])))
    assert rows == (original if name == "llama3" else length)
    assert (moved[beyond] == 0).all() if name == "llama3" else (moved[beyond] > 1).all()
    if name in frequencies:
        angles = positions[0, :, None] * frequencies[name]
        exact = numpy.concatenate([numpy.cos(angles) - numpy.sin(angles), numpy.cos(angles) + numpy.sin(angles)], -1)
        error = abs(seen - exact).max(-1)
        print(f"  largest error up to {last}: {error[~beyond].max():.4f}, beyond: {error[beyond].max():.4f}")
        assert error[~beyond].max() < 0.01 and (error[beyond].max() > 1) == (name == "llama3")
END
