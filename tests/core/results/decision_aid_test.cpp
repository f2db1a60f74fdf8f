#include "core/results/decision_aid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "core/base/error.h"
#include "core/contract/training_clock.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

struct Setting {
    int theta;
    double loss;
    double speed;
};

// Returns three seeds per setting: mean − 0.01, mean and mean + 0.01 for the loss, in turn upwards and downwards, so
// that paired differences vary, and ± 1 for the generation speed.
ResultsTable decision_table(const std::vector<Setting>& settings) {
    std::vector<ResultRun> runs;
    double step = 0.01;
    for (const Setting& setting : settings) {
        step = -step;
        for (int i = -1; i <= 1; ++i) {
            runs.push_back(result_run({{"theta", setting.theta}, {"seed", 2 + i}}, setting.loss + step * i));
            runs.back().summary->generated_tokens_per_second = setting.speed + i;
        }
    }
    return welch_table(runs);
}

// 1000 has a lower loss than 500 at an equal speed; 5000 is faster than both, but has a higher loss.
TEST(DecisionAid, ListsTheSettingsThatNoneDominates) {
    const ResultsTable table = decision_table({{500, 1.5, 100}, {1000, 1.2, 100}, {5000, 1.9, 200}});
    const auto aids = decision_aids(table);
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].front, (std::vector<std::size_t>{1, 2}));
    ASSERT_EQ(aids[0].dominated.size(), 1U);
    EXPECT_EQ(aids[0].dominated[0].group, 0U);
    EXPECT_EQ(aids[0].dominated[0].by, 1U);
    EXPECT_TRUE(aids[0].undecided.empty());
    EXPECT_EQ(aids[0].comparisons, 6);
    EXPECT_EQ(
        decision_text(table),
        "2 of 3 settings are not Pareto-dominated: θ 1k; θ 5k.\n"
        "  The settings are compared in best "
        "validation loss and generation speed with "
        "the t test (paired by seed if the two groups share at least two seeds and half of those of the smaller group, "
        "else Welch's), after Holm's correction over 6 tests.\n"
        "  θ 500 is Pareto-dominated by θ 1k.\n");
    const auto json = decision_json(table);
    EXPECT_EQ(json[0]["front"][1]["theta"], 5000);
    EXPECT_EQ(json[0]["dominated"][0]["by"]["theta"], 1000);
}

// The means differ by less than a standard deviation, so that a lower mean in both is no dominance.
TEST(DecisionAid, DifferencesThatAreNotSignificantAreUndecided) {
    const ResultsTable table = decision_table({{500, 1.500, 100}, {1000, 1.495, 100.5}});
    const auto aids = decision_aids(table);
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].front.size(), 2U);
    EXPECT_EQ(aids[0].undecided.size(), 1U);
    EXPECT_EQ(
        decision_text(table),
        "Neither setting is Pareto-dominated: no difference in loss or speed is significant after Holm's "
        "correction over 2 tests and beyond the relevance margin.\n"
        "  The settings are "
        "compared in best validation loss and generation speed with "
        "the t test (paired by seed if the two groups share at least two seeds and half of those of the smaller group, "
        "else Welch's), after Holm's correction over 2 tests.\n"
        "  Undecided: θ 500 against θ 1k.\n");
}

TEST(DecisionAid, ManyUndecidedPairsAreCounted) {
    const ResultsTable table = decision_table({{500, 1.5, 100}, {1000, 1.5, 100}, {5000, 1.5, 100}, {9000, 1.5, 100}});
    EXPECT_TRUE(
        decision_text(table).starts_with("None of the 4 settings is Pareto-dominated: no difference in loss or "
                                         "speed is significant after Holm's correction over 12 tests and beyond the "
                                         "relevance margin.\n"));
    const ResultsTable five =
        decision_table({{500, 1.5, 100}, {1000, 1.5, 100}, {5000, 1.5, 100}, {9000, 1.5, 100}, {20000, 1.5, 100}});
    EXPECT_NE(decision_text(five).find("  Undecided: all 10 pairs of settings.\n"), std::string::npos);
    EXPECT_EQ(decision_text(five).find("Undecided: θ"), std::string::npos);
    EXPECT_EQ(decision_json(table)[0]["undecided"].size(), 6U);
}

TEST(DecisionAid, TestsPairsOfAtMost200Settings) {
    std::vector<Setting> settings;
    for (int i = 0; i < 200; ++i) settings.push_back({100 + i, 1.5 + 0.1 * i, 100});
    const DecisionAid aid = decision_aids(decision_table(settings)).at(0);
    EXPECT_EQ(aid.untried, 0U);
    EXPECT_EQ(aid.front.size() + aid.dominated.size(), 200U);
    EXPECT_GT(aid.dominated.size(), 100U);
    settings.push_back({400, 1, 100});
    const ResultsTable table = decision_table(settings);
    EXPECT_EQ(decision_aids(table).at(0).untried, 201U);
    EXPECT_EQ(decision_text(table),
              "The decision aid tests each pair of settings, and these 201 settings are too many for it: choose an "
              "experiment of at most 200 settings.\n");
}

TEST(DecisionAid, NeedsSettingsThatCanBeTested) {  // one seed per setting allows no test
    const std::vector<ResultRun> runs = {result_run({{"theta", 500}, {"seed", 1}}, 1.5),
                                         result_run({{"theta", 1000}, {"seed", 1}}, 1.2)};
    EXPECT_EQ(decision_text(welch_table(runs)), "");
}

TEST(DecisionAid, WeighsTheChosenQuantities) {
    const ResultsTable table = decision_table({{500, 1.5, 100}, {1000, 1.2, 100}, {5000, 1.9, 200}});
    const DecisionChoice choice = decision_choice("final_validation_loss, tokens_per_second");
    EXPECT_EQ(choice.loss, "final_validation_loss");
    EXPECT_EQ(choice.cost, "tokens_per_second");
    // Nothing is known of the clocks, so that no speed is tested.
    EXPECT_EQ(
        decision_text(table, choice),
        "None of the 3 settings is Pareto-dominated by another one.\n"
        "  The settings are compared in final "
        "validation loss and training speed with "
        "the t test (paired by seed if the two groups share at least two seeds and half of those of the smaller group, "
        "else Welch's), after Holm's correction over 3 tests.\n"
        "  There is one measurement of training speed per setting: runs trained together (a cohort) share one "
        "clock, and the load of the machine differs between cohorts. The speeds are therefore not tested, and no "
        "setting is marked as Pareto-dominated.\n");
    EXPECT_EQ(decision_json(table, choice)[0]["loss"], "final_validation_loss");
    EXPECT_EQ(decision_json(table, choice)[0]["speed"], "tokens_per_second");
    EXPECT_EQ(decision_choice("cache_bytes").loss, "");
    EXPECT_THAT([] { decision_choice("cache"); },
                ::testing::ThrowsMessage<BadInput>(::testing::HasSubstr("cache_bytes")));
    EXPECT_THAT([] { decision_choice("cache_bytes,tokens_per_second"); },
                ::testing::ThrowsMessage<BadInput>(::testing::HasSubstr("two losses or two costs")));
}

// 50 equal settings of ten seeds trained in 16 cohorts, whose speeds differ by the load of the machine.
TEST(DecisionAid, SpeedsOfSharedClocksDominateNoSetting) {
    std::vector<ResultRun> runs;
    for (int i = 0; i < 500; ++i) {
        const int cohort = i / 32;
        runs.push_back(result_run({{"theta", 1000 + i % 50}, {"seed", i / 50}}, 1.5 + 0.01 * ((i * 7919) % 13)));
        runs.back().summary->tokens_per_second = 1000 + 100 * cohort;
        runs.back().conditions = timed_by(to_text({"session", cohort, false}));
    }
    const ResultsTable table = welch_table(runs);
    EXPECT_EQ(table.groups[0].described[measure_index("tokens_per_second")].n, 1);
    const auto aids = decision_aids(table, decision_choice("tokens_per_second"));
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_TRUE(aids[0].dominated.empty());
    EXPECT_TRUE(aids[0].untested_cost);
    EXPECT_EQ(decision_aids(table)[0].cost.name, "cache_bytes");
}

// Fewer key and value heads make the KV cache smaller. Its size is exact, so that it needs no test.
TEST(DecisionAid, ComparesCacheSizesExactly) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        for (const int heads : {1, 2, 4}) {
            const double loss = heads == 2 ? 1.2 : 1.5;
            runs.push_back(result_run({{"heads", 4}, {"key_value_heads", heads}, {"seed", seed}}, loss + 0.01 * seed));
        }
    }
    const ResultsTable table = welch_table(runs);
    EXPECT_LT(group_cache_bytes(table, table.groups[0]), group_cache_bytes(table, table.groups[1]));
    const auto aids = decision_aids(table, decision_choice("cache_bytes"));
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].comparisons, 3) << "only the losses are tested";
    EXPECT_EQ(aids[0].front, (std::vector<std::size_t>{0, 1})) << "the largest cache has no lower loss";
    EXPECT_EQ(decision_text(table, decision_choice("cache_bytes")),
              "2 of 3 settings are not Pareto-dominated: key value heads 1; key value heads 2.\n"
              "  The settings are "
              "compared in best validation loss and size of KV cache and RoPE cache with Welch's t test, after Holm's "
              "correction over 3 tests.\n"
              "  key value heads 4 is Pareto-dominated by key value "
              "heads 1.\n");
}

// A setting whose mean loss is higher dominates none, however large the scatter of its seeds and its speed.
TEST(DecisionAid, NotSignificantlyWorseIsNotNotWorse) {
    std::vector<ResultRun> runs;
    const double slow[] = {1.40, 1.60, 1.50}, fast[] = {1.58, 1.52, 1.64}, close[] = {1.401, 1.601, 1.499};
    for (int i = 0; i < 3; ++i) {
        for (const auto& [theta, loss, speed] :
             {std::tuple{500, slow[i], 100.0}, std::tuple{1000, fast[i], 200.0}, std::tuple{5000, close[i], 50.0}}) {
            runs.push_back(result_run({{"theta", theta}, {"seed", 1 + i}}, loss));
            runs.back().summary->generated_tokens_per_second = speed + i;
        }
    }
    const auto aids = decision_aids(welch_table(runs));
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].front, (std::vector<std::size_t>{0, 1})) << "1000 is faster, but its mean loss is 0.08 higher";
    ASSERT_EQ(aids[0].dominated.size(), 1U);
    EXPECT_EQ(aids[0].dominated[0].group, 2U) << "500 is faster, and its loss is within 1 % of that of 5000";
    EXPECT_EQ(aids[0].dominated[0].by, 0U);
}

TEST(DecisionAid, NeedsTwoSettings) {
    EXPECT_EQ(decision_text(decision_table({{500, 1.5, 100}})), "");
    EXPECT_EQ(decision_text(decision_table({})), "");
}

}  // namespace
}  // namespace ropelab
