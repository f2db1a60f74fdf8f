#!/usr/bin/env bash
# rotary-embedding-torch 0.9.1: queries in bfloat16 round their positions, so tokens beyond 256 share rotations.
#
# Positions are made in the type of the queries, and bfloat16 has no 257: the angle of position 257 is that of 256, although
# the frequencies are in float32. Under autocast or in a model of bfloat16 the error is as large as the values. Rotating in
# float32 and casting the result loses only the last digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rotary-embedding-torch==0.9.1 torch==2.11.0
"$folder/venv/bin/python" - <<'END'
import torch
from rotary_embedding_torch import RotaryEmbedding

ones = torch.ones(1, 1, 512, 64)
rope = RotaryEmbedding(dim=64)
exact = rope.rotate_queries_or_keys(ones)[0, 0]
seen = RotaryEmbedding(dim=64).rotate_queries_or_keys(ones.bfloat16()).float()[0, 0]
error = (seen - exact).abs().amax(-1)
cast = (exact.bfloat16().float() - exact).abs().max()
print(f"frequencies: {rope.freqs.dtype}; largest error of values of at most 1.42: position 1 {error[1]:.3f},"
      f" 257 {error[257]:.3f}, all {error.max():.3f}; rotated in float32 and cast: {cast:.3f}")
print("rotations of positions 256 and 257 are equal:", torch.equal(seen[256], seen[257]))
assert rope.freqs.dtype == torch.float32
assert torch.equal(seen[256], seen[257]) and not torch.equal(exact[256], exact[257])
assert error[257] > 1 and cast < 0.01
END
