#include "core/rope/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "tests/support/canonical_table.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> result(count);
    for (float& number : result) number = normal(generator);
    return result;
}

std::vector<float> rotated(std::vector<float> x, const FrequencySettings& settings, std::int64_t position,
                           Pairing pairing) {
    const std::vector<std::int64_t> positions = {position};
    rotate(x, static_cast<std::size_t>(settings.head_dim), rotation_table(frequencies(settings), positions), pairing);
    return x;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Case {
    double theta;
    double fraction;
    Partial partial;
    Pairing pairing;
};

class RotationProperty : public testing::TestWithParam<Case> {
 protected:
    FrequencySettings settings() const {
        return {
            .head_dim = 64, .theta = GetParam().theta, .fraction = GetParam().fraction, .partial = GetParam().partial};
    }
};

TEST_P(RotationProperty, PreservesNorms) {
    const auto x = random_numbers(64, 1);
    for (std::int64_t position : {0, 1, 17, 4095}) {
        const auto result = rotated(x, settings(), position, GetParam().pairing);
        EXPECT_NEAR(dot(result, result), dot(x, x), 1e-4);
    }
}

TEST_P(RotationProperty, DotProductDependsOnlyOnTheDistance) {  // formula 2
    const auto q = random_numbers(64, 2);
    const auto k = random_numbers(64, 3);
    const auto product = [&](std::int64_t m, std::int64_t n) {
        return dot(rotated(q, settings(), m, GetParam().pairing), rotated(k, settings(), n, GetParam().pairing));
    };
    for (std::int64_t distance : {0, 1, 5, 100}) {
        const double near = product(distance, 0);
        for (std::int64_t shift : {1, 50, 900}) EXPECT_NEAR(product(distance + shift, shift), near, 2e-4);
    }
}

TEST_P(RotationProperty, CanonicalLayoutRotatesPermutedChannelsEqually) {
    const auto x = random_numbers(64, 4);
    const std::int64_t position = 37;
    const auto expected = rotated(x, settings(), position, GetParam().pairing);

    const int d_r = rotary_dim(64, GetParam().fraction);
    const auto channels = canonical_channels(64, d_r, GetParam().partial, GetParam().pairing);
    std::vector<float> permuted(64);
    for (std::size_t c = 0; c < 64; ++c) permuted[c] = x[static_cast<std::size_t>(channels[c])];
    const RotationTable all = canonical_table(settings(), 38);
    const RotationTable row{1, 32, {all.cosine.end() - 32, all.cosine.end()}, {all.sine.end() - 32, all.sine.end()}};
    rotate(permuted, 64, row, Pairing::half);
    for (std::size_t c = 0; c < 64; ++c) EXPECT_FLOAT_EQ(permuted[c], expected[static_cast<std::size_t>(channels[c])]);
}

INSTANTIATE_TEST_SUITE_P(Settings, RotationProperty,
                         testing::Values(Case{1e4, 1.0, Partial::slice, Pairing::half},
                                         Case{1e4, 1.0, Partial::slice, Pairing::interleaved},
                                         Case{500, 0.25, Partial::slice, Pairing::half},
                                         Case{500, 0.25, Partial::slice, Pairing::interleaved},
                                         Case{1e6, 0.1, Partial::truncate, Pairing::half},
                                         Case{1e6, 0.5, Partial::truncate, Pairing::interleaved}));

TEST(Rotation, FractionZeroIsTheIdentity) {
    const auto x = random_numbers(64, 5);
    EXPECT_EQ(rotated(x, {.head_dim = 64, .fraction = 0}, 1000, Pairing::half), x);
}

TEST(Rotation, ThrowsIfSizesDoNotFit) {
    const std::vector<std::int64_t> positions = {0, 1};
    const RotationTable table = rotation_table(frequencies({.head_dim = 8}), positions);
    std::vector<float> x(20);
    EXPECT_MESSAGE(rotate(x, 8, table, Pairing::half), BadInput, "20");
    EXPECT_MESSAGE(rotate(x, 4, table, Pairing::half), BadInput, "8 channels");
}

// The reference file has cases of GPT-NeoX (half pairing) and GPT-J (interleaved pairing).
TEST(Rotation, AgreesWithHuggingFaceTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/rotated_tensors.json");
    const auto reference = read_json_file(shared_data("oracles/rotated_tensors.json"));
    const auto flat = [](const nlohmann::json& nested) {
        return nested.flatten().get<std::map<std::string, float>>().size();
    };
    ASSERT_EQ(flat(reference.at("q")), 2U * 8U * 16U);
    const auto numbers = [](const nlohmann::json& nested) {
        std::vector<float> result;
        for (const auto& head : nested.at(0)) {
            for (const auto& row : head) {
                for (const auto& value : row) result.push_back(value.get<float>());
            }
        }
        return result;
    };
    int cases = 0;
    for (const auto& entry : reference.at("cases")) {
        std::vector<std::int64_t> positions(8);
        std::iota(positions.begin(), positions.end(), entry.at("offset").get<std::int64_t>());
        const auto table = rotation_table(
            frequencies({.head_dim = 16, .theta = entry.at("theta"), .fraction = entry.at("fraction")}), positions);
        const Pairing pairing = entry.at("style") == "half" ? Pairing::half : Pairing::interleaved;
        for (const auto& [before, after] : {std::pair{"q", "q_rot"}, std::pair{"k", "k_rot"}}) {
            auto x = numbers(reference.at(before));
            rotate(x, 16, table, pairing);
            const auto expected = numbers(entry.at(after));
            ASSERT_EQ(x.size(), expected.size());
            for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-6);
        }
        ++cases;
    }
    EXPECT_EQ(cases, 6);
}

}  // namespace
}  // namespace ropelab
