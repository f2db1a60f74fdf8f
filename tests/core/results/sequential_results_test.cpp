// Comparisons in a lab with a stopping rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/results/decision_aid.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/results/results_table.h"
#include "core/results/results_verdict.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using End = SequentialResult::End;
using testing::HasSubstr;

std::shared_ptr<const SequentialSeeds> rule_up_to(std::int64_t cap) {
    auto rule = std::make_shared<SequentialSeeds>();
    rule->design.cap = cap;
    for (std::int64_t seed = 1; seed <= cap; ++seed) rule->seeds.push_back(seed);
    return rule;
}

// θ = 100 is 0.3 below θ = 10,000 (0.02 within pairs); θ = 500 equals it (0.2 within pairs).
std::vector<ResultRun> runs_of(const std::shared_ptr<const SequentialSeeds>& rule, std::int64_t seeds) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    std::vector<ResultRun> runs;
    for (std::int64_t seed = 1; seed <= seeds; ++seed) {
        const double shared = 1.5 + 0.1 * normal(generator);
        for (const auto& [theta, shift, deviation] :
             {std::tuple(10000, 0.0, 0.0), std::tuple(100, -0.3, 0.02), std::tuple(500, 0.0, 0.2)}) {
            runs.push_back(
                result_run({{"theta", theta}, {"seed", seed}}, shared + shift + deviation * normal(generator)));
            runs.back().sequential = rule;
        }
    }
    return runs;
}

const ResultGroup& group_of(const ResultsTable& table, int theta) {
    return *std::ranges::find_if(table.groups,
                                 [&](const ResultGroup& group) { return group.settings.at("theta") == theta; });
}

TEST(SequentialResults, VerdictsAreThoseOfTheRule) {
    const ResultsTable table = results_table(runs_of(rule_up_to(10), 10));
    ASSERT_TRUE(table.sequential);
    const ResultGroup& better = group_of(table, 100);
    ASSERT_TRUE(better.paired.sequential);
    EXPECT_EQ(better.paired.sequential->end, End::claim);
    EXPECT_LT(better.paired.sequential->pairs, 10);
    EXPECT_EQ(better.pairs, better.paired.sequential->pairs);
    EXPECT_EQ(*better.paired.p, *better.paired.sequential->p);
    EXPECT_EQ(*better.paired.p_holm, *better.paired.sequential->p_holm);
    EXPECT_EQ(verdict_of(table, better).kind, Verdict::Kind::better);
    EXPECT_THAT(verdict_of(table, better).words, HasSubstr("Settled after "));
    EXPECT_THAT(verdict_of(table, better).words, HasSubstr("hold at all looks together"));
    const ResultGroup& same = group_of(table, 500);
    EXPECT_EQ(same.paired.sequential->end, End::futile);
    EXPECT_EQ(verdict_of(table, same).kind, Verdict::Kind::undecided);
    EXPECT_THAT(verdict_of(table, same).words, HasSubstr("futility, which shows no equivalence"));
    EXPECT_THAT(results_text(table, {{"full"}}), HasSubstr("Stopping rule, fixed before the first run"));
    EXPECT_THAT(results_text(table), HasSubstr(" seeds that the stopping rule used, and the means cover all seeds."));
    EXPECT_THAT(results_csv(table), HasSubstr("seeds_used"));
    EXPECT_THAT(caption_words(table), HasSubstr("Stopping rule"));
    const auto json = results_json(table);
    EXPECT_EQ(json.at("groups").at(1).at("sequential").at("stopped"), "settled");
    for (const char* field : {"e_value", "p", "stopped", "seeds_used", "looks"})
        EXPECT_TRUE(json.at("groups").at(1).at("sequential").contains(field)) << field;
}

TEST(SequentialResults, HeadlineTablesAndExportsNameTheRule) {
    const ResultsTable table = results_table(runs_of(rule_up_to(10), 10));
    const auto name = [&](const ResultGroup& group) { return group_words(table, group); };
    const SequentialResult& settled = *group_of(table, 100).paired.sequential;
    EXPECT_THAT(headline(table, name),
                HasSubstr("(" + std::to_string(settled.pairs) + " of at most 10 seeds, " +
                          std::to_string(settled.looks) + " looks, anytime-valid e-process, p "));
    EXPECT_THAT(stopping_state(table), HasSubstr("2 comparisons: 1 settled, 1 stopped for futility after "));
    EXPECT_THAT(results_csv(table), HasSubstr("anytime-valid t-mixture e-process"));
    EXPECT_THAT(results_json(table).at("stopping_rule").get<std::string>(),
                HasSubstr("from 3 to at most 10, level 5 %"));
    EXPECT_EQ(stopping_state(results_table(theta_paper_runs())), "");
    EXPECT_TRUE(results_json(results_table(theta_paper_runs())).at("stopping_rule").is_null());
    // All intervals hold at every number of seeds, so that they are wider than those of a fixed number.
    std::vector<ResultRun> fixed = runs_of(nullptr, 10);
    const ResultsTable at_once = results_table(fixed);
    const Description &anytime = group_of(table, 100).described[table.compared],
                      &once = group_of(at_once, 100).described[table.compared];
    EXPECT_EQ(anytime.mean, once.mean);
    EXPECT_LT(anytime.confidence_low, once.confidence_low);
    EXPECT_GT(anytime.confidence_high, once.confidence_high);
    const auto shown = interval_to_baseline(table, group_of(table, 100), table.compared, TestKind::paired);
    EXPECT_EQ(shown->low, settled.interval.low);
}

// Plain t tests of seeds that the results chose called a setting dominated that the rule leaves undecided.
TEST(SequentialResults, OnlyTheRuleTestsLosses) {
    const ResultsTable table = results_table(runs_of(rule_up_to(10), 10));
    for (const ResultGroup& group : table.groups) {
        for (const TestKind kind : {TestKind::student, TestKind::welch}) EXPECT_FALSE(group.comparison(kind).p);
        EXPECT_FALSE(group.decided().detectable) << "of a t test with this number of seeds";
    }
    const std::vector<DecisionAid> aids = decision_aids(table, {.loss = "", .cost = "cache_bytes"});
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].comparisons, 2) << "of each setting with the baseline";
    // θ = 100 against θ = 500 is no test of the rule, so that only the baseline is dominated.
    ASSERT_EQ(aids[0].dominated.size(), 1U);
    EXPECT_TRUE(table.is_baseline(table.groups[aids[0].dominated[0].group]));
    EXPECT_THAT(decision_rule_words(table), HasSubstr("the stopping rule's test"));
    EXPECT_THAT(results_csv(table), HasSubstr(",ended,seeds_used,looks,e_value,largest_e_value,"));
    const SequentialResult& settled = *group_of(table, 100).paired.sequential;
    EXPECT_NEAR(settled.largest_e_value(), 1 / *settled.p, 1e-9);
}

// Means over other seeds said "below" of a setting that is above in every pair.
TEST(SequentialResults, TheLeadingSettingIsThatOfEqualSeeds) {
    const std::vector<double> own = {1.6, 1.5, 1.4, 1.3, 2.0};
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 5; ++seed) {
        const double loss = own[static_cast<std::size_t>(seed - 1)];
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, loss));
        if (seed < 5)  // the group's mean lacks the highest loss
            runs.push_back(result_run({{"theta", 1000}, {"seed", seed}}, loss + 0.01 + 0.002 * seed));
    }
    const auto name = [&](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); };
    EXPECT_THAT(leader(results_table(runs), name),
                testing::EndsWith("oss on this text: θ 10000; 0.015 nats below θ 1000 (95 % interval 0.011 … 0.019)"));
    runs.push_back(result_run({{"theta", 1000}, {"seed", 5}}, 0));
    runs.back().state = RunState::failed;
    EXPECT_THAT(leader(results_table(runs), name), HasSubstr("; without failed runs)"));
}

// A model was compared with its own repeat: "0 nats below … (one seed decides nothing)".
TEST(SequentialResults, TheLeadingSettingIsComparedWithAnotherModel) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        for (const auto& [theta, every] : {std::pair(10000, 10), std::pair(10000, 20), std::pair(100, 10)})
            runs.push_back(result_run({{"theta", theta}, {"evaluate_every", every}, {"seed", seed}},
                                      (theta == 100 ? 1.7 : 1.5) + 0.01 * seed * (theta == 100 ? 2 : 1)));
    }
    const auto name = [&](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); };
    const ResultsTable table = results_table(runs, {.compare = "final_validation_loss"});
    EXPECT_THAT(leader(table, name), HasSubstr("; 0.22 nats below θ 100 (95 % interval"));
}

// With few pairs no difference can have a small p, whatever a t test detects.
TEST(SequentialResults, APermutationTestOfFewPairsCannotDecide) {
    ResultsOptions options;
    options.test = TestKind::permutation;
    std::vector<ResultRun> runs = runs_of(nullptr, 6);
    const ResultsTable table = results_table(runs, options);
    const ResultGroup& group = group_of(table, 500);
    EXPECT_FALSE(group.decided().detectable || group.decided().seeds_needed);
    EXPECT_THAT(
        verdict_of(table, group).words,
        HasSubstr("; with 6 pairs of seeds p is at least 0.031, so no difference can be significant after Holm's "
                  "correction over 2 comparisons before there are 7 pairs"));
    EXPECT_EQ(fewest_pairs(1), 6);
    EXPECT_EQ(fewest_pairs(3), 7);
    EXPECT_TRUE(group_of(results_table(runs_of(nullptr, 8), options), 500).decided().detectable);
}

TEST(SequentialResults, AnotherTestHasNoEffectAndIsNamed) {
    const std::vector<ResultRun> runs = runs_of(rule_up_to(10), 10);
    const ResultsTable usual = results_table(runs);
    const ResultsTable table = results_table(runs, {.test = TestKind::welch});
    EXPECT_EQ(verdict_of(table, group_of(table, 100)).words, verdict_of(usual, group_of(usual, 100)).words);
    EXPECT_THAT(results_text(table), HasSubstr("the chosen test (Welch's t test) has no effect, because the stopping "
                                               "rule of these runs has a test of its own."));
    EXPECT_THAT(results_text(usual), testing::Not(HasSubstr("has no effect")));
}

TEST(SequentialResults, ChoicesThatTheRuleDidNotMakeAreNamed) {
    const std::vector<ResultRun> runs = runs_of(rule_up_to(10), 10);
    EXPECT_THAT(condition_warnings(results_table(runs)), testing::IsEmpty());
    for (const ResultsOptions& usual :
         {ResultsOptions{.compare = "best_validation_loss"}, ResultsOptions{.baseline = {{"theta", "10k"}}},
          ResultsOptions{.margin = "0.1"}})
        EXPECT_THAT(condition_warnings(results_table(runs, usual)), testing::IsEmpty());
    for (const ResultsOptions& other : {ResultsOptions{.compare = "final_validation_loss"},
                                        ResultsOptions{.baseline = {{"theta", "500"}}}, ResultsOptions{.margin = "5"}})
        EXPECT_THAT(condition_warnings(results_table(runs, other)),
                    testing::ElementsAre(HasSubstr("not the one with which the stopping rule decided")));
}

// Equivalence of two settings is called so; a sheet's claim is refuted.
TEST(SequentialResults, ARefutedDifferenceIsEquivalent) {
    const auto rule = rule_up_to(40);
    std::vector<ResultRun> runs = runs_of(rule, 40);
    const ResultsTable table = results_table(runs, {.margin = "50"});
    const SequentialResult& result = *group_of(table, 500).paired.sequential;
    ASSERT_EQ(result.end, End::refutation);
    EXPECT_EQ(end_of(rule->design, result), "equivalent");
    EXPECT_THAT(results_csv(table), HasSubstr("equivalent"));
}

TEST(SequentialResults, ATargetReplacesTheBaseline) {
    auto rule = std::make_shared<SequentialSeeds>(*rule_up_to(10));
    rule->design.target = 1.4;
    std::vector<ResultRun> runs = runs_of(rule, 10);
    for (ResultRun& run : runs) run.summary->whole_validation_loss = run.summary->best_validation_loss;
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(measures()[table.compared].name, "whole_validation_loss");
    const ResultGroup& low = group_of(table, 100);
    EXPECT_EQ(table.baseline_of(low), nullptr);
    EXPECT_EQ(low.paired.sequential->end, End::claim);
    EXPECT_LT(target_bound(table, low), 1.4);
    const Verdict verdict = verdict_of(table, low);
    EXPECT_EQ(verdict.kind, Verdict::Kind::better);
    EXPECT_THAT(verdict.words, HasSubstr("Below the target on this text: the mean validation loss of "));
    EXPECT_NE(verdict_of(table, group_of(table, 10000)).kind, Verdict::Kind::better) << "its mean is about 1.5";
    const auto name = [&](const ResultGroup& group) { return group_words(table, group); };
    EXPECT_THAT(headline(table, name), HasSubstr("below the target of 1.4 nats on this text: θ 100 ("));
    EXPECT_THAT(results_text(table, {{"full"}}), HasSubstr("against the target of 1.4 nats"));
    EXPECT_THAT(caption_words(table), HasSubstr("against the target of 1.4 nats"));
    const auto target = results_json(table).at("groups").at(1).at("target");
    EXPECT_EQ(target.at("seeds_used"), low.paired.sequential->pairs);
    EXPECT_EQ(target.at("upper_bound").get<double>(), target_bound(table, low));
}

TEST(SequentialResults, MoreSeedsThanTheComparisonUsedChangeNothing) {
    const auto rule = rule_up_to(10);
    const std::vector<ResultRun> all = runs_of(rule, 10);
    const ResultsTable table = results_table(all);
    const auto used = static_cast<std::size_t>(
        std::max(group_of(table, 100).paired.sequential->pairs, group_of(table, 500).paired.sequential->pairs));
    std::vector<ResultRun> reversed(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(3 * used));
    std::ranges::reverse(reversed);  // as if they had ended in this order
    const ResultsTable fewer = results_table(reversed);
    for (const int theta : {100, 500}) {
        const Comparison &a = group_of(table, theta).paired, &b = group_of(fewer, theta).paired;
        EXPECT_EQ(a.sequential->end, b.sequential->end);
        EXPECT_EQ(*a.p, *b.p);
        EXPECT_EQ(a.estimate->difference, b.estimate->difference);
        EXPECT_EQ(a.estimate->low, b.estimate->low);
    }
}

TEST(SequentialResults, AMissingSeedWaitsAndADivergedOneEndsTheComparison) {
    const auto rule = rule_up_to(10);
    std::vector<ResultRun> runs = runs_of(rule, 10);
    const auto is_third = [](const ResultRun& run) {
        return run.settings.at("theta") == 100 && run.settings.at("seed") == 3;
    };
    std::vector<ResultRun> missing = runs;
    std::erase_if(missing, is_third);
    EXPECT_EQ(group_of(results_table(missing), 100).paired.sequential->end, End::open);
    EXPECT_EQ(group_of(results_table(missing), 500).paired.sequential->end, End::open) << "its family waits";
    std::ranges::find_if(runs, is_third)->state = RunState::failed;
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(group_of(table, 100).paired.sequential->end, End::blocked);
    EXPECT_EQ(group_of(table, 500).paired.sequential->end, End::futile);
}

// The exclusion of one run of θ = 100 left θ = 500 without a test, and no sentence said why.
TEST(SequentialResults, AnExcludedRunEndsTheComparisonsOfItsOwnSetting) {
    const auto rule = rule_up_to(10);
    const std::vector<ResultRun> all = runs_of(rule, 10);
    const auto without = [&](int theta, int seed) {
        std::vector<ResultRun> runs = all;
        for (ResultRun& run : runs) {
            run.excluded = run.settings.at("theta") == theta && run.settings.at("seed") == seed;
        }
        return results_table(runs);
    };
    const Comparison whole = group_of(results_table(all), 500).paired;
    for (const int seed : {1, 3}) {
        const ResultsTable table = without(100, seed);
        EXPECT_EQ(group_of(table, 100).paired.sequential->end, End::blocked);
        EXPECT_EQ(group_of(table, 100).paired.sequential->pairs, 0);
        EXPECT_THAT(verdict_of(table, group_of(table, 100)).words,
                    HasSubstr("of the seeds of its first look, a run of the group or of the baseline failed, diverged "
                              "or is excluded."));
        const Comparison& other = group_of(table, 500).paired;
        EXPECT_EQ(other.sequential->end, whole.sequential->end);
        EXPECT_EQ(*other.p, *whole.p);
    }
    const ResultsTable later = without(500, 4);
    EXPECT_EQ(group_of(later, 500).paired.sequential->pairs, 3);
    EXPECT_EQ(group_of(later, 100).paired.sequential->end, End::claim);
    EXPECT_THAT(verdict_of(later, group_of(later, 500)).words,
                HasSubstr("Stopped by a diverged or excluded run after 3 of"));
    EXPECT_EQ(results_json(later).at("groups").at(2).at("sequential").at("stopped"), "diverged or excluded run");
    const ResultsTable baseline = without(10000, 3);
    for (const int theta : {100, 500}) {
        EXPECT_THAT(verdict_of(baseline, group_of(baseline, theta)).words,
                    HasSubstr("baseline failed, diverged or is excluded."));
    }
    // Another run of the seed counts in place of the excluded one.
    std::vector<ResultRun> again = all;
    again.push_back(again[1]);
    again[1].excluded = true;
    EXPECT_EQ(group_of(results_table(again), 100).paired.sequential->end, End::claim);
}

// Holm's correction of the table left out comparisons that ended before their first look, that of the rule did not.
TEST(SequentialResults, CorrectedPIsThatOfTheRule) {
    std::vector<ResultRun> runs = runs_of(rule_up_to(10), 10);
    runs[2].state = RunState::failed;  // θ = 500, the first seed
    const ResultsTable table = results_table(runs);
    const ResultGroup& other = group_of(table, 100);
    EXPECT_EQ(*other.paired.p_holm, *other.paired.sequential->p_holm);
    EXPECT_EQ(*other.paired.p_holm, std::min(1.0, 2 * *other.paired.p));
    EXPECT_EQ(other.comparisons, 2);
    EXPECT_THAT(verdict_of(table, group_of(table, 500)).words,
                HasSubstr("or of the baseline failed, diverged or is excluded."));
}

TEST(SequentialResults, RunsOfSeveralRulesHaveOrdinaryTests) {
    std::vector<ResultRun> runs = runs_of(rule_up_to(10), 5);
    runs.front().sequential = nullptr;
    const ResultsTable table = results_table(runs);
    EXPECT_FALSE(table.sequential);
    EXPECT_FALSE(group_of(table, 100).paired.sequential);
}

}  // namespace
}  // namespace ropelab
