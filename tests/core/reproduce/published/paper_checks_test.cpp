#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reproduce/published/published.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

PaperCheck check_of(const std::string& sheet, const std::string& what) {
    for (const PaperCheck& check : paper_checks(sheet)) {
        if (check.what == what) return check;
    }
    ADD_FAILURE() << "no check \"" << what << '"';
    return {};
}

// Errors that were found by hand in the paper: 1.94, 1.58, 1.74, 1.74 and 2.02 % on enwik8, and others.
TEST(PaperChecks, FindsTheThetaPapersDisagreements) {
    const std::vector<std::pair<const char*, const char*>> enwik8 = {
        {"500", "1.94"}, {"1000", "1.58"}, {"5000", "1.74"}, {"20000", "1.74"}, {"50000", "2.02"}};
    for (const auto& [theta, percent] : enwik8) {
        const PaperCheck check = check_of(
            "theta-table-2", std::string("improvement of the best validation loss with θ = ") + theta + " on enwik8");
        EXPECT_EQ(check.recomputed, std::string(percent) + " %");
        EXPECT_FALSE(check.agrees) << theta;
    }
    EXPECT_TRUE(
        check_of("theta-table-2", "improvement of the best validation loss with θ = 5000 on tinyshakespeare").agrees);
    const PaperCheck significance =
        check_of("theta-table-3", "p value of θ = 5000 against θ = 10000 on tinyshakespeare");
    EXPECT_EQ(significance.recomputed, "p = 0.016 (Student), 0.031 (Welch)");
    EXPECT_FALSE(significance.agrees);
    const PaperCheck speed =
        check_of("theta-speed", "generation speed [tokens per second] of every θ but 10000, across all data sets");
    EXPECT_EQ(speed.recomputed, "214 to 266");
    EXPECT_THAT(check_of("theta-table-2", "shape of the loss over θ on tinyshakespeare").recomputed,
                HasSubstr("a maximum at θ = 10000"));
    EXPECT_FALSE(check_of("theta-table-2", "equal best validation losses at 2 bases on enwik8 (1.0814)")
                     .agrees);  // 1.78 and 1.82 %
    EXPECT_TRUE(check_of("theta-table-3", "increase in training time with θ = 500").agrees);
}

// Table 2: 505 tokens per second against 264 and 214 (enwik8), 535 against 266 and 230 (text8), 441 against 244 and
// 242.
TEST(PaperChecks, RecomputesTheThetaPapersStatementsInWords) {
    const std::string slowdown = "slowdown of generation with every θ but 10000 on ";
    EXPECT_EQ(check_of("theta-speed", slowdown + "enwik8").recomputed, "1.91 to 2.36 times");
    EXPECT_FALSE(check_of("theta-speed", slowdown + "enwik8").agrees);
    EXPECT_EQ(check_of("theta-speed", slowdown + "text8").recomputed, "2.01 to 2.33 times");
    EXPECT_FALSE(check_of("theta-speed", slowdown + "text8").agrees);
    EXPECT_EQ(check_of("theta-speed", slowdown + "tinyshakespeare").recomputed, "1.81 to 1.82 times");
    EXPECT_TRUE(check_of("theta-speed", slowdown + "tinyshakespeare").agrees);
    const PaperCheck lower =
        check_of("theta-table-2", "improvements of the best validation loss with θ = 500 and θ = 1000 on enwik8");
    EXPECT_EQ(lower.printed, "about 2.0 %");
    EXPECT_EQ(lower.recomputed, "1.94 % and 1.58 %");
    EXPECT_FALSE(lower.agrees);
    const PaperCheck middle = check_of("theta-table-2", "natural midpoint of the bases 500 to 50000");
    EXPECT_THAT(middle.recomputed, HasSubstr("θ = 5000 "));
    EXPECT_FALSE(middle.agrees);
    EXPECT_FALSE(check_of("theta-table-2", "meaning of d in the frequencies θ^(−2i/d)").agrees);
    EXPECT_THAT(check_of("theta-table-2", "models that the paper cites as using RoPE").recomputed, HasSubstr("ALiBi"));
}

TEST(PaperChecks, ChecksThePartialRopePapersNumbers) {
    const PaperCheck saving = check_of("partial-bands", "reduction of the RoPE cache of Llama-1B at 10 %");
    EXPECT_EQ(saving.recomputed, "10.67 times");
    EXPECT_FALSE(saving.agrees);
    EXPECT_EQ(check_of("partial-bands", "reduction of the RoPE cache of Pythia-1B at 10 %").recomputed, "9.85 times");
    for (const PaperCheck& check : paper_checks("partial-bands")) {
        EXPECT_TRUE(check.agrees || !check.what.starts_with("rotated channels")) << check.what;
    }
    EXPECT_FALSE(check_of("nope-spikes", "effect of better data on the loss").agrees);
}

TEST(PaperChecks, FindsThePostsErrors) {
    EXPECT_EQ(check_of("bpc", "code length of the letter A at p(A) = 0.9").recomputed, "0.152 bits");
    EXPECT_EQ(check_of("bpc", "mean code length per letter").recomputed, "0.469 bits");
    EXPECT_FALSE(check_of("bpc", "mean code length per letter").agrees);
    EXPECT_TRUE(check_of("bpc", "code length of the letter B at p(B) = 0.1").agrees);
    EXPECT_TRUE(paper_checks("none").empty());
}

TEST(PaperChecks, GatedNetworksHaveEquallyManyWeights) {
    const PaperCheck weights =
        check_of("glu-variants", "weights of a gated network with two thirds of the hidden width");
    EXPECT_EQ(weights.recomputed, "4718592 and 4718592");
    EXPECT_TRUE(weights.agrees);
    EXPECT_TRUE(check_of("glu-variants", "lowest log-perplexities after 65,536 steps").agrees);
    EXPECT_TRUE(check_of("glu-variants", "lowest log-perplexities after 524,288 steps").agrees);
}

TEST(Published, EveryFileNamesItsSource) {
    for (const auto* json : {&theta_paper(), &partial_rope_paper(), &post(), &glu_variants()}) {
        EXPECT_GT(json->at("source").get<std::string>().size(), 20U);
    }
    const Sample sample = published_sample(row_of_theta(theta_paper().at("table_3"), 500).at("seconds"), 3);
    EXPECT_EQ(sample.mean, 322.2);
    EXPECT_EQ(sample.standard_deviation, 2.1);
    EXPECT_TRUE(std::isnan(published_sample(666, 5).standard_deviation));
    EXPECT_THROW(row_of_theta(theta_paper().at("table_3"), 7), std::out_of_range);
}

TEST(PaperChecks, CodeLengthsAreLogarithms) {
    const LetterBits bits = letter_bits(0.9);
    EXPECT_NEAR(bits.a, 0.152003, 1e-6);
    EXPECT_NEAR(bits.b, 3.321928, 1e-6);
    EXPECT_NEAR(bits.average, 0.468996, 1e-6);
    EXPECT_EQ(letter_bits(0.5).average, 1);
    EXPECT_EQ(printed_letter_bits().p_a, 0.9);
    EXPECT_EQ(printed_letter_bits().bits.average, 0.8);
    EXPECT_THROW(letter_bits(1), BadInput);
    EXPECT_THROW(letter_bits(0), BadInput);
}

// 1.4679 with 0.40 % and 0.41 %, and 1.0648 with 0.71 % and 0.72 %, differ by what rounding explains: at most 0.017 and
// 0.019 %.
TEST(PaperChecks, AllowForTheRoundingOfPrintedNumbers) {
    EXPECT_TRUE(
        check_of("theta-table-2", "equal best validation losses at 2 bases on tinyshakespeare (1.4679)").agrees);
    EXPECT_TRUE(check_of("theta-table-2", "equal best validation losses at 5 bases on text8 (1.0648)").agrees);
}

// The lowest best loss and the lowest final loss are different quantities.
TEST(PaperChecks, BestAndFinalLossesAreNotCompared) {
    for (const PaperCheck& check : paper_checks("theta-table-3")) {
        EXPECT_THAT(check.what, testing::Not(HasSubstr("lowest validation loss")));
    }
}

// Returns the numbers of questions n for which every printed standard error of a benchmark, √(p(1 − p)/(n − 1)) with
// two decimals, follows from the printed accuracy.
std::pair<double, double> questions_by_errors(std::size_t benchmark) {
    double fewest = 1, most = 1e9;
    for (const auto& row : partial_rope_paper().at("benchmark_accuracy")) {
        const double accuracy = row.at("accuracy")[benchmark].get<double>();
        const double error = row.at("stderr")[benchmark].get<double>();
        const double low = std::max(0.0, accuracy - 0.005), high = std::min(1.0, accuracy + 0.005);
        const double least = std::min(low * (1 - low), high * (1 - high));
        const double greatest = low <= 0.5 && high >= 0.5 ? 0.25 : std::max(low * (1 - low), high * (1 - high));
        fewest = std::max(fewest, least / std::pow(error + 0.005, 2) + 1);
        if (error > 0.005) most = std::min(most, greatest / std::pow(error - 0.005, 2) + 1);
    }
    return {fewest, most};
}

// Each number of questions lies in the range that Table 3's standard errors leave, and says where it comes from.
TEST(Published, NumbersOfQuestionsStateTheirSource) {
    const auto& benchmarks = partial_rope_paper().at("benchmarks");
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
        const auto name = benchmarks[i].at("name").get<std::string>();
        const auto from = benchmarks[i].at("questions_from").get<std::string>();
        const auto [fewest, most] = questions_by_errors(i);
        EXPECT_GE(benchmarks[i].at("questions").get<double>(), fewest) << name;
        EXPECT_LE(benchmarks[i].at("questions").get<double>(), most) << name;
        const bool has_outputs = name == "PIQA" || name == "WinoGrande" || name == "WSC";
        EXPECT_EQ(from.starts_with("confirmed: "), has_outputs) << name;
        EXPECT_EQ(from.starts_with("not confirmed: "), !has_outputs) << name;
    }
    EXPECT_NEAR(questions_by_errors(6).first, 960, 1);  // SciQ
    EXPECT_NEAR(questions_by_errors(6).second, 1063, 1);
}

}  // namespace
}  // namespace ropelab
