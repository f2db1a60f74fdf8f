#include "core/stats/token_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/stats/descriptive.h"
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

namespace {

// Pairs of larger vocabularies are counted in a hash table.
constexpr int largest_table = 1024;

struct Entropy {
    double nats = 0;
    std::int64_t outcomes = 0;
};

// From counts c with the sum n: −Σ p ln p = ln n − Σ c ln c / n.
class EntropySum {
 public:
    void add(std::int64_t count) {
        if (count == 0) return;
        ++outcomes_;
        sum_ += static_cast<double>(count) * std::log(static_cast<double>(count));
    }
    Entropy over(std::int64_t n) const {
        return {std::log(static_cast<double>(n)) - sum_ / static_cast<double>(n), outcomes_};
    }

 private:
    std::int64_t outcomes_ = 0;
    double sum_ = 0;
};

Entropy entropy_of(const std::vector<std::int64_t>& counts, std::int64_t n) {
    EntropySum sum;
    for (const std::int64_t count : counts) sum.add(count);
    return sum.over(n);
}

class PairCounts {
 public:
    explicit PairCounts(int vocabulary) : vocabulary_(vocabulary) {
        if (vocabulary <= largest_table) table_.resize(static_cast<std::size_t>(vocabulary) * vocabulary);
    }

    Entropy entropy(std::span<const std::int32_t> tokens, std::int64_t distance) {
        const std::size_t n = tokens.size() - static_cast<std::size_t>(distance);
        const std::int32_t* later = tokens.data() + distance;
        EntropySum sum;
        if (!table_.empty()) {
            std::fill(table_.begin(), table_.end(), 0);
            for (std::size_t i = 0; i < n; ++i) ++table_[place(tokens[i], later[i])];
            for (const std::uint32_t count : table_) sum.add(count);
        } else {
            seen_.clear();
            for (std::size_t i = 0; i < n; ++i) ++seen_[place(tokens[i], later[i])];
            for (const auto& [pair, count] : seen_) sum.add(count);
        }
        return sum.over(static_cast<std::int64_t>(n));
    }

 private:
    std::size_t place(std::int32_t first, std::int32_t second) const {
        return static_cast<std::size_t>(first) * vocabulary_ + second;
    }
    int vocabulary_;
    std::vector<std::uint32_t> table_;
    std::unordered_map<std::size_t, std::uint32_t> seen_;
};

}  // namespace

std::vector<std::int64_t> spaced_distances(std::int64_t longest, int per_decade) {
    std::vector<std::int64_t> result;
    for (int i = 0;; ++i) {
        const auto distance = std::llround(std::pow(10.0, static_cast<double>(i) / per_decade));
        if (distance > longest) return result;
        if (result.empty() || distance > result.back()) result.push_back(distance);
    }
}

MutualInformation mutual_information(std::span<const std::int32_t> tokens, int vocabulary,
                                     std::span<const std::int64_t> distances, const std::function<bool()>& cancelled) {
    for (const std::int32_t token : tokens) {
        if (token < 0 || token >= vocabulary) {
            throw BadInput("The token " + std::to_string(token) + " is outside the vocabulary of " +
                           std::to_string(vocabulary) + " tokens.");
        }
    }
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::int64_t least = i == 0 ? 1 : distances[i - 1] + 1;
        if (distances[i] < least) {
            throw BadInput("The distance " + std::to_string(distances[i]) + " must be " + std::to_string(least) +
                           " or more, because distances must ascend from 1.");
        }
    }
    MutualInformation result;
    result.tokens = static_cast<std::int64_t>(tokens.size());
    PairCounts pairs(vocabulary);
    // The last tokens of the text are not the first of a pair, and the first tokens not the second.
    std::vector<std::int64_t> first(static_cast<std::size_t>(vocabulary));
    for (const std::int32_t token : tokens) ++first[static_cast<std::size_t>(token)];
    std::vector<std::int64_t> second = first;
    std::int64_t removed = 0;
    for (const std::int64_t distance : distances) {
        const std::int64_t n = result.tokens - distance;
        if (n < 1 || (cancelled && cancelled())) break;
        for (; removed < distance; ++removed) {
            --first[static_cast<std::size_t>(tokens[static_cast<std::size_t>(result.tokens - 1 - removed)])];
            --second[static_cast<std::size_t>(tokens[static_cast<std::size_t>(removed)])];
        }
        const Entropy x = entropy_of(first, n);
        const Entropy y = entropy_of(second, n);
        const Entropy both = pairs.entropy(tokens, distance);
        const double plug_in = x.nats + y.nats - both.nats;
        const auto excess = static_cast<double>(both.outcomes - x.outcomes - y.outcomes + 1);
        result.distances.push_back(distance);
        result.plug_in.push_back(plug_in);
        result.nats.push_back(plug_in - excess / (2.0 * static_cast<double>(n)));
    }
    return result;
}

double dependency_width(const MutualInformation& information) {
    const std::vector<double>& nats = information.nats;
    const auto highest = std::ranges::max_element(nats);
    if (highest == nats.end() || !(*highest > 0)) return std::numeric_limits<double>::quiet_NaN();
    const double half = *highest / 2;
    const auto below = std::find_if(highest, nats.end(), [half](double value) { return value < half; });
    if (below == nats.end()) return std::numeric_limits<double>::infinity();
    const auto i = static_cast<std::size_t>(below - nats.begin());
    const auto from = static_cast<double>(information.distances[i - 1]);
    const auto to = static_cast<double>(information.distances[i]);
    return from + (to - from) * (nats[i - 1] - half) / (nats[i - 1] - nats[i]);
}

std::optional<ShuffledInformation> shuffled_information(std::span<const std::int32_t> tokens, int vocabulary,
                                                        std::span<const std::int64_t> distances, std::int64_t seed,
                                                        const std::function<bool()>& cancelled) {
    std::vector<std::int32_t> shuffled(tokens.begin(), tokens.end());
    const RandomStream stream(seed, "shuffled text");
    for (std::size_t i = shuffled.size(); i > 1; --i) {
        std::swap(shuffled[i - 1], shuffled[stream.below(i, 0, i)]);
    }
    const MutualInformation all = mutual_information(shuffled, vocabulary, distances, cancelled);
    if (all.nats.size() < 2 || (cancelled && cancelled())) return std::nullopt;
    const Description result = describe(all.nats);
    return ShuffledInformation{result.mean, result.standard_deviation};
}

}  // namespace ropelab
