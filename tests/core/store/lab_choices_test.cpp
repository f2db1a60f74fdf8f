#include <gtest/gtest.h>

#include <vector>

#include "core/store/sqlite.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

const ExperimentPrecision faster_rounded = {Precision::bfloat16, "1.4 × as fast as float32 on this machine."};
const ExperimentPrecision plain_precision = {Precision::float32,
                                             "this processor has no instructions for bfloat16 products."};

TEST(LabChoices, FirstMeasurementSettlesThePrecisionOfAnExperiment) {
    const ScratchFolder folder;
    const auto path = folder.path() / "a.ropelab";
    {
        const auto lab = lab_with_runs(path, 2);
        EXPECT_FALSE(lab->precision_of_experiment(1));
        EXPECT_EQ(lab->settle_precision(1, faster_rounded), faster_rounded);
        EXPECT_EQ(lab->settle_precision(1, plain_precision), faster_rounded);
    }
    EXPECT_EQ(LabFile::open(path, LabFile::Mode::read)->precision_of_experiment(1), faster_rounded);
    const auto merged = LabFile::create(folder.path() / "merged.ropelab");
    merged->merge(path);
    EXPECT_EQ(merged->precision_of_experiment(1), faster_rounded);
}

// Labs of earlier versions store only the conditions of runs. A run with an explicit precision decides nothing.
TEST(LabChoices, FirstRunDecidesInLabsOfEarlierVersions) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "a.ropelab");
    const std::int64_t experiment = lab->add_experiment("sweep", "{}");
    const RunId explicit_run = lab->add_run(experiment, "a", R"({"precision":"float32"})");
    const RunId chosen = lab->add_run(experiment, "b", R"({"precision":"auto"})");
    event::CohortStarted started = cohort_started({explicit_run});
    started.conditions = {"float32", "cpu", 2, "float32: as requested."};
    lab->record(std::vector<Event>{started});
    EXPECT_FALSE(lab->precision_of_experiment(experiment));
    started = cohort_started({chosen});
    started.conditions.reason = "bfloat16: 1.4 × as fast as float32 on this machine. At most 4 runs at a time.";
    lab->record(std::vector<Event>{started});
    EXPECT_EQ(lab->precision_of_experiment(experiment), faster_rounded);
    EXPECT_EQ(lab->settle_precision(experiment, plain_precision), faster_rounded);
}

TEST(LabChoices, StoresAndReplacesChoices) {
    const ScratchFolder folder;
    const auto lab = lab_with_runs(folder.path() / "a.ropelab", 1);
    EXPECT_EQ(lab->choice("results"), "");
    lab->set_choice("results", "{}");
    lab->set_choice("results", R"({"experiment":1})");
    EXPECT_EQ(lab->choice("results"), R"({"experiment":1})");
}

}  // namespace
}  // namespace ropelab
