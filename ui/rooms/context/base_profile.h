#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Scans bases with a constant ratio between neighbours. For each base it stores the supported context length, which is
/// the first Δ with B(Δ) < 0 (F12). One scan serves every context L: base θ supports L exactly when its first negative
/// Δ is L or larger. Bases are computed from coarse to fine, so that an unfinished scan covers the whole range.
class BaseProfile {
 public:
    struct Range {
        double low = 100;
        double high = 1e8;
        /// In tokens: B(Δ) is computed for Δ < limit. If it is not negative there, the base counts as supporting
        /// `limit` tokens.
        std::int64_t limit = 131072;
        /// The scan has 2^doublings + 1 bases.
        int doublings = 11;

        bool operator==(const Range&) const = default;
    };

    /// An empty scan belongs to no setup and has no bases.
    BaseProfile() = default;
    /// No base is computed yet. Each base replaces the setup's theta; the setup's scaling is applied at every base.
    /// Throws BadInput if the range does not start above 1 or does not increase.
    BaseProfile(const RotarySetup& setup, const Range& range);

    /// The theta does not matter, nor the context if there is no scaling. The number of bases may differ.
    bool matches(const RotarySetup& setup, const Range& range) const;
    const Range& range() const { return m_range; }
    /// Includes the bases that are not computed yet.
    std::size_t count() const { return m_supported.size(); }
    std::size_t done() const { return m_done; }
    bool isComplete() const { return !m_supported.empty() && m_done == m_supported.size(); }
    /// Ratio of a base to the next smaller base of the complete scan.
    double ratio() const;

    /// Computes bases until the scan is complete, `milliseconds` have passed (0: no time limit) or it is cancelled.
    void extend(double milliseconds = 0, const Cancelled& cancelled = {});
    /// Adds one base between each two neighbours. Computed bases keep their values; `extend` computes the new ones.
    void refine();

    struct Point {
        double base = 0;
        std::int64_t supported = 0;  // in tokens; the range's `limit` if no B(Δ) below it is negative
    };
    /// The computed bases in ascending order.
    std::vector<Point> points() const;

 private:
    double baseAt(std::size_t index) const;

    FrequencySettings m_settings;
    Range m_range;
    std::vector<std::int64_t> m_supported;  // by base, ascending; −1: not computed
    std::vector<std::size_t> m_order;       // indices of m_supported in the order of computation
    std::size_t m_done = 0;                 // number of entries of m_order that are computed
};

/// `context` is in tokens. Each interval extends from its first to its last scanned base.
std::vector<BaseInterval> feasibleIntervals(const std::vector<BaseProfile::Point>& points, std::int64_t context);

}  // namespace ropelab::ui
