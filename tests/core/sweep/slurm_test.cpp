#include "core/sweep/slurm.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/forecast/estimate.h"
#include "core/settings/run_names.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class SlurmTest : public testing::Test {
 protected:
    // Two widths with two bases each: two cohorts of two runs.
    Experiment experiment() {
        Experiment result("two widths");
        for (const char* assignment : {"width=16,32", "theta=100,10000", "heads=2", "layers=1", "context=16", "batch=4",
                                       "iterations=5", "threads=1", "data_length=5000"}) {
            result.set_assignment(assignment);
        }
        return result;
    }

    static std::vector<std::string> names_of(const Experiment& described) { return run_names(described.expand()); }

    SlurmArray write(const Experiment& described, std::int64_t at_once = 8, std::int64_t runs_per_task = 0) {
        return write_slurm_array(described, {out_, "/opt/it's here/ropelab-cli", data_dir_, at_once, runs_per_task});
    }

    ScratchFolder folder_;
    fs::path out_ = folder_ / "a sweep";
    fs::path data_dir_;
};

TEST_F(SlurmTest, TasksRequestTheEstimatedResources) {
    const SlurmArray array = write(experiment(), 1);
    EXPECT_EQ(array.tasks, 2);
    EXPECT_EQ(array.runs, 4);
    EXPECT_EQ(array.cores, 1);
    EXPECT_FALSE(array.gpu);
    EXPECT_EQ(array.time, slurm_time(array.estimated_seconds));
    // The memory is that of the wider cohort, and half as much again.
    const std::vector<RunSpec> runs = experiment().expand();
    EXPECT_GE(array.megabytes, 2048 + 1.5e-6 * static_cast<double>(estimate({runs[2], runs[3]}).bytes));

    const std::string job = content_of(out_ / "job.sbatch");
    for (const std::string line : {"#SBATCH --job-name=ropelab-two-widths", "#SBATCH --array=0-1%1",
                                   "#SBATCH --cpus-per-task=1", "#SBATCH --requeue", "#SBATCH --output=task-%a.log"}) {
        EXPECT_THAT(job, testing::HasSubstr(line + "\n"));
    }
    EXPECT_THAT(job, testing::HasSubstr("#SBATCH --time=" + array.time + "\n"));
    EXPECT_THAT(job, testing::HasSubstr("#SBATCH --mem=" + std::to_string(array.megabytes) + "M\n"));
    EXPECT_THAT(job, testing::HasSubstr("program='/opt/it'\\''s here/ropelab-cli'\n"));
    EXPECT_THAT(job, testing::HasSubstr("--lab \"task-$SLURM_ARRAY_TASK_ID.ropelab\" --resume --take-over\n"));
    EXPECT_THAT(job, testing::Not(testing::HasSubstr("gres")));
    EXPECT_THAT(job, testing::Not(testing::HasSubstr(folder_.path().string())));

    const std::string merge = content_of(out_ / "merge.sbatch");
    EXPECT_THAT(merge, testing::HasSubstr("tasks=2\n"));
    EXPECT_THAT(merge, testing::HasSubstr("results --lab merged.ropelab --merge \"${labs[@]}\"\n"));
    EXPECT_THAT(content_of(out_ / "submit.sh"), testing::HasSubstr("--dependency=\"afterany:$array\" merge.sbatch"));
    EXPECT_NE(fs::status(out_ / "submit.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(SlurmTest, CudaSweepRequestsAGpuAndPassesTheDataFolder) {
    data_dir_ = folder_.path();
    Experiment described = experiment();
    described.set("device", {"cuda"});
    EXPECT_TRUE(write(described).gpu);
    const std::string job = content_of(out_ / "job.sbatch");
    EXPECT_THAT(job, testing::HasSubstr("#SBATCH --gres=gpu:1\n"));
    EXPECT_THAT(job, testing::HasSubstr("#SBATCH --array=0-1%2\n"));
    EXPECT_THAT(job, testing::HasSubstr("data_dir='" + data_dir_.string() + "'\n"));
    EXPECT_THAT(job, testing::HasSubstr("--resume --take-over --data-dir \"$data_dir\"\n"));
}

TEST_F(SlurmTest, EachTaskHasALabWithItsCohort) {
    write(experiment());
    const Experiment described = Experiment::from_text(content_of(out_ / "experiment.json"));
    EXPECT_EQ(described.to_json(), experiment().to_json());
    for (int task = 0; task < 2; ++task) {
        const auto lab = LabFile::open(out_ / ("task-" + std::to_string(task) + ".ropelab"));
        EXPECT_EQ(nlohmann::json::parse(lab->experiments().front().description), described.to_json());
        ASSERT_EQ(lab->runs().size(), 2U);
        EXPECT_EQ(lab->runs().front().state, RunState::waiting);
        EXPECT_NO_THROW(check_contains_cohort(*lab, described, task));
        EXPECT_MESSAGE(check_contains_cohort(*lab, described, 1 - task), BadInput, "other runs than cohort");
    }
}

TEST_F(SlurmTest, LabsMergeIntoOneExperiment) {
    write(experiment());
    const auto merged = LabFile::create(folder_ / "merged.ropelab");
    EXPECT_EQ(merged->merge(out_ / "task-0.ropelab"), 2);
    EXPECT_EQ(merged->merge(out_ / "task-1.ropelab"), 2);
    EXPECT_EQ(merged->experiments().size(), 1U);
    ASSERT_EQ(merged->runs().size(), 4U);
    // The names are unique in the whole experiment, although each task has only some of its runs.
    std::vector<std::string> names;
    for (const RunRecord& run : merged->runs()) names.push_back(run.name);
    EXPECT_EQ(names, names_of(experiment()));
    EXPECT_EQ(names.front(), "θ 100, 100 %, width 16");
}

TEST_F(SlurmTest, PlansOneCohort) {
    const auto lab = LabFile::create(folder_ / "a.ropelab");
    const Plan plan = plan_new_cohort(*lab, experiment(), 1);
    ASSERT_EQ(plan.runs.size(), 2U);
    EXPECT_EQ(plan.runs[0].spec.width, 32);
    EXPECT_EQ(lab->runs().size(), 2U);
    EXPECT_EQ(lab->experiments().front().description, experiment().to_json().dump());
    EXPECT_EQ(lab->runs().front().name, names_of(experiment())[2]);
    const auto all = experiment().expand();
    EXPECT_EQ(indices_of_cohort(all, 1), (std::vector<std::size_t>{2, 3}));
    EXPECT_MESSAGE(indices_of_cohort(all, 2), BadInput, "cohorts 0 to 1");
    EXPECT_MESSAGE(indices_of_cohort(all, -1), BadInput, "no cohort (runs trained as one batch) with the number -1");
    EXPECT_MESSAGE(indices_of_cohort({all.front()}, 1), BadInput, "has one, number 0");
}

TEST_F(SlurmTest, DividesCohortsIntoTasks) {
    Experiment described = experiment();
    described.set("theta", {"100", "200", "300", "400", "500"});  // two cohorts of five runs
    const SlurmArray array = write(described, 8, 2);
    EXPECT_EQ(array.tasks, 6);
    EXPECT_EQ(array.runs, 10);
    EXPECT_THAT(content_of(out_ / "job.sbatch"),
                testing::HasSubstr("--cohort \"$SLURM_ARRAY_TASK_ID\" --runs-per-task 2 "));
    std::size_t runs = 0;
    for (int task = 0; task < array.tasks; ++task) {
        const auto lab = LabFile::open(out_ / ("task-" + std::to_string(task) + ".ropelab"));
        runs += lab->runs().size();
        EXPECT_NO_THROW(check_contains_cohort(*lab, described, task, 2));
        EXPECT_THROW(check_contains_cohort(*lab, described, task), BadInput);
    }
    EXPECT_EQ(runs, 10U);
    const auto tasks = tasks_of(described.expand(), 2);
    EXPECT_EQ(tasks[0], (std::vector<std::size_t>{0}));  // of about equal size: 1, 2, 2
    EXPECT_EQ(tasks[2], (std::vector<std::size_t>{3, 4}));
    EXPECT_EQ(tasks_of(described.expand(), 0).size(), 2U);
    EXPECT_EQ(tasks_of(described.expand(), 100).size(), 2U);
    EXPECT_MESSAGE(tasks_of(described.expand(), -1), BadInput, "it must be 1 or more");
}

TEST_F(SlurmTest, StoresAbsolutePathsOfDataFiles) {
    Experiment described = experiment();
    const fs::path text = folder_.write("text.txt", small_text(3000));
    described.set("data", {fs::relative(text).string(), "synthetic"});
    write(described);
    const auto written = nlohmann::json::parse(content_of(out_ / "experiment.json"));
    EXPECT_EQ(written.at("data"), (nlohmann::json{fs::canonical(text).string(), "synthetic"}));
}

TEST_F(SlurmTest, StoresTheAbsolutePathOfAFolder) {
    Experiment described = experiment();
    folder_.write("texts/a.txt", small_text(3000));
    described.set("data", {fs::relative(folder_ / "texts").string()});
    write(described);
    const auto written = nlohmann::json::parse(content_of(out_ / "experiment.json"));
    EXPECT_EQ(written.at("data"), fs::canonical(folder_ / "texts").string());
}

TEST_F(SlurmTest, JobNamesHaveLettersDigitsAndHyphensOnly) {
    int sweeps = 0;
    for (const auto& [name, job] : {std::pair("az AZ 09", "ropelab-az-AZ-09"),
                                    {"θ = 5 / ", "ropelab-5"},
                                    {"", "ropelab"},
                                    {"@[`{/:", "ropelab"}}) {
        Experiment described = experiment();
        described.set_name(name);
        out_ = folder_ / std::to_string(++sweeps);
        write(described);
        EXPECT_THAT(content_of(out_ / "job.sbatch"), testing::HasSubstr("--job-name=" + std::string(job) + "\n"));
        EXPECT_THAT(content_of(out_ / "merge.sbatch"),
                    testing::HasSubstr("--job-name=" + std::string(job) + "-merge\n"));
    }
}

TEST_F(SlurmTest, ExclusionsUseAbsolutePathsToo) {
    Experiment described = experiment();
    const fs::path text = folder_.write("text.txt", small_text(3000));
    const std::string relative = fs::relative(text).string();
    described.set("data", {relative, "synthetic"});
    described.set_exclusions({{{"data", relative}, {"theta", "100"}}});
    const SlurmArray array = write(described);
    EXPECT_EQ(array.runs, 6);
    EXPECT_EQ(array.tasks, 4);
    const Experiment written = Experiment::from_text(content_of(out_ / "experiment.json"));
    EXPECT_EQ(written.exclusions().front().at("data"), fs::canonical(text).string());
    for (int task = 0; task < array.tasks; ++task) {
        const auto lab = LabFile::open(out_ / ("task-" + std::to_string(task) + ".ropelab"));
        EXPECT_NO_THROW(check_contains_cohort(*lab, written, task));
    }
}

TEST_F(SlurmTest, ScriptsAreValidShell) {
    data_dir_ = folder_.path();
    write(experiment());
    const bool checked = std::system("command -v shellcheck >/dev/null 2>&1") == 0;
    for (const char* script : {"job.sbatch", "merge.sbatch", "submit.sh"}) {
        const std::string file = shell_quoted((out_ / script).string());
        EXPECT_EQ(std::system(("bash -n " + file).c_str()), 0) << script;
        if (checked) {
            EXPECT_EQ(std::system(("shellcheck " + file).c_str()), 0) << script;
        }
    }
}

// Replaces sbatch by a script that prints its arguments. The job scripts must find each other from any working
// directory.
TEST_F(SlurmTest, MergeJobWaitsForTheArray) {
    write(experiment());
    const fs::path tool = folder_.write("sbatch", "#!/bin/sh\necho \"$PWD $*\" >>\"$SAID\"\necho '12;cluster'\n");
    fs::permissions(tool, fs::perms::owner_all);
    const std::string command = "SAID=" + shell_quoted((folder_ / "said").string()) +
                                " PATH=" + shell_quoted(folder_.path().string()) + ":$PATH " +
                                shell_quoted((out_ / "submit.sh").string()) + " --partition=long >" +
                                shell_quoted((folder_ / "out").string());
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string where = fs::canonical(out_).string() + " --parsable --partition=long ";
    EXPECT_EQ(content_of(folder_ / "said"), where + "job.sbatch\n" + where + "--dependency=afterany:12 merge.sbatch\n");
    EXPECT_EQ(content_of(folder_ / "out"), "Job 12 trains; job 12 then merges the labs into merged.ropelab.\n");
}

TEST_F(SlurmTest, RejectsInvalidOptions) {
    EXPECT_MESSAGE(write(experiment(), 0), BadInput, "1 or more");
    Experiment odd = experiment();
    odd.set("width", {"17"});
    EXPECT_MESSAGE(write(odd), BadInput, "multiple");
    EXPECT_FALSE(fs::exists(out_));
    write(experiment());
    EXPECT_MESSAGE(write(experiment()), BadInput, "not an empty folder");
}

TEST(Slurm, RoundsTimesUpWithAMargin) {
    EXPECT_EQ(slurm_time(0), "0-00:05:00");
    EXPECT_EQ(slurm_time(1), "0-00:10:00");
    EXPECT_EQ(slurm_time(3600), "0-03:05:00");
    EXPECT_EQ(slurm_time(100000), "3-11:25:00");
}

TEST(Slurm, QuotesForTheShell) {
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
}

TEST_F(SlurmTest, FirstTaskSettlesThePrecisionOfAllTasks) {
    const ScratchFolder folder;
    const fs::path file = folder.path() / precision_file;
    const ExperimentPrecision fast = {Precision::bfloat16, "fast."}, plain = {Precision::float32, "plain."};
    const SettlePrecision first = settle_precision_in_file(file, experiment());
    const SettlePrecision second = settle_precision_in_file(file, experiment());
    EXPECT_FALSE(first({}, std::nullopt));
    EXPECT_EQ(first({}, fast), fast);
    EXPECT_EQ(second({}, plain), fast);
    EXPECT_EQ(second({}, std::nullopt), fast);
    // The folder contains no temporary file, and the file does not decide for another experiment.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
    EXPECT_EQ(settle_precision_in_file(file, Experiment("other"))({}, plain), plain);
    const SettlePrecision nowhere = settle_precision_in_file(folder.path() / "missing" / precision_file, experiment());
    EXPECT_EQ(nowhere({}, plain), plain);
}

}  // namespace
}  // namespace ropelab
