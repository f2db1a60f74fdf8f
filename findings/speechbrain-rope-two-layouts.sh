#!/usr/bin/env bash
# speechbrain 1.1.2: RoPEMHA reads its weights in one of two layouts, by whether query, key and value are equal.
#
# If all three are equal, the rows of in_proj_weight are query, key and value of the first head, then those of the second, and
# so on. If any number differs, they are all heads' queries, then all keys, then all values. So with four heads the output of
# the first token differs by its own size when its query alone is given, as with a cache of keys, and all outputs do when one
# number of one query grows by 1e-6. With one head both layouts are the same. Both divide the logits by the root of the width
# and not, as usual, of the head's size, which also matters to weights that come from or go to another library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check speechbrain==1.1.2 torch==2.11.0 torchaudio==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from speechbrain.nnet.attention import RoPEMHA

tokens, width = 10, 64
torch.manual_seed(0)
x = torch.randn(1, tokens, width)
close = x.clone()
close[0, -1, 0] += 1e-6


def expected(attention, heads, by_head, divisor):
    """Attention with RoPE's formula in float64, of the weights in one of the two layouts."""
    size = width // heads
    weight = attention.in_proj_weight.double()
    weight = weight.view(heads, 3, size, width).transpose(0, 1) if by_head else weight.view(3, heads, size, width)
    query, key, value = torch.einsum("chse,te->chts", weight, x[0].double())
    angles = torch.outer(torch.arange(tokens).double(), 10000.0 ** (-torch.arange(0, size, 2).double() / size))
    turns = torch.polar(torch.ones_like(angles), angles)
    query, key = (torch.view_as_complex(part.unflatten(-1, (-1, 2)).contiguous()) * turns for part in (query, key))
    weights = ((query @ key.mH).real / divisor**0.5).softmax(-1)
    mixed = (weights @ value).transpose(0, 1).reshape(1, tokens, width)
    return mixed @ attention.out_proj.weight.double().T + attention.out_proj.bias.double()


for heads in (1, 4):
    attention = RoPEMHA(num_heads=heads, embed_dim=width).eval()
    with torch.no_grad():
        whole, alone, moved = (attention(query, x, x)[0] for query in (x, x[:, :1], close))
        by_head, by_part = (expected(attention, heads, layout, width) for layout in (True, False))
        usual = expected(attention, heads, True, width // heads)
    largest = float(whole.abs().max())
    changes = [float((one - other).abs().max()) / largest for one, other in
               ((alone, whole[:, :1]), (moved, whole), (whole, by_head), (moved, by_part), (whole, usual))]
    print(f"{heads} heads, change of the largest output: first token alone {changes[0]:.1e}, a query 1e-6 larger"
          f" {changes[1]:.1e}; equal inputs to the layout by head {changes[2]:.1e}, others to that by part {changes[3]:.1e};"
          f" to logits divided by the root of the head's size {changes[4]:.1e}")
    assert max(changes[2:4]) < 1e-5
    assert min(changes[:2]) > 0.5 and changes[4] > 0.01 if heads > 1 else max(changes) < 1e-5
END
