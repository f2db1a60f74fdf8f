#include "core/rope/attention/circuit.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rope/logit.h"

namespace ropelab {

namespace {

constexpr std::size_t circuit_block = 64;

void check_distances(std::span<const double> logits, std::int64_t tokens) {
    if (tokens < 0 || static_cast<std::size_t>(tokens) > logits.size()) {
        throw BadInput("Attention over " + std::to_string(tokens) + " tokens requires a logit for each distance, but " +
                       std::to_string(logits.size()) + " were given.");
    }
}

/// Amplitude · cos(phase + Δ·frequency). Inside a block the angle advances by complex products; each block begins with
/// an exact angle, so that the rounding errors do not add up.
void add_cosine(std::vector<double>& sums, double amplitude, double phase, double frequency) {
    const std::complex<double> step = std::polar(1.0, frequency);
    for (std::size_t first = 0; first < sums.size(); first += circuit_block) {
        std::complex<double> hand = std::polar(amplitude, phase + static_cast<double>(first) * frequency);
        const std::size_t end = std::min(sums.size(), first + circuit_block);
        for (std::size_t distance = first; distance < end; ++distance) {
            sums[distance] += hand.real();
            hand *= step;
        }
    }
}

/// `handle` receives the distance and the attention weight of every key of the query at position `row`.
template <typename Handle>
void for_each_weight(std::span<const double> logits, std::int64_t row, const Handle& handle) {
    const auto count = static_cast<std::size_t>(row + 1);
    const double largest = *std::max_element(logits.begin(), logits.begin() + static_cast<std::ptrdiff_t>(count));
    double sum = 0;
    for (std::size_t distance = 0; distance < count; ++distance) sum += std::exp(logits[distance] - largest);
    for (std::size_t distance = 0; distance < count; ++distance)
        handle(distance, std::exp(logits[distance] - largest) / sum);
}

}  // namespace

CircuitVectors circuit_at_distance(double distance, double norm, int head_dim, const Frequencies& frequencies,
                                   Partial partial, Pairing pairing) {
    if (!std::isfinite(norm) || norm < 0) {
        throw BadInput("The norm of a pair of channels is " + number_text(norm) + ", but it must be 0 or more.");
    }
    if (!std::isfinite(distance) || distance < 0) {
        throw BadInput("The distance is " + number_text(distance) + ", but a head attends only to earlier tokens, at " +
                       "distances of 0 or more.");
    }
    CircuitVectors result;
    result.query.assign(static_cast<std::size_t>(std::max(0, head_dim)), 0.0);
    for (const ChannelPair& pair : channel_pairs(head_dim, frequencies.rotary_dim, partial, pairing))
        result.query[pair.first] = norm;
    result.key = aimed_key(result.query, distance, frequencies, partial, pairing);
    return result;
}

CircuitVectors with_fast_pairs(CircuitVectors vectors, std::size_t pairs, const Frequencies& frequencies,
                               Partial partial, Pairing pairing) {
    const int head_dim = static_cast<int>(vectors.query.size());
    const std::vector<ChannelPair> all = channel_pairs(head_dim, frequencies.rotary_dim, partial, pairing);
    for (std::size_t i = pairs; i < all.size(); ++i) {
        for (std::vector<double>* each : {&vectors.query, &vectors.key})
            each->at(all[i].first) = each->at(all[i].second) = 0;
    }
    return vectors;
}

std::vector<double> circuit_logits(std::span<const double> query, std::span<const double> key,
                                   const Frequencies& frequencies, Partial partial, Pairing pairing,
                                   std::size_t count) {
    const LogitSplit at_zero = split_logit(query, key, 0, 0, frequencies, partial, pairing);  // checks the sizes
    const int head_dim = static_cast<int>(query.size());
    const std::vector<ChannelPair> pairs = channel_pairs(head_dim, frequencies.rotary_dim, partial, pairing);
    std::vector<double> logits(count, at_zero.unrotated);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = pairs[i];
        const double frequency = frequencies.inverse_frequencies[i];
        const PairTerm term = pair_term({query[first], query[second]}, {key[first], key[second]}, 0, 0, frequency,
                                        frequencies.attention_factor, head_dim);
        const double amplitude = term.query_norm * term.key_norm * frequencies.attention_factor *
                                 frequencies.attention_factor / std::sqrt(static_cast<double>(head_dim));
        if (amplitude > 0) add_cosine(logits, amplitude, term.phase, frequency);
    }
    return logits;
}

std::vector<double> circuit_attention(std::span<const double> logits, std::int64_t tokens) {
    check_distances(logits, tokens);
    const auto size = static_cast<std::size_t>(tokens);
    std::vector<double> weights(size * size, 0.0);
    for (std::size_t row = 0; row < size; ++row) {
        for_each_weight(logits, static_cast<std::int64_t>(row),
                        [&](std::size_t distance, double weight) { weights[row * size + row - distance] = weight; });
    }
    return weights;
}

std::vector<double> circuit_weights(std::span<const double> logits, std::int64_t tokens) {
    check_distances(logits, tokens);
    if (tokens < 1) throw BadInput("Attention weights require a key, but the query has none.");
    std::vector<double> weights(static_cast<std::size_t>(tokens));
    for_each_weight(logits, tokens - 1, [&](std::size_t distance, double weight) { weights[distance] = weight; });
    return weights;
}

std::vector<double> circuit_attention_by_distance(std::span<const double> logits, std::int64_t tokens,
                                                  std::int64_t first) {
    check_distances(logits, tokens);
    const auto size = static_cast<std::size_t>(tokens);
    std::vector<double> means(size, 0.0);
    const auto begin = std::min(static_cast<std::size_t>(first), size - 1);
    for (std::size_t row = begin; row < size; ++row) {
        for_each_weight(logits, static_cast<std::int64_t>(row),
                        [&](std::size_t distance, double weight) { means[distance] += weight; });
    }
    for (std::size_t distance = 0; distance < size; ++distance) {
        means[distance] /= static_cast<double>(size - std::max(distance, begin));
    }
    return means;
}

std::int64_t circuit_peak(std::span<const double> logits) {
    if (logits.empty()) {
        throw BadInput(
            "The largest attention logit of a head needs logits at one or more distances, but none were given.");
    }
    return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

double cosine_similarity(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) {
        throw BadInput("Curves of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                       " values cannot be compared; both need values at the same distances.");
    }
    double product = 0, square_a = 0, square_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += a[i] * b[i];
        square_a += a[i] * a[i];
        square_b += b[i] * b[i];
    }
    if (!(square_a > 0) || !(square_b > 0)) return std::numeric_limits<double>::quiet_NaN();
    return product / std::sqrt(square_a * square_b);
}

}  // namespace ropelab
