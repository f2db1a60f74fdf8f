#include "core/base/random_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/dropout_factors.h"
#include "tests/support/guarded.h"

namespace ropelab {
namespace {

// Reference values: file kat_vectors of Random123, philox4x32 with 10 rounds.
TEST(Philox, MatchesTheReferenceValuesOfRandom123) {
    using Counter = std::array<std::uint32_t, 4>;
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, NumbersDependOnlyOnSeedNameStepAndIndex) {
    const RandomStream stream(1, "batches");
    EXPECT_EQ(stream.below(1000, 5, 3), RandomStream(1, "batches").below(1000, 5, 3));
    EXPECT_NE(stream.block(0, 0), RandomStream(2, "batches").block(0, 0));
    EXPECT_NE(stream.block(0, 0), RandomStream(1, "dropout").block(0, 0));
    EXPECT_NE(stream.block(0, 0), stream.block(1, 0));
    EXPECT_NE(stream.block(0, 0), stream.block(0, 1));
}

TEST(RandomStream, NormalNumbersHaveTheMomentsOfTheNormalDistribution) {
    std::vector<float> values(200001);  // not a multiple of four
    RandomStream(3, "init").fill_normal(values, 0.02);
    double mean = 0;
    double square = 0;
    double fourth = 0;
    for (float value : values) {
        mean += value;
        square += value * value;
        fourth += std::pow(value, 4);
    }
    const auto n = static_cast<double>(values.size());
    EXPECT_NEAR(mean / n, 0, 4 * 0.02 / std::sqrt(n));
    EXPECT_NEAR(std::sqrt(square / n), 0.02, 0.0002);
    EXPECT_NEAR(fourth / n / std::pow(square / n, 2), 3, 0.05);
}

TEST(RandomStream, DropoutMaskIsTheSameWhenFilledInParts) {
    const RandomStream stream(4, "dropout:embedding");
    std::vector<float> whole(1003);
    stream.fill_dropout(whole, 0.2, 17, 0);
    std::vector<float> parts(1003);
    // The second part begins inside a block of four numbers, and it is shorter than a block.
    std::size_t done = 0;
    for (const std::size_t count : {401, 2, 600}) {
        stream.fill_dropout({parts.data() + done, count}, 0.2, 17, done);
        done += count;
    }
    EXPECT_EQ(whole, parts);

    std::vector<float> many(100000);
    stream.fill_dropout(many, 0.2, 18, 0);
    double nonzero = 0;
    for (float value : many) {
        ASSERT_TRUE(value == 0.0F || value == 1.25F) << value;
        nonzero += value > 0;
    }
    EXPECT_NEAR(nonzero / 100000, 0.8, 0.006);
}

TEST(RandomStream, DropoutMaskComparesTheNumbersOfItsBlocks) {
    const RandomStream stream(4, "dropout:embedding");
    constexpr std::uint64_t step = (std::uint64_t{1} << 40) + 17;
    constexpr std::uint64_t first =
        (std::uint64_t{1} << 32) - 50;  // the block whose number has more than 32 bits follows
    for (const double rate : {0.2, 0.8}) {
        Guarded<float> mask(1003);
        stream.fill_dropout(mask, rate, step, 4 * first);
        for (std::size_t i = 0; i < mask.size(); ++i) {
            const std::uint32_t number = stream.block(first + i / 4, step)[i % 4];
            ASSERT_EQ(mask[i] == 0, number < DropoutRate(rate).threshold) << i;
        }
    }
}

TEST(RandomStream, DropoutIsTheSameByTheInstructionsOfEveryLevel) {
    const RandomStream stream(4, "dropout:embedding");
    for (const DropoutFactors fill : dropout_factors()) {
        for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 13}) {
            for (const double rate : {0.2, 0.8}) {
                const DropoutRate parts(rate);
                Guarded<float> factors(4 * counters_at_once, -1);
                fill(stream.key(), first, first + 17, parts.threshold, parts.kept_factor, factors.data());
                for (std::size_t i = 0; i < factors.size(); ++i) {
                    const std::uint32_t number = stream.block(first + i / 4, first + 17)[i % 4];
                    ASSERT_EQ(factors[i], number < parts.threshold ? 0 : parts.kept_factor) << i;
                }
            }
        }
    }
}

TEST(RandomStream, IntegersAreUniformBelowTheirBound) {
    const RandomStream stream(5, "batches");
    std::vector<int> seen(10, 0);
    for (std::uint64_t i = 0; i < 10000; ++i) ++seen.at(stream.below(10, 0, i));
    for (int count : seen) EXPECT_NEAR(count, 1000, 150);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const double u = stream.uniform(0, i);
        ASSERT_TRUE(u > 0 && u < 1);
    }
}

}  // namespace
}  // namespace ropelab
