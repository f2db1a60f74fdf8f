#!/usr/bin/env python3
"""make_models.py FOLDER: small random models of the architectures whose weights RoPE Lab reads, made by the classes of
Hugging Face transformers, and the logits that these classes compute.

Each model is a folder with config.json (as transformers 5 writes it), config.v4.json (the same settings as transformers
4 spelled them), model.safetensors and expected.json ("tokens", "logits"), as in ../shared/data/oracles/hf_models. The
test ConfigPlan.ComputesTheLogitsOfEveryArchitecture reads the folder whose path is in ROPELAB_MODELS. The folders
NAME.gguf have the same weights as model.gguf, in float32, as llama.cpp's convert_hf_to_gguf.py writes them: with the rows
of queries and keys of some architectures in another order, and llama3's divisors of frequencies as a tensor. Requires
transformers==5.24.0, torch (CPU) and gguf==0.19.0.
"""

import argparse
import copy
import json
import math
import pathlib
import re

import gguf
import torch
import transformers

VOCABULARY = 131
LENGTH = 150

LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}

SMALL = dict(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0,
             tie_word_embeddings=False)


def scaled(rope):
    """rope_parameters with a theta."""
    return {"rope_theta": 10000.0, **rope}


# name: (class of the config, settings that differ from SMALL)
MODELS = {
    "llama": ("LlamaConfig", {}),
    "llama1": ("LlamaConfig", {"num_key_value_heads": 4}),
    "llama_bias_tied": ("LlamaConfig", {"attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "llama_linear": ("LlamaConfig", {"rope_parameters": scaled({"rope_type": "linear", "factor": 3.0})}),
    "llama_dynamic": ("LlamaConfig", {"max_position_embeddings": 64,
                                      "rope_parameters": scaled({"rope_type": "dynamic", "factor": 2.0})}),
    "llama_yarn": ("LlamaConfig", {"rope_parameters": scaled(YARN)}),
    "llama3": ("LlamaConfig", {"rope_parameters": {**LLAMA3, "rope_theta": 500000.0}, "head_dim": 24}),
    "smollm2": ("LlamaConfig", {"rope_parameters": {"rope_type": "default", "rope_theta": 100000.0},
                                "num_attention_heads": 3, "num_key_value_heads": 1, "hidden_size": 48,
                                "tie_word_embeddings": True}),
    "smollm3": ("SmolLM3Config", {"num_hidden_layers": 5}),
    "smollm3_window": ("SmolLM3Config", {"num_hidden_layers": 5, "use_sliding_window": True, "sliding_window": 40}),
    "mistral_window": ("MistralConfig", {"sliding_window": 40}),
    "mistral_yarn": ("MistralConfig", {"sliding_window": None, "rope_parameters": scaled(YARN)}),
    "qwen2": ("Qwen2Config", {}),
    "qwen2_window": ("Qwen2Config", {"use_sliding_window": True, "sliding_window": 40, "max_window_layers": 1}),
    "qwen2_yarn_tied": ("Qwen2Config", {"rope_parameters": scaled(YARN), "tie_word_embeddings": True}),
    "qwen3": ("Qwen3Config", {"head_dim": 24}),
    "gpt_neox": ("GPTNeoXConfig", {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0,
                                                       "partial_rotary_factor": 0.25}}),
    "gpt_neox_serial": ("GPTNeoXConfig", {"use_parallel_residual": False}),
    "gptj": ("GPTJConfig", dict(n_embd=64, n_layer=3, n_head=4, n_positions=256, rotary_dim=8)),
    "phi": ("PhiConfig", {"num_key_value_heads": 4}),
    "phi3": ("Phi3Config", {"sliding_window": 40}),
    "phi3_longrope": ("Phi3Config", {"original_max_position_embeddings": 64, "rope_parameters": scaled(
        {"rope_type": "longrope", "short_factor": [1.0 + 0.1 * i for i in range(8)],
         "long_factor": [1.5 + 0.7 * i for i in range(8)], "original_max_position_embeddings": 64})}),
    "gpt2": ("GPT2Config", dict(n_embd=64, n_layer=3, n_head=4, n_positions=256)),
    "gpt2_scores": ("GPT2Config", dict(n_embd=64, n_layer=3, n_head=4, n_positions=256, scale_attn_weights=False,
                                       scale_attn_by_inverse_layer_idx=True)),
    "gemma": ("GemmaConfig", {"head_dim": 24, "tie_word_embeddings": True}),
    "gemma2": ("Gemma2Config", {"head_dim": 24, "sliding_window": 40, "query_pre_attn_scalar": 20,
                                "tie_word_embeddings": True}),
    "gemma3": ("Gemma3TextConfig", {"head_dim": 24, "sliding_window": 40, "num_hidden_layers": 7,
                                    "query_pre_attn_scalar": 20, "tie_word_embeddings": True}),
    "olmo2": ("Olmo2Config", {}),
    "olmo3": ("Olmo3Config", {"sliding_window": 40, "num_hidden_layers": 5}),
    "starcoder2": ("Starcoder2Config", {"sliding_window": 40, "tie_word_embeddings": True}),
    "granite": ("GraniteConfig", {"embedding_multiplier": 6.0, "residual_multiplier": 0.3,
                                  "attention_multiplier": 0.1, "logits_scaling": 4.0}),
    "cohere": ("CohereConfig", {"logit_scale": 0.25, "tie_word_embeddings": True}),
    "cohere2": ("Cohere2Config", {"logit_scale": 0.25, "sliding_window": 40, "num_hidden_layers": 5,
                                  "tie_word_embeddings": True}),
    "stablelm": ("StableLmConfig", {"use_qkv_bias": True}),
    "glm": ("GlmConfig", {"head_dim": 16}),
}


def config_of(name):
    kind, changes = MODELS[name]
    settings = dict(SMALL)
    if kind in ("GPTJConfig", "GPT2Config"):
        settings = dict(vocab_size=VOCABULARY, bos_token_id=1, eos_token_id=2)
    if kind == "GPTNeoXConfig":
        del settings["num_key_value_heads"]
    settings.update(changes)
    return getattr(transformers, kind)(**settings)


def randomize(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(noise * 1.2 / math.sqrt(parameter.shape[-1]))
            else:
                is_factor = key.endswith("weight") and float(parameter.abs().sum()) > 0
                parameter.copy_((1.0 if is_factor else 0.0) + 0.2 * noise)


def old_spelling(config):
    """As transformers 4 wrote it: rope_theta and rope_scaling."""
    result = copy.deepcopy(config)
    rope = result.pop("rope_parameters", None)
    result["transformers_version"] = "4.40.0"
    result.pop("layer_types", None)
    if rope is None:
        return result
    if any(isinstance(value, dict) for value in rope.values()):  # by type of layer (Gemma 3)
        result["rope_theta"] = rope["full_attention"]["rope_theta"]
        result["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
        return result
    theta = rope.pop("rope_theta")
    factor = rope.pop("partial_rotary_factor", None)
    is_neox = result["model_type"] == "gpt_neox"
    result["rotary_emb_base" if is_neox else "rope_theta"] = theta
    if factor is not None:
        result["rotary_pct" if is_neox else "partial_rotary_factor"] = factor
    if rope.get("rope_type", "default") != "default":
        result["rope_scaling"] = rope
        if rope["rope_type"] == "longrope":
            rope.pop("original_max_position_embeddings")
    return result


def write(folder, name, seed):
    config = config_of(name)
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    randomize(model, seed)
    path = folder / name
    model.save_pretrained(path)
    tokens = [(7 * i * i + 3 * i + seed) % (VOCABULARY - 3) + 3 for i in range(LENGTH)]
    with torch.no_grad():
        logits = model(torch.tensor([tokens]), use_cache=False).logits[0].double()
    (path / "expected.json").write_text(json.dumps(
        {"made_with": f"transformers {transformers.__version__}, torch {torch.__version__}, float32, eager, CPU",
         "tokens": tokens, "logits": [[round(x, 7) for x in row] for row in logits.tolist()]}))
    written = json.loads((path / "config.json").read_text())
    (path / "config.v4.json").write_text(json.dumps(old_spelling(written), indent=2))
    print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters, |logits| up to {float(logits.abs().max()):.2f}")


# Of transformers, in GGUF files.
NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
         "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
         "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate",
         "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
REORDERED = ("llama", "smollm3")


def write_gguf(folder, name):
    """From the folder that write() made."""
    source = folder / name
    config = json.loads((source / "config.json").read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(source).float()
    path = folder / f"{name}.gguf"
    path.mkdir(exist_ok=True)
    (path / "expected.json").write_text((source / "expected.json").read_text())
    kind = config["model_type"]
    writer = gguf.GGUFWriter(path / "model.gguf", kind)
    heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    head = config.get("head_dim") or config["hidden_size"] // heads["q"]
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads["q"])
    writer.add_head_count_kv(heads["k"])
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    rope = config["rope_parameters"]
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_rope_dimension_count(head)
    if rope["rope_type"] == "llama3":
        plain = rope["rope_theta"] ** -(torch.arange(0, head, 2, dtype=torch.float64) / head)
        own = model.model.rotary_emb.inv_freq.double()
        writer.add_tensor("rope_freqs.weight", (plain / own).float().numpy())
    elif rope["rope_type"] == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight" and config["tie_word_embeddings"]:
            continue
        found = re.fullmatch(r"(?:model\.layers\.(\d+)\.)?(.*)\.(weight|bias)", key)
        number, stem, end = found.groups()
        tensor = tensor.detach().float()
        if kind in REORDERED and stem in ("self_attn.q_proj", "self_attn.k_proj"):
            count = heads[stem[10]]
            tensor = (tensor.reshape(count, 2, tensor.shape[0] // count // 2, *tensor.shape[1:])
                      .swapaxes(1, 2).reshape(tensor.shape))
        layer = f"blk.{number}." if number is not None else ""
        writer.add_tensor(f"{layer}{NAMES[stem]}.{end}", tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for seed, name in enumerate(MODELS):
        write(folder, name, seed)
    for name in ("llama", "llama3", "llama_bias_tied", "smollm2", "smollm3", "qwen2", "qwen2_yarn_tied", "qwen3"):
        write_gguf(folder, name)


if __name__ == "__main__":
    main()
