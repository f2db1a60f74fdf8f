#!/usr/bin/env bash
# transformers 5.24.0: config.rope_theta = … and AutoConfig.from_pretrained(…, rope_theta=…) do not change theta.
#
# In version 4 both set the theta of the model, and scripts that try other thetas on one checkpoint do so. Version 5 keeps
# theta in rope_parameters. The assignment makes an attribute that no class reads, the argument is dropped, and there is no
# message: every theta of such a sweep gives the logits of the checkpoint's own. save_pretrained() then writes the new value
# beside the old one, and programs that read the key of version 4 compute with the new one. Only
# config.rope_parameters["rope_theta"], and rope_theta= of the class itself, change the frequencies.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import json
import pathlib

import torch
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig, MistralConfig, Qwen3Config

sizes = dict(vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
             num_key_value_heads=2)
text = torch.arange(40)[None] * 7 % 64


def slowest(config):
    """Radians per token of the slowest pair, and the logits of the last token."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return float(model.get_decoder().rotary_emb.inv_freq[-1]), model(text).logits[0, -1]


for kind in (LlamaConfig, MistralConfig, Qwen3Config):
    kind(**sizes).save_pretrained("checkpoint")
    before, logits = slowest(AutoConfig.from_pretrained("checkpoint"))
    by_argument, _ = slowest(AutoConfig.from_pretrained("checkpoint", rope_theta=1e6))
    config = AutoConfig.from_pretrained("checkpoint")
    config.rope_theta = 1e6
    by_attribute, same_logits = slowest(config)
    config.save_pretrained("saved")
    written = json.loads(pathlib.Path("saved/config.json").read_text())
    config.rope_parameters["rope_theta"] = 1e6
    by_parameters, other_logits = slowest(config)
    by_class, _ = slowest(kind(**sizes, rope_theta=1e6))
    print(f"{kind.__name__}: slowest pair {before:.1e}; with theta 1,000,000 by from_pretrained {by_argument:.1e}, by "
          f"attribute {by_attribute:.1e}, by rope_parameters {by_parameters:.1e}; written: rope_theta {written['rope_theta']:.0f}, "
          f"rope_parameters {written['rope_parameters']['rope_theta']:.0f}")
    assert by_argument == by_attribute == before and torch.equal(logits, same_logits)
    assert by_parameters < before / 50 and by_class < before / 50 and not torch.equal(logits, other_logits)
    assert written["rope_theta"] == 1e6 and written["rope_parameters"]["rope_theta"] == 10000
END
