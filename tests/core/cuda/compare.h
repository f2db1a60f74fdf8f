#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ropelab::cuda {

/// Expects every number to be within `tolerance` of the wanted one. The tolerance is relative for numbers above 1.
inline void expect_near(const std::vector<float>& got, const std::vector<float>& wanted, double tolerance) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], wanted[i], tolerance * std::max(1.0, std::abs(static_cast<double>(wanted[i]))))
            << "number " << i;
    }
}

/// Relative tolerance for bfloat16: half a unit in the last place plus a float32 error that can change the rounding.
constexpr double bfloat16_tolerance = 0.0041;

}  // namespace ropelab::cuda
