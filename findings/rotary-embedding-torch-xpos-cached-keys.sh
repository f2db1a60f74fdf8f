#!/usr/bin/env bash
# rotary-embedding-torch 0.9.1: with xPos, a query beside cached keys gets other logits than in the whole sequence.
#
# rotate_queries_with_cached_keys scales the query as if its own length were the sequence's, because the scale is centred on
# the length of the positions that it is given. Without xPos both ways agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rotary-embedding-torch==0.9.1 torch==2.11.0
"$folder/venv/bin/python" - <<'END'
import torch
from rotary_embedding_torch import RotaryEmbedding

torch.manual_seed(0)
length = 512
queries, keys = torch.randn(2, 1, 1, length, 64, dtype=torch.float64)


def ratio(xpos):
    """Logits of the last query beside cached keys, divided by those of the whole sequence."""
    make = lambda: RotaryEmbedding(dim=64, use_xpos=xpos)
    if xpos:
        rotated_queries, rotated_keys = make().rotate_queries_and_keys(queries, keys)
    else:
        rotated_queries, rotated_keys = (make().rotate_queries_or_keys(x) for x in (queries, keys))
    query, cached = make().rotate_queries_with_cached_keys(queries[:, :, -1:], keys)
    whole = (rotated_queries[..., -1:, :] @ rotated_keys.transpose(-1, -2)).flatten()
    step = (query @ cached.transpose(-1, -2)).flatten()
    return (step - whole).norm() / whole.norm()


plain, xpos = ratio(False), ratio(True)
print(f"relative difference of the logits: without xPos {plain:.1e}, with xPos {xpos:.2f}")
assert plain < 1e-5 and xpos > 0.1
END
