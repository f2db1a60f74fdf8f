#pragma once

#include <string_view>
#include <vector>

namespace ropelab {

/// Splits a text into the pieces that GPT-2's byte-level BPE encodes separately, which are the matches of its regular
/// expression 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ . Letters, numbers and spaces
/// are those of Unicode in the version of ICU. Bytes that are not UTF-8 count as punctuation. The pieces view `text`.
std::vector<std::string_view> gpt2_pieces(std::string_view text);

/// Splits a text into words (the longest runs of letters, marks and numbers) and single other characters, such as a
/// space, a line end, a punctuation mark or a byte that is not UTF-8. The pieces view `text`.
std::vector<std::string_view> word_pieces(std::string_view text);

}  // namespace ropelab
