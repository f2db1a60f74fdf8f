#!/usr/bin/env bash
# transformers 5.24.0: with dynamic NTK scaling, a text's logits depend on the texts before it, and generation on its cache.
#
# Beyond the original context, this scaling raises theta with the length of the sequence. The module keeps the theta of the
# longest sequence so far until one comes that is shorter than the original context. So after a text of 64 tokens, one of 48
# is rotated like the longer one, and so is one as long as the original context, 32, which is not scaled at all in a fresh
# model: the loss of a text changes with the order of the data set, in the same process and without a message. A
# generation with a cache also keeps each key rotated by the theta of the length at which it was computed, so from the first
# token beyond the context on its logits are not those of one pass. Without scaling and with YaRN, all of them agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from transformers import LlamaConfig, LlamaForCausalLM

context = 32
text = torch.arange(64)[None] * 7 % 61 + 1  # without 0, which is padding


def fresh(scaling):
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=context, rope_parameters={"rope_theta": 10000.0} | scaling)).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    return model


def last(model, length):
    with torch.no_grad():
        return model(text[:, :length], use_cache=False).logits[0, -1]


def by_history(scaling, length, *before):
    """How much the logits of a text differ between a fresh model and one that computed texts of these lengths before."""
    used = fresh(scaling)
    for other in before:
        last(used, other)
    return float((last(used, length) - last(fresh(scaling), length)).abs().max())


def by_cache(scaling, prompt, length):
    """How much the logits of a generation with a cache differ from those of one pass in a fresh model."""
    generated = fresh(scaling).generate(text[:, :prompt], max_new_tokens=length - prompt + 1, do_sample=False,
                                        eos_token_id=None, pad_token_id=0, return_dict_in_generate=True, output_logits=True)
    with torch.no_grad():
        whole = fresh(scaling)(generated.sequences[:, :length], use_cache=False).logits[0, -1]
    return float((generated.logits[-1][0] - whole).abs().max())


for scaling in ({"rope_type": "dynamic", "factor": 4.0}, {"rope_type": "default"},
                {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": context // 4}):
    seen = {"48 tokens after 64": by_history(scaling, 48, 64), "32 after 64": by_history(scaling, 32, 64),
            "48 tokens generated after 24": by_cache(scaling, 24, 48)}
    same = {"48 after 31 after 64": by_history(scaling, 48, 64, 31), "31 after 64": by_history(scaling, 31, 64),
            "32 generated after 24": by_cache(scaling, 24, 32)}
    print(f"{scaling['rope_type']:7} logits differ by",
          ", ".join(f"{value:.1e} ({name})" for name, value in (seen | same).items()))
    is_dynamic = scaling["rope_type"] == "dynamic"
    assert all(value > 0.1 if is_dynamic else value < 1e-4 for value in seen.values())
    assert all(value < 1e-4 for value in same.values())
END
