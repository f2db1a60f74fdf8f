#include "ui/rooms/context/base_profile.h"

#include <chrono>
#include <cmath>
#include <string>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::ui {
namespace {

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

}  // namespace

BaseProfile::BaseProfile(const RotarySetup& setup, const Range& range)
    : m_settings(frequency_settings(setup)),
      m_range(range),
      m_supported((std::size_t{1} << range.doublings) + 1, kNotComputed),
      m_order(coarseToFine(std::size_t{1} << range.doublings)) {
    if (!(range.low > 1) || !(range.high > range.low) || !std::isfinite(range.high)) {
        throw BadInput("A scan from base " + number_text(range.low) + " to " + number_text(range.high) +
                       " is not possible: it must start above 1 and end above its start.");
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

}  // namespace ropelab::ui
