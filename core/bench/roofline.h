#pragma once

#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab::bench {

/// Peak performance of a machine with all threads: the two lines of a roofline plot.
struct MachineSpeed {
    double multiply = 0;  // peak arithmetic performance, in float32 operations per second
    double copy = 0;      // memory bandwidth, in bytes read or written per second
    /// Returns true if both values have been measured.
    bool known() const { return multiply > 0 && copy > 0; }
};

/// Measures the peak performance of this machine in about 0.25 seconds, as the best of several attempts: the arithmetic
/// with small float32 matrix products from the L1 cache, computed by this program's own loop (not LibTorch's), the
/// bandwidth with copies of blocks that are larger than the caches.
MachineSpeed measure_machine(int threads);

/// The matrix product that is measured: c += aᵀ · b.
struct SmallProduct {
    static constexpr int columns = 16;
    static constexpr int depth = 256;
    /// Number of rows of c, which depends on the processor's number of registers.
    static int rows();
    /// Computes c += aᵀ · b. a: depth × rows(), b: depth × columns, c: rows() × columns, row-major.
    static void multiply(const float* a, const float* b, float* c);
};

/// Arithmetic and memory traffic of one training step of one run. The traffic counts every read and write of a number,
/// as if there were no caches.
struct StepWork {
    double operations = 0;        // floating-point operations
    double weight_bytes = 0;      // traffic of weights, their gradients and their moments, in bytes
    double activation_bytes = 0;  // traffic of activations and their gradients, in bytes
    /// Total memory traffic, in bytes.
    double bytes() const { return weight_bytes + activation_bytes; }
    /// Arithmetic intensity, in operations per byte.
    double intensity() const { return operations / bytes(); }
};
/// Returns the work of one training step. `vocabulary` is the vocabulary size.
StepWork step_work(const RunSpec& spec, std::int64_t vocabulary);

/// Returns the attainable performance at an arithmetic intensity, in operations per second: the smaller of intensity
/// times memory bandwidth and peak arithmetic performance.
double roof(const MachineSpeed& speed, double intensity);
/// Returns the ridge point of the roofline, in operations per byte. Below this intensity memory bandwidth limits the
/// performance, above it arithmetic.
double ridge(const MachineSpeed& speed);

/// A measured training step as a point in a roofline plot.
struct RooflinePoint {
    StepWork work;
    double seconds = 0;    // per step of one run
    bool rounded = false;  // true if matrix products use bfloat16
    /// Measured performance, in operations per second.
    double reached() const { return work.operations / seconds; }
};
/// Returns the roofline point of a run that trains at this speed: the run's number of tokens divided by its training
/// time. In a cohort, the training time of each run is that of the cohort divided by its number of runs.
RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double tokens_per_second, bool rounded);

/// Returns a sentence that says what limits the training step, such as "The step reaches 90 % of this machine's peak
/// float32 performance: arithmetic limits it." Percentages relate to the peaks in `speed`.
std::string verdict(const MachineSpeed& speed, const RooflinePoint& point);

}  // namespace ropelab::bench
