#!/usr/bin/env bash
# local-attention 1.11.2: without a causal mask, RoPE gives each query the position of a token one window later.
#
# By default a query that is not masked sees the keys of the window before, its own, and the next. The rotary angles are made
# for these three windows of keys, and the queries take the last third of them, which belong to the next window, although they
# are in the middle one. With equal vectors everywhere, RoPE's logit is largest at distance 0, so each token should attend to
# itself most; here it attends most to the token one window later, wherever there is one. With causal=True, where the
# queries' window is the last one, each token attends to itself most.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check local-attention==1.11.2 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from local_attention import LocalAttention

tokens, size, window = 32, 64, 8
equal = torch.full((1, tokens, size), 2.0)  # queries and keys, the same at every position
values = torch.eye(tokens)[None]            # the output of a token is its attention weights


def most_attended(causal):
    attention = LocalAttention(window_size=window, causal=causal, dim=size).eval()
    return attention(equal, equal, values)[0].argmax(dim=-1).tolist()


print("causal:  token 0 to 31 attends most to", *most_attended(True))
print("bidirectional:                       to", *most_attended(False))
own = list(range(tokens))
assert most_attended(True) == own
assert most_attended(False)[:-window] == own[window:]
END
