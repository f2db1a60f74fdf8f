#!/usr/bin/env python3
"""compare_exports.py ROPELAB_CLI TEXT LAB...: exports the model of the first run of each lab file, and compares it with
Hugging Face transformers and with gguf-py. TEXT is a file in UTF-8, of which the beginning is used.

For each lab it prints a line: layout, largest difference between the logits of transformers and of RoPE Lab in float32,
whether transformers generates the same 64 tokens as the run (greedily), whether the real tokenizer gives the same ids,
and of the GGUF file the largest difference of logits (F16) and what gguf-py reads. A run that has no counterpart is
listed with the reason. Requires transformers==5.24.0, torch (CPU), safetensors and gguf==0.19.0. Exit status 1 if a
difference is above 1e-4, a text differs or the metadata are wrong.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import safetensors.torch
import torch
import transformers

GENERATED = 64


def call(*arguments):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None, done.stderr.strip()


def logits_of(cli, model, tokens, folder):
    """Of RoPE Lab."""
    ids = folder / "ids.json"
    ids.write_text(json.dumps(tokens))
    output = folder / "logits.safetensors"
    written, error = call(cli, "logits", "--model", model, "--tokens", ids, "--output", output, "--json")
    if written is None:
        raise RuntimeError(error)
    return safetensors.torch.load_file(output)["logits"].double()


def own_ids(cli, model, text):
    answer, error = call(cli, "logits", "--model", model, "--prompt", text, "--json")
    return json.loads(answer)["tokens"] if answer else error


def same_tokens(cli, model, tokenizer, text, length):
    """Of several parts of the text; otherwise the error of RoPE Lab."""
    for begin in range(0, 4 * length, length):
        part = text[begin:begin + length]
        own = own_ids(cli, model, part)
        ids = tokenizer(part)["input_ids"]
        if own != ids or tokenizer.decode(ids) != part:
            return own if isinstance(own, str) else False
    return True


def metadata_of(path):
    reader = gguf.GGUFReader(path)
    return {key: field.contents() for key, field in reader.fields.items()}, reader.tensors


def wrong_metadata(config, metadata, tensors, vocabulary):
    """Names of the values that differ from the config."""
    architecture = metadata["general.architecture"]
    wanted = {"context_length": config.max_position_embeddings, "embedding_length": config.hidden_size,
              "block_count": config.num_hidden_layers, "attention.head_count": config.num_attention_heads}
    if hasattr(config, "num_key_value_heads"):
        wanted["attention.head_count_kv"] = config.num_key_value_heads
    rope = getattr(config, "rope_parameters", None)
    if rope:
        head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        wanted["rope.freq_base"] = rope["rope_theta"]
        wanted["rope.dimension_count"] = int(head * rope.get("partial_rotary_factor", 1))
    wrong = [key for key, value in wanted.items() if metadata.get(f"{architecture}.{key}") != value]
    if len(metadata["tokenizer.ggml.tokens"]) != vocabulary:
        wrong.append("tokenizer.ggml.tokens")
    for tensor in tensors:
        is_half = len(tensor.shape) > 1 and tensor.name != "position_embd.weight"
        if tensor.tensor_type != (gguf.GGMLQuantizationType.F16 if is_half else gguf.GGMLQuantizationType.F32):
            wrong.append(tensor.name)
    return wrong


def compare(cli, text, lab, folder):
    name = pathlib.Path(lab).stem
    model_folder = folder / "model"
    answer, error = call(cli, "export", "--lab", lab, "--hugging-face", model_folder, "--json")
    if answer is None:
        print(f"{name}: {error}")
        return True
    layout = json.loads(answer)["layout"]
    model = transformers.AutoModelForCausalLM.from_pretrained(model_folder, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder)
    context = model.config.max_position_embeddings
    same_ids = same_tokens(cli, model_folder, tokenizer, text, context // 2)
    tokens = tokenizer(text[:3000])["input_ids"][:context]
    with torch.no_grad():
        theirs = model(torch.tensor([tokens]), use_cache=False).logits[0].double()
    difference = float((theirs - logits_of(cli, model_folder, tokens, folder)).abs().max())

    prompt = text[:20]
    prompt_ids = tokenizer(prompt, return_tensors="pt")
    generated = model.generate(**prompt_ids, max_new_tokens=GENERATED, do_sample=False)[0]
    generated = generated[prompt_ids["input_ids"].shape[1]:].tolist()
    sampled, error = call(cli, "sample", "--lab", lab, "--prompt", prompt, "--temperature", "0", "--length", GENERATED,
                          "--json")
    same_text = sampled is not None and json.loads(sampled)["tokens"] == generated
    good = difference <= 1e-4 and same_ids is True and same_text

    line = f"{name}: {layout}, logits {difference:.1e}, ids {same_ids}, 64 tokens {same_text}"
    file = folder / "model.gguf"
    answer, error = call(cli, "export", "--lab", lab, "--gguf", file, "--json")
    if answer is None:
        print(f"{line}; GGUF: {error}")
        return good
    metadata, tensors = metadata_of(file)
    wrong = wrong_metadata(model.config, metadata, tensors, model.config.vocab_size)
    halves = float((theirs - logits_of(cli, file, tokens, folder)).abs().max())
    read = same_tokens(cli, file, tokenizer, text, context // 2)
    print(f"{line}; GGUF {metadata['general.architecture']}, tokenizer {metadata['tokenizer.ggml.model']} "
          f"(ids {read}), logits {halves:.1e} of {float(theirs.abs().max()):.1f}, wrong metadata: {wrong}")
    return good and not wrong and read is not False


def main():
    cli, text, labs = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), sys.argv[3:]
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    results = []
    for lab in labs:
        with tempfile.TemporaryDirectory() as folder:
            results.append(compare(cli, text, lab, pathlib.Path(folder)))
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
