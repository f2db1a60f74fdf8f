// A CUDA device that fails while it trains: an engine on the CPU in its place, which throws what the engine would.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/experiment/checkpoint.h"
#include "core/experiment/runner.h"
#include "core/spec/error.h"
#include "core/train/torch_engine.h"
#include "tests/support/event_log.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

// Fails before the step from `fails_at`, `faults` times.
class FaultyEngine : public Engine {
 public:
    FaultyEngine(std::int64_t fails_at, int faults) : fails_at_(fails_at), faults_(faults) {}
    EngineInfo info() override { return engine_.info(); }
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) override {
        conditions.push_back(start.conditions.value_or(RunConditions{}));
        return std::make_unique<Faulty>(*this, engine_.create_cohort(start, data));
    }
    std::unique_ptr<Model> create_model(const RunSpec& spec, int vocabulary,
                                        std::span<const NamedTensor> tensors) override {
        return engine_.create_model(spec, vocabulary, tensors);
    }
    void trust_device(const DeviceTrust& trust) override { trusted.push_back(trust); }

    std::vector<RunConditions> conditions;  // that cohorts were made with
    std::vector<DeviceTrust> trusted;

 private:
    class Faulty : public Cohort {
     public:
        Faulty(FaultyEngine& engine, std::unique_ptr<Cohort> cohort) : engine_(engine), cohort_(std::move(cohort)) {}
        std::int64_t runs() const override { return cohort_->runs(); }
        std::int64_t iteration() const override { return cohort_->iteration(); }
        RunConditions conditions() const override { return cohort_->conditions(); }
        std::vector<StepResult> step() override {
            if (iteration() == engine_.fails_at_ && engine_.faults_-- > 0) {
                throw DeviceFault("The device refused the kernel adamw: invalid argument.", false);
            }
            return cohort_->step();
        }
        std::vector<EvaluationResult> evaluate(const std::function<bool()>& cancelled) override {
            return cohort_->evaluate(cancelled);
        }
        void remove(std::int64_t run) override { cohort_->remove(run); }
        std::vector<NamedTensor> state(std::int64_t run) const override { return cohort_->state(run); }
        std::unique_ptr<Model> model(std::int64_t run) const override { return cohort_->model(run); }
        ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override {
            return cohort_->probe(run, request);
        }

     private:
        FaultyEngine& engine_;
        std::unique_ptr<Cohort> cohort_;
    };
    std::int64_t fails_at_;
    int faults_;
    TorchEngine engine_;
};

class DeviceFaultTest : public testing::Test {
 protected:
    DeviceFaultTest() { setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1); }
    ~DeviceFaultTest() override { unsetenv("XDG_CACHE_HOME"); }

    // What came of a run of twenty steps with a checkpoint at ten.
    RunState trained(FaultyEngine& engine, EventLog& log, const std::string& name) {
        RunSpec spec = tiny_spec();
        spec.data = text_.string();
        Runner runner([&]() -> Engine& { return engine; }, [&](const Event& event) { log(event); });
        PlannedRun run{1, spec, folder_ / name, false, std::nullopt};
        runner.start({{run}, {}, {}, [&](RunId, std::int64_t kept) { cut_back.push_back(kept); }, {}});
        runner.join();
        return log.of<event::RunEnded>().front().state;
    }

    ScratchFolder folder_;
    std::filesystem::path text_ = folder_.write("text.txt", small_text(4000));
    std::vector<std::int64_t> cut_back;
};

TEST_F(DeviceFaultTest, TheRunResumesFromItsCheckpointWithLibTorchAlone) {
    FaultyEngine faulty(15, 1);
    EventLog log;
    ASSERT_EQ(trained(faulty, log, "a.safetensors"), RunState::finished);
    EXPECT_EQ(cut_back, std::vector<std::int64_t>{10});
    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[1].iteration, 10);
    EXPECT_NE(started[1].conditions.reason.find("adamw"), std::string::npos) << started[1].conditions.reason;
    EXPECT_EQ(faulty.conditions.back().kernels, "off");
    EXPECT_EQ(faulty.trusted.back(), DeviceTrust::libtorch_alone());
    EXPECT_EQ(log.of<event::Step>().back().iteration, 20);

    // The same bits as without the fault.
    FaultyEngine sound(15, 0);
    EventLog other;
    ASSERT_EQ(trained(sound, other, "b.safetensors"), RunState::finished);
    EXPECT_EQ(read_checkpoint(folder_ / "a.safetensors")->state, read_checkpoint(folder_ / "b.safetensors")->state);
}

TEST_F(DeviceFaultTest, ARunWithoutACheckpointStartsAgain) {
    FaultyEngine faulty(0, 1);
    EventLog log;
    ASSERT_EQ(trained(faulty, log, "a.safetensors"), RunState::finished);
    EXPECT_EQ(log.of<event::Step>().size(), 20U);
}

// A second fault sends it to the CPU, a third ends it.
TEST_F(DeviceFaultTest, FaultsDoNotGoOnForEver) {
    FaultyEngine faulty(5, 100);
    EventLog log;
    ASSERT_EQ(trained(faulty, log, "a.safetensors"), RunState::failed);
    ASSERT_EQ(faulty.conditions.size(), 3U);
    EXPECT_EQ(faulty.conditions[2].device, "cpu");
    EXPECT_FALSE(faulty.trusted.back().device);
    EXPECT_EQ(log.of<event::RunEnded>().front().message, "The device refused the kernel adamw: invalid argument.");
}

}  // namespace
}  // namespace ropelab
