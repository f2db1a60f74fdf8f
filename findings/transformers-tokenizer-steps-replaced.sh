#!/usr/bin/env bash
# transformers 5.24.0: for some model types AutoTokenizer takes only tokens and merges from tokenizer.json, not its other steps.
#
# A tokenizer.json also says how a text is normalized and cut before the merges. Beside a config of Qwen 2, Qwen 3, GPT-2,
# GPT-NeoX or Phi, and for the classes GPT2TokenizerFast and GPTNeoXTokenizerFast that version 4 named in
# tokenizer_config.json, AutoTokenizer puts the steps of its own class in their place, without a message. So a tokenizer of
# one's own (here: groups of three digits, lower case) gives other ids than those that the model was trained on. Version 5's own
# tokenizer_config.json prevents it, and version 4's PreTrainedTokenizerFast, but not beside a config of Qwen 2: there even
# save_pretrained() and AutoTokenizer disagree. PreTrainedTokenizerFast.from_pretrained reads every file as it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import json
import pathlib

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

own = Tokenizer(models.BPE())
own.normalizer = normalizers.Lowercase()
own.pre_tokenizer = pre_tokenizers.Sequence([
    pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?[^\s\p{N}]+|\s"), behavior="isolated"),
    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
own.decoder = decoders.ByteLevel()
own.train_from_iterator(["In 1234 words the model counts 1234 times 12 to 34."] * 50, trainers.BpeTrainer(
    vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
text = "In 1234 words THE model counts"


def same(model_type, tokenizer_config):
    """Whether AutoTokenizer gives the ids of the file, and the class that it chooses."""
    folder = pathlib.Path(f"{model_type} {tokenizer_config}")
    PreTrainedTokenizerFast(tokenizer_object=own).save_pretrained(folder)
    written = json.loads((folder / "tokenizer.json").read_text())
    assert written["normalizer"]["type"] == "Lowercase" and len(written["pre_tokenizer"]["pretokenizers"]) == 2
    if tokenizer_config is None:
        (folder / "tokenizer_config.json").unlink()
    elif tokenizer_config != "as saved":
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_config}))
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    assert PreTrainedTokenizerFast.from_pretrained(folder).encode(text) == own.encode(text).ids
    loaded = AutoTokenizer.from_pretrained(folder)
    is_same = loaded.encode(text) == own.encode(text).ids
    print(f"{model_type:9} tokenizer_class {str(tokenizer_config):24} {type(loaded).__name__:18}",
          "the ids of the file" if is_same else f"other ids: {loaded.convert_ids_to_tokens(loaded.encode(text))}")
    return is_same


assert not same("qwen2", "as saved")
assert not same("qwen2", "PreTrainedTokenizerFast")
for model_type in ("qwen2", "qwen3", "gpt2", "gpt_neox", "phi"):
    assert not same(model_type, None)
assert not same("gpt_neox", "GPTNeoXTokenizerFast")
assert not same("llama", "GPT2TokenizerFast")
for model_type in ("qwen3", "gpt_neox", "gpt2", "llama"):
    assert same(model_type, "as saved") and same(model_type, "PreTrainedTokenizerFast")
assert same("llama", None) and same("mistral", None)
END
