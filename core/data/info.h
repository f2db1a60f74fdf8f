#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/splits.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// What a text is made of.
struct TextInfo {
    std::string name;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> characters;  // nullopt: the text is not UTF-8
    bool as_bytes = false;                   // what a symbol is below: a byte, or a character
    std::int64_t symbols = 0;                // how many symbols the text has
    int distinct = 0;
    std::vector<std::string> alphabet;  // each distinct symbol, ascending, as printable text ("\n", "space", "0xC3")
    /// Bits per symbol of the best predictor that knows only how frequent each symbol is, counted on this very text:
    /// −Σ p(a) log₂ p(a).
    double order0_entropy = 0;
    /// Bits per symbol of the best one that also sees the symbol before: −Σ p(a, b) log₂ p(b | a) over neighbours.
    double order1_entropy = 0;
    SplitSizes ninety_ten;
    SplitSizes ninety_five_five;
};

/// Of a text in memory. Symbols::automatic takes characters where the text is UTF-8, else bytes. Throws BadInput for an
/// empty text, and for one that is not UTF-8 where characters are asked for.
TextInfo info_of_text(std::string_view text, Symbols symbols = Symbols::automatic);

/// Of what the key `data` names: a file, a known set or a generated language (`data_seed`). Throws BadInput as
/// `open_corpus` does; a text too short to train on is no error here.
TextInfo info_of(std::string_view data, Symbols symbols = Symbols::automatic,
                 const std::filesystem::path& data_dir = {}, std::int64_t data_seed = 1);

}  // namespace ropelab
