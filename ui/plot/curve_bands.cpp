#include "ui/plot/curve_bands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/stats/descriptive.h"

namespace ropelab::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

void CurveMean::update(const std::vector<const CurveData*>& curves, double end) {
    const double before = std::exchange(m_end, end);
    const bool grew = end >= before && std::equal(curves.begin(), curves.end(), m_included.begin(), m_included.end(),
                                                  [](const CurveData* curve, const Included& included) {
                                                      return curve->history() == included.history &&
                                                             curve->x().size() >= included.points;
                                                  });
    // All points from the first new x on are recomputed, because other curves may already have points there.
    double from = !grew ? -kNone : end > before ? std::nextafter(before, kNone) : kNone;
    for (std::size_t i = 0; grew && i < curves.size(); ++i) {
        const QList<double>& x = curves[i]->x();
        if (m_included[i].points < x.size()) from = std::min(from, x[m_included[i].points]);
    }
    if (from == kNone) return;
    m_included.clear();
    std::vector<qsizetype> next;  // index of the next point of each curve
    for (const CurveData* curve : curves) {
        const QList<double>& x = curve->x();
        m_included.push_back({curve->history(), x.size()});
        next.push_back(std::lower_bound(x.begin(), x.end(), from) - x.begin());
    }
    for (CurveData* each : {&m_mean, &m_lower, &m_upper}) {
        each->truncate(std::nextafter(from, -kNone));
        if (!grew && !curves.empty()) each->reserve(curves.front()->x().size());
    }
    std::vector<double> values;
    while (true) {
        double x = kNone;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i]->x().size()) x = std::min(x, curves[i]->x()[next[i]]);
        }
        m_isCut = x != kNone && x > end;
        if (x == kNone || m_isCut) return;
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
