#!/usr/bin/env bash
# transformers 5.24.0: packed texts see each other, unless use_cache is False and no attention mask is given.
#
# Several texts in one row, each with positions from 0 on, should give each text the logits that it has alone: the model finds
# the starts in position_ids and masks what comes before. It does so only without a cache and with attention_mask None. But
# use_cache is True by default, in train() too, and a mask of ones is what tokenizers return. In these cases RoPE restarts and
# the mask does not: the second text attends to the first as if both stood at the same positions, without a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
    initializer_range=0.3))
first, second = (torch.randint(3, 64, (1, length)) for length in (9, 12))
packed = torch.cat([first, second], dim=1)
positions = torch.cat([torch.arange(text.shape[1]) for text in (first, second)])[None]
cases = {"as it comes": {}, "mask of ones": {"attention_mask": torch.ones_like(packed)}, "no cache": {"use_cache": False},
         "no cache, mask of ones": {"use_cache": False, "attention_mask": torch.ones_like(packed)}}

for attention in ("eager", "sdpa"):
    model.set_attn_implementation(attention)
    for training in (True, False):
        model.train(training)
        for name, options in cases.items():
            with torch.no_grad():
                alone = model(second).logits
                seen = model(packed, position_ids=positions, **options).logits[:, first.shape[1]:]
            change = float((seen - alone).abs().max() / alone.abs().max())
            print(f"{attention}, {'train()' if training else 'eval()'}, {name}: logits of the second text differ from those"
                  f" alone by {change:.1e} of the largest")
            assert change < 1e-5 if name == "no cache" else change > 0.5
END
