#!/usr/bin/env bash
# mlx-lm 0.32.2 applies LongRoPE's long factors to short prompts, too.
#
# A Phi-3 with longrope has short factors for sequences within the original context and long factors beyond. mlx-lm accepts
# short_factor and does not use it: with the long factors at every length, a prompt of 16 tokens gets other angles than in
# training and in transformers, which switches at the original context. Two models that differ in short_factor are equal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlx-lm==0.32.2 "mlx[cpu]==0.32.4" transformers==5.24.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import mlx.core as mx
import numpy
from mlx_lm.models import phi3

size, original = 64, 4096
plain = 10000.0 ** (-numpy.arange(0, size, 2) / size)


def factors(short, long):
    """What the plain frequencies are divided by for a prompt of 16 tokens, least and largest of the first 16 channels."""
    config = dict(model_type="phi3", hidden_size=128, num_hidden_layers=1, intermediate_size=64, num_attention_heads=2,
                  num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=64, rope_theta=10000.0,
                  max_position_embeddings=131072, original_max_position_embeddings=original,
                  rope_scaling={"type": "longrope", "short_factor": [short] * 32, "long_factor": [long] * 32})
    rope = phi3.Model(phi3.ModelArgs.from_dict(config)).layers[0].self_attn.rope
    rotated = numpy.array(rope(mx.ones((1, 1, 16, size))))[0, 0, 1].astype("float64")
    divisors = plain / (numpy.arctan2(rotated[32:], rotated[:32]) - numpy.pi / 4)
    return [round(float(value), 2) for value in (divisors[:16].min(), divisors[:16].max())]


for short, long, expected in ((1.0, 8.0, 8.0), (2.0, 8.0, 8.0), (1.0, 4.0, 4.0)):
    seen = factors(short, long)
    print(f"short factor {short}, long factor {long}: a prompt of 16 tokens uses {seen[0]} to {seen[1]}")
    assert all(abs(value - expected) < 0.02 for value in seen)
END
