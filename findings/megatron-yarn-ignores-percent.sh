#!/usr/bin/env bash
# megatron-core 0.16.1: YarnRotaryEmbedding ignores rotary_percent and seq_len_interpolation_factor.
#
# Its parent RotaryEmbedding rotates the fraction rotary_percent of each head and divides positions by
# seq_len_interpolation_factor. With YaRN both arguments are documented and accepted, but the angles are those of the whole
# head and of plain positions, without a message. transformers' YaRN rotates the fraction that partial_rotary_factor names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.11.0 transformers==5.24.0
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps megatron-core==0.16.1
"$folder/venv/bin/python" - <<'END' 2>/dev/null
import torch
from transformers import GPTNeoXConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

torch.cuda.current_device = lambda: "cpu"  # Without a GPU the tables stay in main memory.
from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding
from megatron.core.models.common.embeddings.yarn_rotary_pos_embedding import YarnRotaryEmbedding

size, length, factor = 64, 256, 4.0
plain = {percent: RotaryEmbedding(size, percent)(length) for percent in (1.0, 0.25)}
yarn = {percent: YarnRotaryEmbedding(size, percent, scaling_factor=factor)(length)[0] for percent in (1.0, 0.25)}
config = GPTNeoXConfig(hidden_size=size, num_attention_heads=1, max_position_embeddings=4096, rope_parameters={
    "rope_type": "yarn", "rope_theta": 10000.0, "factor": factor, "original_max_position_embeddings": 4096,
    "partial_rotary_factor": 0.25})
expected = 2 * ROPE_INIT_FUNCTIONS["yarn"](config, "cpu")[0].numel()
print(f"rotated dimensions of {size} at 25 %: plain {plain[0.25].shape[-1]}, YaRN {yarn[0.25].shape[-1]},"
      f" YaRN of transformers {expected}")
assert plain[0.25].shape[-1] == expected == 16 and torch.equal(yarn[0.25], yarn[1.0])

interpolated = [RotaryEmbedding(size, 1.0, seq_len_interpolation_factor=8.0)(length),
                YarnRotaryEmbedding(size, 1.0, scaling_factor=factor, seq_len_interpolation_factor=8.0)(length)[0]]
for name, ours, without in zip(("plain", "YaRN"), interpolated, (plain[1.0], yarn[1.0])):
    print(f"{name}: position {length - 1} with an interpolation factor of 8 has angle {ours[-1, 0, 0, 0]:.3f},"
          f" without {without[-1, 0, 0, 0]:.3f}")
assert torch.equal(interpolated[0] * 8, plain[1.0]) and torch.equal(interpolated[1], yarn[1.0])
END
