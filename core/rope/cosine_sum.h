#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

/// Cosines and sines of the angles x·g_i for a fixed list of x, laid out for sums over i.
///
/// Every sum over pairs here is Σ_i a_i cos(x g_i) or Σ_i b_i sin(x g_i) for many x. Keeping eight values of x beside
/// each other lets the compiler hold their sums in vector registers at -O2 (the inner loops have a fixed length and no
/// sum runs across lanes), so that results do not depend on how wide the machine's registers are.
class AngleTable {
 public:
    static constexpr std::size_t lanes = 8;
    using Lanes = double[lanes];

    /// cos and sin of each x·g_i, exactly as std::cos and std::sin have them.
    AngleTable(std::span<const double> inverse_frequencies, std::span<const double> x);
    /// The same for x = 0 … count − 1 by the addition theorems: a few roundings in place of a cosine each.
    AngleTable(std::span<const double> inverse_frequencies, std::size_t count);

    /// Adds Σ_i a_i cos(x g_i) to `cosines` and Σ_i b_i sin(x g_i) to `sines` for the x of one group of lanes.
    void add(std::size_t group, const double* a, const double* b, Lanes& cosines, Lanes& sines) const;

    std::size_t groups() const { return groups_; }

 private:
    double* cosine(std::size_t group, std::size_t pair) { return cosine_.data() + (group * pairs_ + pair) * lanes; }
    double* sine(std::size_t group, std::size_t pair) { return sine_.data() + (group * pairs_ + pair) * lanes; }

    std::size_t pairs_;
    std::size_t groups_;
    std::vector<double> cosine_;  // groups × pairs × lanes
    std::vector<double> sine_;
};

/// Σ_i cos(m g_i) for m = 0, 1, 2 …, a block of positions at a time. Within 1e-9 of the sum of std::cos up to a million
/// tokens (both lose the last digits of m·g_i beyond).
class CosineSum {
 public:
    /// `limit`: how many positions will be asked for, roughly; it decides the length of a block.
    CosineSum(std::span<const double> inverse_frequencies, std::int64_t limit);

    /// The sums at the next positions, starting at 0; valid until the next call.
    std::span<const double> next();

 private:
    std::vector<double> inverse_frequencies_;
    std::size_t reach_;  // positions of the table: a block holds its middle and reach − 1 to either side
    AngleTable table_;
    std::int64_t middle_ = 0;
    std::vector<double> cosines_;  // at the middle, one a pair
    std::vector<double> sines_;
    std::vector<double> block_;
};

}  // namespace ropelab
