#include "core/rope/logit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/rope/cosine_sum.h"
#include "core/rope/encodings.h"

namespace ropelab {

namespace {

/// Throws BadInput unless there is one frequency per pair.
std::vector<ChannelPair> pairs_of(std::size_t head_dim, const Frequencies& frequencies, Partial partial,
                                  Pairing pairing) {
    std::vector<ChannelPair> pairs =
        channel_pairs(static_cast<int>(head_dim), frequencies.rotary_dim, partial, pairing);
    if (pairs.size() != frequencies.inverse_frequencies.size()) {
        throw BadInput("The head has " + std::to_string(pairs.size()) + " pairs, but " +
                       std::to_string(frequencies.inverse_frequencies.size()) +
                       " frequencies were given; there must be one frequency per pair.");
    }
    return pairs;
}

std::vector<double> random_vector(std::int64_t seed, std::string_view name, int head_dim) {
    std::vector<float> values(static_cast<std::size_t>(head_dim));
    RandomStream(seed, name).fill_normal(values, 1.0);
    return {values.begin(), values.end()};
}

}  // namespace

std::vector<double> random_query(std::int64_t seed, int head_dim) {
    return random_vector(seed, "query", head_dim);
}

std::vector<double> random_key(std::int64_t seed, int head_dim) {
    return random_vector(seed, "key", head_dim);
}

std::vector<double> laid_out(std::span<const double> canonical, std::span<const std::int64_t> channels) {
    std::vector<double> result(channels.size());
    for (std::size_t c = 0; c < channels.size(); ++c) result[static_cast<std::size_t>(channels[c])] = canonical[c];
    return result;
}

std::vector<ChannelPair> channel_pairs(int head_dim, int rotary_dim, Partial partial, Pairing pairing) {
    if (head_dim < 0 || rotary_dim < 0 || rotary_dim > head_dim) {
        throw BadInput("The rotary dimension is " + std::to_string(rotary_dim) +
                       ", but it must be between 0 and the head dimension (" + std::to_string(head_dim) + ").");
    }
    const auto count = static_cast<std::size_t>(partial == Partial::slice ? rotary_dim : head_dim) / 2;
    std::vector<ChannelPair> pairs(count);
    for (std::size_t i = 0; i < count; ++i) {
        pairs[i] = pairing == Pairing::half ? ChannelPair{i, i + count} : ChannelPair{2 * i, 2 * i + 1};
    }
    return pairs;
}

LogitSplit split_logit(std::span<const double> query, std::span<const double> key, std::int64_t m, std::int64_t n,
                       const Frequencies& frequencies, Partial partial, Pairing pairing, NumberFormat positions) {
    if (query.size() != key.size() || query.empty()) {
        throw BadInput("The query has " + std::to_string(query.size()) + " channels and the key " +
                       std::to_string(key.size()) + ", but both must have as many channels as the head.");
    }
    const double distance = rounded(static_cast<double>(m), positions) - rounded(static_cast<double>(n), positions);
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size()));
    const double pair_scale = scale * frequencies.attention_factor * frequencies.attention_factor;
    const std::vector<ChannelPair> pairs = pairs_of(query.size(), frequencies, partial, pairing);

    LogitSplit split;
    split.pairs.reserve(pairs.size());
    std::vector<bool> paired(query.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = pairs[i];
        paired[first] = paired[second] = true;
        // Re(q conj(k) e^{𝑖Δω_i}), where q and k are the two channels of the pair as complex numbers.
        const double real = query[first] * key[first] + query[second] * key[second];
        const double imaginary = query[second] * key[first] - query[first] * key[second];
        const double angle = distance * frequencies.inverse_frequencies[i];
        split.pairs.push_back(pair_scale * (real * std::cos(angle) - imaginary * std::sin(angle)));
        split.total += split.pairs.back();
    }
    for (std::size_t c = 0; c < query.size(); ++c) {
        if (!paired[c]) split.unrotated += scale * query[c] * key[c];
    }
    split.total += split.unrotated;
    return split;
}

std::vector<double> aimed_key(std::span<const double> query, double distance, const Frequencies& frequencies,
                              Partial partial, Pairing pairing) {
    std::vector<double> key(query.begin(), query.end());
    const std::vector<ChannelPair> pairs = pairs_of(query.size(), frequencies, partial, pairing);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = pairs[i];
        const double angle = distance * frequencies.inverse_frequencies[i];
        key[first] = query[first] * std::cos(angle) - query[second] * std::sin(angle);
        key[second] = query[first] * std::sin(angle) + query[second] * std::cos(angle);
    }
    return key;
}

std::vector<double> kernel(std::span<const double> inverse_frequencies, std::size_t count) {
    std::vector<double> rotated_frequencies;
    for (double frequency : inverse_frequencies) {
        if (frequency > 0) rotated_frequencies.push_back(frequency);
    }
    std::vector<double> result;
    result.reserve(count);
    CosineSum sum(rotated_frequencies, static_cast<std::int64_t>(count));
    while (result.size() < count) {
        const std::span<const double> block = sum.next();
        result.insert(result.end(), block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(std::min(block.size(), count - result.size())));
    }
    return result;
}

PairTerm pair_term(std::complex<double> query, std::complex<double> key, std::int64_t m, std::int64_t n,
                   double frequency, double attention_factor, int head_dim) {
    if (head_dim <= 0) {
        throw BadInput("The head dimension is " + std::to_string(head_dim) + ", but it must be positive.");
    }
    PairTerm pair;
    pair.m = m;
    pair.n = n;
    pair.frequency = frequency;
    pair.query = query;
    pair.key = key;
    pair.query_norm = std::abs(query);
    pair.key_norm = std::abs(key);
    pair.query_rotation = static_cast<double>(m) * frequency;
    pair.key_rotation = static_cast<double>(n) * frequency;
    // The product with the difference is exact to one rounding, and does not change if m and n are shifted together.
    pair.relative_rotation = (static_cast<double>(m) - static_cast<double>(n)) * frequency;
    pair.rotated_query = query * std::polar(1.0, pair.query_rotation);
    pair.rotated_key = key * std::polar(1.0, pair.key_rotation);
    if (pair.query_norm > 0 && pair.key_norm > 0) pair.phase = std::arg(query * std::conj(key));
    pair.angle = pair.phase + pair.relative_rotation;
    pair.reduced_angle = std::remainder(pair.angle, 2 * std::numbers::pi);
    pair.projection = pair.query_norm * std::cos(pair.angle);
    pair.product = pair.projection * pair.key_norm;
    pair.attention_factor = attention_factor;
    pair.head_dim = head_dim;
    pair.term = pair.product * attention_factor * attention_factor / std::sqrt(static_cast<double>(head_dim));
    return pair;
}

namespace {

// 2f²/√d, the contribution of a pair whose angle is 0.
double contribution_at_zero(const Frequencies& frequencies, int head_dim) {
    return 2 * frequencies.attention_factor * frequencies.attention_factor / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace

double rotation_change(const Frequencies& frequencies, int head_dim, double distance) {
    double sum = 0;
    for (const double frequency : frequencies.inverse_frequencies) sum += std::cos(distance * frequency) - 1;
    return contribution_at_zero(frequencies, head_dim) * sum;
}

double xpos_change(const Frequencies& frequencies, int head_dim, double distance, double scale_base) {
    const std::vector<double> decay = xpos_decay(frequencies.rotary_dim, distance, scale_base);
    double sum = 0;
    for (std::size_t pair = 0; pair < decay.size(); ++pair) {
        sum += decay[pair] * std::cos(distance * frequencies.inverse_frequencies[pair]) - 1;
    }
    return contribution_at_zero(frequencies, head_dim) * sum;
}

double sinusoidal_similarity(std::int64_t width, double distance) {
    double sum = 0;
    for (std::int64_t channel = 0; channel + 1 < width; channel += 2) {
        sum += std::cos(distance / std::pow(10000.0, static_cast<double>(channel) / static_cast<double>(width)));
    }
    return 2 * sum / static_cast<double>(width);
}

}  // namespace ropelab
