#!/usr/bin/env bash
# llama.cpp (xllamacpp 2026.10.11549): the context size that is reserved decides between LongRoPE's factors, not the prompt.
#
# A Phi-3 has short factors for sequences within the original context and long factors beyond. llama.cpp chooses for all
# sequences at once: with a context size (n_ctx) above the original context, every prompt gets the long factors, however short
# it is; transformers gives it the short ones. So one prompt and one file give other probabilities after a change of n_ctx, by
# up to 3.2 nats with the random weights below, without a message. Where both factors are equal, n_ctx changes nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xllamacpp==2026.10.11549 gguf==0.19.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import json

import gguf
import numpy
import xllamacpp

tokens, width, heads, layers, original_context = 64, 64, 2, 2, 512


def write(path, short, long):
    """A Phi-3 with random weights, equal for all factors."""
    random = numpy.random.default_rng(1)

    def matrix(rows, columns):
        return (random.standard_normal((rows, columns)) * 1.2 / numpy.sqrt(columns)).astype("float32")

    writer = gguf.GGUFWriter(path, "phi3")
    writer.add_context_length(4096)
    writer.add_rope_scaling_orig_ctx_len(original_context)
    writer.add_rope_scaling_attn_factors(1.0)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(width)
    writer.add_block_count(layers)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_sliding_window(0)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([b"<unk>", b"<s>", b"</s>"] + [bytes([65 + i]) for i in range(tokens - 3)])
    writer.add_token_scores([0.0] * tokens)
    writer.add_token_types([2, 3, 3] + [1] * (tokens - 3))
    ones = numpy.ones(width, "float32")
    for name, factor in (("short", short), ("long", long)):
        writer.add_tensor(f"rope_factors_{name}.weight", numpy.full(width // heads // 2, factor, "float32"))
    writer.add_tensor("token_embd.weight", matrix(tokens, width))
    writer.add_tensor("output.weight", matrix(tokens, width))
    writer.add_tensor("output_norm.weight", ones)
    for layer in range(layers):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", ones)
        for name, rows in (("attn_qkv", 3 * width), ("attn_output", width), ("ffn_up", 2 * width), ("ffn_down", width)):
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix(rows, width))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def probabilities(path, context):
    """Log-probabilities of the token after a prompt of 41 tokens."""
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 1
    settings.warmup = settings.fit_params = False
    prompt = [1] + [3 + 7 * i * i % 50 for i in range(40)]
    answer = xllamacpp.Server(settings).handle_completions(
        {"prompt": prompt, "n_predict": 1, "temperature": 0, "n_probs": tokens})
    answer = json.loads(answer) if isinstance(answer, (str, bytes)) else answer
    listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    return numpy.array([entry["logprob"] for entry in sorted(listed, key=lambda entry: entry["id"])])


write("phi3.gguf", short=1, long=8)
write("all-short.gguf", short=1, long=1)
write("all-long.gguf", short=8, long=8)
small, large = probabilities("phi3.gguf", 512), probabilities("phi3.gguf", 1024)
print(f"41 tokens, original context {original_context}: with context size 512 and 1024, log-probabilities differ by up to",
      f"{abs(small - large).max():.3f}")
assert small.size == tokens and abs(small - large).max() > 1
assert abs(small - probabilities("all-short.gguf", 512)).max() == 0
assert abs(large - probabilities("all-long.gguf", 1024)).max() == 0
assert abs(probabilities("all-short.gguf", 512) - probabilities("all-short.gguf", 1024)).max() == 0
print("with 512 they are those of the short factors, with 1024 those of the long factors")
END
