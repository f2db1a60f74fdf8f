#!/usr/bin/env bash
# x-transformers 2.31.10: rotary_pos_emb=True rotates half of each head, not all of it.
#
# The number of rotated channels is half of the head size unless rotary_emb_dim is given. A comparison with GPT-NeoX's or
# Llama's rotation "in x-transformers' default" is therefore one of RoPE at 50 % with RoPE at 100 %. Heads of 32 channels
# and fewer rotate 16 and fewer, with a warning in the log and no change.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check x-transformers==2.31.10 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
from x_transformers import Decoder


def rotated(head_size, **options):
    decoder = Decoder(dim=256, depth=1, heads=4, attn_dim_head=head_size, rotary_pos_emb=True, **options)
    return 2 * len(decoder.rotary_pos_emb.inv_freq)


seen = {size: rotated(size) for size in (16, 32, 64, 128)}
print("rotated channels by head size:", seen, "with rotary_emb_dim=64:", rotated(64, rotary_emb_dim=64))
assert seen == {16: 8, 32: 16, 64: 32, 128: 64}
assert rotated(64, rotary_emb_dim=64) == 64
END
