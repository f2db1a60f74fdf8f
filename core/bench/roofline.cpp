#include "core/bench/roofline.h"

#include <algorithm>
#include <cmath>

#include "core/experiment/step_cost.h"

namespace ropelab::bench {

namespace {

std::string percent(double share) {
    return share < 0.005 ? "less than 1 %" : std::to_string(std::lround(100.0 * share)) + " %";
}

}  // namespace

StepWork step_work(const RunSpec& spec, std::int64_t vocabulary) {
    // Weights are read forward and backward and by AdamW, which writes them; gradients are written, moved to one row,
    // summed for clipping and read by AdamW; AdamW reads and writes both moments.
    constexpr double passes_over_weights = 4 + 5 + 4;
    // What an operation makes is written, read by the next one and read again backward; its gradient is written and
    // read.
    constexpr double passes_over_activations = 3 + 2;
    constexpr double float_bytes = 4;
    const auto symbols = static_cast<double>(spec.batch * spec.context);
    StepWork work;
    work.operations = training_operations(spec, vocabulary);
    work.weight_bytes = passes_over_weights * float_bytes * static_cast<double>(parameter_count(spec, vocabulary));
    work.activation_bytes = passes_over_activations * float_bytes * symbols * kept_numbers(spec, vocabulary);
    return work;
}

double roof(const MachineSpeed& speed, double intensity) {
    return std::min(speed.multiply, speed.copy * intensity);
}

double ridge(const MachineSpeed& speed) {
    return speed.multiply / speed.copy;
}

RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double symbols_per_second, bool rounded) {
    return {step_work(spec, vocabulary), static_cast<double>(spec.batch * spec.context) / symbols_per_second, rounded};
}

std::string verdict(const MachineSpeed& speed, const RooflinePoint& point) {
    const double multiplying = point.work.operations / speed.multiply / point.seconds;
    const double moving = point.work.bytes() / speed.copy / point.seconds;
    const std::string reached = "The step reaches " + percent(multiplying) + " of what this machine multiplies";
    if (multiplying > 1 && point.rounded) {
        return reached + " in float32, which bfloat16 products make possible.";
    }
    // Arithmetic and memory can overlap, so their shares need not add up to one.
    if (multiplying >= 0.7) return reached + ": arithmetic limits it.";
    if (moving > multiplying && moving >= 0.5) {
        return reached + "; moving numbers takes up to " + percent(std::min(1.0, moving)) +
               " of its time, so memory limits it.";
    }
    if (multiplying + moving >= 0.7) {
        return reached + "; moving numbers takes up to " + percent(moving) + " of its time, and the rest is overhead.";
    }
    return reached + " and moves numbers for up to " + percent(moving) +
           " of its time; the rest is what many small operations cost besides, which a larger batch or width makes "
           "smaller.";
}

}  // namespace ropelab::bench
