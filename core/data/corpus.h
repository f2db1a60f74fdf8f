#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/splits.h"
#include "core/data/subwords.h"
#include "core/data/text_folder.h"
#include "core/data/text_mark.h"
#include "core/spec/engine.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// The tokens of a corpus. A token is one Unicode character of UTF-8 text or one byte, numbered in ascending order of
/// code point or byte value, or a subword or word (core/data/subwords.h), numbered by its tokenizer.
class Vocabulary {
 public:
    /// Returns the vocabulary of the distinct characters in `text`. Throws BadInput, naming the byte offset, if `text`
    /// is not UTF-8.
    static Vocabulary of_characters(std::string_view text);
    /// Returns the vocabulary of the distinct byte values in `bytes`.
    static Vocabulary of_bytes(std::string_view bytes);
    /// Returns the vocabulary of all 256 byte values, in which each token equals its byte value.
    static Vocabulary of_all_bytes();
    /// Returns the vocabulary of a tokenizer of subwords or words.
    static Vocabulary of_subwords(std::shared_ptr<const Subwords> subwords);
    /// Parses the format that `to_text` writes. Throws BadInput if `text` is not in that format.
    static Vocabulary from_text(std::string_view text);

    /// Number of tokens.
    int size() const { return static_cast<int>(subwords_ ? subwords_->tokens().size() : code_points_.size()); }
    /// Returns true if each token is a byte.
    bool bytes() const { return bytes_; }
    /// Returns true if tokens are subwords or words, with varying numbers of bytes.
    bool subwords() const { return subwords_ != nullptr; }
    /// Returns what a token is: "character", "byte" or "token".
    const char* unit() const { return subwords() ? "token" : bytes_ ? "byte" : "character"; }
    /// Returns the number of bytes per token if every token has the same: 1 for bytes and for characters of ASCII.
    std::optional<double> fixed_bytes_per_token() const;

    /// Returns the tokens of `text`. Throws BadInput, naming the character, if a character (or byte) is not in the
    /// vocabulary.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// Returns the text of `tokens`. Throws BadInput for a token outside [0, size).
    std::string decode(std::span<const std::int32_t> tokens) const;
    /// Returns the bytes that a token adds to the text: a character in UTF-8, a single byte, or a subword, which may
    /// have only a part of a character. The bytes of all tokens of a text, one after the other, are the text. Throws
    /// BadInput for a token outside [0, size).
    std::string bytes_of(std::int32_t token) const;

    /// Returns a compact form for files: "characters:" or "bytes:", then the code points or byte values, separated by
    /// commas; for subwords that of Subwords::to_text.
    std::string to_text() const;

 private:
    bool bytes_ = false;
    std::shared_ptr<const Subwords> subwords_;  // null if each token is a character or byte
    std::vector<std::uint32_t> code_points_;    // of each token (byte values if `bytes_`), ascending
};

/// The entropy floor of a synthetic corpus: the loss of the optimal predictor, which knows the language's rules, in
/// nats per character. It is the mean over sequences that begin anywhere in the text, not only at a sentence start.
struct EntropyFloor {
    /// loss_by_position[t] is the loss at character t + 1 of a sequence, given characters 0 … t, averaged over the
    /// sequences of a full evaluation of the validation split.
    std::vector<double> loss_by_position;
    /// The mean of loss_by_position. It is comparable with a full validation loss at the same context length; a sampled
    /// evaluation uses other sequences of the split.
    double mean = 0;
    /// The language's entropy rate: the limit of the loss for an infinitely long context.
    double entropy_rate = 0;
};

/// Largest number of tokens of the validation part, and of the test part, of a folder. They are in memory.
inline constexpr std::int64_t largest_held_out = std::int64_t{1} << 24;

/// A text as tokens, split into a training, a validation and (for 90/5/5) a test part. The training part of a folder
/// stays in its files; of its validation and test parts the first `largest_held_out` tokens are used.
struct Corpus {
    std::string name;  // as messages show it: "Tiny Shakespeare", or a file name
    Vocabulary vocabulary;
    std::vector<std::int32_t> training;  // empty for a folder
    std::vector<std::int32_t> validation;
    std::vector<std::int32_t> test;     // empty for a 90/10 split
    std::int64_t validation_bytes = 0;  // number of bytes of the validation part
    bool generated = false;             // true for a synthetic language
    TextMark text;                      // size and checksum of the text, named as in the run that opened it first
    std::shared_ptr<const TextFolder> folder;  // null unless the text is a folder
    std::int64_t folder_training = 0;          // number of training tokens of a folder

    /// Returns the training part, which is valid as long as this object.
    TokenText training_text() const;
    /// Returns the mean number of bytes of the validation part's tokens, by which losses per token become losses per
    /// byte (formula 35).
    double bytes_per_token() const {
        return static_cast<double>(validation_bytes) / static_cast<double>(validation.size());
    }
    /// Returns the data for a cohort, which are valid as long as this object.
    TokenData token_data() const { return {vocabulary.size(), training_text(), validation}; }
};

/// Opens the corpus that `spec.data` names: `generated`, `synthetic-local`, a known data set (searched for in
/// `data_dir`, then in ROPELAB_DATA, then in the cache), a file, or a folder of files (core/data/text_folder.h), which
/// is read as bytes. A text is split where its characters (or bytes) are split, whatever the tokenizer is, so that the
/// validation parts of all tokenizers contain the same text; bpe, unigram and words are trained on the training part.
/// Throws BadInput for an unknown name, an unreadable or empty file, a folder although `spec` requires another
/// tokenizer than bytes, an unreadable tokenizer, a file that is not UTF-8 although `spec` requires characters, and a
/// split with fewer than spec.context + 1 tokens. The most recent corpora are cached, so that a sweep reads and encodes
/// its text once. Thread-safe.
std::shared_ptr<const Corpus> open_corpus(const RunSpec& spec, const std::filesystem::path& data_dir = {});

/// Returns the vocabulary of a run with subwords or words: trained on the training part of its text, or read from the
/// file of its tokenizer. Throws BadInput as trained_subwords() and subwords_of_file() do.
Vocabulary subword_vocabulary(const RunSpec& spec, const TextParts& parts);

/// Returns the entropy floor of a synthetic corpus for all sequences of `spec.context` characters of its validation
/// split, whatever spec.evaluation is, or nullopt for any other
/// corpus. Takes seconds; `cancelled` is called repeatedly, and if it returns true, the result is nullopt.
std::optional<EntropyFloor> entropy_floor_of(const RunSpec& spec, const std::function<bool()>& cancelled = {});

}  // namespace ropelab
