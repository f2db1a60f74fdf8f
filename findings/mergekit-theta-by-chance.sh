#!/usr/bin/env bash
# mergekit 0.1.5: when models with different rope_theta are merged, chance decides which θ the merged model gets.
#
# Weights that were trained with θ = 10,000 and with 1,000,000 rotate their queries and keys with different frequencies. A
# linear merge averages them, ends with status 0, and no message names θ. Without base_model the configuration is that of the
# first element of a set of models, whose order depends on Python's random hash seed: the same file gives equal weights and
# sometimes the one θ, sometimes the other. Naming base_model decides it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mergekit==0.1.5 torch==2.11.0 transformers==5.24.0
cd "$folder"
venv/bin/python - <<'END' 2>/dev/null
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
for name, theta in (("short", 10000.0), ("long", 1000000.0)):
    LlamaForCausalLM(LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=128,
        rope_parameters={"rope_type": "default", "rope_theta": theta})).save_pretrained(name)
END
printf 'merge_method: linear\ndtype: float32\nmodels:\n' >merge.yml
printf '  - {model: ./%s, parameters: {weight: 0.5}}\n' short long >>merge.yml
for seed in {0..9}; do
    PYTHONHASHSEED=$seed venv/bin/mergekit-yaml merge.yml "merged-$seed" --no-copy-tokenizer >log 2>&1
    ! grep -qiE 'theta|rope' log
done
venv/bin/python - <<'END' 2>/dev/null
import json

from safetensors.torch import load_file

folders = [f"merged-{seed}" for seed in range(10)]
thetas = [json.load(open(f"{folder}/config.json"))["rope_parameters"]["rope_theta"] for folder in folders]
weights = [load_file(f"{folder}/model.safetensors") for folder in folders]
print("rope_theta of ten merges of one file:", ", ".join(f"{theta:g}" for theta in thetas))
assert all((weights[0][name] == other[name]).all() for other in weights for name in weights[0])
assert set(thetas) == {10000.0, 1000000.0}
END
