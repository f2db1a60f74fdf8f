#pragma once

#include <QString>
#include <limits>
#include <vector>

#include "core/contract/event.h"
#include "ui/plot/curve_data.h"

namespace ropelab::ui {

/// Runs that are drawn as one curve, for example the seeds of one setting.
struct CurveGroup {
    QString label;
    std::vector<RunId> runs;  // the first visible run determines the colour of the curve
    QString setting = {};     // the label without the number of runs
    bool operator==(const CurveGroup&) const = default;
};

/// Mean and mean ± standard deviation (with n − 1, formula 37) of several curves at every x at which at least one of
/// them was measured, up to `end`. Only finite values count, so a curve that diverged contributes up to its end.
class CurveMean {
 public:
    /// If these are the curves of the previous call and have only grown, as the end, only the new points are computed.
    void update(const std::vector<const CurveData*>& curves, double end = std::numeric_limits<double>::infinity());
    /// A curve goes on after the end.
    bool isCut() const { return m_isCut; }

    const CurveData& mean() const { return m_mean; }
    // Mean minus and plus one standard deviation; NaN where fewer than two curves have a finite value.
    const CurveData& lower() const { return m_lower; }
    const CurveData& upper() const { return m_upper; }

 private:
    struct Included {
        std::uint64_t history;
        qsizetype points;
    };
    std::vector<Included> m_included;
    double m_end = std::numeric_limits<double>::infinity();
    bool m_isCut = false;
    CurveData m_mean;
    CurveData m_lower;
    CurveData m_upper;
};

}  // namespace ropelab::ui
