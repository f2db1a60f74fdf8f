#!/usr/bin/env bash
# CTranslate2 4.8.5 drops θ of Gemma and the factor of Gemma 3 from configs that transformers 5.24.0 wrote.
#
# transformers 5 keeps both in rope_parameters. The converter of Gemma asks for an attribute rope_theta, which is missing, and
# takes 10,000. That of Gemma 3 never asks for a scaling, so that the layers with full attention of its 4B to 27B models, which
# divide all frequencies by 8, are not scaled. The logits differ from the second token on, without a message; a Llama with the
# same θ and factor is converted right.
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
from transformers import AutoModelForCausalLM, Gemma3TextConfig, GemmaConfig, LlamaConfig, PreTrainedTokenizerFast

words = 64


def difference(kind, rope, name):
    """Largest difference of the logits of the second and later tokens, and the largest logit."""
    torch.manual_seed(0)
    extra = {}
    if kind is Gemma3TextConfig:
        rope = {"full_attention": rope, "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
        extra = {"layer_types": ["sliding_attention", "full_attention"], "query_pre_attn_scalar": 16, "sliding_window": 64}
    model = AutoModelForCausalLM.from_config(kind(
        vocab_size=words, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, head_dim=16,
        intermediate_size=128, initializer_range=0.3, bos_token_id=1, eos_token_id=2, pad_token_id=0,
        rope_parameters=rope, **extra)).eval()
    folder = f"{os.environ['FOLDER']}/{kind.__name__}-{name}"
    model.save_pretrained(folder)
    vocabulary = Tokenizer(models.WordLevel({f"t{i}": i for i in range(words)}, unk_token="t0"))
    PreTrainedTokenizerFast(tokenizer_object=vocabulary, unk_token="t0", bos_token="t1", eos_token="t2",
                            pad_token="t0").save_pretrained(folder)
    ctranslate2.converters.TransformersConverter(folder).convert(f"{folder}/converted")
    generator = ctranslate2.Generator(f"{folder}/converted", device="cpu", compute_type="float32")
    ids = torch.randint(3, words, (1, 48))
    converted = numpy.array(generator.forward_batch([[f"t{i}" for i in ids[0].tolist()]]))[0]
    right = model(ids).logits[0].detach().numpy()
    return abs(converted - right)[1:].max(), abs(right).max()


plain = {"rope_type": "default", "rope_theta": 10000.0}
other_theta = {"rope_type": "default", "rope_theta": 1000000.0}
linear = {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0}
for kind, rope, name, is_right in (
        (LlamaConfig, other_theta, "θ 1,000,000", True), (LlamaConfig, linear, "factor 8", True),
        (GemmaConfig, plain, "θ 10,000", True), (GemmaConfig, other_theta, "θ 1,000,000", False),
        (Gemma3TextConfig, other_theta, "θ 1,000,000", True), (Gemma3TextConfig, linear, "factor 8", False)):
    largest, scale = difference(kind, rope, name)
    print(f"{kind.__name__}, {name}: logits differ by at most {largest:.1e}, of up to {scale:.1f}")
    assert largest < 1e-3 if is_right else largest > 0.3, (kind, name, largest)
END
