#!/usr/bin/env bash
# transformers 5.24.0: model.to(torch.bfloat16) rounds RoPE's frequencies, from_pretrained(…, dtype=torch.bfloat16) does not.
#
# Loading in bfloat16 or float16 keeps inv_freq in float32. A model that is converted after it was loaded has the same weights,
# but its frequencies are rounded to 8 or 11 bits of precision, the angles are multiples of these, and a later float() does
# not bring the bits back. The error grows with the distance: 1.9 radians at 2048 tokens in bfloat16, 0.13 in float16. So one
# checkpoint gives two sets of logits in the same type, by whether it was loaded in it or converted to it, without a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
size, theta, length = 64, 500000.0, 2048
LlamaForCausalLM(LlamaConfig(
    vocab_size=64, hidden_size=2 * size, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
    initializer_range=0.2, max_position_embeddings=length, rope_parameters={"rope_type": "default", "rope_theta": theta},
)).save_pretrained(".")
exact = theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
tokens = torch.randint(3, 64, (1, length))


def logits(model):
    """Logits in float32, so that only the stored weights and frequencies are rounded."""
    with torch.no_grad():
        return model.float().eval()(tokens).logits[0]


for kind in (torch.bfloat16, torch.float16):
    loaded = AutoModelForCausalLM.from_pretrained(".", dtype=kind)
    converted = AutoModelForCausalLM.from_pretrained(".").to(kind)
    assert all(torch.equal(one, other) for one, other in zip(loaded.parameters(), converted.parameters(), strict=True))
    types = [model.model.rotary_emb.inv_freq.dtype for model in (loaded, converted)]
    assert types == [torch.float32, kind]
    angles = [float(length * (model.model.rotary_emb.inv_freq.double() - exact).abs().max()) for model in (loaded, converted)]
    logit = [logits(model) for model in (loaded, converted)]
    change = float((logit[1] - logit[0]).abs().max() / logit[0].abs().max())
    other = float((logit[0].argmax(-1) != logit[1].argmax(-1)).float().mean())
    print(f"{kind}: error of the angle at distance {length}: loaded {angles[0]:.1e}, converted {angles[1]:.2f} radians; logits"
          f" differ by {change:.2f} of the largest, the most likely token at {other:.1%} of the positions")
    assert angles[0] < 1e-3 and angles[1] > (1 if kind == torch.bfloat16 else 0.1) and change > 0.01
END
