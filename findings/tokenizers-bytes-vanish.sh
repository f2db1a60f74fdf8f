#!/usr/bin/env bash
# tokenizers 0.23.3: a byte-level BPE drops every byte that its training text did not contain, and merges what is left.
#
# Byte-level tokenizers are chosen because they can write any text. A model BPE() with ByteLevel as pre-tokenizer and decoder,
# trained by BpeTrainer with a size and special tokens, has only the bytes of its text. encode() leaves the others out without
# an error or an unknown token, and their neighbours merge: "tZhe" has the tokens of "the". So digits, capitals or accents that
# the training text lacks are missing after decode(), and a loss per byte of the text is too low, because nothing was
# predicted for them. With initial_alphabet=ByteLevel.alphabet() all 256 bytes are there, as in ByteLevelBPETokenizer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/venv/bin/python" - <<'END'
from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, pre_tokenizers, trainers

training = ["the cat sat on the mat and the dog sat on the log\n"] * 50
text = "the cat and 31 dogs, the mat: naïve\n"


def trained(**options):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(training, trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|endoftext|>"], show_progress=False, **options))
    return tokenizer


def restored(tokenizer, text):
    return tokenizer.decode(tokenizer.encode(text).ids)


recipe, whole = trained(), trained(initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
ready = ByteLevelBPETokenizer()
ready.train_from_iterator(training, vocab_size=400, show_progress=False)
for name, tokenizer in (("as above", recipe), ("with the alphabet", whole), ("ByteLevelBPETokenizer", ready)):
    print(f"{name}: {restored(tokenizer, text)!r}")
# What is left when every byte that the training text lacks is taken out, by hand.
known = {byte for line in training for byte in line.encode()}
kept = bytes(byte for byte in text.encode() if byte in known).decode()
assert kept != text and restored(recipe, text) == kept
assert restored(whole, text) == restored(ready, text) == text

print("the, and tZhe:", recipe.encode("the").tokens, recipe.encode("tZhe").tokens)
assert recipe.encode("tZhe").tokens == recipe.encode("the").tokens == ["the"]
assert recipe.encode("12345").ids == []
END
