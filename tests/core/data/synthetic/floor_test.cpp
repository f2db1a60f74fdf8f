#include "core/data/synthetic/source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "tests/core/data/synthetic/toy_source.h"
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

TEST_F(FloorOfAToy, MatchesEnumerationAtEveryPosition) {
    const std::string text = toy::text(source_, 500);
    for (const int context : {1, 2, 3, 10, 99}) {
        const auto width = static_cast<std::size_t>(context);
        std::vector<double> expected(width, 0.0);
        int sequences = 0;
        for (std::size_t begin = 0; begin + width + 1 <= text.size(); begin += width) {
            ++sequences;
            for (std::size_t t = 0; t < width; ++t) {
                expected[t] += std::log(toy::probability_of(text.substr(begin, t + 1)) /
                                        toy::probability_of(text.substr(begin, t + 2)));
            }
        }
        const std::vector<double> computed = losses(text, context);
        ASSERT_EQ(computed.size(), width);
        for (std::size_t t = 0; t < width; ++t)
            EXPECT_NEAR(computed[t], expected[t] / sequences, 1e-12) << context << t;
    }
}

TEST_F(FloorOfAToy, UsesAsManySequencesAsFit) {
    // Sequence w ends at character (w + 1) * context, which must exist: 8 characters contain one sequence of context 4,
    // 9 contain two.
    const std::string text = toy::text(source_, 9);
    int calls = 0;
    const auto count = [&] { return ++calls < 0; };
    losses(std::string_view(text).substr(0, 8), 4, count);
    EXPECT_EQ(calls, 1);
    calls = 0;
    losses(text, 4, count);
    EXPECT_EQ(calls, 2);
}

TEST_F(FloorOfAToy, StopsIfCancelled) {
    int calls = 0;
    EXPECT_TRUE(losses(toy::text(source_, 100), 4, [&] { return ++calls == 3; }).empty());
    EXPECT_EQ(calls, 3);
}

TEST_F(FloorOfAToy, RejectsInvalidArguments) {
    EXPECT_MESSAGE(losses("abc", 0), BadInput, "context is 0");
    EXPECT_MESSAGE(losses("bcb", 3), BadInput, "3 characters");
    EXPECT_MESSAGE(losses("bcbz", 3), BadInput, "'z' at offset 3");
    EXPECT_MESSAGE(losses("b\n", 1), BadInput, "byte 10 at offset 1");
    EXPECT_MESSAGE(losses("bbbbbcc", 2), BadInput, "'c' at offset 6");  // offset in the whole text
}

}  // namespace
}  // namespace ropelab
