#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// A tokenizer whose tokens are subwords or words. Texts are not normalized, so that the bytes of the tokens of any
/// text, one after the other, are that text.
class Subwords {
 public:
    virtual ~Subwords() = default;

    /// Returns the tokens of `text`. Throws BadInput, naming the character, if no token represents it.
    virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
    /// Returns a form for files, which `subwords_from_text` reads.
    virtual std::string to_text() const = 0;

    /// Returns the bytes that each token adds to a text; "" for tokens that no text contains (unknown, begin, end).
    const std::vector<std::string>& tokens() const { return tokens_; }

 protected:
    std::vector<std::string> tokens_;
};

/// Largest number of bytes of a text that a tokenizer is trained on: the beginning of a longer training split.
inline constexpr std::size_t largest_tokenizer_text = std::size_t{4} << 20;

/// Trains a tokenizer (`kind` is bpe, unigram or words) with at most `size` tokens on the beginning of `training`, or
/// reads it from the cache beside the data sets if the same text was used before. The result depends on nothing else.
/// Throws BadInput if the text has no character that a token can represent.
std::shared_ptr<const Subwords> trained_subwords(Tokenizer kind, std::int64_t size, std::string_view training);

/// Reads a tokenizer from a tokenizer.json of Hugging Face tokenizers with byte-level BPE or from a SentencePiece
/// .model. Normalization and a space before the text, which both kinds of files can ask for, are not applied. Throws
/// BadInput if the file cannot be read, or if it contains another kind of tokenizer.
std::shared_ptr<const Subwords> subwords_of_file(const std::filesystem::path& file);

/// Returns whether `text` is the form that `Subwords::to_text` returns.
bool is_subwords_text(std::string_view text);
/// Reads the form that `Subwords::to_text` returns. The most recent tokenizers are cached. Throws BadInput if the text
/// is not in that form. Thread-safe.
std::shared_ptr<const Subwords> subwords_from_text(std::string_view text);

}  // namespace ropelab
