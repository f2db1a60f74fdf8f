#pragma once

#include <string>

#include "core/settings/run_spec.h"

namespace ropelab::bench {

/// Peak with all threads: the two lines of a roofline plot.
struct MachineSpeed {
    double multiply = 0;  // peak arithmetic performance, in float32 operations per second
    double copy = 0;      // memory bandwidth, in bytes read or written per second
    double rounded = 0;   // peak with bfloat16 factors (measure_products); 0: not measured
    /// Of float32 products if those with bfloat16 factors were not measured.
    double peak(bool in_bfloat16) const { return in_bfloat16 && rounded > 0 ? rounded : multiply; }
    bool known() const { return multiply > 0 && copy > 0; }
};

/// About 0.25 seconds, the best of several attempts: the arithmetic with small float32 matrix products from the L1
/// cache, by this program's own loop, the bandwidth with copies of blocks that are larger than the caches.
MachineSpeed measure_machine(int threads);

/// The measured matrix product, c += aᵀ · b.
struct SmallProduct {
    static constexpr int columns = 16;
    static constexpr int depth = 256;
    /// Depends on the processor's number of registers.
    static int rows();
    /// a: depth × rows(), b: depth × columns, c: rows() × columns, row-major.
    static void multiply(const float* a, const float* b, float* c);
};

/// One training step of one run. The traffic counts every read and write of a number, as if there were no caches.
struct StepWork {
    double operations = 0;        // floating-point operations
    double weight_bytes = 0;      // traffic of weights, their gradients and their moments, in bytes
    double activation_bytes = 0;  // traffic of activations and their gradients, in bytes
    double bytes() const { return weight_bytes + activation_bytes; }
    /// Arithmetic intensity, in operations per byte.
    double intensity() const { return operations / bytes(); }
};
StepWork step_work(const RunSpec& spec, std::int64_t vocabulary);

/// Attainable operations per second: the smaller of intensity times memory bandwidth and peak arithmetic performance.
double roof(const MachineSpeed& speed, double intensity, bool in_bfloat16 = false);
/// In operations per byte. Below this intensity memory bandwidth limits the performance, above it arithmetic.
double ridge(const MachineSpeed& speed, bool in_bfloat16 = false);

struct RooflinePoint {
    StepWork work;
    double seconds = 0;    // per step of one run
    bool rounded = false;  // true if matrix products use bfloat16
    /// In operations per second.
    double reached() const { return work.operations / seconds; }
};
/// The run's tokens divided by its training time: in a cohort, that of the cohort divided by its number of runs.
RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double tokens_per_second, bool rounded);

/// Against the peak of the step's own precision: "A training step reaches 90 % of this machine's peak bfloat16
/// performance: arithmetic limits it."
std::string verdict(const MachineSpeed& speed, const RooflinePoint& point);

}  // namespace ropelab::bench
