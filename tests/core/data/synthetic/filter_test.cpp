#include "core/data/synthetic/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "tests/core/data/synthetic/toy_source.h"

namespace ropelab {
namespace {

class FilterOnAToy : public testing::Test {
 protected:
    /// Compares the filter with enumeration for every text that begins with `text`, up to `max_length` characters.
    void compare(const std::string& text, const Belief& belief, std::size_t max_length) {
        const double probability_so_far = toy::probability_of(text);
        double sum = 0;
        for (const char character : {'a', 'b', 'c'}) {
            const std::string longer = text + character;
            const double expected = toy::probability_of(longer) / probability_so_far;
            EXPECT_NEAR(filter_.probability(belief, character), expected, 1e-12) << longer;
            sum += filter_.probability(belief, character);
            Belief after = belief;
            EXPECT_NEAR(filter_.advance(after, character), expected, 1e-12) << longer;
            ++compared_;
            if (expected <= 0) {
                EXPECT_TRUE(after.states.empty()) << longer;
            } else {
                EXPECT_NEAR(std::accumulate(after.probabilities.begin(), after.probabilities.end(), 0.0), 1, 1e-12);
                if (longer.size() < max_length) compare(longer, after, max_length);
            }
        }
        EXPECT_NEAR(sum, 1, 1e-12) << text;
    }

    Source source_{toy::rows()};
    Filter filter_{source_};
    int compared_ = 0;
};

TEST_F(FilterOnAToy, MatchesEnumerationOfAllTextsAndStartStates) {
    compare("", belief_of(stationary_distribution(source_)), 8);
    EXPECT_GT(compared_, 1000);
}

TEST_F(FilterOnAToy, LossMatchesEnumeration) {
    Belief belief = belief_of(stationary_distribution(source_));
    const std::string text = toy::text(source_, 60);
    double loss = 0;
    for (const char character : text) loss -= std::log(filter_.advance(belief, character));
    ASSERT_GT(toy::probability_of(text), 0);
    EXPECT_NEAR(loss, -std::log(toy::probability_of(text)), 1e-12);
}

TEST_F(FilterOnAToy, MergesPathsThatReachTheSameState) {
    Belief belief = belief_of(stationary_distribution(source_));
    for (const char character : std::string("ac")) filter_.advance(belief, character);
    std::vector<std::int32_t> states = belief.states;
    std::sort(states.begin(), states.end());
    EXPECT_EQ(std::adjacent_find(states.begin(), states.end()), states.end());
}

TEST(BeliefOf, OmitsStatesOfProbabilityZero) {
    const Belief belief = belief_of(std::vector<double>{0.25, 0, 0.75});
    EXPECT_EQ(belief.states, (std::vector<std::int32_t>{0, 2}));
    EXPECT_EQ(belief.probabilities, (std::vector<double>{0.25, 0.75}));
}

}  // namespace
}  // namespace ropelab
