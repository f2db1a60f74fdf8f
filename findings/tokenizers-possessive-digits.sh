#!/usr/bin/env bash
# tokenizers 0.23.3 and tiktoken 0.14.0 split digits differently with one regular expression.
#
# Patterns of GPT-4's family contain \p{N}{1,3}+. In tiktoken (fancy-regex) the "+" makes the interval possessive: at
# most three digits are a piece. tokenizers compiles the same text with Oniguruma's Ruby syntax, in which "+" behind an
# interval repeats it: a number of any length is one piece. Without the "+" both give groups of three. So a pattern that is
# copied from tiktoken into a tokenizer.json changes the tokens of every number with more than three digits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3 tiktoken==0.14.0
"$folder/venv/bin/python" - <<'END'
import tiktoken
from tokenizers import Regex, pre_tokenizers

text = "1234567"
# Every part of the number is a token, so tiktoken's tokens show where its pieces end.
parts = sorted({text[i:j].encode() for i in range(len(text)) for j in range(i + 2, len(text) + 1)}, key=len)
ranks = {bytes([byte]): byte for byte in range(256)} | {part: 256 + i for i, part in enumerate(parts)}


def pieces(pattern):
    split = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
    encoding = tiktoken.Encoding("digits", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return ([piece for piece, _ in split.pre_tokenize_str(text)],
            [encoding.decode_single_token_bytes(token).decode() for token in encoding.encode(text)])


for pattern, expected in ((r"\p{N}{1,3}+|\P{N}+", (["1234567"], ["123", "456", "7"])),
                          (r"\p{N}{1,3}|\P{N}+", (["123", "456", "7"], ["123", "456", "7"]))):
    seen = pieces(pattern)
    print(f"{pattern}: tokenizers {seen[0]}, tiktoken {seen[1]}")
    assert seen == expected, f"expected {expected}"
END
