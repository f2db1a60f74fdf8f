#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Bases with a constant ratio between neighbours, each with the context that it carries: the first m with B(m) < 0
/// (F12). One such scan answers for every context at once, because b carries L exactly when its first negative m is
/// not below L. Bases come in an order that goes from coarse to fine, so that what is there already covers the range.
class BaseProfile {
 public:
    struct Range {
        double low = 100;
        double high = 1e8;
        /// B(m) is followed to this many tokens; a base that is negative nowhere before counts as carrying them.
        std::int64_t limit = 131072;
        /// 2^doublings + 1 bases.
        int doublings = 11;

        bool operator==(const Range&) const = default;
    };

    /// Of no setup: no base is asked for.
    BaseProfile() = default;
    /// Nothing is computed yet. Reads head dimension, fraction and partial; scaling is left out. Throws BadInput for a
    /// range that does not start above 1 or does not rise.
    BaseProfile(const RotarySetup& setup, const Range& range);

    /// Whether this is the scan of such a setup and range, whatever its fineness.
    bool isOf(const RotarySetup& setup, const Range& range) const;
    const Range& range() const { return m_range; }
    std::size_t count() const { return m_reach.size(); }
    std::size_t done() const { return m_done; }
    bool isComplete() const { return !m_reach.empty() && m_done == m_reach.size(); }
    /// The ratio of a base to the one before, once complete.
    double ratio() const;

    /// Computes bases until all are there, `milliseconds` have passed (0: no end), or it is cancelled.
    void extend(double milliseconds = 0, const Cancelled& cancelled = {});
    /// Asks for a base between each two; what is there stays.
    void refine();

    /// What is there, ascending.
    struct Point {
        double base = 0;
        std::int64_t reach = 0;  // `limit` where nothing negative was found before
    };
    std::vector<Point> points() const;

 private:
    double baseAt(std::size_t index) const;

    FrequencySettings m_settings;
    Range m_range;
    std::vector<std::int64_t> m_reach;  // −1: not computed
    std::vector<std::size_t> m_order;
    std::size_t m_done = 0;  // of m_order
};

/// The bases of a scan that carry a context, each interval from its first to its last scanned base.
std::vector<BaseInterval> carryingBases(const std::vector<BaseProfile::Point>& points, std::int64_t context);

}  // namespace ropelab::ui
