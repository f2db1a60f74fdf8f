#include "ui/rooms/spectrum/spectrum_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random_stream.h"
#include "core/plan/layout.h"
#include "core/sweep/lab_plan.h"
#include "tests/core/data/scratch.h"

namespace ropelab::ui {
namespace {

void writeCheckpoint(const PlannedRun& run) {
    Checkpoint checkpoint;
    checkpoint.spec = run.spec;
    checkpoint.vocabulary = "";
    for (const Parameter& parameter : layout_of(run.spec, 4).parameters) {
        NamedTensor tensor{"model." + parameter.name, parameter.shape, {}};
        tensor.values.resize(static_cast<std::size_t>(parameter.size));
        RandomStream(static_cast<std::uint64_t>(run.id), parameter.name).fill_normal(tensor.values, 1.0);
        checkpoint.state.push_back(std::move(tensor));
    }
    write_checkpoint(run.checkpoint, checkpoint);
}

TEST(LearnedPanels, ShowTheNewestRunOfEachLearnedEncoding) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "a.ropelab");
    Experiment experiment("encodings");
    for (const auto& [key, values] :
         std::vector<std::pair<std::string, std::vector<std::string>>>{{"position", {"rope", "t5", "shaw"}},
                                                                       {"seed", {"1", "2"}},
                                                                       {"layers", {"1"}},
                                                                       {"heads", {"2"}},
                                                                       {"width", {"16"}},
                                                                       {"context", {"8"}}}) {
        experiment.set(key, values);
    }
    const Plan plan = plan_new_runs(*lab, experiment);
    ASSERT_EQ(plan.runs.size(), 6U);
    const std::vector<std::int64_t> distances = {0, 3};
    EXPECT_TRUE(learnedPanels(*lab, {.head = 1}, distances).empty()) << "no run has a checkpoint";
    RunId newest = 0;
    for (const PlannedRun& run : plan.runs) {
        const bool isShaw = run.spec.position == Position::shaw;
        if (isShaw && run.spec.seed == 2) continue;  // this run has not begun
        writeCheckpoint(run);
        if (run.spec.position == Position::t5) newest = std::max(newest, run.id);
    }
    const LearnedPanels panels = learnedPanels(*lab, {.head = 2}, distances);
    ASSERT_EQ(panels.size(), 2U) << "RoPE learns nothing about positions";
    EXPECT_EQ(panels.at("t5").id, newest);
    EXPECT_EQ(panels.at("t5").run.toStdString(), lab->run(newest).name);
    const auto checkpoint = read_checkpoint(lab->checkpoint_path(newest));
    EXPECT_EQ(panels.at("t5").encoding.values, learned_encoding(*checkpoint, 0, 1, distances)->values);
    EXPECT_EQ(panels.at("shaw").encoding.kind, LearnedEncoding::Kind::deviation);
    // A head that the run lacks is its last one.
    EXPECT_EQ(learnedPanels(*lab, {.head = 9}, distances).at("t5").encoding.values, panels.at("t5").encoding.values);
    EXPECT_EQ(learnedPanels(*lab, {.head = 9}, distances).at("t5").head, 2);
    EXPECT_TRUE(learnedPanels(*lab, {.head = 2}, distances, [] { return true; }).empty());
}

}  // namespace
}  // namespace ropelab::ui
