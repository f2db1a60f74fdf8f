#include "core/data/synthetic/source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/core/data/synthetic/toy_source.h"

namespace ropelab {
namespace {

using Rows = std::vector<std::vector<Source::Arc>>;

TEST(Source, ReturnsItsArcs) {
    const Source source(toy::rows());
    EXPECT_EQ(source.size(), 5);
    EXPECT_EQ(source.total_weight(2), 4U);
    EXPECT_EQ(source.next(2, 'c'), 3);
    EXPECT_EQ(source.next(1, 'b'), Source::kNowhere);
    EXPECT_EQ(source.find(1, 'b'), nullptr);
    ASSERT_NE(source.find(3, 'b'), nullptr);
    EXPECT_DOUBLE_EQ(source.probability(3, *source.find(3, 'b')), 2.0 / 7.0);
}

TEST(Source, RejectsInvalidRows) {
    EXPECT_THROW(Source(Rows{}), std::invalid_argument);
    EXPECT_THROW(Source(Rows{{}}), std::invalid_argument) << "no arc";
    EXPECT_THROW(Source(Rows{{{'a', 1, 0}, {'a', 2, 0}}}), std::invalid_argument) << "two arcs for one character";
    EXPECT_THROW(Source(Rows{{{'a', 0, 0}}}), std::invalid_argument) << "weight 0";
    EXPECT_THROW(Source(Rows{{{'a', 1, 1}}}), std::invalid_argument) << "no such state";
    EXPECT_THROW(Source(Rows{{{'a', 1, -1}}}), std::invalid_argument) << "no such state";
    EXPECT_THROW(Source(Rows{{{'a', 4294967295U, 0}, {'b', 1, 0}}}), std::invalid_argument) << "sum of weights";
    EXPECT_THROW(Source(Rows{{{'a', 1, 0}}, {{'a', 1, 0}}}), std::invalid_argument) << "not reached";
    EXPECT_THROW(Source(Rows{{{'a', 1, 0}, {'b', 1, 1}}, {{'a', 1, 1}}}), std::invalid_argument)
        << "start not reachable";
}

TEST(Source, CanBeCompiledFromARule) {
    struct Place {
        int number;
        std::uint64_t key() const { return static_cast<std::uint64_t>(number) + 100; }
    };
    // A ring of four states: 'f' moves forward by one state and, less often, 'j' by two.
    const Source source = compile_source(Place{0}, [](const Place& at) {
        return std::vector<SourceArc<Place>>{{'f', 2, {(at.number + 1) % 4}}, {'j', 1, {(at.number + 2) % 4}}};
    });
    EXPECT_EQ(source.size(), 4);
    std::int32_t state = Source::kStart;
    for (const char character : {'f', 'j', 'f'}) state = source.next(state, character);
    EXPECT_EQ(state, Source::kStart);
    for (const double probability : stationary_distribution(source)) EXPECT_NEAR(probability, 0.25, 1e-15);
    EXPECT_NEAR(entropy_rate(source, stationary_distribution(source)), std::log(3.0) - 2.0 / 3.0 * std::log(2.0),
                1e-15);
}

TEST(StationaryDistribution, IsInvariantUnderOneStep) {
    const auto stationary = stationary_distribution(Source(toy::rows()));
    const auto expected = toy::stationary();
    ASSERT_EQ(stationary.size(), expected.size());
    for (std::size_t state = 0; state < stationary.size(); ++state)
        EXPECT_NEAR(stationary[state], expected[state], 1e-14);
    EXPECT_NEAR(std::accumulate(stationary.begin(), stationary.end(), 0.0), 1.0, 1e-14);
}

TEST(EntropyRate, EqualsTheGrowthOfBlockEntropies) {
    // The block entropies H(n) are computed by enumeration. H(n) - H(n - 1) falls towards the entropy rate from above.
    const Source source(toy::rows());
    const double rate = entropy_rate(source, stationary_distribution(source));
    std::vector<std::string> texts{""};
    double before = 0;
    double growth = 2;
    for (int length = 1; length <= 11; ++length) {
        std::vector<std::string> longer;
        double entropy = 0;
        for (const std::string& text : texts) {
            for (const char character : {'a', 'b', 'c'}) {
                const double probability = toy::probability_of(text + character);
                if (probability <= 0) continue;
                longer.push_back(text + character);
                entropy -= probability * std::log(probability);
            }
        }
        EXPECT_LE(entropy - before, growth + 1e-12);
        growth = entropy - before;
        before = entropy;
        texts = std::move(longer);
    }
    EXPECT_GE(growth, rate - 1e-12);
    EXPECT_LT(growth, rate + 0.01);
}

}  // namespace
}  // namespace ropelab
