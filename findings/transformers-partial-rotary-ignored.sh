#!/usr/bin/env bash
# transformers 5.24.0: which classes read partial_rotary_factor depends on the type, without a message.
#
# With partial_rotary_factor 0.5 and head size 64, Phi and StableLM rotate 32 channels (16 frequencies). Llama, Qwen 2 and
# Mistral keep the key in their config and rotate all 64 (32 frequencies). The same key beside a scaling such as YaRN is
# read by Llama, because the shared functions of scalings use it: then the class makes half of the frequencies, and the
# model cannot be computed, since its rotation expects one per pair of all channels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
"$folder/venv/bin/python" - <<'END'
import torch
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, PhiConfig, Qwen2Config, StableLmConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.mistral.modeling_mistral import MistralRotaryEmbedding
from transformers.models.phi.modeling_phi import PhiRotaryEmbedding
from transformers.models.qwen2.modeling_qwen2 import Qwen2RotaryEmbedding
from transformers.models.stablelm.modeling_stablelm import StableLmRotaryEmbedding

sizes = dict(hidden_size=256, num_attention_heads=4, num_key_value_heads=4)
plain = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
yarn = plain | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}


def frequencies(config, module, parameters):
    return len(module(config(rope_parameters=dict(parameters), **sizes)).inv_freq)


for config, module, expected in ((PhiConfig, PhiRotaryEmbedding, 16), (StableLmConfig, StableLmRotaryEmbedding, 16),
                                 (LlamaConfig, LlamaRotaryEmbedding, 32), (MistralConfig, MistralRotaryEmbedding, 32),
                                 (Qwen2Config, Qwen2RotaryEmbedding, 32)):
    seen = frequencies(config, module, plain)
    print(f"{config.__name__}: {seen} frequencies")
    assert seen == expected, f"expected {expected}"
seen = frequencies(LlamaConfig, LlamaRotaryEmbedding, yarn)
print(f"LlamaConfig with YaRN: {seen} frequencies")
assert seen == 16
model = LlamaForCausalLM(LlamaConfig(rope_parameters=dict(yarn), num_hidden_layers=1, vocab_size=32, **sizes))
try:
    model(torch.arange(8)[None])
    raise SystemExit("Llama with YaRN and half of the frequencies was computed")
except RuntimeError as error:
    print(f"its forward pass: {error}")
END
