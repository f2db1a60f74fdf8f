#include <gtest/gtest.h>

#include <algorithm>

#include "core/reproduce/evaluate.h"
#include "core/reproduce/measuring.h"

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
                  10);
    }
}

}  // namespace
}  // namespace ropelab
