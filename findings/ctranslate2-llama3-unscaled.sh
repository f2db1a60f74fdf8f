#!/usr/bin/env bash
# CTranslate2 4.8.5 runs a Llama 3.1 model without its scaling.
#
# Llama 3's scaling divides the frequencies of the slow pairs. The converter accepts the type and stores its factor and both
# limits, but not original_max_position_embeddings, and the engine then scales no pair. The converted model has the logits of
# the same weights without scaling, not those of transformers, and nothing says so; "linear" scaling is converted right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ctranslate2==4.8.5 transformers==5.24.0 torch==2.11.0
FOLDER=$folder "$folder/venv/bin/python" - 2>/dev/null <<'END'
import os
import ctranslate2
import numpy
import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

words = 64
torch.manual_seed(0)
ids = torch.randint(3, words, (1, 48))


def llama(rope, weights=None):
    config = LlamaConfig(
        vocab_size=words, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=131072, initializer_range=0.3, bos_token_id=1, eos_token_id=2,
        rope_parameters={"rope_theta": 500000.0, **rope})
    model = LlamaForCausalLM(config).eval()
    if weights:
        model.load_state_dict(weights)
    return model


def transformers_logits(model):
    return model(ids).logits[0].detach().numpy()


def converted_logits(model):
    folder = f"{os.environ['FOLDER']}/{model.config.rope_parameters['rope_type']}"
    model.save_pretrained(folder)
    vocabulary = Tokenizer(models.WordLevel({f"t{i}": i for i in range(words)}, unk_token="t0"))
    PreTrainedTokenizerFast(tokenizer_object=vocabulary, unk_token="t0", bos_token="t1", eos_token="t2").save_pretrained(folder)
    ctranslate2.converters.TransformersConverter(folder).convert(f"{folder}/converted")
    generator = ctranslate2.Generator(f"{folder}/converted", device="cpu", compute_type="float32")
    return numpy.array(generator.forward_batch([[f"t{i}" for i in ids[0].tolist()]]))[0]


llama3 = llama({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 8192})  # the keys of Llama 3.1
linear = llama({"rope_type": "linear", "factor": 8.0}, llama3.state_dict())
plain = llama({"rope_type": "default"}, llama3.state_dict())
converted = converted_logits(llama3)
against = {"llama3": abs(converted - transformers_logits(llama3)).max(),
           "no": abs(converted - transformers_logits(plain)).max()}
for scaling, largest in against.items():
    print(f"CTranslate2's llama3 against transformers with {scaling} scaling: logits differ by at most {largest:.1e}")
linear_difference = abs(converted_logits(linear) - transformers_logits(linear)).max()
print(f"CTranslate2's linear against transformers with linear scaling: at most {linear_difference:.1e}")
assert against["llama3"] > 0.1 and against["no"] < 1e-3 and linear_difference < 1e-3
END
