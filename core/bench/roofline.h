#pragma once

#include <string>
#include <vector>

#include "core/bench/machine_speed.h"
#include "core/spec/run_spec.h"

namespace ropelab::bench {

/// What one training step of one run must do. Bytes count each number as often as the step's passes read or write it,
/// as if no cache kept any of them: weights with their gradients and moments, and activations with their gradients.
struct StepWork {
    double operations = 0;
    double weight_bytes = 0;
    double activation_bytes = 0;
    double bytes() const { return weight_bytes + activation_bytes; }
    /// Operations a byte.
    double intensity() const { return operations / bytes(); }
};
StepWork step_work(const RunSpec& spec, std::int64_t vocabulary);

/// The most operations a second at this intensity: what memory brings, at most what the machine multiplies.
double roof(const MachineSpeed& speed, double intensity);
/// Where the two meet, in operations a byte: left of it memory limits, right of it arithmetic.
double ridge(const MachineSpeed& speed);

/// A measured step on the roofline.
struct RooflinePoint {
    StepWork work;
    double seconds = 0;    // a step of one run takes
    bool rounded = false;  // multiplies in bfloat16
    double reached() const { return work.operations / seconds; }
};
/// A run's step from the symbols it trains a second (its share of its cohort's time).
RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double symbols_per_second, bool rounded);

/// One sentence that says what limits the step: "The step reaches 58 % of what this machine multiplies; the other
/// 42 % …". Shares are of the machine's float32 product and of its copies.
std::string verdict(const MachineSpeed& speed, const RooflinePoint& point);

}  // namespace ropelab::bench
