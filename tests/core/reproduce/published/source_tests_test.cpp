#include "core/reproduce/published/source_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reproduce/published/published.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

// Expected values: SciPy (t, norm) and a count of all orders in Python, from the numbers of Tables 3 and 4.

TEST(SourceTests, EveryBenchmarkComparesTenPercentWithFullRope) {
    const auto comparisons = benchmark_comparisons(0.1);
    ASSERT_EQ(comparisons.size(), 10U);
    const BenchmarkComparison& arc = comparisons[0];
    EXPECT_EQ(arc.benchmark, "ARC-Challenge");
    EXPECT_EQ(arc.questions, 1172);
    EXPECT_EQ(arc.settings, 7);
    EXPECT_NEAR(100 * arc.difference, -0.2857, 1e-4);
    EXPECT_NEAR(100 * arc.low, -0.8409, 1e-4);
    EXPECT_NEAR(100 * arc.high, 0.2695, 1e-4);
    EXPECT_NEAR(arc.p_equivalence, 0.0005, 5e-5);
    const BenchmarkComparison& pubmed = comparisons[7];
    EXPECT_EQ(pubmed.benchmark, "PubMedQA");
    EXPECT_NEAR(pubmed.p_equivalence, 0.2203, 1e-4);
    EXPECT_EQ(pubmed.significant, 2);
    EXPECT_NEAR(comparisons[9].p_equivalence, 0.3814, 1e-4);
    EXPECT_EQ(std::count_if(comparisons.begin(), comparisons.end(),
                            [](const auto& each) { return each.p_equivalence < 0.05; }),
              8);
    // The smallest fraction above 0: 4 % or 1 %; the 8B models have none.
    const auto smallest = benchmark_comparisons(-1);
    EXPECT_EQ(smallest[3].settings, 6);
    EXPECT_NEAR(100 * smallest[3].difference, -3.83, 0.01);
    EXPECT_NEAR(smallest[3].p_equivalence, 0.9709, 1e-4);
}

TEST(SourceTests, TheBenchmarkClaimIsUndecided) {
    const auto tests = benchmark_tests();
    ASSERT_EQ(tests.size(), 4U);
    EXPECT_EQ(tests[0].verdict, SourceVerdict::undecided);
    EXPECT_THAT(tests[0].result,
                HasSubstr("Equivalent on 8 of 10 benchmarks; the accuracies differ by more than the margin on 0"));
    EXPECT_THAT(tests[0].result, HasSubstr("PubMedQA (-0.57 points"));
    EXPECT_THAT(tests[0].result, HasSubstr("WSC"));
    EXPECT_EQ(tests[1].verdict, SourceVerdict::undecided);
    EXPECT_THAT(tests[1].result, HasSubstr("Equivalent on 2 of 10 benchmarks (ARC-Challenge and WinoGrande)"));
    EXPECT_EQ(tests[2].verdict, SourceVerdict::holds);  // p = 2.5e-6
    EXPECT_THAT(tests[2].result, HasSubstr("-0.29 percentage points over 9 benchmarks"));
    EXPECT_EQ(tests[3].verdict, SourceVerdict::fails);  // WSC at 8,192 tokens: 37 % against 63 %, p = 1.0e-4
    EXPECT_THAT(
        tests[3].result,
        HasSubstr("8 of 70 pairs of accuracies differ at the 5 % level (3.5 expected by chance), 1 after Holm"));
}

TEST(SourceTests, ThePerplexityDropsBelowTenPercentAndKeepsFalling) {
    const auto tests = perplexity_tests();
    ASSERT_EQ(tests.size(), 4U);
    EXPECT_EQ(tests[0].verdict, SourceVerdict::holds);
    EXPECT_THAT(tests[0].claim, HasSubstr("[LAMBADA (OpenAI)]"));
    EXPECT_THAT(tests[1].claim, HasSubstr("[LAMBADA (Standard)]"));
    EXPECT_THAT(tests[0].result, HasSubstr("Kendall's S = -65 over 7 settings"));  // p = 1.9e-9
    EXPECT_EQ(tests[1].verdict, SourceVerdict::holds);
    EXPECT_THAT(tests[1].result, HasSubstr("Kendall's S = -61 over 7 settings"));  // p = 8.2e-8
    EXPECT_EQ(tests[2].verdict, SourceVerdict::undecided);
    EXPECT_THAT(tests[2].result,
                HasSubstr("Kendall's S = -27 over 7 settings, p = 0.015. The perplexity falls further"));
    EXPECT_THAT(tests[2].result, HasSubstr("0.981 times the perplexity"));
    EXPECT_EQ(tests[3].verdict, SourceVerdict::undecided);
    EXPECT_THAT(tests[3].result, HasSubstr("Kendall's S = -8 over 7 settings, p = 0.519. No trend is found"));
    EXPECT_THAT(tests[3].test, HasSubstr("One run per setting"));
}

TEST(SourceTests, OnlyThePartialRopePapersSheetsHaveThem) {
    EXPECT_EQ(source_tests("partial-bands").size(), 8U);
    EXPECT_EQ(source_tests("nope-spikes").size(), 8U);
    EXPECT_TRUE(source_tests("bpc").empty());
    EXPECT_EQ(source_tests_text("bpc"), "");
    EXPECT_TRUE(benchmark_table_json("bpc").is_null());
    EXPECT_EQ(benchmark_table_json("partial-bands").at("rows").size(), 50U);
    const std::string text = source_tests_text("partial-bands");
    EXPECT_THAT(text, HasSubstr("Llama-3.1-8B x FW x Seq. Len. 2048, 10% RoPE: ARC-Challenge 32 (1), ARC-Easy 60 (1)"));
    EXPECT_THAT(text, HasSubstr("holds: “perplexity tends to drop sharply"));
    EXPECT_EQ(source_tests_json("partial-bands").at(0).at("verdict"), "undecided");
}

TEST(PaperChecks, TheBenchmarkTableAgreesWithItsQuestionsAndOutputs) {
    std::size_t errors = 0, outputs = 0;
    for (const PaperCheck& check : paper_checks("partial-bands")) {
        errors += check.what.starts_with("standard errors of") ? 1 : 0;
        outputs += check.what.starts_with("accuracies on") ? 1 : 0;
        if (check.what.find("Table 3") != std::string::npos) {
            EXPECT_TRUE(check.agrees) << check.what;
        }
    }
    EXPECT_EQ(errors, 10U);
    EXPECT_EQ(outputs, 3U);
}

}  // namespace
}  // namespace ropelab
