// Several threads use a Runner and a LabRecorder. The engine needs no LibTorch, so that the thread sanitizer can watch.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "core/base/error.h"
#include "core/run/runner.h"
#include "core/sweep/lab_plan.h"
#include "tests/support/event_log.h"
#include "tests/support/scratch_folder.h"
#include "tests/ui/support/fake_engine.h"

namespace ropelab {
namespace {

class RunnerThreads : public ::testing::Test {
 protected:
    // Each width is a cohort of its own.
    Experiment experiment(const std::vector<std::string>& widths) const {
        Experiment result("threads");
        for (const char* setting : {"layers=1", "heads=2", "context=16", "batch=2", "iterations=300", "warmup=0",
                                    "evaluate_every=50", "evaluation_batches=1", "precision=float32", "device=cpu"}) {
            result.set_assignment(setting);
        }
        result.set("data", {text_.string()});
        result.set("width", widths);
        return result;
    }

    static std::vector<RunId> ids_of(const std::vector<PlannedRun>& runs) {
        std::vector<RunId> ids;
        for (const PlannedRun& run : runs) ids.push_back(run.id);
        return ids;
    }

    ScratchFolder folder_;
    std::filesystem::path text_ = folder_.write("text.txt", small_text(4000));
    std::filesystem::path path_ = folder_ / "x.ropelab";
    ::ropelab::testing::FakeEngine engine_;
};

TEST_F(RunnerThreads, OtherThreadsSteerAndReadASweepThatIsRecorded) {
    const auto lab = LabFile::create(path_);
    Plan plan = plan_new_runs(*lab, experiment({"16", "32", "48", "64", "80"}));
    const std::vector<PlannedRun> appended = plan_new_runs(*lab, experiment({"96", "112"})).runs;
    const std::vector<RunId> planned = ids_of(plan.runs);
    LabRecorder recorder(path_);
    connect(plan, path_, recorder);
    EventLog log;
    Runner runner([this]() -> Engine& { return engine_; },
                  [&](const Event& event) {
                      log(event);
                      recorder.record(event);
                  });
    runner.pause();  // the first cohort waits at its first step until all threads work
    runner.start(std::move(plan));

    std::atomic<bool> has_ended{false};
    std::thread reader([&] {
        while (!has_ended) {
            EXPECT_TRUE(recorder.flush());
            EXPECT_EQ(recorder.trouble(), "");
            EXPECT_NO_THROW(recorder.require_same_file());
            EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->runs().size(), 7U);
        }
    });
    std::atomic<int> answers{0};
    std::thread prober([&] {
        ProbeRequest request;
        request.sequences = {4, {0, 1, 2, 3}, {1, 2, 3, 4}};
        for (std::size_t i = 0; !has_ended; i = (i + 1) % planned.size()) {
            try {
                answers += runner.probe(planned[i], request).get().sequences == 1 ? 1 : 0;
            } catch (const BadInput&) {  // the run does not train now
            }
        }
    });

    while (answers == 0 && runner.running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    LabFile::open(path_)->claim(ids_of(appended));
    EXPECT_TRUE(runner.append(appended));
    const std::vector<WaitingCohort> waiting = runner.waiting();
    EXPECT_EQ(waiting.size(), 6U);
    const std::vector<RunId> removed = waiting.empty() ? std::vector<RunId>{0} : waiting.back().runs;
    EXPECT_TRUE(!waiting.empty() && runner.remove_waiting(waiting.back().id) && runner.move_waiting(waiting[0].id, 2));
    for (const RunId run : planned) {
        runner.resume();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        runner.pause();
        runner.pick(run);
    }
    runner.resume();
    runner.stop_run(planned.back());
    runner.join();
    has_ended = true;
    reader.join();
    prober.join();
    EXPECT_EQ(recorder.close(), "");

    EXPECT_GT(answers, 0);
    EXPECT_EQ(log.of<event::SweepEnded>().size(), 1U);
    EXPECT_TRUE(std::holds_alternative<event::SweepEnded>(log.all().back()));
    std::map<RunId, RunState> states;
    for (const auto& ended : log.of<event::RunEnded>()) EXPECT_TRUE(states.emplace(ended.run, ended.state).second);
    EXPECT_EQ(states.size(), 6U);
    for (const RunRecord& run : lab->runs()) {
        const bool is_removed = run.id == removed.front();
        EXPECT_EQ(run.state, is_removed ? RunState::waiting : states.at(run.id)) << run.name << ": " << run.message;
        if (run.state == RunState::finished) {
            EXPECT_EQ(run.iteration, 300);
        }
    }
}

}  // namespace
}  // namespace ropelab
