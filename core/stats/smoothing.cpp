#include "core/stats/smoothing.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

std::vector<double> smooth(std::span<const double> values, double weight) {
    if (!(weight >= 0 && weight < 1)) {
        throw BadInput("The smoothing weight is " + number_text(weight) + ", but it must be at least 0 and below 1.");
    }
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

}  // namespace ropelab
