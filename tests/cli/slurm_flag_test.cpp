// Tests of sweep --slurm, which writes a job array, and sweep --cohort, which each of its tasks runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

std::vector<std::string> small_job(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"sweep"};
    for (const char* setting : {"context=16", "batch=4", "iterations=5", "evaluate_every=5", "evaluation=sampled",
                                "evaluation_batches=1", "width=16,32", "heads=2", "layers=1", "theta=500,10000",
                                "precision=float32", "sample_length=0", "data_length=5000", "threads=1"}) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(SlurmFlag, WritesAJobArrayWhoseTasksTrainAndMerge) {
    const ScratchFolder folder;
    const auto out = folder / "an array";
    const auto written = ropelab_cli(small_job({"--slurm", out.string(), "--max-parallel-tasks", "3", "--json"}));
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.json().at("tasks"), 2);
    EXPECT_EQ(written.json().at("runs"), 4);
    EXPECT_EQ(written.json().at("cores"), 1);
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--slurm", out.string()})), "not an empty folder");

    // Runs the tasks sequentially, as Slurm would.
    const std::string in = "cd '" + out.string() + "' && ";
    for (const char* task : {"0", "1"}) {
        ASSERT_EQ(std::system((in + "SLURM_ARRAY_TASK_ID=" + task + " bash job.sbatch >log 2>&1").c_str()), 0);
    }
    ASSERT_EQ(std::system((in + "SLURM_JOB_ID=7 bash merge.sbatch >log 2>&1").c_str()), 0);
    const auto results = ropelab_cli({"results", "--lab", (out / "merged.ropelab").string(), "--json"});
    ASSERT_EQ(results.status, 0) << results.err;
    EXPECT_EQ(results.json().at("groups").size(), 4U);

    // Submits again: finished runs are not repeated, and the earlier lab is renamed.
    ASSERT_EQ(std::system((in + "SLURM_ARRAY_TASK_ID=0 bash job.sbatch >log 2>&1").c_str()), 0);
    ASSERT_EQ(std::system((in + "SLURM_JOB_ID=8 bash merge.sbatch >log 2>&1").c_str()), 0);
    EXPECT_EQ(ropelab_cli({"results", "--lab", (out / "merged.ropelab").string(), "--json"}).json(), results.json());
    EXPECT_TRUE(std::filesystem::exists(out / "before-8-merged.ropelab"));
}

TEST(SlurmFlag, ResultsDoNotDependOnTheRunsPerTask) {
    const auto whole = ropelab_cli(small_job({"--cohort", "1", "--json"})).json().at("runs");
    ASSERT_EQ(whole.size(), 2U);
    for (const std::size_t part : {0U, 1U}) {
        const auto runs =
            ropelab_cli(small_job({"--cohort", std::to_string(2 + part), "--runs-per-task", "1", "--json"}))
                .json()
                .at("runs");
        ASSERT_EQ(runs.size(), 1U);
        EXPECT_EQ(runs[0].at("best_validation_loss"), whole[part].at("best_validation_loss"));
        EXPECT_EQ(runs[0].at("theta"), whole[part].at("theta"));
    }
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--runs-per-task", "1"})), "use it with --slurm or --cohort");
}

TEST(SlurmFlag, CohortFlagTrainsOneCohort) {
    const ScratchFolder folder;
    const auto runs = ropelab_cli(small_job({"--cohort", "1", "--json"})).json().at("runs");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].at("width"), 32);
    EXPECT_EQ(runs[1].at("state"), "finished");
    const std::string lab = (folder / "a.ropelab").string();
    ASSERT_EQ(ropelab_cli(small_job({"--cohort", "0", "--lab", lab})).status, 0);
    EXPECT_EQ(ropelab_cli({"sweep", "--cohort", "0", "--lab", lab, "--resume", "--json"}).json().at("runs").size(), 2U);
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--cohort", "1", "--lab", lab, "--resume"})),
                     "other runs than cohort (batch of runs) 1");
}

TEST(SlurmFlag, RejectsBadInputWithOneSentence) {
    const ScratchFolder folder;
    const std::string out = (folder / "out").string();
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--cohort", "2"})), "cohorts 0 to 1");
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--slurm", out, "--lab", "a.ropelab"})), "--lab");
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--slurm", out, "--cohort", "0"})), "--cohort");
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--slurm", out, "--max-parallel-tasks", "0"})), "1 or more");
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--max-parallel-tasks", "2"})), "--slurm");
    EXPECT_BAD_INPUT(ropelab_cli(small_job({"--slurm", out, "--set", "data=" + (folder / "none.txt").string()})),
                     "none");
    EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace ropelab
