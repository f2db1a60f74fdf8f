#!/usr/bin/env bash
# onnxruntime-genai 0.18.0: the model builder exports a Llama with linear or YaRN scaling as a Llama without scaling.
#
# Its base class reads both types of rope_parameters and stops with an error at those that it does not know. The class for
# Llama replaces that method by one that knows "llama3" only and passes over every other type. So the tables of cosines and
# sines are those of plain RoPE: the exported model has the logits of the same weights without scaling, not those of
# transformers 5.24.0, and no message says so. Linear scaling in a Mistral, with the same weights, is exported right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check onnxruntime-genai==0.18.0 onnxruntime==1.32.0 \
    onnx-ir==1.1.0 onnx==1.23.2 transformers==5.24.0 torch==2.11.0
cd "$folder"
cat >models.py <<'END'
import sys

import numpy
import onnxruntime
import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, PreTrainedTokenizerFast

heads, size, vocabulary = 2, 32, 96
tokens = torch.arange(3, 51)[None]
scaling = {
    "linear": {"factor": 4.0},
    "yarn": {"factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 64},
}
exports = ("llama-linear", "llama-yarn", "mistral-linear")


def model_of(family, kind):
    """The model with the same weights for every scaling."""
    config, model = {"llama": (LlamaConfig, LlamaForCausalLM), "mistral": (MistralConfig, MistralForCausalLM)}[family]
    torch.manual_seed(0)
    return model(config(
        vocab_size=vocabulary, hidden_size=heads * size, intermediate_size=128, num_hidden_layers=2, initializer_range=0.3,
        num_attention_heads=heads, num_key_value_heads=heads, max_position_embeddings=256,
        rope_parameters={"rope_type": kind, "rope_theta": 10000.0, **scaling.get(kind, {})})).eval()


def logits_of(family, kind):
    with torch.no_grad():
        return model_of(family, kind)(tokens).logits.numpy()


if sys.argv[1] == "write":
    words = models.WordLevel({f"t{i}": i for i in range(vocabulary)}, unk_token="t0")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), bos_token="t1", eos_token="t2", unk_token="t0")
    for name in exports:
        model_of(*name.split("-")).save_pretrained(name)
        tokenizer.save_pretrained(name)
    raise SystemExit

for name in exports:
    family, kind = name.split("-")
    session = onnxruntime.InferenceSession(f"{name}-onnx/model.onnx", providers=["CPUExecutionProvider"])
    given = {"input_ids": tokens.numpy(), "attention_mask": numpy.ones(tokens.shape, dtype="int64")}
    empty = numpy.zeros((1, heads, 0, size), dtype="float32")
    exported = session.run(["logits"], {i.name: given.get(i.name, empty) for i in session.get_inputs()})[0]
    scaled, plain = (abs(exported - logits_of(family, other)).max() for other in (kind, "default"))
    print(f"{name}: difference to transformers with the scaling {scaled:.4f}, without it {plain:.4f}")
    if family == "llama":
        assert plain < 1e-3 and scaled > 1
    else:
        assert scaled < 1e-3 and plain > 1
END
venv/bin/python models.py write 2>/dev/null
for name in llama-linear llama-yarn mistral-linear; do
    venv/bin/python -m onnxruntime_genai.models.builder -i "$name" -o "$name-onnx" -p fp32 -e cpu -c cache >log 2>&1
    if grep -iE 'rope|rotary|scal|warn' log; then exit 1; fi
done
venv/bin/python models.py compare 2>/dev/null
