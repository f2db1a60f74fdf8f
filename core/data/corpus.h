#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/data/text_source.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// For each of the validation and test parts of a folder, which are in memory.
inline constexpr std::int64_t largest_held_out = std::int64_t{1} << 24;

/// The training part of a folder stays in its files; the first `largest_held_out` tokens of the others are used.
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

    /// Valid as long as this object.
    TokenText training_text() const;
    /// Mean over the validation part, by which losses per token become losses per byte (formula 35).
    double bytes_per_token() const {
        return static_cast<double>(validation_bytes) / static_cast<double>(validation.size());
    }
    /// Valid as long as this object.
    TokenData token_data() const { return {vocabulary.size(), training_text(), validation}; }
};

/// `spec.data` names `generated`, `synthetic-local`, a known data set (searched for in `data_dir`, then in
/// ROPELAB_DATA, then in the cache), a file, or a folder of files (core/data/text_source.h), which is read as bytes. A
/// text is split where its characters (or bytes) are split, whatever the tokenizer is, so that the validation parts of
/// all tokenizers contain the same text; bpe, unigram and words are trained on the training part. Throws BadInput for
/// an unknown name, an unreadable or empty file, a folder although `spec` requires another tokenizer than bytes, an
/// unreadable tokenizer, a file that is not UTF-8 although `spec` requires characters, and a split with fewer than
/// spec.context + 1 tokens. Recent corpora are cached, so that a sweep encodes its text once. Thread-safe.
std::shared_ptr<const Corpus> open_corpus(const RunSpec& spec, const std::filesystem::path& data_dir = {});

/// By training, or from the tokenizer's file. Throws BadInput as trained_subwords() and subwords_of_file() do.
Vocabulary subword_vocabulary(const RunSpec& spec, const TextParts& parts);

/// For all sequences of `spec.context` characters of its validation split, whatever spec.evaluation is, or nullopt for
/// a corpus that is not synthetic. Takes seconds; nullopt if `cancelled` returns true.
std::optional<EntropyFloor> entropy_floor_of(const RunSpec& spec, const std::function<bool()>& cancelled = {});

}  // namespace ropelab
