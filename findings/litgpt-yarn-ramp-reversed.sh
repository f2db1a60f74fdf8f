#!/usr/bin/env bash
# litgpt 0.5.13: YaRN slows the fast channels down and leaves the slow ones, the reverse of transformers 5.24.0.
#
# With beta_fast and beta_slow in rope_adjustments, the channels that turn often within the original context should keep
# their frequency and those that turn less than once be divided by the factor. litgpt blends the two with the ramp the other
# way round: for factor 4, heads of 64 channels and a context of 4096, the first eleven frequencies are divided by 4 and the
# last nine by 1. A model that was trained with YaRN gets other angles from the second token on, without a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0 lightning==2.6.6 \
    psutil==7.2.2
# Without its own, older transformers' limits.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps litgpt==0.5.13
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from litgpt.model import build_rope_cache
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

size, theta, original = 64, 10000.0, 4096
ramp = {"factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0}
plain = theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)

cosines, sines = build_rope_cache(2, size, base=int(theta), extra_config=ramp | {"original_max_seq_len": original})
litgpt = plain / torch.atan2(sines[1, : size // 2], cosines[1, : size // 2]).double()
config = LlamaConfig(head_dim=size, max_position_embeddings=4 * original, rope_parameters={
    "rope_type": "yarn", "rope_theta": theta, "original_max_position_embeddings": original, **ramp})
transformers = plain / ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")[0].double()

for name, divisors in (("litgpt", litgpt), ("transformers", transformers)):
    print(f"{name}: frequencies are divided by", *(f"{divisor:.2f}" for divisor in divisors))
assert (litgpt[:11] - 4).abs().max() < 0.01 and (litgpt[23:] - 1).abs().max() < 0.01
assert (transformers[:11] - 1).abs().max() < 0.01 and (transformers[23:] - 4).abs().max() < 0.01
# In between, too, the share of the plain frequency in the one is that of the divided frequency in the other.
assert (1 / litgpt + 1 / transformers - 1.25).abs().max() < 0.001
END
