#!/usr/bin/env bash
# x-transformers 2.31.10: with shift_tokens or data-dependent ALiBi, generate() writes other tokens with its cache than without.
#
# Token by token, the model gets one token and the cached keys and values. shift_tokens gives part of the channels those of
# the token before, which is then missing, so zeros stand in for it. Data-dependent ALiBi (the Forgetting Transformer) sums its
# gates over the tokens of the call, so that its bias is 0 for all cached keys and nothing is forgotten. generate() uses the
# cache by default and raises no error. With RoPE alone both ways agree; with cache_kv=False the samples are the model's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check x-transformers==2.31.10 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

prompt = torch.arange(24)[None] * 7 % 64
for name, options in (
    ("RoPE", dict(rotary_pos_emb=True)),
    ("RoPE and shift_tokens", dict(rotary_pos_emb=True, shift_tokens=1)),
    ("data-dependent ALiBi", dict(attn_data_dependent_alibi=True)),
):
    torch.manual_seed(0)
    decoder = Decoder(dim=128, depth=2, heads=4, attn_dim_head=64, **options)
    model = TransformerWrapper(num_tokens=64, max_seq_len=128, use_abs_pos_emb=False, attn_layers=decoder).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.1)
    with torch.no_grad():
        _, cache = model(prompt[:, :-1], return_intermediates=True)
        step = model(prompt, return_intermediates=True, cache=cache)[0][:, -1]
        whole = model(prompt)[:, -1]
    sampler = AutoregressiveWrapper(model)
    cached, plain = (sampler.generate(prompt, 40, temperature=0.0, cache_kv=use)[0] for use in (True, False))
    equal = int((cached == plain).sum())
    print(f"{name}: logits after {prompt.shape[1]} tokens differ by up to {(step - whole).abs().max():.2g},",
          f"{equal} of 40 tokens of greedy samples are equal")
    assert model.can_cache_kv
    if name == "RoPE":
        assert equal == 40 and torch.allclose(step, whole, atol=1e-4)
    else:
        assert equal < 30 and (step - whole).abs().max() > 0.1
END
