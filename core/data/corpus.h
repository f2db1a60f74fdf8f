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

#include "core/data/text_mark.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// The symbols of a corpus, numbered in ascending order of code point (or byte). A symbol is one Unicode character of
/// UTF-8 text, or one byte.
class Vocabulary {
 public:
    /// Of text: each distinct character once. Throws BadInput, naming the offset, where `text` is not UTF-8.
    static Vocabulary of_characters(std::string_view text);
    /// Of bytes: each distinct byte once.
    static Vocabulary of_bytes(std::string_view bytes);
    /// From the form that `to_text` writes.
    static Vocabulary from_text(std::string_view text);

    int size() const { return static_cast<int>(symbols_.size()); }
    bool bytes() const { return bytes_; }

    /// One token a symbol. Throws BadInput, naming the character and its position, for one outside the vocabulary.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// The text of tokens. Throws BadInput for a token outside [0, size).
    std::string decode(std::span<const std::int32_t> tokens) const;
    /// One symbol as UTF-8 (bytes above 127 as they are).
    std::string symbol(std::int32_t token) const;

    /// A compact form for files: "characters:" or "bytes:" and the symbols' numbers, comma-separated.
    std::string to_text() const;

 private:
    bool bytes_ = false;
    std::vector<std::uint32_t> symbols_;  // ascending
};

/// What the best possible predictor loses on a corpus whose rules are known: the mean over positions in a window that
/// starts in the middle of the text, in nats per character.
struct Floor {
    /// loss_by_position[t]: of character t + 1 of a window, characters 0 … t seen, averaged over the windows that a
    /// whole evaluation of the validation split uses.
    std::vector<double> loss_by_position;
    /// The mean of loss_by_position: comparable with a whole validation loss at the same context length.
    double mean = 0;
    /// The language's entropy rate, which no finite window reaches.
    double entropy_rate = 0;
};

/// A text cut into training, validation and (for 90/5/5) test tokens.
struct Corpus {
    std::string name;
    Vocabulary vocabulary;
    std::vector<std::int32_t> training;
    std::vector<std::int32_t> validation;
    std::vector<std::int32_t> test;  // empty for a 90/10 split
    bool generated = false;
    TextMark text;  // what was read; its name is that of the run that opened it first
};

/// Opens the corpus that a run names: `generated`, `generated-local`, a known set (looked for in `data_dir`, then in
/// ROPELAB_DATA, then in the cache) or a file. Throws BadInput for an unknown name, a directory, an unreadable or empty
/// file, for a file that is not UTF-8 where characters are asked for, and for splits shorter than the run's context
/// plus one. The corpora opened last are kept, so that a sweep reads and encodes its text once; any thread may call it.
std::shared_ptr<const Corpus> open_corpus(const RunSpec& spec, const std::filesystem::path& data_dir = {});

/// The floor of a generated corpus for windows of `context` characters; nullopt for any other corpus. Slow (seconds);
/// `cancelled` is asked now and then, and true ends the work with nullopt.
std::optional<Floor> floor_of(const RunSpec& spec, const std::function<bool()>& cancelled = {});

}  // namespace ropelab
