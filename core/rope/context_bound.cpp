#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/rope/checks.h"
#include "core/rope/context.h"
#include "core/rope/cosine_sum.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

/// Pairs of a head, for B(Δ) = unrotated + Σ cos(Δω_i) with the frequencies ω_i of the rotated pairs.
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

/// Calls visit(Δ, B(Δ)) for Δ = 0 … limit − 1 until it returns false.
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

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least `least`.
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

}  // namespace ropelab
