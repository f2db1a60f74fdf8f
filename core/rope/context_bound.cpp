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

/// B(m) = still + Σ cos(m g_i) over the pairs that turn.
struct Pairs {
    std::vector<double> turning;
    double still = 0;
};

Pairs pairs_of(const Frequencies& frequencies, int head_dim) {
    check_holds_pairs(head_dim, frequencies.inverse_frequencies.size());
    Pairs pairs;
    std::ranges::copy_if(frequencies.inverse_frequencies, std::back_inserter(pairs.turning),
                         [](double frequency) { return frequency > 0; });
    pairs.still = head_dim / 2 - static_cast<int>(pairs.turning.size());
    return pairs;
}

bool stops(const Cancelled& cancelled) {
    return cancelled && cancelled();
}

/// Calls visit(m, B(m)) for m = 0 … limit − 1 until it returns false.
template <typename Visit>
void visit_bound(const Pairs& pairs, std::int64_t limit, const Cancelled& cancelled, const Visit& visit) {
    CosineSum sum(pairs.turning, limit);
    for (std::int64_t m = 0; m < limit && !stops(cancelled);) {
        for (double value : sum.next()) {
            if (m == limit || !visit(m++, pairs.still + value)) return;
        }
    }
}

std::optional<std::int64_t> find_negative(const Pairs& pairs, std::int64_t limit, const Cancelled& cancelled) {
    // With as many pairs still as turning, B cannot be negative.
    if (pairs.still >= static_cast<double>(pairs.turning.size())) return std::nullopt;
    std::optional<std::int64_t> found;
    visit_bound(pairs, limit, cancelled, [&](std::int64_t m, double bound) {
        if (bound < 0) found = m;
        return !found;
    });
    return found;
}

bool negative_at(const Pairs& pairs, std::int64_t m) {
    double bound = pairs.still;
    for (double frequency : pairs.turning) bound += std::cos(static_cast<double>(m) * frequency);
    return bound < 0;
}

void check_scan(const BaseScan& scan, std::int64_t context) {
    if (!(scan.low > 1.0) || !std::isfinite(scan.low)) {
        throw BadInput("The scan starts at base " + number_text(scan.low) + ", but bases must be above 1.");
    }
    if (!(scan.high >= scan.low) || !std::isfinite(scan.high)) {
        throw BadInput("The scan ends at base " + number_text(scan.high) + ", but it must not end below its start (" +
                       number_text(scan.low) + ").");
    }
    if (!(scan.step > 0) || !((scan.high - scan.low) / scan.step <= 1e7)) {
        throw BadInput("The scan's step is " + number_text(scan.step) +
                       ", but it must be above 0 and make at most ten million steps.");
    }
    if (context < 1) {
        throw BadInput("The context is " + std::to_string(context) + " tokens, but it must be 1 or more.");
    }
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

double negative_share(const Frequencies& frequencies, int head_dim, std::int64_t context) {
    if (context < 1) return 0.0;
    double negative = 0;
    visit_bound(pairs_of(frequencies, head_dim), context, {}, [&](std::int64_t distance, double bound) {
        if (bound < 0) negative += static_cast<double>(context - distance);
        return true;
    });
    const auto length = static_cast<double>(context);
    return negative / (length * (length + 1.0) / 2.0);
}

FeasibleBases feasible_bases(const FrequencySettings& settings, std::int64_t context, const BaseScan& scan,
                             const Cancelled& cancelled, const std::function<void(double)>& progress) {
    check_scan(scan, context);
    FrequencySettings plain = settings;
    plain.scaling = {};
    FeasibleBases result;
    bool open = false;  // whether the base before carried the context
    // Neighbouring bases fail at the same distance, mostly: looking there first spares nearly every scan of distances.
    std::int64_t witness = 0;
    const auto steps = static_cast<std::int64_t>((scan.high - scan.low) / scan.step + 1e-9);
    for (std::int64_t step = 0; step <= steps; ++step) {
        if (stops(cancelled)) {
            result.complete = false;
            return result;
        }
        if (progress && step % 64 == 0) progress(static_cast<double>(step) / static_cast<double>(steps + 1));
        plain.theta = scan.low + static_cast<double>(step) * scan.step;
        const Pairs pairs = pairs_of(frequencies(plain), plain.head_dim);
        bool carries = !negative_at(pairs, witness);
        if (carries) {
            const auto negative = find_negative(pairs, context, cancelled);
            carries = !negative;
            witness = negative.value_or(witness);
        }
        if (carries && stops(cancelled)) {  // perhaps not looked at to the end
            result.complete = false;
            return result;
        }
        if (carries && !open) result.intervals.push_back({plain.theta, plain.theta});
        if (carries) result.intervals.back().high = plain.theta;
        open = carries;
    }
    if (progress) progress(1.0);
    return result;
}

}  // namespace ropelab
