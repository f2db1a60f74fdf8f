#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ropelab {

/// Returns how often each token of a vocabulary of `vocabulary` tokens occurs. Throws BadInput if a token is not in [0,
/// vocabulary).
std::vector<std::int64_t> token_counts(std::span<const std::int32_t> tokens, int vocabulary);

/// Returns how often each word occurs, in descending order. A word is a longest piece of text without white space of
/// ASCII.
std::vector<std::int64_t> word_counts(std::string_view text);

/// Returns the counts that are not 0, in descending order: count number r − 1 is that of rank r.
std::vector<std::int64_t> ranked_counts(std::span<const std::int64_t> counts);

/// Smallest count of a rank that is used in a fit: the logarithms of smaller counts have a large error.
inline constexpr std::int64_t least_fitted_count = 10;

/// Fit of Zipf's law ln f(r) = a − s·ln r to the frequencies f by rank r (formula 57).
struct ZipfFit {
    std::int64_t first_rank = 0;  // range of the fit, both ends included
    std::int64_t last_rank = 0;
    double exponent = 0;   // s
    double intercept = 0;  // a: the logarithm of the frequency that the line has at rank 1, a fraction of all tokens
    double r_squared = 0;  // share of the variance of ln f that the line explains
    /// Share for ln f = b − c·r (a geometric distribution), with which Zipf's law competes.
    double r_squared_geometric = 0;
};

/// Fits Zipf's law by least squares to the ranks `first` to `last`, each with equal weight. `last` is 0 for the last
/// rank with at least `least_fitted_count` tokens. Returns nullopt if the range has fewer than 3 ranks or equal counts.
std::optional<ZipfFit> fit_zipf(std::span<const std::int64_t> ranked, std::int64_t first = 1, std::int64_t last = 0);

}  // namespace ropelab
