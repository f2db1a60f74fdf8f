#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/corpus.h"
#include "core/data/text_source.h"
#include "core/settings/run_spec.h"

namespace ropelab {

struct TextInfo {
    std::string name;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> characters;  // number of Unicode characters; nullopt for other bytes or a folder
    bool as_bytes = false;                   // true: each token is a byte
    bool subwords = false;                   // true: tokens are subwords or words; if both are false, characters
    std::int64_t tokens = 0;                 // number of tokens in the text
    int distinct = 0;                        // number of distinct tokens; of subwords, all of the vocabulary
    std::vector<std::string> alphabet;       // each distinct token, ascending, printable ("\n", "space", "0xC3")
    /// Unigram, in bits per token: −Σ p(a) log₂ p(a) with the frequencies p of this text.
    double order0_entropy = 0;
    /// Bigram, conditional, in bits per token: −Σ p(a, b) log₂ p(b | a) over adjacent tokens a, b.
    double order1_entropy = 0;
    SplitSizes ninety_ten;        // number of tokens of each part for a 90/10 split
    SplitSizes ninety_five_five;  // number of tokens of each part for a 90/5/5 split
};

/// With Tokenizer::automatic, tokens are characters if the text is UTF-8, else bytes. Throws BadInput if the text is
/// empty, or if it is not UTF-8 although `symbols` requires characters.
TextInfo info_of_text(std::string_view text, Tokenizer tokenizer = Tokenizer::automatic);

/// A file, a folder (as bytes, which takes about a second per GB), a known data set or a synthetic language (with the
/// seed `data_seed`). Throws BadInput as `open_corpus` does, but accepts texts that are too short for training.
TextInfo info_of(std::string_view data, Tokenizer tokenizer = Tokenizer::automatic,
                 const std::filesystem::path& data_dir = {}, std::int64_t data_seed = 1);
/// With the run's tokenizer, which is trained on the training split.
TextInfo info_of(const RunSpec& spec, const std::filesystem::path& data_dir = {});

/// Visible characters as they are, and others such as `\n`, `space` or `0xC3`.
std::string printable_token(const Vocabulary& vocabulary, std::int32_t token);

struct TokenizerRow {
    std::string tokenizer;    // value of the setting; what `auto` chooses
    std::int64_t size = 0;    // number of tokens in the vocabulary
    std::int64_t tokens = 0;  // number of tokens of the validation split
    std::int64_t bytes = 0;   // number of bytes of the validation split
    std::int64_t training_tokens = 0;
    bool by_line = false;  // as in Subwords

    double tokens_per_byte() const { return static_cast<double>(tokens) / static_cast<double>(bytes); }
};

/// `specs` have the same text. Throws as `open_corpus` does.
std::vector<TokenizerRow> compare_tokenizers(const std::vector<RunSpec>& specs,
                                             const std::filesystem::path& data_dir = {});

}  // namespace ropelab
