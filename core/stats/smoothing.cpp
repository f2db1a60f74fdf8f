#include "core/stats/smoothing.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

// Sums over the values on one side of a place, at the distances d, with the weights v = q^d.
struct Side {
    double v = 0, vd = 0, vdd = 0, vy = 0, vdy = 0;

    void step(double q) {  // every d grows by 1
        vdd = q * (vdd + 2 * vd + v);
        vd = q * (vd + v);
        v *= q;
        vdy = q * (vdy + vy);
        vy *= q;
    }
    void add(double y) {
        v += 1;
        vy += y;
    }
};

std::vector<double> fitted_lines(std::span<const double> values, double weight) {
    std::vector<double> result(values.begin(), values.end());
    if (weight == 0) return result;
    const double q = weight * weight;
    std::vector<Side> after(values.size());
    for (std::size_t i = values.size(); i-- > 1;) {
        after[i - 1] = after[i];
        if (std::isfinite(values[i])) after[i - 1].add(values[i]);
        after[i - 1].step(q);
    }
    Side before;
    for (std::size_t i = 0; i < values.size(); ++i) {
        before.step(q);
        if (!std::isfinite(values[i])) continue;
        before.add(values[i]);
        const double v = before.v + after[i].v, vd = after[i].vd - before.vd, vdd = before.vdd + after[i].vdd;
        const double vy = before.vy + after[i].vy, vdy = after[i].vdy - before.vdy;
        const double spread = v * vdd - vd * vd;  // 0 for a single value
        result[i] = spread > 0 ? (vdd * vy - vd * vdy) / spread : vy / v;
    }
    return result;
}

std::vector<double> moving_average(std::span<const double> values, double weight) {
    std::vector<double> result;
    result.reserve(values.size());
    double average = 0;
    double remaining = 1;  // wⁿ
    for (const double value : values) {
        if (!std::isfinite(value)) {
            result.push_back(value);
            continue;
        }
        average = weight * average + (1 - weight) * value;
        remaining *= weight;
        result.push_back(average / (1 - remaining));
    }
    return result;
}

}  // namespace

std::vector<double> smooth(std::span<const double> values, double weight, Smoothing kind) {
    if (!(weight >= 0 && weight < 1)) {
        throw BadInput("The smoothing weight is " + number_text(weight) + ", but it must be at least 0 and below 1.");
    }
    return kind == Smoothing::line ? fitted_lines(values, weight) : moving_average(values, weight);
}

}  // namespace ropelab
