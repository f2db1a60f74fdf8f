#include "core/study/longrope_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/rope/frequencies.h"
#include "core/spec/error.h"
#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

constexpr std::uint64_t rounds = 6;
constexpr std::uint64_t mutations = 3;  // per round
constexpr std::uint64_t crossings = 1;  // per round
constexpr std::size_t parents = 3;
constexpr double mutation_probability = 0.3;  // of each divisor
constexpr std::int64_t search_tokens = 4096;  // about as many tokens are evaluated per list
constexpr std::int64_t most_search_sequences = 4;

// Methods whose frequencies the search begins with.
std::vector<ScalingMethod> first_methods(const RunSpec& spec) {
    std::vector<ScalingMethod> methods = {ScalingMethod::linear, ScalingMethod::ntk, ScalingMethod::yarn};
    if (spec.frequencies != "auto") std::erase_if(methods, changes_theta);
    return methods;
}

// Returns the divisors of the rotated pairs that equal a scaling method without its attention factor.
std::vector<double> divisors_of(const RunSpec& spec, ScalingMethod method, std::int64_t factor) {
    FrequencySettings settings = frequency_settings_of(spec);
    settings.context = static_cast<double>(spec.context);
    const std::vector<double> plain = frequencies(settings).inverse_frequencies;
    settings.scaling = {.method = method, .factor = static_cast<double>(factor)};
    const std::vector<double> scaled = frequencies(settings).inverse_frequencies;
    std::vector<double> divisors;
    for (std::size_t pair = 0; pair < plain.size(); ++pair) {
        if (plain[pair] <= 0) continue;
        const double least = divisors.empty() ? 1.0 : divisors.back();
        divisors.push_back(std::clamp(plain[pair] / scaled[pair], least, static_cast<double>(factor)));
    }
    return divisors;
}

// Evenly spaced sequences of a text, for a probe that measures losses only.
ProbeRequest search_request(const TokenText& text, std::int64_t length) {
    const std::int64_t last_start = static_cast<std::int64_t>(text.size()) - length - 1;
    if (last_start < 0) {
        throw BadInput("The training split has " + std::to_string(text.size()) +
                       " tokens, but the search of LongRoPE's factors needs at least " + std::to_string(length + 1) +
                       "; leave out longrope, or give its factors.");
    }
    ProbeRequest request;
    request.vectors = false;
    request.attention = false;
    request.sequences.length = length;
    const std::int64_t count = std::clamp<std::int64_t>(search_tokens / length, 1, most_search_sequences);
    for (std::int64_t sequence = 0; sequence < count; ++sequence) {
        std::vector<std::int32_t> tokens(static_cast<std::size_t>(length + 1));
        text.copy(count > 1 ? last_start * sequence / (count - 1) : 0, length + 1, tokens.data());
        request.sequences.tokens.insert(request.sequences.tokens.end(), tokens.begin(), tokens.end() - 1);
        request.sequences.targets.insert(request.sequences.targets.end(), tokens.begin() + 1, tokens.end());
    }
    return request;
}

// Replaces each divisor with a probability by a random number between its neighbours.
std::vector<double> mutated(std::vector<double> divisors, double largest, const RandomStream& stream,
                            std::uint64_t number) {
    const std::size_t count = divisors.size();
    bool is_changed = false;
    for (std::size_t i = 0; i < count; ++i) {
        // If no other divisor changes, the last one does.
        const bool is_last_chance = !is_changed && i + 1 == count;
        if (stream.uniform(number, 2 * i) > mutation_probability && !is_last_chance) continue;
        const double least = i == 0 ? 1.0 : divisors[i - 1];
        const double most = i + 1 == count ? largest : divisors[i + 1];
        divisors[i] = least + (most - least) * stream.uniform(number, 2 * i + 1);
        is_changed = true;
    }
    return divisors;
}

// Takes each divisor from one of two parents, but at least the divisor before it.
std::vector<double> crossed(const std::vector<double>& a, const std::vector<double>& b, const RandomStream& stream,
                            std::uint64_t number) {
    std::vector<double> divisors;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double chosen = stream.below(2, number, i) == 0 ? a[i] : b[i];
        divisors.push_back(divisors.empty() ? chosen : std::max(chosen, divisors.back()));
    }
    return divisors;
}

}  // namespace

std::optional<LongRopeSearch> search_longrope(Model& model, const RunSpec& spec, const TokenText& training,
                                              std::int64_t factor, const std::function<bool()>& cancelled) {
    ProbeRequest request = search_request(training, spec.context * factor);
    request.cancelled = cancelled;
    const auto is_cancelled = [&] { return cancelled && cancelled(); };
    std::vector<LongRopeSearch> lists;
    // Evaluates a list of divisors and keeps all lists in the order of their losses. Returns false if cancelled.
    const auto add = [&](std::vector<double> divisors) {
        request.scaling = {.method = ScalingMethod::longrope, .factor = static_cast<double>(factor)};
        request.scaling.short_factors.assign(divisors.size(), 1.0);
        request.scaling.long_factors = divisors;
        const double measured = model.probe(request).loss;
        if (is_cancelled()) return false;
        const double loss = std::isfinite(measured) ? measured : std::numeric_limits<double>::infinity();
        const auto place = std::ranges::upper_bound(lists, loss, {}, &LongRopeSearch::loss);
        lists.insert(place, {std::move(divisors), loss});
        return true;
    };
    for (const ScalingMethod method : first_methods(spec)) {
        if (!add(divisors_of(spec, method, factor))) return std::nullopt;
    }
    const bool can_change = factor > 1 && !lists.front().factors.empty();
    const RandomStream choices(1, "longrope parents");
    const RandomStream changes(1, "longrope changes");
    std::uint64_t number = 0;
    for (std::uint64_t round = 0; can_change && round < rounds; ++round) {
        lists.resize(std::min(lists.size(), parents));
        const std::vector<LongRopeSearch> chosen = lists;
        for (std::uint64_t i = 0; i < mutations + crossings; ++i, ++number) {
            const std::vector<double>& first = chosen[choices.below(chosen.size(), number, 0)].factors;
            const std::vector<double>& second = chosen[choices.below(chosen.size(), number, 1)].factors;
            if (!add(i < mutations ? mutated(first, static_cast<double>(factor), changes, number)
                                   : crossed(first, second, changes, number))) {
                return std::nullopt;
            }
        }
    }
    return lists.front();
}

}  // namespace ropelab
