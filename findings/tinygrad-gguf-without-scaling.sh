#!/usr/bin/env bash
# tinygrad 0.13.0 reads θ of a Llama from a GGUF file and drops its scaling; biases keep llama.cpp's order of channels.
#
# Transformer.from_gguf ignores llama.rope.scaling.* and the divisors of a Llama 3 (rope_freqs.weight), without a message: the
# model has the logits of the same file without scaling, not those of llama.cpp, from the second token on. GGUF files
# of Llama interleave the two channels of each pair, which tinygrad rotates a half apart, so it reorders the rows of the query
# and key matrices. It loads the biases of these layers, too, but does not reorder them: they are added to other channels.
# Without scaling and biases both programs agree. It needs clang, which compiles tinygrad's kernels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tinygrad==0.13.0 gguf==0.19.0 xllamacpp==2026.10.11549
cd "$folder"
DEV=CPU CACHELEVEL=0 "$folder/venv/bin/python" - 2>/dev/null <<'END'
import json

import gguf
import numpy
import xllamacpp
from tinygrad import Tensor
from tinygrad.llm.model import Transformer

tokens, width, heads, layers = 64, 64, 2, 2
prompt = [1] + [3 + 7 * i * i % 50 for i in range(40)]


def write(path, linear=False, divisors=False, biases=False):
    """A Llama with random weights, equal in all files."""
    random = numpy.random.default_rng(1)
    matrix = lambda rows, columns: (random.standard_normal((rows, columns)) * 1.2 / columns**0.5).astype("float32")
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(width)
    writer.add_block_count(layers)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([b"<unk>", b"<s>", b"</s>"] + [bytes([65 + i]) for i in range(tokens - 3)])
    writer.add_token_scores([0.0] * tokens)
    writer.add_token_types([2, 3, 3] + [1] * (tokens - 3))
    ones = numpy.ones(width, "float32")
    writer.add_tensor("token_embd.weight", matrix(tokens, width))
    writer.add_tensor("output.weight", matrix(tokens, width))
    writer.add_tensor("output_norm.weight", ones)
    for layer in range(layers):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", ones)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix(width, width))
    for layer in range(layers if biases else 0):
        for name in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"blk.{layer}.{name}.bias", random.standard_normal(width).astype("float32"))
    if linear:
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(8.0)
    if divisors:
        writer.add_tensor("rope_freqs.weight", numpy.array([1] * 4 + [8] * (width // heads // 2 - 4), "float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def of_tinygrad(path):
    """Log-probabilities of the token after the prompt."""
    model, _ = Transformer.from_gguf(path)
    states = model.token_embd(Tensor([prompt])).float()
    for block in model.blk:
        states = block(states, 0)
    return model.output(model.output_norm(states))[0, -1].log_softmax().numpy()


def of_llama_cpp(path):
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx = 128
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 1
    settings.warmup = settings.fit_params = False
    answer = xllamacpp.Server(settings).handle_completions(
        {"prompt": prompt, "n_predict": 1, "temperature": 0, "n_probs": tokens})
    answer = json.loads(answer) if isinstance(answer, (str, bytes)) else answer
    listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    return numpy.array([entry["logprob"] for entry in sorted(listed, key=lambda entry: entry["id"])])


plain = None
for name in ("plain", "linear", "divisors", "biases"):
    write(f"{name}.gguf", **({name: True} if name != "plain" else {}))
    answer, wanted = of_tinygrad(f"{name}.gguf"), of_llama_cpp(f"{name}.gguf")
    plain = answer if name == "plain" else plain
    difference = abs(answer - wanted).max()
    print(f"{name}: log-probabilities differ from llama.cpp's by up to {difference:.3f}, from tinygrad's of the plain file",
          f"by {abs(answer - plain).max():.3f}")
    assert (difference < 0.05) if name == "plain" else (difference > 0.5)
    assert name == "biases" or (answer == plain).all()

# The same file with its biases in the order of the matrices' rows that tinygrad makes has llama.cpp's answer.
model, _ = Transformer.from_gguf("biases.gguf")
for block in model.blk:
    for layer in (block.attn_q, block.attn_k):
        layer.bias = layer.bias.rearrange("(n h two) -> (n two h)", n=heads, two=2)
states = model.token_embd(Tensor([prompt])).float()
for block in model.blk:
    states = block(states, 0)
reordered = model.output(model.output_norm(states))[0, -1].log_softmax().numpy()
difference = abs(reordered - of_llama_cpp("biases.gguf")).max()
print(f"biases, reordered by hand: by up to {difference:.3f}")
assert difference < 0.05
END
