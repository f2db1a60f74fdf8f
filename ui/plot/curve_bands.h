#pragma once

#include <QList>
#include <QString>
#include <vector>

#include "core/spec/event.h"

namespace ropelab::ui {

class CurveData;

/// Runs that are drawn as one curve, as the seeds of one setting are.
struct CurveGroup {
    QString label;
    std::vector<RunId> runs;  // the first gives colour and name to what is picked
    bool operator==(const CurveGroup&) const = default;
};

/// Mean and mean ± standard deviation (n − 1, F37) of several curves at every x at which one of them was measured.
struct CurveMean {
    QList<double> x;
    QList<double> mean;
    // NaN where fewer than two curves have a finite value.
    QList<double> lower;
    QList<double> upper;
};

/// Over the finite values at each x: a curve that ended earlier, or whose run diverged, counts as far as it goes.
CurveMean meanOf(const std::vector<const CurveData*>& curves);

}  // namespace ropelab::ui
