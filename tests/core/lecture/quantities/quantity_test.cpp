// The expected numbers were computed from the formulas with another program.
#include "core/lecture/quantities/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/lecture/lecture_rooms.h"
#include "core/rope/logit.h"
#include "tests/support/expect_message.h"
#include "tests/support/source_file.h"

namespace ropelab {
namespace {

nlohmann::json value_of(const std::string& expression, const std::string& setup = "") {
    QuantitySource source;
    if (!setup.empty()) source.setups = parse_setups(setup);
    return evaluate_quantity(expression, source);
}

double number_in(const std::string& expression, const std::string& setup = "") {
    return value_of(expression, setup).get<double>();
}

TEST(Quantity, OfPairs) {
    EXPECT_EQ(value_of("rotary_dim"), 64);
    EXPECT_EQ(value_of("pairs"), 32);
    EXPECT_EQ(value_of("pairs", "fraction=25%"), 8);
    EXPECT_EQ(value_of("frequency(0)"), 1.0);
    EXPECT_NEAR(number_in("wavelength(31)"), 47117.2427801674, 1e-6);
    EXPECT_EQ(value_of("complete_pairs(1024)"), 18);
    EXPECT_EQ(value_of("pairs_beyond(1024)"), 14);
    EXPECT_NEAR(number_in("angle(0, 10)"), -147.04220486917677, 1e-9);
    EXPECT_NEAR(number_in("turns(0, 10)"), 1.5915494309189535, 1e-12);
}

TEST(Quantity, OfFrozenPairsIsNone) {
    const std::string truncated = "head_dim=64 fraction=25% partial=truncate";
    EXPECT_TRUE(value_of("wavelength(31)", truncated).is_null());
    EXPECT_EQ(value_of("frequency(31)", truncated), 0.0);
    EXPECT_EQ(number_in("pairs_beyond(64)", truncated) + number_in("complete_pairs(64)", truncated), 8);
    EXPECT_TRUE(value_of("scaled_ratio(31)", truncated).is_null());
}

TEST(Quantity, OfDigits) {
    EXPECT_NEAR(number_in("base_digit()"), 1.333521432163324, 1e-12);
    EXPECT_NEAR(number_in("digit(0, 527)", "theta=100 head_dim=4"), 7, 1e-9);
    EXPECT_NEAR(number_in("digit(1, 527)", "theta=100 head_dim=4"), 2, 1e-9);
}

TEST(Quantity, OfScaledSetups) {
    const std::string yarn = "theta=10k scaling=yarn factor=4 context=4096 original_context=1024";
    EXPECT_EQ(value_of("yarn_ramp(0)", yarn), 0.0);
    EXPECT_EQ(value_of("scaled_ratio(0)", yarn), 1.0);
    EXPECT_EQ(value_of("yarn_ramp(31)", yarn), 1.0);
    EXPECT_NEAR(number_in("scaled_ratio(31)", yarn), 0.25, 1e-12);
    EXPECT_NEAR(number_in("plain_wavelength(31)", yarn), 47117.2427801674, 1e-6);
    EXPECT_NEAR(number_in("wavelength(31)", yarn), 4 * 47117.2427801674, 1e-5);
    EXPECT_NEAR(number_in("attention_factor", yarn), 1.1386294361119891, 1e-12);  // 0.1 ln 4 + 1
    for (int pair = 0; pair < 32; ++pair) {
        const std::string at = "(" + std::to_string(pair) + ")";
        EXPECT_NEAR(number_in("scaled_ratio" + at, yarn), 1 - 0.75 * number_in("yarn_ramp" + at, yarn), 1e-12);
    }
}

TEST(Quantity, OfTheContext) {
    EXPECT_NEAR(number_in("bound(10)"), 21.05162882460777, 1e-9);
    EXPECT_NEAR(number_in("kernel(10)"), 21.05162882460777, 1e-9);
    EXPECT_EQ(value_of("first_negative"), 725);
    EXPECT_TRUE(value_of("first_negative(700)").is_null());
    EXPECT_NEAR(number_in("lowest_bound"), -1.4172675437226223, 1e-9);
    EXPECT_NEAR(number_in("decay_bound(10)"), 8.814334423439528, 1e-9);
    EXPECT_NEAR(number_in("expected_logit(10, 1, 0.5)"), 63.15488647382331, 1e-9);
    EXPECT_EQ(value_of("critical_dimension(1024)"), 36);
    EXPECT_NEAR(number_in("critical_base(1024, 4096)"), 122647.01302355247, 1e-6);
    EXPECT_NEAR(number_in("extrapolation_limit(1024)"), 1117.3259061216543, 1e-6);
    // Channels that are not rotated complete no period: d_c = 16 of 64.
    EXPECT_NEAR(value_of("extrapolation_limit(1024)", "fraction=25% partial=truncate").get<double>(),
                2 * M_PI * std::pow(10000, 0.25), 1e-9);
}

TEST(Quantity, OfFeasibleBases) {
    const nlohmann::json intervals = value_of("feasible_bases(16, 2, 300, 1)", "head_dim=8");
    ASSERT_FALSE(intervals.empty());
    EXPECT_EQ(value_of("smallest_feasible_base(16, 2, 300, 1)", "head_dim=8"), intervals[0][0]);
    for (const nlohmann::json& interval : intervals) {
        const std::string low = "theta=" + std::to_string(interval[0].get<int>()) + " head_dim=8 context=16";
        EXPECT_TRUE(value_of("first_negative", low).is_null()) << low;
    }
    EXPECT_EQ(value_of("feasible_bases(4096, 2, 10, 1)"), nlohmann::json::array());
    EXPECT_TRUE(value_of("smallest_feasible_base(4096, 2, 10, 1)").is_null());
    EXPECT_EQ(value_of("smallest_feasible_base(131072)", "head_dim=128"), 8.749e6);
}

TEST(Quantity, OfLogits) {
    const RotarySetup setup;
    const Frequencies frequency = frequencies(frequency_settings(setup));
    const auto logit = [&](std::int64_t seed, std::int64_t m, std::int64_t n) {
        return split_logit(random_query(seed, 64), random_key(seed, 64), m, n, frequency, setup.partial, setup.pairing)
            .total;
    };
    EXPECT_EQ(number_in("logit(100, 60)"), logit(1, 100, 60));
    EXPECT_EQ(number_in("logit(100, 60, 3)"), logit(3, 100, 60));
    EXPECT_NEAR(number_in("logit(140, 100)"), number_in("logit(100, 60)"), 1e-9);  // only the distance matters
    double sum = 0;
    for (int pair = 0; pair < 32; ++pair) sum += number_in("pair_term(" + std::to_string(pair) + ", 100, 60)");
    EXPECT_NEAR(sum, number_in("logit(100, 60)"), 1e-9);
    EXPECT_NEAR(number_in("aimed_logit(40, 40)"), number_in("equal_logit(7, 7)"), 1e-9);
    EXPECT_EQ(value_of("aimed_best(40)"), 40);
}

TEST(Quantity, OfRounding) {
    EXPECT_EQ(value_of("rounded_position(257, bfloat16)"), 256);
    EXPECT_EQ(value_of("rounded_distance(259, 257, bfloat16)"), 4);
    EXPECT_EQ(value_of("first_merged_position(bfloat16)"), 257);
    EXPECT_TRUE(value_of("rounded_position(70000, float16)").is_null());
}

TEST(Quantity, OfCaches) {
    EXPECT_EQ(value_of("table_bytes"), 64 * 1024 * 2 * 4);
    EXPECT_EQ(value_of("kv_cache_bytes(Llama 3 8B)"), 1073741824);
    EXPECT_EQ(value_of("kv_cache_bytes(32, 8, 128, 8192, 2)"), 1073741824);
    EXPECT_EQ(value_of("kv_cache_bytes(Llama 3 8B, 1024)"), 134217728);
    EXPECT_EQ(value_of("cache_share(32, 8, 128, 8192, 2)"), 1.0 / 128);  // 8 MiB of float32 beside 1 GiB
    EXPECT_EQ(value_of("alibi_slope(1)", "heads=8"), 0.25);
    EXPECT_EQ(value_of("alibi_bias(1, 10)", "heads=8"), -2.5);
    EXPECT_EQ(value_of("window_reach(3)", "attention_window=4096"), 12285);
    EXPECT_EQ(value_of("receptive_field(3)", "attention_window=4096 context=100000"), 12286);
    EXPECT_EQ(value_of("receptive_field(3)", "attention_window=4096 context=8192"), 8192);
    EXPECT_EQ(value_of("receptive_field(4, 4)", "attention_window=16 context=100000"), 100000);
    EXPECT_EQ(value_of("receptive_field(3, 4)", "attention_window=16 context=100000"), 46);
    EXPECT_MESSAGE(value_of("receptive_field(20000)"), BadInput, "must be at most 10,000");
    const double of_65 = number_in("parameters(layers=6, heads=6, width=384, context=256, vocabulary=65)");
    const double of_64 = number_in("parameters(layers=6, heads=6, width=384, context=256, vocabulary=64)");
    EXPECT_EQ(of_65 - of_64, 384);  // one row of the embedding, which the output head shares
}

TEST(Quantity, OfPublications) {
    EXPECT_EQ(value_of("published(theta_paper, table_2/tinyshakespeare/theta=500, best_validation_loss)"), 1.4728);
    EXPECT_EQ(value_of("published(theta-paper, table_2/tinyshakespeare/theta=500, improvement_percent)"), 0.07);
    EXPECT_EQ(value_of("published_spread(theta_paper, table_2/tinyshakespeare/theta=500, best_validation_loss)"),
              0.0016);
    EXPECT_EQ(value_of("published(theta_paper, n)"), 3);
    EXPECT_MESSAGE(value_of("published(theta_paper, table_2/tinyshakespeare/theta=501, seconds)"), BadInput,
                   "have no \"theta=501\" at this point of the path");
    EXPECT_MESSAGE(value_of("published(thesis, n)"), BadInput,
                   "theta_paper, partial_rope_paper, post and glu_variants");
}

TEST(Quantity, OfSetupB) {
    const std::string both = "theta=10k | B: theta=500k";
    EXPECT_NEAR(number_in("B.wavelength(31)", both), 2084764.7732591254, 1e-4);
    EXPECT_EQ(value_of("A.wavelength(31)", both), value_of("wavelength(31)", both));
    EXPECT_MESSAGE(value_of("B.pairs"), BadInput, "only one setup");
}

TEST(Quantity, RefusesWrongExpressions) {
    EXPECT_MESSAGE(value_of("wavelenght(31)"), BadInput, "did you mean wavelength?");
    EXPECT_MESSAGE(value_of(""), BadInput, "has no name");
    EXPECT_MESSAGE(value_of("wavelength"), BadInput, "write wavelength(pair)");
    EXPECT_MESSAGE(value_of("wavelength(1, 2)"), BadInput, "write wavelength(pair)");
    EXPECT_MESSAGE(value_of("wavelength(31"), BadInput, "brackets");
    EXPECT_MESSAGE(value_of("wavelength(,)"), BadInput, "empty argument");
    EXPECT_MESSAGE(value_of("wavelength(32)"), BadInput, "the pairs of the setup are 0 to 31");
    EXPECT_MESSAGE(value_of("wavelength(-1)"), BadInput, "whole number from 0");
    EXPECT_MESSAGE(value_of("wavelength(lots)"), BadInput, "not a number");
    EXPECT_MESSAGE(value_of("rounded_position(3, bfloat)"), BadInput, "format");
    EXPECT_MESSAGE(value_of("kv_cache_bytes(Lama 3 8B)"), BadInput, "Llama");
    EXPECT_MESSAGE(value_of("runs"), BadInput, "name the lab file of the runs");
    EXPECT_MESSAGE(value_of("runs(thta=5)"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(value_of("bound(1e12)"), BadInput, "at most");
    EXPECT_MESSAGE(value_of("feasible_bases(1000000, 2, 1e9, 1)"), BadInput, "larger step");
    EXPECT_MESSAGE(value_of(std::string(1000, 'x')), BadInput, "500 bytes");
}

TEST(Quantity, ChecksExpressionsWithoutASetup) {
    EXPECT_NO_THROW(check_quantity("wavelength(1000)"));  // another setup may have this pair
    EXPECT_NO_THROW(check_quantity("difference(final_validation_loss; theta=500; theta=10k)"));
    EXPECT_NO_THROW(check_quantity("runs"));
    EXPECT_MESSAGE(check_quantity("wavelength(x)"), BadInput, "not a number");
    EXPECT_MESSAGE(check_quantity("difference(final_loss; theta=500; theta=10k)"), BadInput, "final_loss");
    EXPECT_MESSAGE(check_quantity("published(theta_paper, table_9)"), BadInput, "table_9");
}

TEST(Quantity, NamesAreUniqueAndDescribed) {
    std::set<std::string> names;
    for (const QuantityDescription& each : quantities()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_THAT(each.description, ::testing::EndsWith(".")) << each.name;
    }
}

// docs/lectures.md has a row per quantity: | `name(arguments)` | unit | description |.
TEST(Quantity, AllAreDocumented) {
    std::ifstream file(source_file("docs/lectures.md"));
    std::string page{std::istreambuf_iterator<char>(file), {}};
    page.erase(0, page.find("\n## Quantities"));  // the tables above describe keys
    std::set<std::string> documented;
    for (std::size_t at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1)) {
        documented.insert(page.substr(at + 4, page.find('`', at + 4) - at - 4));
    }
    for (const QuantityDescription& each : quantities()) {
        const std::string call = each.name + each.arguments;
        EXPECT_EQ(documented.erase(call), 1U) << call << " is missing in docs/lectures.md";
        EXPECT_THAT(page, ::testing::HasSubstr("| `" + call + "` | " + each.unit + " | " + each.description + " |"));
    }
    EXPECT_THAT(documented, ::testing::IsEmpty()) << "docs/lectures.md describes quantities that do not exist";
}

// docs/lectures.md has a row per room: | `name` | parts | controls |.
TEST(LectureRooms, AreDocumented) {
    std::ifstream file(source_file("docs/lectures.md"));
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const auto listed = [](const std::vector<std::string_view>& names) {
        std::string text;
        for (const std::string_view name : names) text += (text.empty() ? "`" : ", `") + std::string(name) + "`";
        return text;
    };
    for (const LectureRoom& room : lecture_rooms()) {
        const std::string parts = room.name == "inspect"   ? "its figures"
                                  : room.name == "results" ? "its figures, and `predictions`"
                                                           : listed(room.parts);
        std::vector<std::string_view> controls;
        for (const LectureControl& control : room.controls) controls.push_back(control.name);
        EXPECT_THAT(page, ::testing::HasSubstr("| `" + std::string(room.name) + "` | " + parts + " | " +
                                               listed(controls) + " |"));
    }
}

}  // namespace
}  // namespace ropelab
