#!/usr/bin/env bash
# transformers 5.24.0: with LongRoPE or dynamic NTK, a prompt's logits depend on the longest prompt of its batch.
#
# Both scalings change the frequencies beyond the original context. The class takes the largest position of the whole batch
# for that and rotates every row by the result: a short prompt beside a long one gets the long factors, although it gets the
# short ones alone and beside prompts within the original context. Phi-3 with long context is such a model. So perplexities
# and answers depend on how prompts are sorted and batched, without a message; without scaling and with YaRN they do not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Phi3Config

original, size = 32, 32
generator = torch.Generator().manual_seed(0)
short, other, long = (torch.randint(3, 64, (length,), generator=generator) for length in (16, original, 2 * original))
scalings = {
    "default": {},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": original},
    "dynamic": {"factor": 4.0},
    "longrope": {"factor": 4.0, "short_factor": [1.0] * (size // 2), "long_factor": [4.0] * (size // 2)},
}


def logits(model, *prompts):
    """Logits of the first prompt in a batch of all prompts, padded at the right."""
    ids = torch.nn.utils.rnn.pad_sequence(prompts, batch_first=True)
    mask = torch.nn.utils.rnn.pad_sequence([torch.ones_like(prompt) for prompt in prompts], batch_first=True)
    with torch.no_grad():
        output = model(ids, attention_mask=mask, position_ids=(mask.cumsum(-1) - 1) * mask)
    return output.logits[0, :len(prompts[0])]


for kind, options in scalings.items():
    torch.manual_seed(0)
    config = (Phi3Config if kind == "longrope" else LlamaConfig)(
        vocab_size=64, hidden_size=2 * size, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, pad_token_id=0, initializer_range=0.3, original_max_position_embeddings=original,
        max_position_embeddings=original if kind == "dynamic" else 4 * original,
        rope_parameters={"rope_type": kind, "rope_theta": 10000.0} | options)
    model = AutoModelForCausalLM.from_config(config).eval()
    alone = logits(model, short)
    changes = [float((logits(model, short, prompt) - alone).abs().max() / alone.abs().max()) for prompt in (other, long)]
    tokens = int((logits(model, short, long).argmax(-1) != alone.argmax(-1)).sum())
    print(f"{kind}: largest change, relative to the largest logit, beside {original} tokens {changes[0]:.1e}, beside"
          f" {2 * original} tokens {changes[1]:.1e}; other most likely token at {tokens} of {len(short)} positions")
    assert changes[0] < 1e-5
    assert changes[1] > 0.1 and tokens >= 3 if kind in ("dynamic", "longrope") else changes[1] < 1e-5
END
