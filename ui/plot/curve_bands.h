#pragma once

#include <QString>
#include <vector>

#include "core/spec/event.h"
#include "ui/plot/curve_data.h"

namespace ropelab::ui {

/// Runs that are drawn as one curve, as the seeds of one setting are.
struct CurveGroup {
    QString label;
    std::vector<RunId> runs;  // the first gives colour and name to what is picked
    bool operator==(const CurveGroup&) const = default;
};

/// Mean and mean ± standard deviation (n − 1, F37) of several curves at every x at which one of them was measured, over
/// the finite values there: a curve that ended earlier, or whose run diverged, counts as far as it goes.
class CurveMean {
 public:
    /// Brings it up to date with these curves. Of those of the call before that only grew, just what is new is
    /// computed.
    void update(const std::vector<const CurveData*>& curves);

    const CurveData& mean() const { return m_mean; }
    // NaN where fewer than two curves have a finite value.
    const CurveData& lower() const { return m_lower; }
    const CurveData& upper() const { return m_upper; }

 private:
    /// How much of a curve the mean knows.
    struct Seen {
        std::uint64_t history;
        qsizetype points;
    };
    std::vector<Seen> m_seen;
    CurveData m_mean;
    CurveData m_lower;
    CurveData m_upper;
};

}  // namespace ropelab::ui
