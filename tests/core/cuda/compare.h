#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ropelab::cuda {

/// Every number within `tolerance` of the wanted one, relative where that is larger than 1.
inline void expect_near(const std::vector<float>& got, const std::vector<float>& wanted, double tolerance) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], wanted[i], tolerance * std::max(1.0, std::abs(static_cast<double>(wanted[i]))))
            << "number " << i;
    }
}

/// Half a unit in the last place of bfloat16, relative, and the float32 difference that may push it over.
constexpr double bfloat16_tolerance = 0.0041;

}  // namespace ropelab::cuda
