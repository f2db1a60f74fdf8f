#!/usr/bin/env bash
# transformers 5.24.0 does not read RoPE scaling from a GGUF file that gguf 0.19.0 wrote, only theta.
#
# llama.rope.scaling.type, .factor and .original_context_length say how a model was extended, and a Llama 3.1 has its scaled
# frequencies' divisors in the tensor rope_freqs.weight. from_pretrained(gguf_file=...) takes llama.rope.freq_base from the
# same file, skips the rest without a message, and lists no unexpected key. So the model computes with plain frequencies.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0 torch==2.11.0 gguf==0.19.0 \
    accelerate==1.15.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import gguf
import numpy
import torch
from transformers import AutoModelForCausalLM

width, heads, vocabulary, theta = 64, 2, 32, 500000.0
size = width // heads
plain = torch.tensor(theta ** (-numpy.arange(0, size, 2) / size))
shapes = dict.fromkeys(["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"], (width, width))
shapes |= {"attn_norm": (width,), "ffn_norm": (width,)}
shapes = {f"blk.0.{name}.weight": shape for name, shape in shapes.items()}
shapes |= {"token_embd.weight": (vocabulary, width), "output_norm.weight": (width,), "output.weight": (vocabulary, width)}


def write(name, kind=None, divisors=None):
    writer = gguf.GGUFWriter(name, "llama")
    writer.add_context_length(8192)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(vocabulary)
    writer.add_rope_dimension_count(size)
    writer.add_rope_freq_base(theta)
    if kind is not None:
        writer.add_rope_scaling_type(kind)
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(2048)
    if divisors is not None:
        writer.add_tensor("rope_freqs.weight", divisors.astype("float32"))
    for tensor, shape in shapes.items():
        writer.add_tensor(tensor, numpy.full(shape, 0.02, dtype="float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


for name, options in (("plain", {}), ("linear", {"kind": gguf.RopeScalingType.LINEAR}),
                      ("yarn", {"kind": gguf.RopeScalingType.YARN}),
                      ("rope_freqs", {"divisors": numpy.linspace(1, 8, size // 2)})):
    write(f"{name}.gguf", **options)
    model, report = AutoModelForCausalLM.from_pretrained(".", gguf_file=f"{name}.gguf", output_loading_info=True)
    print(f"{name}: {model.config.rope_parameters}, unexpected keys: {len(report['unexpected_keys'])}")
    assert model.config.rope_parameters == {"rope_type": "default", "rope_theta": theta}
    assert torch.allclose(model.model.rotary_emb.inv_freq.double(), plain, rtol=1e-5)
    assert not report["unexpected_keys"]
END
