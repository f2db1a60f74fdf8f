// Tests that a sweep that is killed repeatedly ends with the same results as an undisturbed one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using Clock = std::chrono::steady_clock;

// NaN stands for layers without queries.
bool has_bits_of(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class KilledSweep : public testing::Test {
 protected:
    // Returns the arguments of a sweep with two cohorts of two runs. Dropout requires that every random stream is
    // restored. The cohorts differ in shape and duration, so that the kills hit both.
    std::vector<std::string> sweep(const std::filesystem::path& lab) const {
        std::vector<std::string> arguments = {"sweep"};
        for (const char* setting :
             {"theta=500,10000", "width=32,48", "context=32", "batch=4", "iterations=500", "evaluate_every=25",
              "evaluation=sampled", "evaluation_batches=2", "dropout=0.1", "precision=float32", "device=cpu",
              "sample_length=8", "probe_every=2", "data_length=50000"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        arguments.insert(arguments.end(), {"--lab", lab.string(), "--resume"});
        return arguments;
    }

    // Starts the program and discards its output.
    static pid_t begin(const std::vector<std::string>& arguments) {
        const pid_t child = fork();
        if (child != 0) return child;
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        std::vector<char*> command = {const_cast<char*>(ROPELAB_CLI)};
        for (const std::string& argument : arguments) command.push_back(const_cast<char*>(argument.c_str()));
        command.push_back(nullptr);
        execv(ROPELAB_CLI, command.data());
        _exit(127);
    }

    // Sends the program a signal after `time`; returns false if it had finished before.
    static bool kill_after(pid_t child, std::chrono::duration<double> time, int signal = SIGKILL) {
        std::this_thread::sleep_for(time);
        kill(child, signal);
        int status = 0;
        waitpid(child, &status, 0);
        return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }

    // `searches`: runs may have been stopped by a search. `begins_anew`: runs may have begun anew without those that a
    // rung had stopped, so that another run of the cohort wrote the texts of the first steps.
    static void expect_equal(const LabFile& killed, const LabFile& undisturbed, bool searches = false,
                             bool begins_anew = false) {
        const auto runs = killed.runs();
        ASSERT_EQ(runs.size(), undisturbed.runs().size());
        // Only one run of a cohort writes them, and how many runs are a cohort is measured, so that a busy machine may
        // group the runs of the two labs differently.
        std::size_t all_texts = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const RunRecord& run = runs[i];
            const RunRecord other = undisturbed.runs()[i];
            SCOPED_TRACE(run.name);
            ASSERT_EQ(run.settings, other.settings);
            ASSERT_EQ(run.state, other.state);
            ASSERT_TRUE(run.state == RunState::finished || searches);
            EXPECT_EQ(run.summary->best_validation_loss, other.summary->best_validation_loss);
            EXPECT_EQ(run.summary->best_iteration, other.summary->best_iteration);
            EXPECT_EQ(run.summary->final_validation_loss, other.summary->final_validation_loss);
            EXPECT_EQ(run.summary->whole_validation_loss, other.summary->whole_validation_loss);
            EXPECT_EQ(run.summary->final_training_loss, other.summary->final_training_loss);
            EXPECT_EQ(run.summary->iterations, other.summary->iterations);
            const RunMetrics metrics = killed.metrics(run.id);
            const RunMetrics others = undisturbed.metrics(other.id);
            EXPECT_EQ(metrics.steps.iteration, others.steps.iteration);
            EXPECT_EQ(metrics.steps.training_loss, others.steps.training_loss);
            EXPECT_EQ(metrics.steps.gradient_norm, others.steps.gradient_norm);
            EXPECT_EQ(metrics.steps.learning_rate, others.steps.learning_rate);
            EXPECT_EQ(metrics.evaluations.iteration, others.evaluations.iteration);
            EXPECT_EQ(metrics.evaluations.training_loss, others.evaluations.training_loss);
            EXPECT_EQ(metrics.evaluations.validation_loss, others.evaluations.validation_loss);
            const auto texts = killed.samples(run.id);
            const auto other_texts = undisturbed.samples(other.id);
            all_texts += texts.size();
            if (!texts.empty() && !other_texts.empty() && !begins_anew) {
                ASSERT_EQ(texts.size(), other_texts.size());
            }
            for (const auto& text : texts) {
                const auto same = std::ranges::find_if(
                    other_texts, [&](const auto& each) { return each.iteration == text.iteration; });
                if (same == other_texts.end()) continue;
                EXPECT_EQ(text.text, same->text) << "step " << text.iteration;
            }
            EXPECT_EQ(killed.snapshots(run.id), undisturbed.snapshots(other.id));
            for (const std::int64_t iteration : killed.snapshots(run.id)) {
                SCOPED_TRACE("snapshot of step " + std::to_string(iteration));
                const ProbeResult probe = *killed.snapshot(run.id, iteration);
                const ProbeResult same = undisturbed.snapshot(other.id, iteration).value_or(ProbeResult{});
                EXPECT_TRUE(has_bits_of(probe.gradient_norm.values, same.gradient_norm.values)) << "gradient_norm";
                EXPECT_TRUE(has_bits_of(probe.update_ratio.values, same.update_ratio.values)) << "update_ratio";
                EXPECT_TRUE(has_bits_of(probe.accumulated_update.values, same.accumulated_update.values))
                    << "accumulated_update";
                EXPECT_TRUE(has_bits_of(probe.query_usage.values, same.query_usage.values)) << "query_usage";
                EXPECT_TRUE(has_bits_of(probe.attention.values, same.attention.values)) << "attention";
            }
            EXPECT_EQ(read_checkpoint(killed.checkpoint_path(run.id))->state,
                      read_checkpoint(undisturbed.checkpoint_path(other.id))->state);
        }
        EXPECT_GT(all_texts, 2U);
    }

    ScratchFolder folder_;
};

TEST_F(KilledSweep, TenKillsAndResumesGiveTheSameBits) {
    const auto undisturbed_lab = folder_ / "undisturbed.ropelab";
    const auto began = Clock::now();
    const auto finished = ropelab_cli(sweep(undisturbed_lab));
    ASSERT_EQ(finished.status, 0) << finished.err;
    const double whole = std::chrono::duration<double>(Clock::now() - began).count();
    const auto undisturbed = LabFile::open(undisturbed_lab, LabFile::Mode::read);

    std::mt19937 generator(std::random_device{}());
    int kills = 0;
    int labs = 0;
    int killed_in_training = 0;
    while (kills < 10) {
        const auto lab = folder_ / ("killed-" + std::to_string(++labs) + ".ropelab");
        // A lab may be finished before the tenth kill; the remaining kills then hit the next lab.
        while (kills < 10) {
            const double after = std::uniform_real_distribution(0.0, whole / 3)(generator);
            SCOPED_TRACE("killed after " + std::to_string(after) + " s of about " + std::to_string(whole) + " s");
            if (!kill_after(begin(sweep(lab)), std::chrono::duration<double>(after))) break;
            ++kills;
            std::error_code error;
            if (std::filesystem::exists(folder_ / (lab.filename().string() + ".checkpoints"), error)) {
                ++killed_in_training;
            }
        }
        const auto continued = ropelab_cli(sweep(lab));
        ASSERT_EQ(continued.status, 0) << continued.err;
        expect_equal(*LabFile::open(lab, LabFile::Mode::read), *undisturbed);
        const auto again = ropelab_cli({"sweep", "--lab", lab.string(), "--resume", "--json"});
        EXPECT_EQ(again.status, 0) << again.err;
        EXPECT_TRUE(again.json().at("peak_memory_bytes").is_null()) << "finished runs are not repeated";
    }
    EXPECT_GT(killed_in_training, 0);
}

// Signals that stop the program between two steps, in an evaluation or in a sample, and kills. Samples are long, so
// that many signals hit one.
TEST_F(KilledSweep, StopsAndKillsOfOtherModelsGiveTheSameBitsAndSamples) {
    struct Kind {
        const char* name;
        std::vector<std::string> arguments;
    };
    const std::vector<Kind> kinds = {
        {"subwords",
         {"--set", "data=" + folder_.write("text.txt", small_text(20000)).string(), "--set", "tokenizer=bpe", "--set",
          "vocabulary_size=300"}},
        {"gated DeltaNet", {"--set", "attention_layers=deltanet + full"}},
        {"experts", {"--set", "experts=4", "--set", "experts_per_token=2"}},
        {"latent attention", {"--set", "attention=mla"}},
        {"halving", {"--set", "learning_rate=1e-4,3e-4,1e-3,1e-2", "--search", "halving", "--first-rung", "40"}},
        {"search", {"--set", "learning_rate=1e-4..1e-2 log", "--search", "sobol", "--samples", "3"}},
    };
    constexpr int signals[] = {SIGTERM, SIGKILL, SIGINT, SIGTERM};
    std::mt19937 generator(std::random_device{}());
    int stops = 0;
    for (const Kind& kind : kinds) {
        SCOPED_TRACE(kind.name);
        const auto sweep = [&](const std::filesystem::path& lab) {
            std::vector<std::string> arguments = {"sweep", "--lab", lab.string(), "--resume"};
            for (const char* setting :
                 {"layers=2", "heads=2", "width=16", "context=32", "batch=2", "iterations=120", "evaluate_every=20",
                  "evaluation=sampled", "evaluation_batches=2", "dropout=0.1", "precision=float32", "device=cpu",
                  "sample_length=300", "data_length=50000"}) {
                arguments.insert(arguments.end(), {"--set", setting});
            }
            arguments.insert(arguments.end(), kind.arguments.begin(), kind.arguments.end());
            return arguments;
        };
        const auto undisturbed_lab = folder_ / (std::string(kind.name) + "-undisturbed.ropelab");
        const auto began = Clock::now();
        const auto finished = ropelab_cli(sweep(undisturbed_lab));
        ASSERT_EQ(finished.status, 0) << finished.err;
        const double whole = std::chrono::duration<double>(Clock::now() - began).count();
        const auto lab = folder_ / (std::string(kind.name) + "-killed.ropelab");
        for (const int signal : signals) {
            const double after = std::uniform_real_distribution(0.1 * whole, 0.6 * whole)(generator);
            SCOPED_TRACE("signal " + std::to_string(signal) + " after " + std::to_string(after) + " s");
            if (!kill_after(begin(sweep(lab)), std::chrono::duration<double>(after), signal)) break;
            ++stops;
        }
        const auto continued = ropelab_cli(sweep(lab));
        ASSERT_EQ(continued.status, 0) << continued.err;
        expect_equal(*LabFile::open(lab, LabFile::Mode::read), *LabFile::open(undisturbed_lab, LabFile::Mode::read),
                     true, kind.name == std::string("halving"));
    }
    EXPECT_GT(stops, 3);
}

}  // namespace
}  // namespace ropelab
