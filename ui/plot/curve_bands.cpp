#include "ui/plot/curve_bands.h"

#include <algorithm>
#include <limits>

#include "core/stats/descriptive.h"
#include "ui/plot/curve_data.h"

namespace ropelab::ui {

CurveMean meanOf(const std::vector<const CurveData*>& curves) {
    constexpr double none = std::numeric_limits<double>::infinity();
    CurveMean result;
    std::vector<qsizetype> next(curves.size(), 0);  // all are walked side by side
    std::vector<double> values;
    while (true) {
        double x = none;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i]->x().size()) x = std::min(x, curves[i]->x()[next[i]]);
        }
        if (x == none) return result;
        values.clear();
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (next[i] < curves[i]->x().size() && curves[i]->x()[next[i]] == x) {
                values.push_back(curves[i]->y()[next[i]++]);
            }
        }
        const Description described = describe(values);
        result.x.append(x);
        result.mean.append(described.mean);
        result.lower.append(described.mean - described.standard_deviation);
        result.upper.append(described.mean + described.standard_deviation);
    }
}

}  // namespace ropelab::ui
