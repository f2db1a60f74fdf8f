#pragma once

namespace ropelab::bench {

/// What a machine can do at best, all threads together: the two lines of a roofline.
struct MachineSpeed {
    double multiply = 0;  // float32 operations a second
    double copy = 0;      // bytes a second, read and written
    bool known() const { return multiply > 0 && copy > 0; }
};

/// Measures it in about a quarter of a second, the best of several attempts: small float32 products whose factors stay
/// in the first-level cache, by this program's own loop (not LibTorch's), and copies of blocks that no cache holds.
MachineSpeed measure_machine(int threads);

/// The product that is measured: c += aᵀ · b. How many rows depends on the processor's registers.
struct SmallProduct {
    static constexpr int columns = 16;
    static constexpr int depth = 256;
    static int rows();
    /// a: depth × rows(), b: depth × columns, c: rows() × columns, row-major.
    static void multiply(const float* a, const float* b, float* c);
};

}  // namespace ropelab::bench
