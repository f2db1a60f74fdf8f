#!/usr/bin/env bash
# torch 2.11.0 and transformers 5.24.0: a model from the meta device gets all weights of its checkpoint, but no frequencies.
#
# Large models are built on the device "meta", get memory by to_empty() and their weights by load_state_dict(), which answers
# that all keys match. The frequencies of RoPE are a buffer that no checkpoint contains, because they follow from the config,
# and to_empty() leaves in it what was in the memory before: often zeros, with which no pair rotates. The model runs and can
# be trained, and nothing says that it has no positions. from_pretrained() computes the frequencies; after to_empty() the
# rotary embedding has to be built again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import torch
from transformers import AutoModelForCausalLM, GPTNeoXConfig, LlamaConfig

text = torch.arange(40)[None] * 7 % 64
for kind in (LlamaConfig, GPTNeoXConfig):
    config = kind(vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    trained = AutoModelForCausalLM.from_config(config).eval()
    torch.manual_seed(0)
    for parameter in trained.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    wanted, logits = trained.get_decoder().rotary_emb.inv_freq, trained(text).logits
    for marks_memory in (False, True):  # whether torch writes NaN where a tensor has not been set
        torch.use_deterministic_algorithms(marks_memory)
        with torch.device("meta"):
            loaded = AutoModelForCausalLM.from_config(config).eval()
        loaded.to_empty(device="cpu")
        answer = loaded.load_state_dict(trained.state_dict())
        rotary = loaded.get_decoder().rotary_emb
        frequencies = rotary.inv_freq
        print(f"{kind.__name__}: {answer} Frequencies {frequencies.tolist()[:2]} instead of {wanted.tolist()[:2]}")
        assert not answer.missing_keys and not answer.unexpected_keys
        assert all(torch.equal(a, b) for a, b in zip(trained.parameters(), loaded.parameters()))
    assert frequencies.isnan().all()
    loaded.get_decoder().rotary_emb = type(rotary)(config)
    assert torch.equal(loaded(text).logits, logits)
END
