#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

/// Compiles a function twice, and the program selects the version with AVX2 when it starts on a CPU that has it. Both
/// compute the same bits, because neither fuses a multiplication with an addition. With the thread sanitizer there is
/// one version, because the selection runs before the sanitizer is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ROPELAB_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define ROPELAB_AVX2_CLONE
#endif

namespace ropelab {

/// Cosines and sines of the angles x·ω_i for a fixed list of x, for the sums Σ_i a_i cos(x ω_i) and Σ_i b_i sin(x ω_i).
///
/// Eight values of x are stored next to each other (lanes). The inner loops have this fixed length, so the compiler
/// vectorizes them at -O2. No sum runs across lanes, so results do not depend on the width of the vector registers.
class AngleTable {
 public:
    static constexpr std::size_t lanes = 8;
    using Lanes = double[lanes];

    AngleTable(std::span<const double> inverse_frequencies, std::span<const double> x);
    /// x = 0 … count − 1, with the angle addition formulas: faster than std::cos, with a few more rounding errors.
    AngleTable(std::span<const double> inverse_frequencies, std::size_t count);

    /// For a group of x: Σ_i a_i cos(x ω_i) to `cosines` and Σ_i b_i sin(x ω_i) to `sines`; one a_i and b_i per pair.
    void add(std::size_t group, const double* a, const double* b, Lanes& cosines, Lanes& sines) const;

    /// Eight values of x per group; the last one may be filled up with zeros.
    std::size_t groups() const { return groups_; }

 private:
    double* cosine(std::size_t group, std::size_t pair) { return cosine_.data() + (group * pairs_ + pair) * lanes; }
    double* sine(std::size_t group, std::size_t pair) { return sine_.data() + (group * pairs_ + pair) * lanes; }

    std::size_t pairs_;
    std::size_t groups_;
    std::vector<double> cosine_;  // groups × pairs × lanes
    std::vector<double> sine_;
};

/// Σ_i cos(Δω_i) for Δ = 0, 1, 2, … in blocks of positions. Differs from std::cos by less than 1e-9 up to a million
/// tokens; beyond, both are inexact because Δω_i is rounded.
class CosineSum {
 public:
    /// `limit`: about how many positions will be computed, which determines the length of a block.
    CosineSum(std::span<const double> inverse_frequencies, std::int64_t limit);

    /// The first block starts at m = 0. Valid until the next call.
    std::span<const double> next();

 private:
    std::vector<double> inverse_frequencies_;
    std::size_t reach_;  // positions of the table; a block has its middle and reach − 1 positions on each side
    AngleTable table_;
    std::int64_t middle_ = 0;
    std::vector<double> cosines_;  // cos(Δω_i) at the middle of the block, one per pair
    std::vector<double> sines_;
    std::vector<double> block_;
};

/// cos and sin, times `factor`, of `block` angles with a constant step in radians: with the addition formulas, from
/// exact ones at the begin of each block.
class AngleWalk {
 public:
    static constexpr std::size_t block = 64;
    using Block = std::array<double, block>;

    AngleWalk(double step, double factor);
    /// Fills both blocks from `angle` on.
    void start(double angle);

    Block cosines;
    Block sines;

 private:
    double factor_;
    Block step_cosine_;
    Block step_sine_;
};

}  // namespace ropelab
