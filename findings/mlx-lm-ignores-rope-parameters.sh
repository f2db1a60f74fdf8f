#!/usr/bin/env bash
# mlx-lm 0.32.2 does not read theta and scaling of a Llama that transformers 5.24.0 saved.
#
# Version 5 writes them into rope_parameters. mlx-lm's Llama has fields for rope_theta and rope_scaling only and drops other
# keys, so the model gets theta 10,000 without scaling and no message; Qwen 3 of the same mlx-lm reads the new form. The same
# values in version 4's form give the right frequencies, so a checkpoint that is loaded and saved again changes its results.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlx-lm==0.32.2 "mlx[cpu]==0.32.4" transformers==5.24.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import json

import mlx.core as mx
import numpy
from mlx_lm.models import llama, qwen3
from transformers import LlamaConfig, Qwen3Config

scaling = {"rope_type": "linear", "factor": 4.0}
sizes = dict(vocab_size=64, hidden_size=128, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
             num_key_value_heads=2, head_dim=64)


def seen(module, config):
    """Theta and the factor of the rotation that the built model applies, from the angles at position 1."""
    rope = module.Model(module.ModelArgs.from_dict(config)).layers[0].self_attn.rope
    rotated = numpy.array(rope(mx.ones((1, 1, 2, 64))))[0, 0, 1].astype("float64")
    angles = numpy.arctan2(rotated[32:], rotated[:32]) - numpy.pi / 4
    return round(float((angles[0] / angles[1]) ** 32), -2), round(float(1 / angles[0]), 3)


found = {}
for name, module, make in (("llama", llama, LlamaConfig), ("qwen3", qwen3, Qwen3Config)):
    make(rope_theta=500000.0, rope_scaling=dict(scaling), **sizes).save_pretrained(name)
    config = json.load(open(f"{name}/config.json"))
    print(f"{name}: rope_parameters {config['rope_parameters']}, rope_theta in the file: {'rope_theta' in config}")
    older = {key: value for key, value in config.items() if key != "rope_parameters"}
    older |= {"rope_theta": 500000.0, "rope_scaling": scaling}
    found[name] = seen(module, config), seen(module, older)
    print(f"{name}: theta and factor seen {found[name][0]}, from version 4's form {found[name][1]}")


def close(pair, theta, factor):
    return abs(pair[0] / theta - 1) < 0.01 and abs(pair[1] / factor - 1) < 0.01


assert close(found["llama"][0], 10000, 1) and close(found["llama"][1], 500000, 4)
assert close(found["qwen3"][0], 500000, 4) and close(found["qwen3"][1], 500000, 4)
END
