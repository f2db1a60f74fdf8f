#include "core/stats/t_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ropelab {
namespace {

using P = std::vector<std::optional<double>>;

// The example of Wikipedia's article on the method; R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") gives the same.
TEST(Holm, AgreesWithTheTextbookExample) {
    const P adjusted = holm(P{0.01, 0.04, 0.03, 0.005});
    const P expected = {0.03, 0.06, 0.06, 0.02};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(*adjusted[i], *expected[i], 1e-15);
}

TEST(Holm, DoesNotCountMissingValues) {
    EXPECT_EQ(holm(P{std::nullopt, 0.5, std::nullopt}), (P{std::nullopt, 0.5, std::nullopt}));
    EXPECT_TRUE(holm(P{}).empty());
}

TEST(Holm, StaysBetweenTheRawValueAndBonferroni) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int round = 0; round < 100; ++round) {
        P raw(1 + random() % 12);
        for (auto& p : raw) p = uniform(random);
        const P adjusted = holm(raw);
        for (std::size_t i = 0; i < raw.size(); ++i) {
            EXPECT_GE(*adjusted[i], *raw[i]);
            EXPECT_LE(*adjusted[i], std::min(1.0, static_cast<double>(raw.size()) * *raw[i]));
            for (std::size_t j = 0; j < raw.size(); ++j) {
                if (*raw[i] < *raw[j]) {
                    EXPECT_LE(*adjusted[i], *adjusted[j]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace ropelab
