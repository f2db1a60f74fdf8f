#include "ui/rotary/context/base_profile.h"

#include <chrono>
#include <cmath>
#include <string>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kNotYet = -1;

/// The ends, the middle, the quarters …
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
    : m_settings(plain_settings(setup)),
      m_range(range),
      m_reach((std::size_t{1} << range.doublings) + 1, kNotYet),
      m_order(coarseToFine(std::size_t{1} << range.doublings)) {
    if (!(range.low > 1) || !(range.high > range.low) || !std::isfinite(range.high)) {
        throw BadInput("The scan goes from base " + number_text(range.low) + " to " + number_text(range.high) +
                       ", but it must start above 1 and rise.");
    }
}

bool BaseProfile::isOf(const RotarySetup& setup, const Range& range) const {
    return !m_reach.empty() && m_settings.head_dim == setup.head_dim && m_settings.fraction == setup.fraction &&
           m_settings.partial == setup.partial && m_range.low == range.low && m_range.high == range.high &&
           m_range.limit == range.limit;
}

double BaseProfile::ratio() const {
    return std::pow(m_range.high / m_range.low, 1.0 / static_cast<double>(m_reach.size() - 1));
}

double BaseProfile::baseAt(std::size_t index) const {
    const double share = static_cast<double>(index) / static_cast<double>(m_reach.size() - 1);
    return m_range.low * std::pow(m_range.high / m_range.low, share);
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
        if (cancelled && cancelled()) {  // perhaps not followed to the end
            return;
        }
        m_reach[index] = negative.value_or(m_range.limit);
        ++m_done;
    }
}

void BaseProfile::refine() {
    if (m_reach.empty()) {
        return;
    }
    ++m_range.doublings;
    const std::vector<std::int64_t> coarse = std::move(m_reach);
    m_reach.assign(2 * coarse.size() - 1, kNotYet);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        m_reach[2 * i] = coarse[i];
    }
    // The finer order begins with the coarser one, its places doubled.
    m_order = coarseToFine(m_reach.size() - 1);
}

std::vector<BaseProfile::Point> BaseProfile::points() const {
    std::vector<Point> points;
    points.reserve(m_done);
    for (std::size_t i = 0; i < m_reach.size(); ++i) {
        if (m_reach[i] != kNotYet) {
            points.push_back({baseAt(i), m_reach[i]});
        }
    }
    return points;
}

std::vector<BaseInterval> carryingBases(const std::vector<BaseProfile::Point>& points, std::int64_t context) {
    std::vector<BaseInterval> intervals;
    bool isOpen = false;
    for (const auto& [base, reach] : points) {
        const bool carries = reach >= context;
        if (carries && !isOpen) {
            intervals.push_back({base, base});
        } else if (carries) {
            intervals.back().high = base;
        }
        isOpen = carries;
    }
    return intervals;
}

}  // namespace ropelab::ui
