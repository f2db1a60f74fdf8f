#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>

#include "core/rope/checks.h"
#include "core/rope/context.h"
#include "core/rope/cosine_sum.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

/// Random q and k (formula 16) as the terms of their logit: q·conj(k) of each pair as a complex number, and the sum
/// over the unrotated channels, which is the same at every distance.
struct KernelSample {
    std::vector<double> real;
    std::vector<double> minus_imaginary;
    double unrotated = 0;
};

/// Generates random queries and keys from a seed.
class Sampler {
 public:
    Sampler(std::size_t pairs, std::size_t head_dim, std::uint64_t seed, const RandomVectors& vectors)
        : generator_(seed), pairs_(pairs), vectors_(vectors), query_(head_dim), key_(head_dim) {
        sample_.real.resize(pairs);
        sample_.minus_imaginary.resize(pairs);
    }

    const KernelSample& next() {
        const double shared = vectors_.correlation;
        const double own = std::sqrt(1 - shared * shared);
        for (double& number : query_) number = normal_(generator_);
        for (std::size_t c = 0; c < key_.size(); ++c) {
            // At a correlation of ±1 the key has no numbers of its own.
            key_[c] = shared * query_[c] + (own > 0 ? own * normal_(generator_) : 0.0);
        }
        for (double& number : query_) number += vectors_.mean;
        for (double& number : key_) number += vectors_.mean;
        for (std::size_t i = 0; i < pairs_; ++i) {
            const std::complex<double> query(query_[2 * i], query_[2 * i + 1]);
            const std::complex<double> key(key_[2 * i], key_[2 * i + 1]);
            const std::complex<double> product = query * std::conj(key);
            sample_.real[i] = product.real();
            sample_.minus_imaginary[i] = -product.imag();
        }
        sample_.unrotated = 0;
        for (std::size_t c = 2 * pairs_; c < query_.size(); ++c) sample_.unrotated += query_[c] * key_[c];
        return sample_;
    }

 private:
    std::mt19937_64 generator_;
    std::normal_distribution<double> normal_;
    std::size_t pairs_;
    RandomVectors vectors_;
    std::vector<double> query_;
    std::vector<double> key_;
    KernelSample sample_;
};

}  // namespace

std::vector<double> decay_bound(std::span<const double> inverse_frequencies, std::span<const double> distances) {
    std::vector<double> bound;
    bound.reserve(distances.size());
    for (double distance : distances) {
        std::complex<double> partial = 0;
        double sum = 0;
        for (double frequency : inverse_frequencies) {
            partial += std::polar(1.0, distance * frequency);
            sum += std::abs(partial);
        }
        // 2/d is one over the number of pairs.
        bound.push_back(inverse_frequencies.empty() ? 0.0 : sum / static_cast<double>(inverse_frequencies.size()));
    }
    return bound;
}

double expected_product(const RandomVectors& vectors) {
    if (!std::isfinite(vectors.mean)) {
        throw BadInput("The mean of the components is " + number_text(vectors.mean) + ", but it must be finite.");
    }
    if (!(std::abs(vectors.correlation) <= 1)) {
        throw BadInput("The correlation of q and k is " + number_text(vectors.correlation) +
                       ", but it must be between −1 and 1.");
    }
    return vectors.mean * vectors.mean + vectors.correlation;
}

SampledLogits sampled_logits(const Frequencies& frequencies, int head_dim, std::span<const double> distances,
                             std::int64_t samples, std::uint64_t seed, const RandomVectors& vectors,
                             const Cancelled& cancelled) {
    check_pair_count(head_dim, frequencies.inverse_frequencies.size());
    expected_product(vectors);  // throws if the distribution is not valid
    if (samples < 2) {
        throw BadInput("The number of samples is " + std::to_string(samples) +
                       ", but a standard error needs 2 or more.");
    }
    constexpr std::size_t lanes = AngleTable::lanes;
    const AngleTable table(frequencies.inverse_frequencies, distances);
    Sampler sampler(frequencies.inverse_frequencies.size(), static_cast<std::size_t>(head_dim), seed, vectors);
    // Welford's algorithm: running mean and sum of squared deviations.
    std::vector<double> mean(table.groups() * lanes);
    std::vector<double> squares(mean.size());
    std::int64_t finished = 0;
    while (finished < samples && !(cancelled && finished % 64 == 0 && cancelled())) {
        const KernelSample& sample = sampler.next();
        ++finished;
        for (std::size_t group = 0; group < table.groups(); ++group) {
            AngleTable::Lanes cosines;
            AngleTable::Lanes sines = {};
            std::fill_n(cosines, lanes, sample.unrotated);
            table.add(group, sample.real.data(), sample.minus_imaginary.data(), cosines, sines);
            for (std::size_t k = 0; k < lanes; ++k) {
                const double logit = cosines[k] + sines[k];
                double& centre = mean[group * lanes + k];
                const double before = logit - centre;
                centre += before / static_cast<double>(finished);
                squares[group * lanes + k] += before * (logit - centre);
            }
        }
    }
    SampledLogits result{mean, squares};
    result.mean.resize(distances.size());
    result.standard_error.resize(distances.size());
    const auto count = static_cast<double>(finished);
    for (double& value : result.standard_error) value = finished < 2 ? 0.0 : std::sqrt(value / (count - 1.0) / count);
    return result;
}

double expected_logit(const Frequencies& frequencies, int head_dim, double distance, const RandomVectors& vectors) {
    check_pair_count(head_dim, frequencies.inverse_frequencies.size());
    double sum = head_dim - 2.0 * static_cast<double>(frequencies.inverse_frequencies.size());
    for (double frequency : frequencies.inverse_frequencies) sum += 2.0 * std::cos(distance * frequency);
    return expected_product(vectors) * sum;
}

}  // namespace ropelab
