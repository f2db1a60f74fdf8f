#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Largest number of distances Δ for which B(Δ) is computed.
constexpr std::int64_t kMaxPositions = 1 << 20;

/// The context bound B(Δ) of a setup (F12, F13), computed for the first distances Δ.
struct BoundData {
    RotarySetup setup;
    std::vector<double> bound;  // B(Δ) with the setup's scaling, Δ = 0, 1, 2 …
    std::vector<double> plain;  // B(Δ) without the scaling, Δ = 0, 1, 2 …; empty if the setup has no scaling
    std::int64_t end = 0;       // end of the figure's distance axis, in tokens; `bound` may still be shorter
    std::optional<std::int64_t> firstNegative;  // smallest Δ with B(Δ) < 0, if it is known
    /// Lowest B(Δ) below the context, if the base does not support it and B(Δ) is computed that far.
    std::optional<LowestBound> lowest;
    std::int64_t computedTo = 0;  // B(Δ) ≥ 0 for all Δ below this position
    bool isComplete = false;      // more positions would not change this result
};

/// B(Δ) cannot become negative if at most half of the channels rotate (F13).
bool canBeNegative(const RotarySetup& setup);
/// Dynamic NTK and LongRoPE have other frequencies in longer texts; B(Δ) is that of a text as long as the context.
bool dependsOnLength(const RotarySetup& setup);
/// Number of distances Δ for which B(Δ) can be computed within one frame of the window.
std::int64_t positionsPerFrame(const RotarySetup& setup);
/// In tokens, with a margin to the right: a power of two, at most kMaxPositions.
std::int64_t distanceAxisEnd(std::int64_t tokens);

/// Computes B(Δ) for Δ < limit. Without `end`, the figure's distance axis shows the context and the first negative Δ.
BoundData boundData(const RotarySetup& setup, std::int64_t limit, std::optional<std::int64_t> end = {},
                    const Cancelled& cancelled = {});

/// The base supports the setup's context (F12); nullopt if B(Δ) is not computed that far.
std::optional<bool> isSupported(const BoundData& data);

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
    /// feasibleIntervals() of these points, of a complete scan with interval_end() at their ends, as the terminal has
    /// them; not for contexts where that takes longer than a frame.
    std::vector<BaseInterval> feasible(const std::vector<Point>& points, std::int64_t context) const;

 private:
    double baseAt(std::size_t index) const;

    FrequencySettings m_settings;
    Range m_range;
    std::vector<std::int64_t> m_supported;  // by base, ascending; −1: not computed
    std::vector<std::size_t> m_order;       // indices of m_supported in the order of computation
    std::size_t m_done = 0;                 // number of entries of m_order that are computed
    mutable std::map<std::tuple<std::int64_t, double, double>, double> m_ends;  // known results of interval_end()
};

/// `context` is in tokens. Each interval extends from its first to its last scanned base.
std::vector<BaseInterval> feasibleIntervals(const std::vector<BaseProfile::Point>& points, std::int64_t context);

/// Accumulated logits at several distances (F16), for the chosen distribution and for k = q.
struct LogitSamples {
    RotarySetup setup;
    std::uint64_t seed = 1;
    RandomVectors vectors;          // distribution of `chosen`; `equal` has the same mean and the correlation 1
    std::vector<double> distances;  // tokens, ascending
    SampledLogits chosen;
    SampledLogits equal;     // k = q
    std::int64_t count = 0;  // number of samples so far
};

/// Sampling stops here: the standard error is then 1/256 of the standard deviation.
constexpr std::int64_t kMaxSamples = 65536;
constexpr std::int64_t kFirstSamples = 16;

/// Largest absolute mean of the components that the room and the command line accept.
constexpr double kMaxMean = 2;

/// At most `count` whole tokens from 1 to `end` with an almost constant ratio.
std::vector<double> spreadDistances(std::int64_t end, int count);
/// The distances extend from 1 to `end` tokens.
LogitSamples startSampling(const RotarySetup& setup, std::uint64_t seed, std::int64_t end,
                           const RandomVectors& vectors = {});
/// k = q with the same mean: the correlation is 1.
RandomVectors equalVectors(const RandomVectors& vectors);
/// Adds `count` (2 or more) samples. The same seed and the same sequence of counts give the same result. If the
/// computation is cancelled, the result is incomplete and must be discarded.
LogitSamples withMoreSamples(LogitSamples samples, std::int64_t count, const Cancelled& cancelled = {});
/// Each round doubles the total, up to kMaxSamples.
std::int64_t nextRound(const LogitSamples& samples);

}  // namespace ropelab::ui
