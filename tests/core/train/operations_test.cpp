#include <gtest/gtest.h>

#include "core/train/torch_cohort.h"
#include "core/train/torch_engine.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

// One way to calculate a run.
struct Way {
    Operations operations;
    bool rope_cache;
};
constexpr Way usual = {Operations::fused, true};
constexpr Way others[] = {{Operations::fused, false}, {Operations::eager, true}, {Operations::eager, false}};

class OperationsTest : public testing::Test {
 protected:
    std::unique_ptr<TorchCohort> cohort(RunSpec spec, const Way& way, const Scaling& scaling = {}) const {
        spec.operations = way.operations;
        spec.rope_cache = way.rope_cache;
        RunSpec mate = spec;  // with tables and dropout of its own
        mate.theta = 300;
        mate.seed = 5;
        CohortStart start;
        start.runs = {spec, mate};
        start.scaling = scaling;
        return std::make_unique<TorchCohort>(start, data_, 1);
    }

    // Everything that ten steps showed of both runs, and an evaluation after them.
    static std::vector<double> story(TorchCohort& trained) {
        std::vector<double> numbers;
        for (int step = 0; step < 10; ++step) {
            for (const StepResult& result : trained.step()) {
                numbers.push_back(result.training_loss);
                numbers.push_back(result.gradient_norm / 10);  // so large that its last digit is float32's
            }
        }
        for (const EvaluationResult& result : trained.evaluate({})) {
            numbers.push_back(result.training_loss);
            numbers.push_back(result.validation_loss);
        }
        return numbers;
    }

    void expect_equal_runs(const RunSpec& spec, double tolerance = 1e-5, const Scaling& scaling = {}) const {
        const auto first = cohort(spec, usual, scaling);
        const std::vector<double> expected = story(*first);
        for (const Way& way : others) {
            SCOPED_TRACE(std::string(way.operations == Operations::eager ? "eager" : "fused") +
                         (way.rope_cache ? "" : ", cos and sin at every call"));
            const auto second = cohort(spec, way, scaling);
            const std::vector<double> got = story(*second);
            ASSERT_EQ(got.size(), expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
        }
    }

    std::int64_t operations_of_a_step(const RunSpec& spec, const Way& way) {
        const auto trained = cohort(spec, way);
        trained->step();
        return engine_.count_operations([&] { trained->step(); }).value();
    }
    // What one more symbol takes.
    std::int64_t operations_of_a_symbol(const RunSpec& spec, const Way& way) {
        const auto model = cohort(spec, way)->model(0);
        const std::vector<std::int32_t> prompt = {3};
        Generation how;
        const auto count = [&](std::int64_t length) {
            how.length = length;
            return engine_.count_operations([&] { model->generate(prompt, how); }).value();
        };
        return count(4) - count(3);
    }

    TorchEngine engine_;
    std::vector<std::int32_t> tokens_ = tiny_tokens(3000);
    TokenData data_{7, tokens_, {tokens_.data(), 500}};
};

RunSpec gpt2() {
    RunSpec spec = tiny_spec();
    spec.position = Position::learned_rope;
    spec.bias = true;
    return spec;
}
RunSpec llama() {
    RunSpec spec = tiny_spec();
    spec.block = Block::llama;
    spec.heads = 4;
    spec.width = 32;
    spec.key_value_heads = 2;
    spec.qk_norm = true;
    spec.fraction = 0.5;
    spec.rotated_layers = "1";
    return spec;
}
RunSpec pythia() {
    RunSpec spec = tiny_spec();
    spec.block = Block::pythia;
    spec.partial = Partial::truncate;
    spec.fraction = 0.5;
    spec.pairs = "0-2";
    spec.tied_head = false;
    return spec;
}

TEST_F(OperationsTest, EveryWayTrainsTheSameRun) {
    for (const RunSpec& spec : {gpt2(), llama(), pythia()}) expect_equal_runs(spec);
}

TEST_F(OperationsTest, DropoutHasTheSameMasks) {
    for (RunSpec spec : {gpt2(), llama()}) {
        spec.dropout = 0.2;
        expect_equal_runs(spec);
    }
}

TEST_F(OperationsTest, AThetaThatMovesMovesTheSameWay) {
    for (const ThetaTraining training : {ThetaTraining::one, ThetaTraining::head}) {
        RunSpec spec = tiny_spec();
        spec.theta_training = training;
        expect_equal_runs(spec);
    }
    RunSpec spec = tiny_spec();
    spec.theta_schedule = ThetaSchedule::geometric;
    spec.theta_end = 100;
    expect_equal_runs(spec);
}

TEST_F(OperationsTest, ScaledFrequenciesKeepTheirFactor) {
    expect_equal_runs(pythia(), 1e-5, {.method = ScalingMethod::yarn, .factor = 4});
}

// Fused, what lies between products is rounded as well; operation by operation only what is multiplied.
TEST_F(OperationsTest, Bfloat16RoundsTheSameWeights) {
    RunSpec dropping = gpt2();
    dropping.bias = false;
    dropping.dropout = 0.2;
    RunSpec moving = tiny_spec();
    moving.theta_training = ThetaTraining::head;
    for (RunSpec spec : {gpt2(), dropping, llama(), pythia(), moving}) {
        spec.precision = Precision::bfloat16;
        expect_equal_runs(spec, 2e-3);
    }
}

// Bit for bit, as where operations are fused; at a shape where sums are shared out among threads, too.
TEST_F(OperationsTest, ARunDoesNotDependOnItsMates) {
    RunSpec large;
    large.precision = Precision::float32;
    large.context = 128;
    large.batch = 8;
    large.bias = true;
    large.evaluation_batches = 1;
    for (RunSpec spec : {gpt2(), llama(), pythia(), large}) {
        spec.operations = Operations::eager;
        spec.rope_cache = false;
        spec.dropout = 0.1;
        std::vector<std::vector<NamedTensor>> states;
        for (const std::int64_t mates : {0, 3}) {
            CohortStart start;
            start.runs.assign(static_cast<std::size_t>(mates + 1), spec);
            for (std::int64_t mate = 1; mate <= mates; ++mate) start.runs[mate].seed = mate;
            TorchCohort trained(start, data_, 2);
            for (int step = 0; step < 3; ++step) trained.step();
            states.push_back(trained.state(0));
        }
        EXPECT_TRUE(states[0] == states[1]);
    }
}

TEST_F(OperationsTest, EveryWayWritesTheSameText) {
    const std::vector<std::int32_t> prompt = {3, 6, 2};
    for (const RunSpec& spec : {tiny_spec(), gpt2(), llama(), pythia()}) {
        const auto trained = cohort(spec, usual);
        for (int step = 0; step < 20; ++step) trained->step();
        const auto state = trained->state(0);
        for (const double temperature : {0.0, 0.8}) {
            for (const auto mode : {Generation::Mode::recompute, Generation::Mode::rolling}) {
                if (mode == Generation::Mode::rolling && spec.learns_positions()) continue;
                Generation how;
                how.length = 40;  // far past the context of 16
                how.temperature = temperature;
                how.mode = mode;
                const auto expected = trained->model(0)->generate(prompt, how);
                for (const Way& way : others) {
                    RunSpec changed = spec;
                    changed.operations = way.operations;
                    changed.rope_cache = way.rope_cache;
                    EXPECT_EQ(engine_.create_model(changed, 7, state)->generate(prompt, how), expected);
                }
            }
        }
    }
}

TEST_F(OperationsTest, FusingTakesFewerOperations) {
    const Way eager = {Operations::eager, true};
    for (const RunSpec& spec : {gpt2(), llama(), pythia()}) {
        EXPECT_LT(operations_of_a_step(spec, usual), operations_of_a_step(spec, eager));
        EXPECT_LT(operations_of_a_symbol(spec, usual), operations_of_a_symbol(spec, eager));
    }
}

// In each layer that rotates: positions, angles, cos, sin, and the two rounded to float32.
TEST_F(OperationsTest, CosAndSinAtEveryCallTakeSixOperationsALayer) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        const Way kept = {operations, true};
        const Way computed = {operations, false};
        EXPECT_EQ(operations_of_a_step(gpt2(), computed), operations_of_a_step(gpt2(), kept) + 2 * 6);
        EXPECT_EQ(operations_of_a_symbol(gpt2(), computed), operations_of_a_symbol(gpt2(), kept) + 2 * 6);
        EXPECT_EQ(operations_of_a_symbol(llama(), computed), operations_of_a_symbol(llama(), kept) + 6);
    }
}

// Of queries and keys, half by half: two products and a sum each, and the halves put together.
TEST_F(OperationsTest, RotationOperationByOperationTakesSevenForQueriesAndSevenForKeys) {
    RunSpec without = tiny_spec();
    without.position = Position::none;
    const Way eager = {Operations::eager, true};
    EXPECT_EQ(operations_of_a_symbol(tiny_spec(), eager), operations_of_a_symbol(without, eager) + 2 * 14);
}

}  // namespace
}  // namespace ropelab
