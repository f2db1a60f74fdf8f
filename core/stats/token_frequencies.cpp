#include "core/stats/token_frequencies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/spec/error.h"
#include "core/stats/least_squares.h"

namespace ropelab {

namespace {

constexpr std::int64_t fewest_ranks = 3;

double explained(const LinearFit& fit) {
    return 1 - fit.residual_sum / fit.total_sum;
}

}  // namespace

std::vector<std::int64_t> token_counts(std::span<const std::int32_t> tokens, int vocabulary) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(vocabulary));
    for (const std::int32_t token : tokens) {
        if (token < 0 || token >= vocabulary) {
            throw BadInput("The token " + std::to_string(token) + " is outside the vocabulary of " +
                           std::to_string(vocabulary) + " tokens.");
        }
        ++counts[static_cast<std::size_t>(token)];
    }
    return counts;
}

std::vector<std::int64_t> word_counts(std::string_view text) {
    constexpr std::string_view spaces = " \t\n\r\f\v";
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (std::size_t begin = text.find_first_not_of(spaces); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(spaces, begin), text.size());
        ++counts[text.substr(begin, end - begin)];
        begin = text.find_first_not_of(spaces, end);
    }
    std::vector<std::int64_t> result;
    result.reserve(counts.size());
    for (const auto& [word, count] : counts) result.push_back(count);
    return ranked_counts(result);
}

std::vector<std::int64_t> ranked_counts(std::span<const std::int64_t> counts) {
    std::vector<std::int64_t> result(counts.begin(), counts.end());
    std::erase(result, 0);
    std::sort(result.begin(), result.end(), std::greater<>());
    return result;
}

std::optional<ZipfFit> fit_zipf(std::span<const std::int64_t> ranked, std::int64_t first, std::int64_t last) {
    if (last == 0) {
        last = std::count_if(ranked.begin(), ranked.end(), [](std::int64_t n) { return n >= least_fitted_count; });
    }
    last = std::min(last, std::ssize(ranked));
    first = std::max<std::int64_t>(1, first);
    if (last - first + 1 < fewest_ranks) return std::nullopt;
    const bool equal = ranked[static_cast<std::size_t>(first - 1)] == ranked[static_cast<std::size_t>(last - 1)];
    if (equal) return std::nullopt;
    const auto total = static_cast<double>(std::accumulate(ranked.begin(), ranked.end(), std::int64_t{0}));
    std::vector<std::vector<double>> logarithms;
    std::vector<std::vector<double>> ranks;
    std::vector<double> y;
    for (std::int64_t rank = first; rank <= last; ++rank) {
        const auto r = static_cast<double>(rank);
        logarithms.push_back({std::log(r)});
        ranks.push_back({r});
        y.push_back(std::log(static_cast<double>(ranked[static_cast<std::size_t>(rank - 1)]) / total));
    }
    const auto zipf = fit_linear(logarithms, y);
    const auto geometric = fit_linear(ranks, y);
    if (!zipf || !geometric) return std::nullopt;
    return ZipfFit{.first_rank = first,
                   .last_rank = last,
                   .exponent = -zipf->slopes.front(),
                   .intercept = zipf->intercept,
                   .r_squared = explained(*zipf),
                   .r_squared_geometric = explained(*geometric)};
}

}  // namespace ropelab
