// Tests of a Runner whose CUDA device fails during training. The engine trains on the CPU, but reports "cuda".
#include "core/run/after_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/run/checkpoint.h"
#include "core/run/device_record.h"
#include "core/run/runner.h"
#include "tests/support/event_log.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

constexpr const char* fault_message = "The CUDA device failed: an illegal memory access.";

// A simulated fault: when a cohort is created, trains its next step, or copies a run's state.
struct Fault {
    enum class Where { create, step, state } where = Where::step;
    std::int64_t iteration = 0;  // number of steps trained before the fault
    bool lost = false;
    std::int64_t run = 0;  // index of the run in the cohort, for Where::state
};

class FaultyEngine : public Engine {
 public:
    explicit FaultyEngine(std::string identity) : identity_(std::move(identity)) {}

    std::deque<Fault> faults;  // in order of occurrence
    bool faults_on_cpu = false;

    EngineInfo info() override {
        EngineInfo info = engine_.info();
        info.cuda = true;
        info.cuda_memory = 0;
        info.cuda_identity = identity_;
        return info;
    }
    void trust_device(const DeviceTrust& trust) override { trust_ = trust; }
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) override {
        const bool cuda = start.conditions ? start.conditions->device == "cuda"
                                           : start.runs.front().device != Device::cpu && trust_.device;
        CohortStart here = start;
        for (RunSpec& run : here.runs) run.device = Device::cpu;
        if (here.conditions) here.conditions->device = "cpu";
        auto cohort = std::make_unique<OnDevice>(*this, engine_.create_cohort(here, data), cuda);
        cohort->meet({Fault::Where::create, cohort->iteration()});
        return cohort;
    }
    std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor> tensors,
                                        const Computing& computing) override {
        return engine_.create_model(plan, tensors, computing);
    }

 private:
    class OnDevice : public Cohort {
     public:
        OnDevice(FaultyEngine& engine, std::unique_ptr<Cohort> cohort, bool cuda)
            : engine_(engine), cohort_(std::move(cohort)), cuda_(cuda), graphs_(to_text(engine.trust_)) {}

        // Throws the next fault if its conditions are met.
        void meet(const Fault& place) const {
            if (engine_.faults.empty() || !(cuda_ || engine_.faults_on_cpu)) return;
            const Fault next = engine_.faults.front();
            if (next.where != place.where || next.iteration != place.iteration || next.run != place.run) return;
            engine_.faults.pop_front();
            throw DeviceFault(fault_message, next.lost);
        }

        std::int64_t runs() const override { return cohort_->runs(); }
        std::int64_t iteration() const override { return cohort_->iteration(); }
        RunConditions conditions() const override {
            RunConditions conditions = cohort_->conditions();
            conditions.device = cuda_ ? "cuda" : "cpu";
            conditions.graphs = cuda_ ? graphs_ : "";
            return conditions;
        }
        std::vector<StepResult> step() override {
            meet({Fault::Where::step, iteration()});
            return cohort_->step();
        }
        std::vector<EvaluationResult> evaluate_runs(std::int64_t first, std::int64_t count,
                                                    const std::function<bool()>& cancelled) override {
            return cohort_->evaluate_runs(first, count, cancelled);
        }
        void remove(std::int64_t run) override { cohort_->remove(run); }
        std::vector<NamedTensor> state(std::int64_t run) const override {
            meet({Fault::Where::state, iteration(), false, run});
            return cohort_->state(run);
        }
        std::unique_ptr<Model> model(std::int64_t run) const override { return cohort_->model(run); }
        ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override {
            return cohort_->probe(run, request);
        }

     private:
        FaultyEngine& engine_;
        std::unique_ptr<Cohort> cohort_;
        bool cuda_;
        std::string graphs_;
    };

    std::string identity_;
    TorchEngine engine_;
    DeviceTrust trust_;
};

class AfterFaultTest : public testing::Test {
 protected:
    AfterFaultTest() {
        setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
        DeviceRecord record;
        record.identity = identity_;
        record.state = DeviceRecord::State::done;
        record.trust = {.graphs = true};
        write_device_record(device_records_folder(), record);
    }
    ~AfterFaultTest() override { unsetenv("XDG_CACHE_HOME"); }

    RunSpec spec(std::int64_t seed = 1) const {
        RunSpec result = tiny_spec();  // 20 steps, evaluated at 0, 10 and 20
        result.data = text_.string();
        result.seed = seed;
        result.probe_every = 0;
        return result;
    }
    PlannedRun planned(RunId id, const RunSpec& spec) const {
        return {id, spec, folder_ / ("run-" + std::to_string(id) + ".safetensors"), false, std::nullopt};
    }
    void train(std::vector<PlannedRun> runs) {
        Runner runner([this]() -> Engine& { return engine_; }, [this](const Event& event) { log_(event); });
        runner.start({std::move(runs),
                      {},
                      {},
                      [this](RunId run, std::int64_t iteration) { cuts_.emplace_back(run, iteration); },
                      {}});
        runner.join();
    }
    DeviceRecord record() const { return read_device_record(device_records_folder(), identity_).value(); }
    std::vector<event::CohortStarted> started() const { return log_.of<event::CohortStarted>(); }
    std::vector<NamedTensor> state_of(RunId id) const { return read_checkpoint(planned(id, {}).checkpoint)->state; }
    // Returns the weights after training without faults.
    std::vector<NamedTensor> undisturbed(RunId id, const RunSpec& spec) {
        RunSpec on_cpu = spec;
        on_cpu.device = Device::cpu;
        Runner runner([this]() -> Engine& { return engine_; }, [](const Event&) {});
        runner.start({{planned(id, on_cpu)}, {}, {}, {}, {}});
        runner.join();
        return state_of(id);
    }

    using Cuts = std::vector<std::pair<RunId, std::int64_t>>;
    ScratchFolder folder_;
    std::filesystem::path text_ = folder_.write("text.txt", small_text(4000));
    std::string identity_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    FaultyEngine engine_{identity_};
    EventLog log_;
    Cuts cuts_;
};

TEST_F(AfterFaultTest, FaultResumesWithoutGraphsFromTheCheckpoint) {
    engine_.faults = {{.iteration = 14}};
    train({planned(1, spec())});
    ASSERT_EQ(started().size(), 2U);
    EXPECT_EQ(started()[0].conditions.graphs, "graphs");
    EXPECT_EQ(started()[1].iteration, 10);
    EXPECT_EQ(started()[1].conditions.device, "cuda");
    EXPECT_EQ(started()[1].conditions.graphs, "off");
    EXPECT_EQ(started()[1].conditions.precision, started()[0].conditions.precision);
    EXPECT_EQ(started()[1].conditions.threads, started()[0].conditions.threads);
    EXPECT_THAT(started()[1].conditions.reason,
                testing::AllOf(testing::StartsWith("float32: "), testing::HasSubstr(fault_message),
                               testing::HasSubstr("resumes without CUDA graphs")));
    EXPECT_EQ(cuts_, (Cuts{{1, 10}}));
    std::vector<std::int64_t> steps;
    for (const auto& step : log_.of<event::Step>()) steps.push_back(step.iteration);
    ASSERT_EQ(steps.size(), 24U);
    EXPECT_EQ(steps[13], 14);
    EXPECT_EQ(steps[14], 11);
    EXPECT_EQ(log_.of<event::RunEnded>().front().state, RunState::finished);
    EXPECT_EQ(log_.of<event::SweepEnded>().front().state, RunState::finished);
    EXPECT_EQ(record().state, DeviceRecord::State::revoked);
    EXPECT_EQ(record().trust, DeviceTrust());
    EXPECT_EQ(read_checkpoint(planned(1, {}).checkpoint)->conditions.graphs, "off");
    EXPECT_EQ(state_of(1), undisturbed(2, spec()));
}

TEST_F(AfterFaultTest, LostDeviceMovesThisAndLaterRunsToTheCpu) {
    engine_.faults = {{.iteration = 14, .lost = true}};
    RunSpec wider = spec();
    wider.width = 32;
    train({planned(1, spec()), planned(2, wider)});
    ASSERT_EQ(started().size(), 3U);
    EXPECT_EQ(started()[1].iteration, 10);
    EXPECT_EQ(started()[1].conditions.device, "cpu");
    EXPECT_EQ(started()[1].conditions.graphs, "");
    EXPECT_THAT(started()[1].conditions.reason, testing::HasSubstr("resumes on the CPU"));
    EXPECT_EQ(started()[2].runs, (std::vector<RunId>{2}));
    EXPECT_EQ(started()[2].conditions.device, "cpu");
    EXPECT_EQ(cuts_, (Cuts{{1, 10}}));
    EXPECT_EQ(log_.of<event::SweepEnded>().front().state, RunState::finished);
    EXPECT_EQ(state_of(1), undisturbed(3, spec()));
}

TEST_F(AfterFaultTest, SecondFaultMovesToTheCpu) {
    engine_.faults = {{.iteration = 14}, {.iteration = 12}};
    train({planned(1, spec())});
    ASSERT_EQ(started().size(), 3U);
    EXPECT_EQ(started()[1].conditions.graphs, "off");
    EXPECT_EQ(started()[2].conditions.device, "cpu");
    EXPECT_EQ(cuts_, (Cuts{{1, 10}, {1, 10}}));
    EXPECT_EQ(log_.of<event::SweepEnded>().front().state, RunState::finished);
}

TEST_F(AfterFaultTest, ThirdFaultFailsTheRuns) {
    engine_.faults_on_cpu = true;
    engine_.faults = {{.iteration = 14}, {.iteration = 14}, {.iteration = 14}};
    train({planned(1, spec()), planned(2, spec(2))});
    const auto ended = log_.of<event::RunEnded>();
    ASSERT_EQ(ended.size(), 2U);
    for (const auto& end : ended) {
        EXPECT_EQ(end.state, RunState::failed);
        EXPECT_EQ(end.message, fault_message);
        EXPECT_EQ(end.summary.iterations, 10);
    }
    EXPECT_EQ(started().size(), 3U);
}

TEST_F(AfterFaultTest, RunWithoutCheckpointRestartsUnderItsConditions) {
    engine_.faults = {{.iteration = 14}};
    PlannedRun run = planned(1, spec());
    run.checkpoint.clear();
    train({run});
    ASSERT_EQ(started().size(), 2U);
    EXPECT_EQ(started()[1].iteration, 0);
    EXPECT_EQ(started()[1].conditions.graphs, "off");
    EXPECT_EQ(cuts_, (Cuts{{1, -1}}));
    EXPECT_EQ(log_.of<event::Step>().size(), 34U);
    EXPECT_EQ(log_.of<event::RunEnded>().front().state, RunState::finished);
}

TEST_F(AfterFaultTest, RunsThatHadNotBegunBeginWithoutGraphs) {
    engine_.faults = {{.where = Fault::Where::create}};
    train({planned(1, spec())});
    ASSERT_EQ(started().size(), 1U);
    EXPECT_EQ(started()[0].conditions.device, "cuda");
    EXPECT_EQ(started()[0].conditions.graphs, "off");
    EXPECT_THAT(started()[0].conditions.reason, testing::HasSubstr(fault_message));
    EXPECT_TRUE(cuts_.empty());
    EXPECT_EQ(log_.of<event::Step>().size(), 20U);
}

TEST_F(AfterFaultTest, RunWithDeviceCudaAlsoMovesToTheCpu) {
    engine_.faults = {{.where = Fault::Where::create, .lost = true}};
    RunSpec run = spec();
    run.device = Device::cuda;
    train({planned(1, run)});
    ASSERT_EQ(started().size(), 1U);
    EXPECT_EQ(started()[0].conditions.device, "cpu");
    EXPECT_EQ(started()[0].conditions.precision, "float32");
    EXPECT_EQ(log_.of<event::RunEnded>().front().state, RunState::finished);
}

TEST_F(AfterFaultTest, RunsWithDifferentCheckpointStepsResumeSeparately) {
    engine_.faults = {{.where = Fault::Where::state, .iteration = 10, .run = 1}};
    train({planned(1, spec()), planned(2, spec(2))});
    ASSERT_EQ(started().size(), 3U);
    EXPECT_EQ(started()[0].runs, (std::vector<RunId>{1, 2}));
    EXPECT_EQ(started()[1].runs, (std::vector<RunId>{1}));
    EXPECT_EQ(started()[1].iteration, 10);
    EXPECT_EQ(started()[2].runs, (std::vector<RunId>{2}));
    EXPECT_EQ(started()[2].iteration, 0);
    EXPECT_EQ(cuts_, (Cuts{{1, 10}, {2, 0}}));
    EXPECT_EQ(state_of(1), undisturbed(3, spec()));
    EXPECT_EQ(state_of(2), undisturbed(4, spec(2)));
}

TEST_F(AfterFaultTest, RunsLeaveADeviceThatIsNoLongerTrusted) {
    engine_.faults = {{.iteration = 14, .lost = true}};
    train({planned(1, spec())});  // this process loses the device
    PlannedRun begun = planned(2, spec(2));
    begun.resume = true;
    begun.conditions = RunConditions{"float32", "cuda", 2, "float32: as asked."};
    begun.conditions->graphs = "graphs";
    train({begun});
    EXPECT_EQ(started().back().runs, (std::vector<RunId>{2}));
    EXPECT_EQ(started().back().conditions.device, "cpu");
    EXPECT_EQ(started().back().conditions.graphs, "");
    EXPECT_THAT(started().back().conditions.reason,
                testing::HasSubstr("failed earlier while this program was running"));
}

}  // namespace
}  // namespace ropelab
