#include "core/rope/cosine_sum.h"

#include <algorithm>
#include <cmath>

namespace ropelab {

namespace {

/// Balances the cost of the table and of the blocks, and lets a table of 64 pairs fit into the L2 cache.
std::size_t reach_for(std::int64_t limit) {
    const auto balanced =
        static_cast<std::size_t>(std::sqrt(7.0 * static_cast<double>(std::max<std::int64_t>(limit, 1))));
    const std::size_t groups = std::clamp<std::size_t>(balanced / AngleTable::lanes, 2, 64);
    return groups * AngleTable::lanes;
}

}  // namespace

AngleTable::AngleTable(std::span<const double> inverse_frequencies, std::span<const double> x)
    : pairs_(inverse_frequencies.size()),
      groups_((x.size() + lanes - 1) / lanes),
      cosine_(groups_ * pairs_ * lanes),
      sine_(cosine_.size()) {
    for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t i = 0; i < pairs_; ++i) {
            cosine(j / lanes, i)[j % lanes] = std::cos(x[j] * inverse_frequencies[i]);
            sine(j / lanes, i)[j % lanes] = std::sin(x[j] * inverse_frequencies[i]);
        }
    }
}

AngleTable::AngleTable(std::span<const double> inverse_frequencies, std::size_t count)
    : pairs_(inverse_frequencies.size()),
      groups_((count + lanes - 1) / lanes),
      cosine_(groups_ * pairs_ * lanes),
      sine_(cosine_.size()) {
    for (std::size_t i = 0; i < pairs_ && groups_ > 0; ++i) {
        const double step_cosine = std::cos(inverse_frequencies[i]);
        const double step_sine = std::sin(inverse_frequencies[i]);
        double* c = cosine(0, i);
        double* s = sine(0, i);
        c[0] = 1.0;
        s[0] = 0.0;
        for (std::size_t k = 1; k < lanes; ++k) {
            c[k] = c[k - 1] * step_cosine - s[k - 1] * step_sine;
            s[k] = s[k - 1] * step_cosine + c[k - 1] * step_sine;
        }
        // From one group to the next, the angle of every lane grows by lanes·ω_i.
        const double group_cosine = std::cos(inverse_frequencies[i] * lanes);
        const double group_sine = std::sin(inverse_frequencies[i] * lanes);
        for (std::size_t group = 1; group < groups_; ++group) {
            const double* last_c = cosine(group - 1, i);
            const double* last_s = sine(group - 1, i);
            c = cosine(group, i);
            s = sine(group, i);
            for (std::size_t k = 0; k < lanes; ++k) {
                c[k] = last_c[k] * group_cosine - last_s[k] * group_sine;
                s[k] = last_s[k] * group_cosine + last_c[k] * group_sine;
            }
        }
    }
}

ROPELAB_AVX2_CLONE void AngleTable::add(std::size_t group, const double* a, const double* b, Lanes& cosines,
                                        Lanes& sines) const {
    // The sums are local arrays. With the references, the compiler would have to assume that a store changes the table.
    Lanes sum_cosine;
    Lanes sum_sine;
    std::copy_n(cosines, lanes, sum_cosine);
    std::copy_n(sines, lanes, sum_sine);
    const double* c = cosine_.data() + group * pairs_ * lanes;
    const double* s = sine_.data() + group * pairs_ * lanes;
    for (std::size_t i = 0; i < pairs_; ++i, c += lanes, s += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) sum_cosine[k] += a[i] * c[k];
        for (std::size_t k = 0; k < lanes; ++k) sum_sine[k] += b[i] * s[k];
    }
    std::copy_n(sum_cosine, lanes, cosines);
    std::copy_n(sum_sine, lanes, sines);
}

CosineSum::CosineSum(std::span<const double> inverse_frequencies, std::int64_t limit)
    : inverse_frequencies_(inverse_frequencies.begin(), inverse_frequencies.end()),
      reach_(reach_for(limit)),
      table_(inverse_frequencies, reach_),
      cosines_(inverse_frequencies.size()),
      sines_(inverse_frequencies.size()),
      block_(2 * reach_ - 1) {}

std::span<const double> CosineSum::next() {
    // cos((a ± x)ω) = cos(aω)cos(xω) ∓ sin(aω)sin(xω). With exact cosines at the middle a of a block, one table of x is
    // enough for all blocks, and each product is used for two positions.
    const auto middle = static_cast<double>(middle_);
    for (std::size_t i = 0; i < inverse_frequencies_.size(); ++i) {
        cosines_[i] = std::cos(middle * inverse_frequencies_[i]);
        sines_[i] = std::sin(middle * inverse_frequencies_[i]);
    }
    const std::size_t centre = reach_ - 1;
    for (std::size_t group = 0; group < table_.groups(); ++group) {
        AngleTable::Lanes even = {};
        AngleTable::Lanes odd = {};
        table_.add(group, cosines_.data(), sines_.data(), even, odd);
        for (std::size_t k = 0; k < AngleTable::lanes; ++k) {
            const std::size_t x = group * AngleTable::lanes + k;
            block_[centre + x] = even[k] - odd[k];
            block_[centre - x] = even[k] + odd[k];
        }
    }
    // The first block begins at its middle, because there are no positions below 0.
    const std::size_t skipped = middle_ == 0 ? centre : 0;
    middle_ += static_cast<std::int64_t>(2 * reach_ - 1);
    return std::span<const double>(block_).subspan(skipped);
}

AngleWalk::AngleWalk(double step, double factor) : factor_(factor) {
    // Each half follows from the one before it, so that the error is at most that of six additions of angles.
    step_cosine_[0] = 1;
    step_sine_[0] = 0;
    for (std::size_t known = 1; known < block; known *= 2) {
        const double cosine = std::cos(static_cast<double>(known) * step);
        const double sine = std::sin(static_cast<double>(known) * step);
        for (std::size_t k = 0; k < known; ++k) {
            step_cosine_[known + k] = cosine * step_cosine_[k] - sine * step_sine_[k];
            step_sine_[known + k] = sine * step_cosine_[k] + cosine * step_sine_[k];
        }
    }
}

ROPELAB_AVX2_CLONE void AngleWalk::start(double angle) {
    const double cosine = std::cos(angle) * factor_;
    const double sine = std::sin(angle) * factor_;
    for (std::size_t k = 0; k < block; ++k) {
        cosines[k] = cosine * step_cosine_[k] - sine * step_sine_[k];
        sines[k] = sine * step_cosine_[k] + cosine * step_sine_[k];
    }
}

}  // namespace ropelab
