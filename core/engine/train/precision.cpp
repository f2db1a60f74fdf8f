#include "core/engine/train/precision.h"

#include <cmath>

#include "core/spec/numbers.h"
#include "core/spec/processor.h"

namespace ropelab {

namespace {

// Cohorts of one sweep decide separately, and chance must not decide between nearly equal speeds.
constexpr double least_speedup = 1.2;

std::string times(double factor) {
    return number_text(std::round(100.0 * factor) / 100.0);
}

}  // namespace

SettledPrecision faster_precision(const std::function<double(Precision)>& seconds) {
    if (!processor_multiplies_bfloat16()) return {Precision::float32, "this processor has no bfloat16 products."};
    const double ratio = seconds(Precision::float32) / seconds(Precision::bfloat16);
    if (ratio >= least_speedup) return {Precision::bfloat16, times(ratio) + " × as fast as float32 on this machine."};
    if (ratio > 1.0) return {Precision::float32, "bfloat16 is only " + times(ratio) + " × as fast on this machine."};
    return {Precision::float32, times(1.0 / ratio) + " × as fast as bfloat16 on this machine."};
}

}  // namespace ropelab
