#include "core/bench/roofline.h"

#include <algorithm>
#include <cmath>

#include "core/plan/step_cost.h"

namespace ropelab::bench {

namespace {

std::string percent(double fraction) {
    return fraction < 0.005 ? "less than 1 %" : std::to_string(std::lround(100.0 * fraction)) + " %";
}

}  // namespace

StepWork step_work(const RunSpec& spec, std::int64_t vocabulary) {
    // Weights are read in the forward pass, in the backward pass and by AdamW, which also writes them (4 accesses).
    // Gradients are written, copied into one row (2), read for clipping and read by AdamW (5). AdamW reads and writes
    // both moments (4).
    constexpr double passes_over_weights = 4 + 5 + 4;
    // The result of an operation is written, read by the next operation and read again in the backward pass (3); its
    // gradient is written and read (2).
    constexpr double passes_over_activations = 3 + 2;
    constexpr double float_bytes = 4;
    const auto tokens = static_cast<double>(spec.batch * spec.context);
    StepWork work;
    work.operations = training_operations(spec, vocabulary);
    work.weight_bytes = passes_over_weights * float_bytes * static_cast<double>(parameter_count(spec, vocabulary));
    work.activation_bytes = passes_over_activations * float_bytes * tokens * stored_activations(spec, vocabulary);
    return work;
}

double roof(const MachineSpeed& speed, double intensity) {
    return std::min(speed.multiply, speed.copy * intensity);
}

double ridge(const MachineSpeed& speed) {
    return speed.multiply / speed.copy;
}

RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double tokens_per_second, bool rounded) {
    return {step_work(spec, vocabulary), static_cast<double>(spec.batch * spec.context) / tokens_per_second, rounded};
}

std::string verdict(const MachineSpeed& speed, const RooflinePoint& point) {
    const double multiplying = point.work.operations / speed.multiply / point.seconds;
    const double moving = point.work.bytes() / speed.copy / point.seconds;
    const std::string reached =
        "The step reaches " + percent(multiplying) + " of this machine's peak float32 performance";
    if (multiplying > 1 && point.rounded) {
        return reached + ", which is possible because its matrix products use bfloat16.";
    }
    // Arithmetic and memory traffic can overlap, so their fractions of the time need not sum to 1.
    if (multiplying >= 0.7) return reached + ": arithmetic limits it.";
    if (moving > multiplying && moving >= 0.5) {
        return reached + "; memory traffic takes up to " + percent(std::min(1.0, moving)) +
               " of its time, so memory bandwidth limits it.";
    }
    if (multiplying + moving >= 0.7) {
        return reached + "; memory traffic takes up to " + percent(moving) + " of its time, and the rest is overhead.";
    }
    return reached + "; memory traffic takes up to " + percent(moving) +
           " of its time; the rest is the overhead of many small operations, which a larger batch size or width "
           "reduces.";
}

}  // namespace ropelab::bench
