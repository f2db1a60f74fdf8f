#pragma once

#include "core/data/subwords.h"

namespace ropelab {

// The kinds of tokenizers behind core/data/subwords.h. The stored form of each begins with its prefix.

inline constexpr std::string_view sentencepiece_prefix = "sentencepiece:";
inline constexpr std::string_view byte_pairs_prefix = "byte-level-bpe:";
inline constexpr std::string_view words_prefix = "words:";

/// Trains a SentencePiece model of subwords with byte fallback and returns it as serialized protocol buffer. `kind` is
/// bpe or unigram.
std::string train_sentencepiece(Tokenizer kind, std::int64_t size, std::string_view training);
/// Returns the tokenizer of a serialized SentencePiece model. `name` is the name of the model in messages.
std::shared_ptr<const Subwords> sentencepiece_of_model(std::string model, const std::string& name);
/// Reads the form that the tokenizer's to_text() returns.
std::shared_ptr<const Subwords> sentencepiece_from_text(std::string_view text);

/// Returns the byte-level BPE of the content of a tokenizer.json. `name` is the name of the file in messages.
std::shared_ptr<const Subwords> byte_pairs_of_json(std::string_view json, const std::string& name);
/// Reads the form that the tokenizer's to_text() returns.
std::shared_ptr<const Subwords> byte_pairs_from_text(std::string_view text);

/// Returns the 256 bytes and the most frequent words of `training`, together at most `size` tokens.
std::shared_ptr<const Subwords> train_words(std::int64_t size, std::string_view training);
/// Reads the form that the tokenizer's to_text() returns.
std::shared_ptr<const Subwords> words_from_text(std::string_view text);

}  // namespace ropelab
