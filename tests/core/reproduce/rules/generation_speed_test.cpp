#include "core/reproduce/rules/measuring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/reproduce/sheet_lab.h"
#include "core/sweep/lab_plan.h"
#include "tests/core/reproduce/sheet_runs.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

// Engine whose models return tokens of the requested number; it stores the options of every generation.
class GeneratingEngine : public Engine {
 public:
    std::vector<Generation> generations;
    std::vector<double> bases;  // θ of each created model, in order

    EngineInfo info() override { return {}; }
    std::unique_ptr<Cohort> create_cohort(const CohortStart&, const TokenData&) override { return nullptr; }
    std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor>,
                                        const Computing&) override {
        bases.push_back(plan.rotary()->settings.theta);
        return std::make_unique<Generator>(generations);
    }

 private:
    class Generator : public Model {
     public:
        explicit Generator(std::vector<Generation>& generations) : generations_(generations) {}
        std::vector<float> logits(std::span<const std::int32_t>) override { return {}; }
        std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation& options) override {
            generations_.push_back(options);
            return std::vector<std::int32_t>(static_cast<std::size_t>(options.length));
        }
        double whole_loss(std::span<const std::int32_t>) override { return 1; }
        ProbeResult probe(const ProbeRequest&) override { return {}; }

     private:
        std::vector<Generation>& generations_;
    };
};

class GenerationSpeedTest : public testing::Test {
 protected:
    // Stores finished runs with θ = 100 and 500 and the seeds 1 and 2, and their checkpoints.
    void fill(const SheetPlan& plan) {
        experiment = enter_sheet(*lab, plan);
        lab->checkpoint_folder();
        std::vector<Event> events;
        for (const RunRecord& run : lab->runs()) {
            events.emplace_back(event::RunEnded{run.id, RunState::finished, "", RunSummary{}});
            Checkpoint checkpoint;
            checkpoint.spec = run_spec_from_json(nlohmann::json::parse(run.settings));
            checkpoint.vocabulary = "characters:97,98";
            checkpoint.conditions = {"float32", "cpu", 1, ""};
            write_checkpoint(lab->checkpoint_path(run.id), checkpoint);
        }
        lab->record(events);
    }
    static SheetPlan plan() {
        SheetPlan plan = plan_of({});
        plan.experiment.set("data", {"synthetic"});
        plan.experiment.set("theta", {"100", "500"});
        plan.experiment.set("seed", {"1", "2"});
        return plan;
    }
    bool measure(const GenerationSpeed& settings) {
        return measure_generations(
            *lab, settings, std::nullopt, [this]() -> Engine& { return engine; }, [this] { return cancelled; });
    }

    ScratchFolder folder;
    std::unique_ptr<LabFile> lab = LabFile::create(folder / "x.ropelab");
    std::int64_t experiment = 0;
    GeneratingEngine engine;
    bool cancelled = false;
};

TEST_F(GenerationSpeedTest, ReportsItsProgress) {
    fill(plan());
    std::vector<std::int64_t> done;
    EXPECT_TRUE(measure_generations(
        *lab, {.samples = 1, .length = 5, .temperature = 0, .top_k = 0}, std::nullopt,
        [this]() -> Engine& { return engine; }, [] { return false; },
        [&done](std::int64_t runs) { done.push_back(runs); }));
    EXPECT_EQ(done, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST_F(GenerationSpeedTest, MeasuresEveryRunOncePerSettings) {
    fill(plan());
    GenerationSpeed settings{.samples = 3, .length = 20, .temperature = 0.5, .top_k = 7};
    for (int time = 0; time < 2; ++time) {
        EXPECT_TRUE(measure(settings));
        EXPECT_EQ(engine.generations.size(), 4U * 4U);  // four runs, each with a warm-up and three samples
    }
    EXPECT_EQ(engine.generations[1].length, 20);
    EXPECT_EQ(engine.generations[1].temperature, 0.5);
    EXPECT_EQ(engine.generations[1].top_k, 2);  // the vocabulary has two tokens
    for (const RunRecord& run : lab->runs()) {
        const auto measured = lab->measurements(run.id);
        EXPECT_EQ(stored_generation(measured), settings);
        EXPECT_GT(measured.at(generated_per_second), 0);
        EXPECT_GE(measured.at(generated_per_second_std), 0);
        ASSERT_TRUE(run.summary);
        EXPECT_EQ(run.summary->generated_tokens_per_second, measured.at(generated_per_second));
    }
    EXPECT_EQ(
        generation_note(*lab),
        "Generation speed: 3 samples of 20 tokens per run, batch size 1, temperature 0.5, top_k 7, mode recompute, "
        "after a warm-up.");
    settings.mode = Generation::Mode::rolling;
    EXPECT_EQ(runs_without_generation_speed(*lab, settings).size(), 4U);
    EXPECT_TRUE(measure(settings));
    EXPECT_EQ(engine.generations.size(), 2U * 16U);
    EXPECT_EQ(engine.generations.back().mode, Generation::Mode::rolling);
}

TEST_F(GenerationSpeedTest, RunsFollowTheOrderDrawnFromTheSeed) {
    fill(plan());
    const std::vector<RunId> order = runs_without_generation_speed(*lab, sweep_generation, experiment);
    ASSERT_EQ(order.size(), 4U);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const RunSpec spec = run_spec_from_json(nlohmann::json::parse(lab->run(order[i]).settings));
        EXPECT_EQ(spec.seed, i < 2 ? 1 : 2);
        if (i % 2 == 1) {
            EXPECT_LT(timing_order(spec.seed, order[i - 1]), timing_order(spec.seed, order[i]));
        }
    }
    EXPECT_TRUE(runs_without_generation_speed(*lab, sweep_generation, experiment + 1).empty());
}

TEST_F(GenerationSpeedTest, SheetsKeepTheirOwnSettings) {
    SheetPlan sheet = plan();
    sheet.writing.samples = 1;
    fill(sheet);
    EXPECT_TRUE(runs_without_generation_speed(*lab, sweep_generation).empty());
}

TEST_F(GenerationSpeedTest, ACancelledRunStoresNothing) {
    fill(plan());
    cancelled = true;
    EXPECT_FALSE(measure(sweep_generation));
    EXPECT_EQ(runs_without_generation_speed(*lab, sweep_generation).size(), 4U);
    EXPECT_TRUE(std::isnan(lab->runs().front().summary->generated_tokens_per_second));
    EXPECT_EQ(generation_note(*lab), "");
}

TEST_F(GenerationSpeedTest, DifferentSettingsAreNotComparable) {
    fill(plan());
    EXPECT_TRUE(measure({.samples = 1, .length = 5}));
    lab->set_measurement(lab->runs().front().id, generation_length, 6);
    EXPECT_NE(generation_note(*lab).find("at 2 different settings"), std::string::npos);
}

TEST_F(GenerationSpeedTest, RefusesInvalidSettings) {
    EXPECT_MESSAGE(measure({.samples = 0}), BadInput, "The number of samples is 0, but it must be 1 or more.");
    EXPECT_MESSAGE(measure({.samples = 1, .length = 0}), BadInput, "0 tokens, but it must be 1 or more");
    EXPECT_MESSAGE(measure({.samples = 1, .temperature = -1}), BadInput, "The temperature is -1");
    EXPECT_MESSAGE(measure({.samples = 1, .top_k = -1}), BadInput, "top_k is -1");
}

}  // namespace
}  // namespace ropelab
