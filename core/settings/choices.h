#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/numbers.h"
#include "core/base/setting_key.h"

namespace ropelab {

// What the values of a setting are called and what they can do: a row per value in choices.cpp. Settings, help, window,
// legends, checks and comparisons of runs ask the row. Activations have theirs in activation.h.

template <typename Rows, typename Kind>
const auto& choice_row(const Rows& rows, Kind kind) {
    const auto row = std::ranges::find_if(rows, [&](const auto& each) { return each.choice.value == kind; });
    if (row == rows.end()) throw std::logic_error("A value of a setting has no row in the table of its choices.");
    return *row;
}
/// "a, b and c" if `last` is " and ": the words of the rows that have a property.
template <typename Rows, typename Has>
std::string words_with(const Rows& rows, Has has, std::string_view last) {
    std::vector<std::string_view> words;
    for (const auto& row : rows) {
        if (std::invoke(has, row)) words.push_back(row.choice.word);
    }
    return enumerated(words, last);
}

enum class Position {
    none,
    learned,
    rope,
    learned_rope,
    sinusoidal,
    alibi,
    shaw,
    t5,
    transformer_xl,
    xpos,
    cope,
    rope_bias,
    fope,
    kerple
};

/// What a position encoding adds to the embeddings of tokens, how it rotates queries and keys, and what it changes in
/// the attention scores.
struct PositionTraits {
    enum class Embeddings { none, learned, sinusoidal };
    /// `xpos`: RoPE with a decay (formula 42). `fope`: every pair adds up the others' frequencies (formula 62).
    enum class Rotation { none, rope, xpos, fope };
    /// ALiBi (formula 25), T5's learned bias by distance (40), Shaw's learned vectors of clipped distances (39),
    /// Transformer-XL's relative logits (41), CoPE's contextual positions (43), KERPLE's logarithmic kernel (63).
    enum class Scores { products, alibi, distance_bias, shaw, transformer_xl, cope, kerple };
    /// A setting that only some encodings have.
    struct Own {
        std::string_view key;
        std::string_view before = {};  // surround its value in labels; if both are empty, labels do not show it
        std::string_view after = {};
        bool is_always_shown = false;  // also if it has its default

        bool is_in_labels() const { return !before.empty() || !after.empty(); }
    };

    std::string_view label = {};  // in legends, without its own settings and without RoPE: "Shaw"
    Scores scores = Scores::products;
    Rotation rotation = Rotation::none;
    Embeddings embeddings = Embeddings::none;
    bool learns_scores = false;  // whether training changes what is added to the scores
    std::vector<Own> settings = {};

    bool rotates() const { return rotation != Rotation::none; }
    bool learns_positions() const { return embeddings == Embeddings::learned; }
    /// Attention depends on distances only, not on positions. Models without position encoding are not among them.
    bool is_relative() const {
        return embeddings == Embeddings::none && rotation != Rotation::fope &&
               (rotates() || scores != Scores::products);
    }
    /// Scores are products of queries and keys, which RoPE may have rotated.
    bool has_plain_scores() const {
        return scores == Scores::products && (rotation == Rotation::none || rotation == Rotation::rope);
    }
    /// Training changes it, apart from theta.
    bool is_learned() const { return learns_positions() || learns_scores; }
    bool has(std::string_view setting) const;
};
struct PositionEncoding : PositionTraits {
    ChoiceOf<Position> choice;
};
std::span<const PositionEncoding> position_encodings();
const PositionEncoding& encoding_of(Position position);
/// The encoding that is left if queries and keys are not rotated.
Position without_rotation(Position position);

/// `zero_centred_rms`: factor 1 + w, whose w starts at 0 and has weight decay (Qwen3-Next; Gemma without decay). `dyt`:
/// γ·tanh(αx) + β with a trained scalar α (Zhu et al. 2025). `automatic`: that of the block.
enum class NormKind { automatic, layer, rms, zero_centred_rms, dyt };
struct NormFacts {
    ChoiceOf<NormKind> choice;
};
std::span<const NormFacts> norms();

/// `automatic` uses characters if the text is valid UTF-8, but bytes for other texts and for enwik8. `bpe` and
/// `unigram` are trained by SentencePiece on the training split; `words` are its most frequent ones.
enum class Tokenizer { automatic, characters, bytes, bpe, unigram, words, file };
struct TokenizerFacts {
    ChoiceOf<Tokenizer> choice;  // without a word if the setting names a file instead
    bool is_trained = false;     // on the training split, to a vocabulary of any size

    /// A token has a varying number of characters.
    bool has_subwords() const { return is_trained || choice.value == Tokenizer::file; }
};
std::span<const TokenizerFacts> tokenizers();
const TokenizerFacts& facts_of(Tokenizer tokenizer);

}  // namespace ropelab
