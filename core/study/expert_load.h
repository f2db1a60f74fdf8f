#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/corpus.h"
#include "core/spec/probe.h"

namespace ropelab {

// The load of the experts of a model: sums of ProbeResult::expert_shares.

/// Class of a token by its text without leading white space: the class of its first character. A token of white space
/// alone is `whitespace`. `punctuation` is every other printable ASCII character, and `other` the rest, such as
/// characters outside ASCII.
enum class TokenClass { letters, digits, whitespace, punctuation, other };
/// Number of token classes.
inline constexpr std::size_t token_class_count = 5;
/// Returns the word for a class: "letters", "digits", "white space", "punctuation" or "other".
std::string_view token_class_word(TokenClass token_class);
/// Returns the class of a token's text.
TokenClass token_class(std::string_view text);

/// Returns the share of a layer's choices that go to each expert; they sum to 1, or are all 0 in a dense layer. Empty
/// if the model has no experts.
std::vector<double> expert_load(const ProbeResult& result, std::int64_t layer);

/// Returns the share of the choices of each class of tokens that go to each expert of a layer: experts rows of
/// token_class_count numbers. NaN for a class without tokens. Empty if the model has no experts.
std::vector<std::vector<double>> expert_load_by_class(const ProbeResult& result, std::int64_t layer,
                                                      const Vocabulary& vocabulary);

/// A token and its share of the choices of an expert.
struct ExpertToken {
    std::int32_t token = 0;
    double share = 0;

    bool operator==(const ExpertToken&) const = default;
};
/// Returns the tokens that are routed to an expert of a layer most often, the most frequent first, at most `most`;
/// tokens that are never routed to it are left out.
std::vector<ExpertToken> top_tokens_of_expert(const ProbeResult& result, std::int64_t layer, std::int64_t expert,
                                              std::size_t most);

}  // namespace ropelab
