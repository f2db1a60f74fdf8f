#!/usr/bin/env bash
# onnxruntime-genai 0.18.0: a model as wide as its vocabulary is large is exported with an output layer in the wrong place.
#
# The model builder takes every Linear with as many outputs as the vocabulary has tokens for the output layer, and connects it
# where it meets the first. A byte-level model of 256 tokens and a width of 256, as small GPTs have it, has such a Linear in
# the query projection of its first layer. So the exported logits are the output layer's for the state after the first layer's
# attention: its MLP, all other layers and the last norm are in the file and count for nothing. The builder ends with status 0
# and says only "Reading LM head" eleven times. With one token more, 257, the logits are those of transformers 5.24.0.
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
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

heads, size, vocabularies = 4, 64, (256, 257)
tokens = torch.arange(3, 19)[None]

if sys.argv[1] == "write":
    for vocabulary in vocabularies:
        torch.manual_seed(0)
        LlamaForCausalLM(LlamaConfig(
            vocab_size=vocabulary, hidden_size=heads * size, intermediate_size=512, num_hidden_layers=2,
            num_attention_heads=heads, num_key_value_heads=heads, max_position_embeddings=64, initializer_range=0.1,
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0})).save_pretrained(str(vocabulary))
        words = models.WordLevel({f"t{i}": i for i in range(vocabulary)}, unk_token="t0")
        PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words), bos_token="t1", eos_token="t2",
                                unk_token="t0").save_pretrained(str(vocabulary))
    raise SystemExit

for vocabulary in vocabularies:
    model = LlamaForCausalLM.from_pretrained(str(vocabulary)).eval()
    first, hidden = model.model.layers[0], []
    first.post_attention_layernorm.register_forward_hook(lambda module, given, output: hidden.append(output))
    with torch.no_grad():
        logits = model(tokens).logits.numpy()
        early = model.lm_head(hidden[0]).numpy()
    session = onnxruntime.InferenceSession(f"{vocabulary}-onnx/model.onnx", providers=["CPUExecutionProvider"])
    given = {"input_ids": tokens.numpy(), "attention_mask": numpy.ones(tokens.shape, dtype="int64")}
    empty = numpy.zeros((1, heads, 0, size), dtype="float32")
    exported = session.run(["logits"], {i.name: given.get(i.name, empty) for i in session.get_inputs()})[0]
    print(f"{vocabulary} tokens: difference to transformers {abs(exported - logits).max():.4f} "
          f"(largest logit {abs(logits).max():.2f})")
    if vocabulary == heads * size:
        print(f"    to the output layer after the first layer's attention {abs(exported - early).max():.6f}")
        assert abs(exported - logits).max() > 1 and abs(exported - early).max() < 1e-3
    else:
        assert abs(exported - logits).max() < 1e-3
END
venv/bin/python models.py write 2>/dev/null
for vocabulary in 256 257; do
    venv/bin/python -m onnxruntime_genai.models.builder -i "$vocabulary" -o "$vocabulary-onnx" -p fp32 -e cpu -c cache >log 2>&1
    if grep -iE 'warn|error' log; then exit 1; fi
    echo "$vocabulary tokens: $(grep -c 'Reading LM head' log) times \"Reading LM head\""
done
venv/bin/python models.py compare 2>/dev/null
