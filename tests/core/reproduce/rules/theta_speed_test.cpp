#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"

namespace ropelab {
namespace {

SheetPlan smoke_plan() {
    SheetRequest request;
    request.seeds = 2;
    return sheet("theta-speed").plan(request);
}

std::vector<RunSpec> speed_runs_of(const SheetPlan& plan, const GroupKeys& group) {
    std::vector<RunSpec> result;
    for (const RunSpec& spec : plan.experiment.expand()) {
        if (belongs(spec, group)) result.push_back(spec);
    }
    return result;
}

// Every row matches runs of its own setting only, one per seed, and no row is out of reach.
TEST(ThetaSpeed, EveryRowHasRuns) {
    const SheetPlan plan = smoke_plan();
    for (const PlannedRow& row : plan.rows) {
        EXPECT_EQ(row.out_of_reach, "") << row.keys;
        EXPECT_EQ(speed_runs_of(plan, row.group).size(), 2U) << row.measure << " " << row.keys;
        const GroupKeys baseline = row.baseline.value_or(row.group);
        EXPECT_EQ(speed_runs_of(plan, baseline).size(), 2U) << row.measure << " " << row.keys;
    }
}

// Rotation is compared with its absence in each implementation, which would explain the paper's ratio.
TEST(ThetaSpeed, ComparesRotationInEveryImplementation) {
    const SheetPlan plan = smoke_plan();
    for (const char* measure : {"seconds", generated_per_second}) {
        int rows = 0;
        for (const PlannedRow& row : plan.rows) {
            if (row.claim != "cause" || row.measure != measure) continue;
            ++rows;
            ASSERT_TRUE(row.rule && row.baseline);
            const RunSpec group = speed_runs_of(plan, row.group).front();
            const RunSpec baseline = speed_runs_of(plan, *row.baseline).front();
            EXPECT_TRUE(group.rotates());
            EXPECT_EQ(baseline.position, Position::learned);
            EXPECT_EQ(group.operations, baseline.operations);
            EXPECT_TRUE(baseline.rope_cache);
        }
        EXPECT_EQ(rows, 8) << measure;  // with and without learned positions, with and without a table, fused and eager
    }
}

TEST(ThetaSpeed, CountsOperationsOfEveryImplementation) {
    const SheetPlan plan = smoke_plan();
    for (const char* measure : {operations_per_training_step, operations_per_token}) {
        EXPECT_EQ(std::count_if(plan.rows.begin(), plan.rows.end(),
                                [&](const PlannedRow& row) { return row.measure == measure && !row.rule; }),
                  15);  // 2 without rotation, 8 at the default base, 5 other bases without a table
    }
}

// The other bases are also compared where cos and sin are computed at every call, which a table would hide.
TEST(ThetaSpeed, ComparesBasesWithoutATable) {
    const SheetPlan plan = smoke_plan();
    for (const auto& [measure, slower] : {std::pair("seconds", +1), std::pair(generated_per_second, -1)}) {
        std::vector<double> bases;
        for (const PlannedRow& row : plan.rows) {
            if (row.claim != "recomputed-tables" || row.measure != measure) continue;
            ASSERT_TRUE(row.rule && row.baseline);
            EXPECT_EQ(row.rule->kind, VerdictRule::Kind::difference);
            EXPECT_EQ(row.rule->direction, slower);
            RunSpec group = speed_runs_of(plan, row.group).front();
            const RunSpec baseline = speed_runs_of(plan, *row.baseline).front();
            bases.push_back(group.theta);
            EXPECT_EQ(baseline.theta, 10000);
            EXPECT_EQ(baseline.operations, Operations::eager);
            EXPECT_FALSE(baseline.rope_cache);
            group.theta = baseline.theta;
            EXPECT_EQ(group, baseline);  // they differ in the base only
        }
        EXPECT_THAT(bases, testing::ElementsAre(500, 1000, 5000, 20000, 50000)) << measure;
    }
}

// The sheet states the published numbers of the baseline and the template, and no cause.
TEST(ThetaSpeed, StatesThePublishedNumbers) {
    const SheetPlan plan = smoke_plan();
    EXPECT_THAT(plan.notes,
                testing::Contains(testing::AllOf(
                    testing::HasSubstr("tokens per second 441, 242 to 244, 666; seconds of training 287.9, "
                                       "319.0 to 322.2, 77.3; best validation loss 1.4739, 1.4662 to 1.4728, "
                                       "1.4655; final training loss 0.8082, 0.7696 to 0.7767, 0.8186."),
                    testing::HasSubstr("these numbers do not show why"))));
    for (const Claim& claim : plan.claims) EXPECT_EQ(claim.words.find("resemble"), std::string::npos);
}

TEST(ThetaSpeed, TestsTheSizesThatThePaperNames) {
    for (const PlannedRow& row : smoke_plan().rows) {
        if (row.claim == "slower-writing") {
            EXPECT_EQ(row.rule->kind, VerdictRule::Kind::size);
            EXPECT_EQ(row.rule->low, 0.4);
            EXPECT_EQ(row.rule->high, 0.6);
        }
        if (row.claim == "longer-training") {
            EXPECT_EQ(row.rule->low, 1.06);
        }
        if (row.claim == "cause") {
            EXPECT_EQ(row.rule->kind, VerdictRule::Kind::difference);
        }
    }
}

}  // namespace
}  // namespace ropelab
