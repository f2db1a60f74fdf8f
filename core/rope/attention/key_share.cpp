#include "core/rope/attention/key_share.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/random_stream.h"
#include "core/rope/checks.h"

namespace ropelab {

KeySamples sampled_keys(int head_dim, std::int64_t others, double correlation, std::size_t samples, std::int64_t seed) {
    constexpr std::int64_t most_others = 65536;
    if (head_dim < 2 || head_dim % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(head_dim) + ", but it must be even and 2 or more.");
    }
    if (others < 1 || others > most_others) {
        throw BadInput("The number of other keys is " + std::to_string(others) + ", but it must be from 1 to 65,536.");
    }
    if (!(std::abs(correlation) <= 1)) {
        throw BadInput("The correlation of q and k is " + number_text(correlation) +
                       ", but it must be between −1 and 1.");
    }
    KeySamples result{head_dim, others, correlation, {}, {}, std::vector<double>(samples)};
    const auto channels = static_cast<std::size_t>(head_dim);
    result.real.resize(samples * channels / 2);
    result.imaginary.resize(samples * channels / 2);
    const double root = std::sqrt(static_cast<double>(head_dim));
    const double rest = std::sqrt(1 - correlation * correlation);
    // The query, the part of the key that is independent of it, and the logits of the others in standard deviations.
    std::vector<float> numbers(2 * channels + static_cast<std::size_t>(others));
    for (std::size_t sample = 0; sample < samples; ++sample) {
        RandomStream(seed, "key share " + std::to_string(sample)).fill_normal(numbers, 1.0);
        const auto query = [&](std::size_t c) { return static_cast<double>(numbers[c]); };
        const auto key = [&](std::size_t c) {
            return correlation * query(c) + rest * static_cast<double>(numbers[channels + c]);
        };
        double square = 0;
        for (std::size_t c = 0; c < channels; c += 2) {
            square += query(c) * query(c) + query(c + 1) * query(c + 1);
            result.real[c / 2 * samples + sample] = (query(c) * key(c) + query(c + 1) * key(c + 1)) / root;
            result.imaginary[c / 2 * samples + sample] = (query(c + 1) * key(c) - query(c) * key(c + 1)) / root;
        }
        for (std::size_t i = 2 * channels; i < numbers.size(); ++i) {
            result.competition[sample] += std::exp(std::sqrt(square) / root * static_cast<double>(numbers[i]));
        }
    }
    return result;
}

std::vector<double> key_shares(const KeySamples& samples, const Frequencies& frequencies,
                               std::span<const double> distances) {
    const std::vector<double>& rates = frequencies.inverse_frequencies;
    check_pair_count(samples.head_dim, rates.size());
    const std::size_t count = samples.count();
    std::vector<double> shares;
    std::vector<double> logits(count);
    for (const double distance : distances) {
        std::fill(logits.begin(), logits.end(), 0.0);
        for (std::size_t pair = 0; pair < static_cast<std::size_t>(samples.head_dim / 2); ++pair) {
            const double angle = pair < rates.size() ? distance * rates[pair] : 0;  // of unrotated channels
            const double cosine = std::cos(angle);
            const double sine = std::sin(angle);
            const double* real = samples.real.data() + pair * count;
            const double* imaginary = samples.imaginary.data() + pair * count;
            for (std::size_t i = 0; i < count; ++i) logits[i] += real[i] * cosine - imaginary[i] * sine;
        }
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += 1 / (1 + samples.competition[i] * std::exp(-logits[i]));
        shares.push_back(sum / static_cast<double>(std::max<std::size_t>(1, count)));
    }
    return shares;
}

}  // namespace ropelab
