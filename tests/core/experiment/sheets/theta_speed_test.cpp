#include <gtest/gtest.h>

#include <algorithm>

#include "core/experiment/sheets/evaluate.h"
#include "core/experiment/sheets/measuring.h"

namespace ropelab {
namespace {

SheetPlan smoke_plan() {
    SheetRequest request;
    request.seeds = 2;
    return sheet("theta-speed").plan(request);
}

std::vector<RunSpec> runs_of(const SheetPlan& plan, const GroupKeys& group) {
    std::vector<RunSpec> result;
    for (const RunSpec& spec : plan.experiment.expand()) {
        if (belongs(spec, group)) result.push_back(spec);
    }
    return result;
}

// Every row reads runs of its own setting only, one a seed, and no row is out of reach.
TEST(ThetaSpeed, EveryRowHasItsRuns) {
    const SheetPlan plan = smoke_plan();
    for (const PlannedRow& row : plan.rows) {
        EXPECT_EQ(row.out_of_reach, "") << row.keys;
        EXPECT_EQ(runs_of(plan, row.group).size(), 2U) << row.measure << " " << row.keys;
        const GroupKeys baseline = row.baseline.value_or(row.group);
        EXPECT_EQ(runs_of(plan, baseline).size(), 2U) << row.measure << " " << row.keys;
    }
}

// What would explain the paper's ratio: rotation in each way against its absence, calculated the same way.
TEST(ThetaSpeed, RotationIsComparedInEveryWayItIsCalculated) {
    const SheetPlan plan = smoke_plan();
    for (const char* measure : {"seconds", written_per_second}) {
        int rows = 0;
        for (const PlannedRow& row : plan.rows) {
            if (row.claim != "cause" || row.measure != measure) continue;
            ++rows;
            ASSERT_TRUE(row.rule && row.baseline);
            const RunSpec group = runs_of(plan, row.group).front();
            const RunSpec baseline = runs_of(plan, *row.baseline).front();
            EXPECT_TRUE(group.rotates());
            EXPECT_EQ(baseline.position, Position::learned);
            EXPECT_EQ(group.operations, baseline.operations);
            EXPECT_TRUE(baseline.rope_cache);
        }
        EXPECT_EQ(rows, 8) << measure;  // learned and not, with a table and without, fused and not
    }
}

TEST(ThetaSpeed, OperationsAreCountedOfEveryWay) {
    const SheetPlan plan = smoke_plan();
    for (const char* measure : {operations_of_step, operations_of_symbol}) {
        EXPECT_EQ(std::count_if(plan.rows.begin(), plan.rows.end(),
                                [&](const PlannedRow& row) { return row.measure == measure && !row.rule; }),
                  10);
    }
}

}  // namespace
}  // namespace ropelab
