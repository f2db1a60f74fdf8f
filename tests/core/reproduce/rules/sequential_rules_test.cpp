// Rows of sheets with a stopping rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/reproduce/report.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/verdict.h"
#include "core/reproduce/sheet_lab.h"
#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

using End = SequentialResult::End;
using Kind = VerdictRule::Kind;

SheetPlan sequential_plan(std::vector<PlannedRow> rows, std::int64_t cap) {
    SheetPlan plan = plan_of(std::move(rows));
    plan.stopping.emplace().cap = cap;
    std::vector<std::string> seeds;
    for (std::int64_t seed = 1; seed <= cap; ++seed) seeds.push_back(std::to_string(seed));
    plan.experiment.set("seed", seeds);
    return plan;
}

std::vector<SheetRun> runs_with(double shift, double deviation, int seeds) {
    std::mt19937_64 generator(2);
    std::normal_distribution<double> normal;
    std::vector<double> ours, theirs;
    for (int i = 0; i < seeds; ++i) {
        theirs.push_back(2 + 0.1 * normal(generator));
        ours.push_back(theirs.back() + shift + deviation * normal(generator));
    }
    std::vector<SheetRun> runs;
    add_runs(runs, 500, ours);
    add_runs(runs, 10000, theirs);
    return runs;
}

TEST(SequentialRules, ARowIsReproducedWithTheSeedsThatItNeeds) {
    const SheetPlan plan = sequential_plan({row_500({})}, 20);
    const SheetRow row = evaluate(plan, runs_with(-0.2, 0.05, 20)).front();
    EXPECT_EQ(row.verdict, SheetVerdict::reproduced);
    ASSERT_TRUE(row.sequential);
    EXPECT_LT(row.sequential->pairs, 10);
    EXPECT_EQ(row.ours.n, row.sequential->pairs);
    EXPECT_EQ(std::ssize(row.seeds), row.sequential->pairs);
    EXPECT_EQ(*row.p_rule, *row.sequential->p);
    const auto json = sheet_json(plan, std::vector{row}, {});
    EXPECT_EQ(json.at("rows").at(0).at("sequential").at("seeds_used"), row.sequential->pairs);
}

TEST(SequentialRules, EquivalenceIsShownByTwoOneSidedProcesses) {
    VerdictRule rule;
    rule.kind = Kind::equivalence;
    rule.direction = 0;
    EXPECT_EQ(evaluate(sequential_plan({row_500(rule)}, 42), runs_with(0, 0.004, 42)).front().verdict,
              SheetVerdict::reproduced);
    EXPECT_EQ(evaluate(sequential_plan({row_500(rule)}, 42), runs_with(0.2, 0.004, 42)).front().verdict,
              SheetVerdict::not_reproduced);
    // A claim of a direction is refuted by equivalence.
    const SheetRow row = evaluate(sequential_plan({row_500({})}, 42), runs_with(0, 0.004, 42)).front();
    EXPECT_EQ(row.verdict, SheetVerdict::not_reproduced);
    EXPECT_EQ(row.sequential->end, End::refutation);
}

TEST(SequentialRules, ARatioIsTestedAtBothEndsOfItsRange) {
    VerdictRule rule;
    rule.kind = Kind::size;
    rule.direction = 0;
    rule.low = 0.4;
    rule.high = 0.6;
    EXPECT_EQ(evaluate(sequential_plan({row_500(rule)}, 20), runs_with(-1, 0.05, 20)).front().verdict,
              SheetVerdict::reproduced);
    EXPECT_EQ(evaluate(sequential_plan({row_500(rule)}, 20), runs_with(-0.4, 0.05, 20)).front().verdict,
              SheetVerdict::not_reproduced);
}

TEST(SequentialRules, FutilityIsUndecidedWithTheSeedsThatWouldDecide) {
    const SheetPlan plan = sequential_plan({row_500({})}, 10);
    const std::vector<SheetRow> rows = evaluate(plan, runs_with(0, 0.3, 10));
    EXPECT_EQ(rows.front().verdict, SheetVerdict::undecided);
    EXPECT_EQ(rows.front().sequential->end, End::futile);
    EXPECT_THAT(rows.front().words, testing::HasSubstr("95 % interval"));
    EXPECT_THAT(sheet_text(plan, rows, {}), testing::HasSubstr("undecided, stopped for futility"));
}

TEST(SequentialRules, AnOpenRowNamesTheSettingsThatNeedSeeds) {
    const SheetPlan plan = sequential_plan({row_500({})}, 20);
    const std::vector<SheetRow> rows = evaluate(plan, runs_with(-0.2, 0.05, 3));
    EXPECT_EQ(rows.front().verdict, SheetVerdict::unfinished);
    const SeedNeeds needs = needs_of_rows(rows, *plan.stopping);
    EXPECT_EQ(needs(sheet_run(500, 1, 0).spec).seeds, 4);
    EXPECT_EQ(needs(sheet_run(10000, 9, 0).spec).seeds, 4);
    EXPECT_EQ(needs(sheet_run(20000, 1, 0).spec).seeds, 0);
}

TEST(SequentialRules, ADivergedRunLeavesItsRowUndecided) {
    std::vector<SheetRun> runs = runs_with(-0.2, 0.05, 20);
    runs[1].state = RunState::failed;
    runs[1].summary.reset();
    const SheetRow row = evaluate(sequential_plan({row_500({})}, 20), runs).front();
    EXPECT_EQ(row.sequential->end, End::blocked);
    EXPECT_EQ(row.verdict, SheetVerdict::undecided);
}

TEST(SequentialRules, EventsCountWithinPairs) {
    VerdictRule rule;
    rule.kind = Kind::events;
    rule.direction = 1;
    rule.margin = 0.2;
    const std::vector<double> always(20, 1.0), never(20, 0.0);
    const SequentialDesign design = [] {
        SequentialDesign made;
        made.cap = 20;
        return made;
    }();
    const auto end_of = [&](const std::vector<double>& x, const std::vector<double>& y) {
        const SequentialRow row = sequential_row(rule, x, y);
        return replay(design, std::span(&row, 1)).front().end;
    };
    EXPECT_EQ(end_of(always, never), End::claim);
    EXPECT_EQ(end_of(never, always), End::refutation);
    rule.kind = Kind::proportion;
    rule.bound = 0.5;
    EXPECT_EQ(end_of(always, never), End::claim);
    std::vector<double> once = always;
    once[1] = 0;
    EXPECT_EQ(end_of(once, never), End::refutation) << "a run without the event is a counterexample";
}

}  // namespace
}  // namespace ropelab
