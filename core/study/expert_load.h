#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/probe.h"
#include "core/data/corpus.h"

namespace ropelab {

/// By the first character of the text without leading white space. A token of white space alone is `whitespace`.
/// `punctuation` is every other printable ASCII character, and `other` the rest, such as characters outside ASCII.
enum class TokenClass { letters, digits, whitespace, punctuation, other };
inline constexpr std::size_t token_class_count = 5;
/// "letters", "digits", "white space", "punctuation" or "other".
std::string_view token_class_word(TokenClass token_class);
TokenClass token_class(std::string_view text);

/// Shares of a layer's choices; they sum to 1, or are all 0 in a dense layer. Empty if the model has no experts.
std::vector<double> expert_load(const ProbeResult& result, std::int64_t layer);

/// Share of each class's choices: experts × token_class_count; NaN without tokens. Empty without experts.
std::vector<std::vector<double>> expert_load_by_class(const ProbeResult& result, std::int64_t layer,
                                                      const Vocabulary& vocabulary);

struct ExpertToken {
    std::int32_t token = 0;
    double share = 0;

    bool operator==(const ExpertToken&) const = default;
};
/// At most `most`, the most frequent first; without tokens that are never routed to the expert.
std::vector<ExpertToken> top_tokens_of_expert(const ProbeResult& result, std::int64_t layer, std::int64_t expert,
                                              std::size_t most);

}  // namespace ropelab
