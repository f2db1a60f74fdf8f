#include "ui/plot/curve_bands.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stats/descriptive.h"

namespace ropelab::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

void CurveMean::update(const std::vector<const CurveData*>& curves) {
    const bool grew = std::equal(curves.begin(), curves.end(), m_seen.begin(), m_seen.end(),
                                 [](const CurveData* curve, const Seen& seen) {
                                     return curve->history() == seen.history && curve->x().size() >= seen.points;
                                 });
    // Everything from the first new x on: curves are measured one after the other, so another may have been there.
    double from = grew ? kNone : -kNone;
    for (std::size_t i = 0; grew && i < curves.size(); ++i) {
        const QList<double>& x = curves[i]->x();
        if (m_seen[i].points < x.size()) from = std::min(from, x[m_seen[i].points]);
    }
    if (from == kNone) return;
    m_seen.clear();
    std::vector<qsizetype> next;  // all are walked side by side
    for (const CurveData* curve : curves) {
        const QList<double>& x = curve->x();
        m_seen.push_back({curve->history(), x.size()});
        next.push_back(std::lower_bound(x.begin(), x.end(), from) - x.begin());
    }
    for (CurveData* each : {&m_mean, &m_lower, &m_upper}) each->truncate(std::nextafter(from, -kNone));
    std::vector<double> values;
    while (true) {
        double x = kNone;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i]->x().size()) x = std::min(x, curves[i]->x()[next[i]]);
        }
        if (x == kNone) return;
        values.clear();
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i]->x().size() && curves[i]->x()[next[i]] == x) {
                values.push_back(curves[i]->y()[next[i]++]);
            }
        }
        const Description described = describe(values);
        m_mean.append(x, described.mean);
        m_lower.append(x, described.mean - described.standard_deviation);
        m_upper.append(x, described.mean + described.standard_deviation);
    }
}

}  // namespace ropelab::ui
