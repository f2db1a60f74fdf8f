#!/usr/bin/env bash
# llama.cpp (xllamacpp 2026.10.11549) cuts words at combining marks with the pre-tokenizer "gpt-4o"; tiktoken 0.14.0 does not.
#
# GPT-4o's expression (o200k) counts marks among letters, so that vowel signs of Hindi, Bengali, Tamil and Thai, Arabic
# vocalization and decomposed accents stay in their word. With tokenizer.ggml.pre "gpt-4o", llama.cpp cuts words at each
# of them, and no merge can join what is cut: with the same vocabulary, नमस्ते is one token in tiktoken and 4 here. So prompts in
# these scripts reach a model in other tokens than in its training and are longer, without a message. Words without marks agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check xllamacpp==2026.10.11549 gguf==0.19.0 tiktoken==0.14.0
cd "$folder"
PYTHONIOENCODING=utf-8 "$folder/venv/bin/python" - 2>/dev/null <<'END'
import json
import urllib.request

import gguf
import numpy
import tiktoken
import tiktoken_ext.openai_public as openai
import xllamacpp

with_marks = ["नमस्ते", "বাংলা", "தமிழ்", "สวัสดี", "مُحَمَّد", "cafe\u0301"]
without_marks = ["русский", "ελληνικά", "Straße", "עברית", "caf\u00e9"]

# The vocabulary: all bytes, then each character of the words, then the beginnings of each word.
ranks, merges = {bytes([byte]): byte for byte in range(256)}, []


def add(left, right):
    if left + right not in ranks:
        ranks[left + right] = len(ranks)
        merges.append((left, right))


for character in "".join(with_marks + without_marks):
    encoded = character.encode()
    for end in range(1, len(encoded)):
        add(encoded[:end], encoded[end : end + 1])
for word in with_marks + without_marks:
    for end in range(1, len(word)):
        add(word[:end].encode(), word[end].encode())


def merged(word):
    """The tokens of a word that is not cut, by the merges alone."""
    pieces = [bytes([byte]) for byte in word.encode()]
    for left, right in merges:
        at = 0
        while at < len(pieces) - 1:
            if pieces[at : at + 2] == [left, right]:
                pieces[at : at + 2] = [left + right]
            at += 1
    return pieces


openai.load_tiktoken_bpe = lambda *_, **__: {}  # its expression is needed, not its vocabulary, which would be downloaded
reference = tiktoken.Encoding("o200k", pat_str=openai.o200k_base()["pat_str"], mergeable_ranks=ranks, special_tokens={})

# GGUF writes bytes that are no visible characters of Latin-1 as the characters from 256 on.
visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
hidden = [byte for byte in range(256) if byte not in visible]
letter = {byte: chr(byte if byte in visible else 256 + hidden.index(byte)) for byte in range(256)}
text_of = lambda piece: "".join(letter[byte] for byte in piece)

width = 32
writer = gguf.GGUFWriter("words.gguf", "llama")
writer.add_context_length(128)
writer.add_embedding_length(width)
writer.add_feed_forward_length(width)
writer.add_block_count(1)
writer.add_head_count(1)
writer.add_head_count_kv(1)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(width)
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("gpt-4o")
writer.add_token_list([text_of(piece) for piece in ranks])
writer.add_token_types([1] * len(ranks))
writer.add_token_merges([f"{text_of(left)} {text_of(right)}" for left, right in merges])
writer.add_add_bos_token(False)
writer.add_tensor("token_embd.weight", numpy.ones((len(ranks), width), "float32"))
writer.add_tensor("output_norm.weight", numpy.ones(width, "float32"))
for name in ("attn_norm", "ffn_norm"):
    writer.add_tensor(f"blk.0.{name}.weight", numpy.ones(width, "float32"))
for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
    writer.add_tensor(f"blk.0.{name}.weight", numpy.ones((width, width), "float32"))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()

settings = xllamacpp.CommonParams()
settings.model.path = "words.gguf"
settings.n_ctx = 128
settings.n_parallel = 1
settings.cpuparams.n_threads = 1
settings.warmup = settings.fit_params = False
server = xllamacpp.Server(settings)


def of_llama_cpp(text):
    request = urllib.request.Request(server.listening_address + "/tokenize", json.dumps({"content": text}).encode(),
                                     {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["tokens"]


for word in with_marks + without_marks:
    wanted, tokens = reference.encode(word), of_llama_cpp(word)
    print(f"{word}: {len(wanted)} token in tiktoken, {len(tokens)} in llama.cpp")
    assert merged(word) == [word.encode()] and wanted == [ranks[word.encode()]]
    assert len(tokens) > 1 if word in with_marks else tokens == wanted
END
