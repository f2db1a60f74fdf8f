#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ropelab {

/// By token. Throws BadInput if a token is not in [0, vocabulary).
std::vector<std::int64_t> token_counts(std::span<const std::int32_t> tokens, int vocabulary);

/// In descending order. A word is a longest piece of text without white space of ASCII.
std::vector<std::int64_t> word_counts(std::string_view text);

/// Without 0, in descending order: count number r − 1 is that of rank r.
std::vector<std::int64_t> ranked_counts(std::span<const std::int64_t> counts);

/// Logarithms of smaller counts have a large error.
inline constexpr std::int64_t least_fitted_count = 10;

/// ln f(r) = a − s·ln r for frequencies f by rank r (formula 57).
struct ZipfFit {
    std::int64_t first_rank = 0;  // range of the fit, both ends included
    std::int64_t last_rank = 0;
    double exponent = 0;   // s
    double intercept = 0;  // a: the logarithm of the frequency that the line has at rank 1, a fraction of all tokens
    double r_squared = 0;  // share of the variance of ln f that the line explains
    /// For ln f = b − c·r (a geometric distribution), with which Zipf's law competes.
    double r_squared_geometric = 0;
};

/// Least squares. `last` = 0: the last with `least_fitted_count` tokens. nullopt for fewer than 3 ranks or equal
/// counts.
std::optional<ZipfFit> fit_zipf(std::span<const std::int64_t> ranked, std::int64_t first = 1, std::int64_t last = 0);

/// Between two tokens, as a function of their distance (formula 58).
struct MutualInformation {
    std::vector<std::int64_t> distances;  // ascending, in tokens
    /// Mutual information in nats, one number per distance. It is the plug-in estimate from the counts of tokens and
    /// pairs,
    ///   Î = Ĥ(X) + Ĥ(Y) − Ĥ(X, Y),  Ĥ = −Σ p̂ ln p̂,
    /// minus its bias. Miller and Madow's correction adds (m − 1)/(2n) to each entropy for m different outcomes in n
    /// pairs, which gives
    ///   Î − (m_xy − m_x − m_y + 1)/(2n).
    /// The corrected estimate can be 0 or negative if the tokens are independent.
    std::vector<double> nats;
    /// Without the correction, in nats; positive at every distance, even for independent tokens.
    std::vector<double> plug_in;
    std::int64_t tokens = 0;  // number of tokens of the text
};

/// From 1 to `longest`, about `per_decade` per factor of ten, in ascending order.
std::vector<std::int64_t> spaced_distances(std::int64_t longest, int per_decade = 12);

/// Distances at which the text has no pair are omitted. If cancelled, the result has only the distances so far. Throws
/// BadInput if a token is not in [0, vocabulary), or if the distances do not ascend from 1 or more.
MutualInformation mutual_information(std::span<const std::int32_t> tokens, int vocabulary,
                                     std::span<const std::int64_t> distances,
                                     const std::function<bool()>& cancelled = {});

/// Distance in tokens at which the mutual information has fallen to half of its largest value, interpolated linearly
/// between distances; infinite if it does not fall so far, NaN without a positive value. It includes dependence through
/// tokens between the two: in synthetic languages whose characters repeat one of the last w, it is 2.4·w to 3.3·w.
double dependency_width(const MutualInformation& information);

/// A shuffled text has independent tokens: the estimate without dependence.
struct ShuffledInformation {
    double mean = 0;       // of the corrected estimates over all distances, in nats; about 0
    double deviation = 0;  // their standard deviation
    /// 97.5 % of estimates of independent tokens are below, if normal: mean + 1.96 deviations (formula 58).
    double upper() const { return mean + 1.959964 * deviation; }
};

/// Shuffled by Fisher and Yates with `seed`. nullopt with fewer than two distances, or if cancelled.
std::optional<ShuffledInformation> shuffled_information(std::span<const std::int32_t> tokens, int vocabulary,
                                                        std::span<const std::int64_t> distances, std::int64_t seed,
                                                        const std::function<bool()>& cancelled = {});

}  // namespace ropelab
