#include "core/rope/context.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rope/checks.h"
#include "core/rope/cosine_sum.h"
#include "core/rope/scaling.h"

namespace ropelab {

namespace {

void check_context(double context, const char* what) {
    if (!(context > two_pi) || !std::isfinite(context)) {
        throw BadInput(std::string(what) + " is " + number_text(context) +
                       " tokens, but it must be above 2π, the shortest wavelength of a pair.");
    }
}

void check_dimension(int dimension) {
    if (dimension <= 0) {
        throw BadInput("The dimension is " + std::to_string(dimension) + ", but it must be above 0.");
    }
}

}  // namespace

int complete_pairs(const Frequencies& frequencies, double context) {
    const auto completes = [&](double frequency) { return frequency > 0 && two_pi / frequency <= context; };
    return static_cast<int>(std::ranges::count_if(frequencies.inverse_frequencies, completes));
}

int critical_dimension(int dimension, double theta, double context) {
    check_dimension(dimension);
    check_theta(theta);
    if (!(context > two_pi)) return 0;
    const double pairs = std::ceil(dimension / 2.0 * std::log(context / two_pi) / std::log(theta));
    return 2 * static_cast<int>(std::min(pairs, std::floor(dimension / 2.0)));
}

double critical_base(double theta, double context, double tuned_context) {
    check_theta(theta);
    check_context(context, "The training context");
    check_context(tuned_context, "The tuned context");
    return std::pow(theta, std::log(tuned_context / two_pi) / std::log(context / two_pi));
}

double extrapolation_limit(int dimension, int critical_dimension, double theta) {
    check_dimension(dimension);
    check_theta(theta);
    if (critical_dimension < 0 || critical_dimension > dimension) {
        throw BadInput("The critical dimension is " + std::to_string(critical_dimension) +
                       ", but it must lie between 0 and the dimension (" + std::to_string(dimension) + ").");
    }
    return two_pi * std::pow(theta, static_cast<double>(critical_dimension) / dimension);
}

namespace {

/// For B(Δ) = unrotated + Σ cos(Δω_i) with the frequencies ω_i of the rotated pairs.
struct Pairs {
    std::vector<double> rotated;
    double unrotated = 0;
};

Pairs pairs_of(const Frequencies& frequencies, int head_dim) {
    check_pair_count(head_dim, frequencies.inverse_frequencies.size());
    Pairs pairs;
    std::ranges::copy_if(frequencies.inverse_frequencies, std::back_inserter(pairs.rotated),
                         [](double frequency) { return frequency > 0; });
    pairs.unrotated = head_dim / 2 - static_cast<int>(pairs.rotated.size());
    return pairs;
}

bool is_cancelled(const Cancelled& cancelled) {
    return cancelled && cancelled();
}

/// visit(Δ, B(Δ)) for Δ = 0 … limit − 1, until it returns false.
template <typename Visit>
void visit_bound(const Pairs& pairs, std::int64_t limit, const Cancelled& cancelled, const Visit& visit) {
    CosineSum sum(pairs.rotated, limit);
    for (std::int64_t m = 0; m < limit && !is_cancelled(cancelled);) {
        for (double value : sum.next()) {
            if (m == limit || !visit(m++, pairs.unrotated + value)) return;
        }
    }
}

std::optional<std::int64_t> find_negative(const Pairs& pairs, std::int64_t limit, const Cancelled& cancelled) {
    // B is never negative if at least half of the pairs are unrotated.
    if (pairs.unrotated >= static_cast<double>(pairs.rotated.size())) return std::nullopt;
    std::optional<std::int64_t> found;
    visit_bound(pairs, limit, cancelled, [&](std::int64_t m, double bound) {
        if (bound < 0) found = m;
        return !found;
    });
    return found;
}

bool negative_at(const Pairs& pairs, std::int64_t m) {
    double bound = pairs.unrotated;
    for (double frequency : pairs.rotated) bound += std::cos(static_cast<double>(m) * frequency);
    return bound < 0;
}

void check_scan(const BaseScan& scan, std::int64_t context) {
    if (!(scan.low > 1.0) || !std::isfinite(scan.low)) {
        throw BadInput("The scan starts at base " + number_text(scan.low) + ", but bases must be above 1.");
    }
    if (!(scan.high >= scan.low) || !std::isfinite(scan.high)) {
        throw BadInput("The scan ends at base " + number_text(scan.high) +
                       ", but it must not end below its start, base " + number_text(scan.low) + ".");
    }
    if (!(scan.step > 0) || !((scan.high - scan.low) / scan.step <= 1e7)) {
        throw BadInput("The step of the scan is " + number_text(scan.step) +
                       ", but it must be above 0, and the scan must have at most ten million steps.");
    }
    if (context < 1) {
        throw BadInput("The context is " + std::to_string(context) + " tokens, but it must be 1 or more.");
    }
}

/// Smallest of 1, 2 and 5 times a power of ten that is at least `least`.
double round_step(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
    for (double leading : {1.0, 2.0, 5.0}) {
        if (leading * power >= least) return leading * power;
    }
    return 10 * power;
}

}  // namespace

std::vector<double> context_bound(const Frequencies& frequencies, int head_dim, std::size_t count) {
    std::vector<double> bound(count);
    visit_bound(pairs_of(frequencies, head_dim), static_cast<std::int64_t>(count), {},
                [&](std::int64_t m, double value) {
                    bound[static_cast<std::size_t>(m)] = value;
                    return true;
                });
    return bound;
}

std::optional<std::int64_t> first_negative(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                                           const Cancelled& cancelled) {
    return find_negative(pairs_of(frequencies, head_dim), limit, cancelled);
}

LowestBound lowest_bound(const Frequencies& frequencies, int head_dim, std::int64_t limit, const Cancelled& cancelled) {
    if (limit < 1) {
        throw BadInput("The number of distances is " + std::to_string(limit) + ", but it must be 1 or more.");
    }
    LowestBound lowest{.value = head_dim / 2.0};
    visit_bound(pairs_of(frequencies, head_dim), limit, cancelled, [&](std::int64_t m, double bound) {
        if (bound < lowest.value) {
            lowest.value = bound;
            lowest.distance = m;
        }
        if (bound < 0) ++lowest.negative;
        return true;
    });
    return lowest;
}

double negative_fraction(const Frequencies& frequencies, int head_dim, std::int64_t context) {
    if (context < 1) return 0.0;
    constexpr std::int64_t longest = std::int64_t{1} << 24;  // takes seconds
    if (context > longest) {
        throw BadInput("The share of negative distances is computed for at most " + std::to_string(longest) +
                       " tokens, but the context has " + std::to_string(context) + ".");
    }
    double negative = 0;
    visit_bound(pairs_of(frequencies, head_dim), context, {}, [&](std::int64_t distance, double bound) {
        if (bound < 0) negative += static_cast<double>(context - distance);
        return true;
    });
    const auto length = static_cast<double>(context);
    return negative / (length * (length + 1.0) / 2.0);
}

BaseScan base_scan(std::int64_t context, int head_dim, double high, std::optional<double> step) {
    constexpr double cosines = 2e9;  // computed in about two seconds
    const double cosines_per_base = static_cast<double>(context) * head_dim / 2;
    BaseScan scan;
    scan.high = high;
    scan.step = step ? *step : round_step(high * cosines_per_base / cosines);
    scan.low = std::min(std::max(100.0, scan.step), high);
    return scan;
}

FeasibleBases feasible_bases(const FrequencySettings& settings, std::int64_t context, const BaseScan& scan,
                             const Cancelled& cancelled, const std::function<void(double)>& progress) {
    check_scan(scan, context);
    FrequencySettings at_base = settings;
    FeasibleBases result;
    result.scan = scan;
    bool previous_supports = false;  // true if the previous base supports the context
    // Neighbouring bases usually fail at the same distance. Testing this distance first avoids most scans of distances.
    std::int64_t failing_distance = 0;
    const auto steps = static_cast<std::int64_t>((scan.high - scan.low) / scan.step + 1e-9);
    for (std::int64_t step = 0; step <= steps; ++step) {
        if (is_cancelled(cancelled)) {
            result.complete = false;
            return result;
        }
        if (progress && step % 64 == 0) progress(static_cast<double>(step) / static_cast<double>(steps + 1));
        at_base.theta = scan.low + static_cast<double>(step) * scan.step;
        const Pairs pairs = pairs_of(frequencies(at_base), at_base.head_dim);
        bool supports = !negative_at(pairs, failing_distance);
        if (supports) {
            const auto negative = find_negative(pairs, context, cancelled);
            supports = !negative;
            failing_distance = negative.value_or(failing_distance);
        }
        if (supports && is_cancelled(cancelled)) {  // find_negative may have stopped early
            result.complete = false;
            return result;
        }
        if (supports && !previous_supports) result.intervals.push_back({at_base.theta, at_base.theta});
        if (supports) result.intervals.back().high = at_base.theta;
        previous_supports = supports;
    }
    if (progress) progress(1.0);
    return result;
}

double interval_end(const FrequencySettings& settings, std::int64_t context, double inside, double outside) {
    const double digit = std::pow(10.0, std::floor(std::log10(std::min(inside, outside))) - 3);
    FrequencySettings at_base = settings;
    const double side = inside < outside ? 1 : -1;
    // In digits; the first one at or beyond `inside`, and the last one before `outside`.
    double known = side * std::ceil(side * inside / digit - 1e-9) - side;
    double fails = side * std::ceil(side * outside / digit - 1e-9);
    while (side * (fails - known) > 1) {
        const double middle = std::floor((known + fails) / 2);
        at_base.theta = middle * digit;
        const bool supports = !find_negative(pairs_of(frequencies(at_base), at_base.head_dim), context, {});
        (supports ? known : fails) = middle;
    }
    const double end = known * digit;
    return side * (end - inside) > 0 ? end : inside;
}

BaseScan scan_of(const ScanChoice& choice, double theta, std::int64_t context, int head_dim) {
    BaseScan scan = base_scan(context, head_dim, choice.high.value_or(std::max(1e6, 2 * theta)), choice.step);
    scan.low = choice.low.value_or(scan.low);
    return scan;
}

FeasibleBases search_bases(const FrequencySettings& settings, std::int64_t context, const ScanChoice& choice,
                           const Cancelled& cancelled, const std::function<void(double)>& progress) {
    constexpr double most = 1e15;
    const auto scan_to = [&](const ScanChoice& now) {
        return feasible_bases(settings, context, scan_of(now, settings.theta, context, settings.head_dim), cancelled,
                              progress);
    };
    FeasibleBases result = scan_to(choice);
    while (result.intervals.empty() && result.complete && !choice.high && !choice.step && result.scan.high < most) {
        result = scan_to({choice.low, 10 * result.scan.high, {}});
    }
    const BaseScan& scan = result.scan;
    for (BaseInterval& each : result.intervals) {
        if (choice.step || is_cancelled(cancelled)) break;
        if (each.low > scan.low) each.low = interval_end(settings, context, each.low, each.low - scan.step);
        if (each.high + scan.step <= scan.high)
            each.high = interval_end(settings, context, each.high, each.high + scan.step);
    }
    return result;
}

namespace {

/// Random q and k (formula 16): q·conj(k) of each pair, and the sum over the unrotated channels.
struct KernelSample {
    std::vector<double> real;
    std::vector<double> minus_imaginary;
    double unrotated = 0;
};

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
        throw BadInput("The mean of the query and key components is " + number_text(vectors.mean) +
                       ", but it must be finite.");
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
