#!/usr/bin/env bash
# sentencepiece 0.2.3: byte_fallback does not keep newlines, tabs and repeated spaces.
#
# byte_fallback=True is chosen so that every text can be restored from its tokens. Normalization comes before it: the default
# rule turns newlines and tabs into spaces and joins repeated spaces, so a model that is trained on code or on lines never
# sees a newline. With normalization_rule_name="identity" the bytes of newline and tab appear, but repeated spaces are still
# joined; remove_extra_whitespaces=False keeps them, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sentencepiece==0.2.3
"$folder/venv/bin/python" - <<'END'
import io
import random

import sentencepiece

random.seed(1)
words = "rotary position base theta pair angle context query key head".split()
lines = [" ".join(random.choices(words, k=8)) for _ in range(400)]
text = "theta pair\nbase  key\thead"


def restored(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=330, model_type="bpe", byte_fallback=True,
        hard_vocab_limit=False, minloglevel=2, **options)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return processor.decode(processor.encode(text))


for options, expected in (({}, "theta pair base key head"),
                          ({"normalization_rule_name": "identity"}, "theta pair\nbase key\thead"),
                          ({"normalization_rule_name": "identity", "remove_extra_whitespaces": False}, text)):
    seen = restored(**options)
    print(options, repr(seen))
    assert seen == expected, f"expected {expected!r}"
END
