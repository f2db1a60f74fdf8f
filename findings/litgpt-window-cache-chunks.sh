#!/usr/bin/env bash
# litgpt 0.5.13: with sliding windows, a prompt in chunks gets wrong logits, although the error for whole prompts advises it.
#
# Layers with a window, as in Gemma 2 and 3, keep the last keys in a ring. A prompt longer than the window is refused with the
# words "use chunked prefill with chunk size <= window". A chunk then overwrites keys that its first tokens should see, and
# the mask is cut to the ring's size as if its places were positions, so that each token of the chunk also attends to the later
# ones. There is no message. One token at a time is right, and so are chunks of any size in models without windows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.11.0 lightning==2.6.6 psutil==7.2.2 \
    safetensors==0.8.0 huggingface_hub==2.4.0 tokenizers==0.23.3
# Without its own, older transformers' limits.
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps litgpt==0.5.13
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from litgpt.model import GPT, Config

length, window = 48, 16
text = torch.arange(length)[None] * 7 % 64


@torch.no_grad()
def in_chunks(model, tokens, size):
    model.set_kv_cache(batch_size=1)
    positions = torch.arange(tokens.shape[1]).split(size)
    logits = torch.cat([model(tokens[:, chunk], chunk) for chunk in positions], 1)
    model.clear_kv_cache()
    return logits


for windows in (dict(), dict(sliding_window_size=window, sliding_window_indices=[1, 0])):
    config = Config(n_layer=2, n_head=2, n_query_groups=2, n_embd=64, block_size=128, vocab_size=64, padded_vocab_size=64,
                    rotary_percentage=1.0, parallel_residual=False, bias=False, norm_class_name="RMSNorm",
                    mlp_class_name="LLaMAMLP", intermediate_size=96, **windows)
    model = GPT(config).eval()
    torch.manual_seed(0)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    with torch.no_grad():
        whole = model(text)
    for size in (1, 4, window):
        logits = in_chunks(model, text, size)
        changed = text.clone()
        changed[0, -1] = 63  # the last token, which no other may see
        seen = (in_chunks(model, changed, size)[:, -2] - logits[:, -2]).abs().max().item()
        difference = (logits - whole).abs().max().item()
        print(f"{'window of 16' if windows else 'no window'}, chunks of {size}: logits differ from one pass by up to",
              f"{difference:.2g}; the last token changes those before it by {seen:.2g}")
        wrong = bool(windows) and size > 1
        assert (difference > 1 and seen > 0.1) if wrong else (difference < 1e-3 and seen < 1e-3)
try:
    in_chunks(model, text, length)
except ValueError as error:
    print(error)
    assert f"use chunked prefill with chunk size <= {window}" in str(error)
else:
    raise SystemExit("A prompt longer than the window is not refused.")
END
