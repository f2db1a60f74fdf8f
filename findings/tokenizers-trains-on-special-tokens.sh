#!/usr/bin/env bash
# tokenizers 0.23.3: the trainer learns merges from the special tokens in its text, and they can never be used.
#
# encode() takes <|endoftext|> out of the text before the model sees it. train_from_iterator() does not, although the same
# token is in special_tokens: in documents that are joined by it the separator counts as text, its pieces up to "endoftext"
# become vocabulary, and the separator is never encoded with them. Here they are nine tokens; with many short documents they
# are learned early. So a tokenizer has to be trained on the documents without it, or a small vocabulary has dead rows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/venv/bin/python" - <<'END'
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

separator = "<|endoftext|>"
documents = ["the rotary base sets the angle of a pair"] * 50


def trained(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=400, special_tokens=[separator], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


joined, apart = trained([separator.join(documents)]), trained(documents)
more = sorted(set(joined.get_vocab()) - set(apart.get_vocab()), key=lambda token: (len(token), token))
print("tokens that the separator brought in:", more)
print("encoded:", joined.encode(separator.join(["the", "base"])).tokens)
assert "endoftext" in more and len(more) == 9
assert joined.encode(separator.join(["the", "base"])).tokens.count(separator) == 1
assert not set(joined.encode(separator.join(documents)).tokens) & set(more)
END
