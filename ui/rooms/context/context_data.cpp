#include "ui/rooms/context/context_data.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kCosinesPerFrame = std::int64_t{1} << 20;
constexpr std::int64_t kMinAxisEnd = 64;

constexpr std::int64_t kNotComputed = -1;

/// Indices in the order ends, middle, quarters, eighths …
std::vector<std::size_t> coarseToFine(std::size_t intervals) {
    std::vector<std::size_t> order = {0, intervals};
    order.reserve(intervals + 1);
    for (std::size_t stride = intervals; stride > 1; stride /= 2) {
        for (std::size_t at = stride / 2; at < intervals; at += stride) {
            order.push_back(at);
        }
    }
    return order;
}

/// The weighted mean, and the standard error from the merged sum of squares (Chan et al.).
SampledLogits merged(const SampledLogits& a, std::int64_t countA, const SampledLogits& b, std::int64_t countB) {
    if (countA == 0) {
        return b;
    }
    const auto n = static_cast<double>(countA);
    const auto m = static_cast<double>(countB);
    const double all = n + m;
    SampledLogits result = a;
    for (std::size_t i = 0; i < a.mean.size(); ++i) {
        const double between = b.mean[i] - a.mean[i];
        const double squaresA = a.standard_error[i] * a.standard_error[i] * n * (n - 1);
        const double squaresB = b.standard_error[i] * b.standard_error[i] * m * (m - 1);
        const double squares = squaresA + squaresB + between * between * n * m / all;
        result.mean[i] += between * m / all;
        result.standard_error[i] = std::sqrt(squares / (all - 1) / all);
    }
    return result;
}

}  // namespace

bool canBeNegative(const RotarySetup& setup) {
    return 2 * rotary_dim(setup) > setup.head_dim;
}

bool dependsOnLength(const RotarySetup& setup) {
    return setup.scaling.method == ScalingMethod::dynamic || setup.scaling.method == ScalingMethod::longrope;
}

std::int64_t positionsPerFrame(const RotarySetup& setup) {
    return std::clamp<std::int64_t>(kCosinesPerFrame / std::max(1, setup.head_dim / 2), 1024, kMaxPositions);
}

std::int64_t distanceAxisEnd(std::int64_t tokens) {
    const double withMargin = 1.25 * static_cast<double>(std::min(tokens, kMaxPositions));
    const auto wanted = std::max<std::int64_t>(kMinAxisEnd, static_cast<std::int64_t>(withMargin));
    return std::min<std::int64_t>(kMaxPositions,
                                  static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted))));
}

BoundData boundData(const RotarySetup& setup, std::int64_t limit, std::optional<std::int64_t> end,
                    const Cancelled& cancelled) {
    BoundData data;
    data.setup = setup;
    const Frequencies now = frequencies(frequency_settings(setup));
    data.computedTo = limit;
    const std::int64_t near = std::min(end.value_or(distanceAxisEnd(setup.context)), limit);
    data.bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(near));
    if (canBeNegative(setup)) {
        const auto negative = std::ranges::find_if(data.bound, [](double bound) { return bound < 0; });
        data.firstNegative = negative != data.bound.end() ? std::optional<std::int64_t>(negative - data.bound.begin())
                                                          : first_negative(now, setup.head_dim, limit, cancelled);
        data.computedTo = data.firstNegative.value_or(limit);
    }
    data.end = end.value_or(distanceAxisEnd(std::max(setup.context, data.firstNegative.value_or(0))));
    const std::int64_t shown = std::min(data.end, limit);
    data.isComplete = shown == data.end && (!canBeNegative(setup) || data.firstNegative || limit >= kMaxPositions);
    if (cancelled && cancelled()) {
        return data;
    }
    if (data.firstNegative && *data.firstNegative < setup.context && setup.context <= limit) {
        data.lowest = lowest_bound(now, setup.head_dim, setup.context, cancelled);
    }
    if (shown != near) data.bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(shown));
    if (setup.scaling.method != ScalingMethod::none) {
        data.plain = context_bound(frequencies(plain_settings(setup)), setup.head_dim, static_cast<std::size_t>(shown));
    }
    return data;
}

std::optional<bool> isSupported(const BoundData& data) {
    if (!canBeNegative(data.setup)) {
        return true;
    }
    if (data.firstNegative) {
        return *data.firstNegative >= data.setup.context;
    }
    return data.computedTo >= data.setup.context ? std::optional(true) : std::nullopt;
}

BaseProfile::BaseProfile(const RotarySetup& setup, const Range& range)
    : m_settings(frequency_settings(setup)),
      m_range(range),
      m_supported((std::size_t{1} << range.doublings) + 1, kNotComputed),
      m_order(coarseToFine(std::size_t{1} << range.doublings)) {
    if (!(range.low > 1) || !(range.high > range.low) || !std::isfinite(range.high)) {
        throw BadInput("The bases from " + number_text(range.low) + " to " + number_text(range.high) +
                       " cannot be scanned: the first base must be above 1, and the last base above the first.");
    }
}

bool BaseProfile::matches(const RotarySetup& setup, const Range& range) const {
    const bool isContextUsed = setup.scaling.method != ScalingMethod::none;
    return !m_supported.empty() && m_settings.head_dim == setup.head_dim && m_settings.fraction == setup.fraction &&
           m_settings.partial == setup.partial && m_settings.scaling == setup.scaling &&
           (!isContextUsed || m_settings.context == static_cast<double>(setup.context)) && m_range.low == range.low &&
           m_range.high == range.high && m_range.limit == range.limit;
}

double BaseProfile::ratio() const {
    return std::pow(m_range.high / m_range.low, 1.0 / static_cast<double>(m_supported.size() - 1));
}

double BaseProfile::baseAt(std::size_t index) const {
    const double fraction = static_cast<double>(index) / static_cast<double>(m_supported.size() - 1);
    return m_range.low * std::pow(m_range.high / m_range.low, fraction);
}

void BaseProfile::extend(double milliseconds, const Cancelled& cancelled) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto isOver = [&] {
        return milliseconds > 0 &&
               std::chrono::duration<double, std::milli>(Clock::now() - start).count() >= milliseconds;
    };
    FrequencySettings settings = m_settings;
    while (m_done < m_order.size() && !isOver()) {
        const std::size_t index = m_order[m_done];
        settings.theta = baseAt(index);
        const auto negative = first_negative(frequencies(settings), settings.head_dim, m_range.limit, cancelled);
        if (cancelled && cancelled()) {  // B(Δ) may not have been computed up to the limit
            return;
        }
        m_supported[index] = negative.value_or(m_range.limit);
        ++m_done;
    }
}

void BaseProfile::refine() {
    if (m_supported.empty()) {
        return;
    }
    ++m_range.doublings;
    const std::vector<std::int64_t> coarse = std::move(m_supported);
    m_supported.assign(2 * coarse.size() - 1, kNotComputed);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        m_supported[2 * i] = coarse[i];
    }
    // The finer order starts with the coarser order, whose indices are doubled; therefore m_done stays valid.
    m_order = coarseToFine(m_supported.size() - 1);
}

std::vector<BaseProfile::Point> BaseProfile::points() const {
    std::vector<Point> points;
    points.reserve(m_done);
    for (std::size_t i = 0; i < m_supported.size(); ++i) {
        if (m_supported[i] != kNotComputed) {
            points.push_back({baseAt(i), m_supported[i]});
        }
    }
    return points;
}

std::vector<BaseInterval> BaseProfile::feasible(const std::vector<Point>& points, std::int64_t context) const {
    constexpr std::int64_t mostCosines = 1 << 19;  // per base
    std::vector<BaseInterval> intervals = feasibleIntervals(points, context);
    if (!isComplete() || context * m_settings.head_dim / 2 > mostCosines) return intervals;
    const auto endOf = [&](double inside, int towards) {
        const auto at = std::ranges::lower_bound(points, inside, {}, &Point::base) - points.begin() + towards;
        if (at < 0 || at >= std::ssize(points)) return inside;
        const double outside = points[static_cast<std::size_t>(at)].base;
        const auto [known, isNew] = m_ends.try_emplace({context, inside, outside});
        if (isNew) known->second = interval_end(m_settings, context, inside, outside);
        return known->second;
    };
    for (BaseInterval& each : intervals) each = {endOf(each.low, -1), endOf(each.high, 1)};
    return intervals;
}

std::vector<BaseInterval> feasibleIntervals(const std::vector<BaseProfile::Point>& points, std::int64_t context) {
    std::vector<BaseInterval> intervals;
    bool isOpen = false;
    for (const auto& [base, supported] : points) {
        const bool isFeasible = supported >= context;
        if (isFeasible && !isOpen) {
            intervals.push_back({base, base});
        } else if (isFeasible) {
            intervals.back().high = base;
        }
        isOpen = isFeasible;
    }
    return intervals;
}

std::vector<double> spreadDistances(std::int64_t end, int count) {
    std::vector<double> distances;
    const auto last = static_cast<double>(std::max<std::int64_t>(2, end));
    for (int i = 0; i < count; ++i) {
        const double here = std::round(std::pow(last, static_cast<double>(i) / (count - 1)));
        if (distances.empty() || here > distances.back()) {
            distances.push_back(here);
        }
    }
    return distances;
}

RandomVectors equalVectors(const RandomVectors& vectors) {
    return {.mean = vectors.mean, .correlation = 1};
}

LogitSamples startSampling(const RotarySetup& setup, std::uint64_t seed, std::int64_t end,
                           const RandomVectors& vectors) {
    constexpr int places = 40;
    LogitSamples samples;
    samples.setup = setup;
    samples.seed = seed;
    samples.vectors = vectors;
    samples.distances = spreadDistances(end, places);
    return samples;
}

LogitSamples withMoreSamples(LogitSamples samples, std::int64_t count, const Cancelled& cancelled) {
    const Frequencies now = frequencies(frequency_settings(samples.setup));
    // Every round and each of the two series has its own seed, which depends on the number of samples so far.
    const std::uint64_t seed = (samples.seed << 32U) + 2 * static_cast<std::uint64_t>(samples.count);
    const int dim = samples.setup.head_dim;
    samples.chosen =
        merged(samples.chosen, samples.count,
               sampled_logits(now, dim, samples.distances, count, seed, samples.vectors, cancelled), count);
    const RandomVectors equal = equalVectors(samples.vectors);
    samples.equal = merged(samples.equal, samples.count,
                           sampled_logits(now, dim, samples.distances, count, seed + 1, equal, cancelled), count);
    samples.count += count;
    return samples;
}

std::int64_t nextRound(const LogitSamples& samples) {
    return std::min(std::max(kFirstSamples, samples.count), kMaxSamples - samples.count);
}

}  // namespace ropelab::ui
