#include "core/sweep/stored_run.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/store/run_settings.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

RunRecord stored(const std::string& settings) {
    RunRecord run;
    run.id = 3;
    run.name = "θ 500";
    run.settings = settings;
    return run;
}

TEST(StoredRun, PreservesKeysOfNewerVersions) {
    const RunRecord run = stored(R"({"theta": 500, "of_tomorrow": 1})");
    EXPECT_EQ(stored_settings(run).at("of_tomorrow"), 1);
    EXPECT_EQ(stored_spec(stored(R"({"theta": 500})")).theta, 500);
}

TEST(StoredRun, ChangedSettingsMakeTheSameRun) {
    RunSpec spec;
    spec.theta = 500;
    spec.layers = 5;
    RunRecord record = stored(to_json(spec).dump());
    EXPECT_EQ(changed_settings(record), (nlohmann::json{{"layers", 5}, {"theta", 500.0}}));
    EXPECT_EQ(run_spec_from_json(changed_settings(record)), spec);
    record.settings = R"({"theta": 500, "seed": 1, "of_a_newer_version": null, "warp": 9})";
    EXPECT_EQ(changed_settings(record).at("warp"), 9);
    EXPECT_EQ(changed_settings(record).at("theta"), 500);
}

// Other programs have other defaults, and settings without a meaning here.
TEST(StoredRun, AnImportedRunHasTheSettingsOfItsProgramOnly) {
    RunRecord run = stored(R"({"imported": "wandb", "seed": 1, "learning_rate": 0.5})");
    run.iteration = 70;
    EXPECT_TRUE(is_imported(run));
    EXPECT_FALSE(is_imported(stored(R"({"seed": 1})")));
    EXPECT_FALSE(is_imported(stored(R"({"note": "\"imported\""})")));
    EXPECT_EQ(changed_settings(run), nlohmann::json::parse(run.settings)) << "seed 1 too, which is the default here";
    EXPECT_EQ(stored_spec(run).iterations, 70);
    run.iteration = 0;
    EXPECT_EQ(stored_spec(run).iterations, 1);
}

TEST(StoredRun, ACheckpointIsExpectedOfARunThatEnded) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    RunRecord run = stored(R"({"theta": 500})");
    run.iteration = 60;
    run.vocabulary = "bytes:97";
    const auto checkpoint = [&](RunState state) {
        run.state = state;
        return run_checkpoint(*lab, run);
    };
    for (const RunState state : {RunState::waiting, RunState::running, RunState::failed, RunState::stopped}) {
        EXPECT_EQ(checkpoint(state).is_written, state == RunState::stopped);
        EXPECT_EQ(checkpoint(state).recorded, 60);
        EXPECT_EQ(checkpoint(state).finished, -1);
    }
    RunCheckpoint finished = checkpoint(RunState::finished);
    EXPECT_TRUE(finished.is_written);
    EXPECT_EQ(finished.recorded, -1);
    EXPECT_EQ(finished.finished, -1) << "it has no summary";
    EXPECT_EQ(finished.path, lab->checkpoint_path(3));
    EXPECT_EQ(finished.spec.theta, 500);
    EXPECT_EQ(finished.name, "θ 500");
    EXPECT_EQ(finished.vocabulary, "bytes:97");
    run.summary.emplace().iterations = 80;
    EXPECT_EQ(checkpoint(RunState::finished).finished, 80);
    run.iteration = 1;
    EXPECT_TRUE(checkpoint(RunState::stopped).is_written);
    run.iteration = 0;
    EXPECT_FALSE(checkpoint(RunState::stopped).is_written) << "before its first step";
    run.settings = R"({"imported": "wandb"})";
    EXPECT_TRUE(checkpoint(RunState::finished).path.empty());
}

TEST(StoredRun, ReportsDamagedSettingsAndNamesTheRun) {
    for (const char* damaged : {"", "{\"theta\": 5", "[1]", "null"}) {
        EXPECT_MESSAGE(stored_settings(stored(damaged)), BadInput, "run 3, \"θ 500\"");
        EXPECT_MESSAGE(stored_spec(stored(damaged)), BadInput, "damaged");
    }
}

}  // namespace
}  // namespace ropelab
