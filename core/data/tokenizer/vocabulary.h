#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// The bytes of the tokens of any text, one after the other, are that text, unless by_line(), or the tokenizer
/// normalizes texts or has no token for a character.
class Subwords {
 public:
    virtual ~Subwords() = default;

    /// Throws BadInput, naming the character, if no token represents it and the tokenizer has no rule for it.
    virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
    virtual std::string to_text() const = 0;
    /// True if no token has a line end, as in SentencePiece models without byte fallback. Then each line of a text is
    /// tokenized alone, as SentencePiece's own program does it, and the space before a line is all that is left of a
    /// line end.
    virtual bool by_line() const { return false; }

    /// Bytes that each token adds to a text; "" for tokens that no text contains (unknown, begin, end).
    const std::vector<std::string>& tokens() const { return tokens_; }

 protected:
    std::vector<std::string> tokens_;
};

/// Bytes; a tokenizer is trained on the beginning of a longer training split.
inline constexpr std::size_t largest_tokenizer_text = std::size_t{4} << 20;

/// Bpe, unigram or words with at most `size` tokens, from the beginning of `training` or from the cache beside the data
/// sets. The result depends on nothing else. Throws BadInput if the text has no character that a token can represent.
std::shared_ptr<const Subwords> trained_subwords(Tokenizer kind, std::int64_t size, std::string_view training);

/// What a tokenizer does with a text before it is split: `own`, as the library of the tokenizer does it; `left_out`, so
/// that the tokens of a SentencePiece model restore the text.
enum class Normalization { own, left_out };

/// A tokenizer.json of Hugging Face with BPE or Unigram, a SentencePiece .model, or a file of tiktoken. Throws BadInput
/// for other files.
std::shared_ptr<const Subwords> subwords_of_file(const std::filesystem::path& file,
                                                 Normalization normalization = Normalization::own);

/// The form of `Subwords::to_text`.
bool is_subwords_text(std::string_view text);
/// Reads the form of `Subwords::to_text`; recent tokenizers are cached. Throws BadInput for another text. Thread-safe.
std::shared_ptr<const Subwords> subwords_from_text(std::string_view text);

/// A character of UTF-8 or a byte, in ascending order of code point or value, or a subword or word of a tokenizer.
class Vocabulary {
 public:
    /// Distinct characters. Throws BadInput, naming the byte offset, if `text` is not UTF-8.
    static Vocabulary of_characters(std::string_view text);
    static Vocabulary of_bytes(std::string_view bytes);
    /// Each token equals its byte value.
    static Vocabulary of_all_bytes();
    static Vocabulary of_subwords(std::shared_ptr<const Subwords> subwords);
    /// Reads `to_text`. Throws BadInput for another format.
    static Vocabulary from_text(std::string_view text);

    int size() const { return static_cast<int>(subwords_ ? subwords_->tokens().size() : code_points_.size()); }
    bool bytes() const { return bytes_; }
    bool subwords() const { return subwords_ != nullptr; }
    bool by_line() const { return subwords_ && subwords_->by_line(); }
    const char* unit() const { return subwords() ? "token" : bytes_ ? "byte" : "character"; }
    /// If every token has the same number: 1 for bytes and for characters of ASCII.
    std::optional<double> fixed_bytes_per_token() const;

    /// Throws BadInput, naming the character, if a character (or byte) is not in the vocabulary.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// Throws BadInput for a token outside [0, size).
    std::string decode(std::span<const std::int32_t> tokens) const;
    /// A character in UTF-8, a single byte, or a subword, which may have only a part of a character. The bytes of all
    /// tokens of a text, one after the other, are the text. Throws BadInput for a token outside [0, size).
    std::string bytes_of(std::int32_t token) const;

    /// "characters:" or "bytes:", then code points or byte values, separated by commas; or Subwords::to_text.
    std::string to_text() const;

 private:
    bool bytes_ = false;
    std::shared_ptr<const Subwords> subwords_;  // null if each token is a character or byte
    std::vector<std::uint32_t> code_points_;    // of each token (byte values if `bytes_`), ascending
};

}  // namespace ropelab
