#pragma once

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

}  // namespace ropelab::bench
