#include "core/data/generated/floor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/spec/error.h"
#include "tests/core/data/generated/toy_source.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

class FloorOfAToy : public testing::Test {
 protected:
    std::vector<double> losses(std::string_view text, int context, const std::function<bool()>& cancelled = {}) {
        return loss_by_position(source_, stationary_distribution(source_), text, context, cancelled);
    }

    Source source_{toy::rows()};
};

TEST_F(FloorOfAToy, AgreesWithTheEnumerationAtEveryPosition) {
    const std::string text = toy::text(source_, 500);
    for (const int context : {1, 2, 3, 10, 99}) {
        const auto width = static_cast<std::size_t>(context);
        std::vector<double> expected(width, 0.0);
        int windows = 0;
        for (std::size_t begin = 0; begin + width + 1 <= text.size(); begin += width) {
            ++windows;
            for (std::size_t t = 0; t < width; ++t) {
                expected[t] += std::log(toy::probability_of(text.substr(begin, t + 1)) /
                                        toy::probability_of(text.substr(begin, t + 2)));
            }
        }
        const std::vector<double> counted = losses(text, context);
        ASSERT_EQ(counted.size(), width);
        for (std::size_t t = 0; t < width; ++t) EXPECT_NEAR(counted[t], expected[t] / windows, 1e-12) << context << t;
    }
}

TEST_F(FloorOfAToy, ReadsAsManyWindowsAsFit) {
    // Window w ends at character (w + 1) * context, which must exist: 8 characters hold one window of 4, 9 hold two.
    const std::string text = toy::text(source_, 9);
    int asked = 0;
    const auto count = [&] { return ++asked < 0; };
    losses(std::string_view(text).substr(0, 8), 4, count);
    EXPECT_EQ(asked, 1);
    asked = 0;
    losses(text, 4, count);
    EXPECT_EQ(asked, 2);
}

TEST_F(FloorOfAToy, StopsWhenAsked) {
    int asked = 0;
    EXPECT_TRUE(losses(toy::text(source_, 100), 4, [&] { return ++asked == 3; }).empty());
    EXPECT_EQ(asked, 3);
}

TEST_F(FloorOfAToy, RefusesBadInputByName) {
    EXPECT_MESSAGE(losses("abc", 0), BadInput, "context is 0");
    EXPECT_MESSAGE(losses("bcb", 3), BadInput, "3 characters");
    EXPECT_MESSAGE(losses("bcbz", 3), BadInput, "'z' at offset 3");
    EXPECT_MESSAGE(losses("b\n", 1), BadInput, "byte 10 at offset 1");
    EXPECT_MESSAGE(losses("bbbbbcc", 2), BadInput, "'c' at offset 6");  // from the start of the text
}

}  // namespace
}  // namespace ropelab
