#include <gtest/gtest.h>

#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

// Implementation with which a run is computed.
struct Implementation {
    Operations operations;
    bool rope_cache;
};
constexpr Implementation usual = {Operations::fused, true};
constexpr Implementation others[] = {{Operations::fused, false}, {Operations::eager, true}, {Operations::eager, false}};

class OperationsTest : public testing::Test {
 protected:
    std::unique_ptr<TorchCohort> cohort(RunSpec spec, const Implementation& implementation,
                                        const Scaling& scaling = {}) const {
        spec.operations = implementation.operations;
        spec.rope_cache = implementation.rope_cache;
        RunSpec other_run = spec;  // with its own tables and dropout
        other_run.theta = 300;
        other_run.seed = 5;
        CohortStart start;
        start.runs = {spec, other_run};
        for (const RunSpec& run : start.runs)
            start.plans.push_back(plan_of(run, data_.vocabulary).changed(scaling, run.context));
        return std::make_unique<TorchCohort>(start, data_, 1);
    }

    // Results of ten steps of both runs, and of an evaluation after them.
    static std::vector<double> results_of(TorchCohort& trained) {
        std::vector<double> numbers;
        for (int step = 0; step < 10; ++step) {
            for (const StepResult& result : trained.step()) {
                numbers.push_back(result.training_loss);
                numbers.push_back(result.gradient_norm / 10);  // scaled so that the last digit is float32's
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
        const std::vector<double> expected = results_of(*first);
        for (const Implementation& implementation : others) {
            SCOPED_TRACE(std::string(implementation.operations == Operations::eager ? "eager" : "fused") +
                         (implementation.rope_cache ? "" : ", cos and sin at every call"));
            const auto second = cohort(spec, implementation, scaling);
            const std::vector<double> got = results_of(*second);
            ASSERT_EQ(got.size(), expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
        }
    }

    std::int64_t operations_per_step(const RunSpec& spec, const Implementation& implementation) {
        const auto trained = cohort(spec, implementation);
        trained->step();
        return engine_.count_operations([&] { trained->step(); }).value();
    }
    // Number of operations per further token.
    std::int64_t operations_per_token(const RunSpec& spec, const Implementation& implementation) {
        const auto model = cohort(spec, implementation)->model(0);
        const std::vector<std::int32_t> prompt = {3};
        Generation options;
        const auto count = [&](std::int64_t length) {
            options.length = length;
            return engine_.count_operations([&] { model->generate(prompt, options); }).value();
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
    spec.qk_norm = QkNorm::head;
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

TEST_F(OperationsTest, EveryImplementationTrainsEqually) {
    for (const RunSpec& spec : {gpt2(), llama(), pythia()}) expect_equal_runs(spec);
}

TEST_F(OperationsTest, DropoutMasksAreEqual) {
    for (RunSpec spec : {gpt2(), llama()}) {
        spec.dropout = 0.2;
        expect_equal_runs(spec);
    }
}

TEST_F(OperationsTest, ChangingThetaIsEqual) {
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

// Fused operations also round between products; eager operations round only the factors of products.
TEST_F(OperationsTest, Bfloat16RoundsEqualWeights) {
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

// Bit for bit, as with fused operations; also at a shape where threads share sums.
TEST_F(OperationsTest, RunDoesNotDependOnTheCohort) {
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
        for (const std::int64_t other_runs : {0, 3}) {
            CohortStart start;
            start.runs.assign(static_cast<std::size_t>(other_runs + 1), spec);
            for (std::int64_t other_run = 1; other_run <= other_runs; ++other_run)
                start.runs[other_run].seed = other_run;
            TorchCohort trained(start, data_, 2);
            for (int step = 0; step < 3; ++step) trained.step();
            states.push_back(trained.state(0));
        }
        EXPECT_TRUE(states[0] == states[1]);
    }
}

TEST_F(OperationsTest, EveryImplementationGeneratesTheSameText) {
    const std::vector<std::int32_t> prompt = {3, 6, 2};
    for (const RunSpec& spec : {tiny_spec(), gpt2(), llama(), pythia()}) {
        const auto trained = cohort(spec, usual);
        for (int step = 0; step < 20; ++step) trained->step();
        const auto state = trained->state(0);
        for (const double temperature : {0.0, 0.8}) {
            for (const auto mode : {Generation::Mode::recompute, Generation::Mode::rolling}) {
                if (mode == Generation::Mode::rolling && spec.learns_positions()) continue;
                Generation options;
                options.length = 40;  // beyond the context of 16
                options.temperature = temperature;
                options.mode = mode;
                const auto expected = trained->model(0)->generate(prompt, options);
                for (const Implementation& implementation : others) {
                    RunSpec changed = spec;
                    changed.operations = implementation.operations;
                    changed.rope_cache = implementation.rope_cache;
                    EXPECT_EQ(create_model(engine_, changed, 7, state)->generate(prompt, options), expected);
                }
            }
        }
    }
}

TEST_F(OperationsTest, FusedTakesFewerOperations) {
    const Implementation eager = {Operations::eager, true};
    for (const RunSpec& spec : {gpt2(), llama(), pythia()}) {
        EXPECT_LT(operations_per_step(spec, usual), operations_per_step(spec, eager));
        EXPECT_LT(operations_per_token(spec, usual), operations_per_token(spec, eager));
    }
}

// Operations per rotating layer: positions, angles, cos, sin, and the conversion of both to float32.
TEST_F(OperationsTest, CosAndSinAtEveryCallTakeSixOperationsPerLayer) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        const Implementation kept = {operations, true};
        const Implementation computed = {operations, false};
        EXPECT_EQ(operations_per_step(gpt2(), computed), operations_per_step(gpt2(), kept) + 2 * 6);
        EXPECT_EQ(operations_per_token(gpt2(), computed), operations_per_token(gpt2(), kept) + 2 * 6);
        EXPECT_EQ(operations_per_token(llama(), computed), operations_per_token(llama(), kept) + 6);
    }
}

// Operations for queries and for keys: two products and a sum per half, and the concatenation of the halves.
TEST_F(OperationsTest, EagerRotationTakesSevenOperationsEachForQueriesAndKeys) {
    RunSpec without = tiny_spec();
    without.position = Position::none;
    const Implementation eager = {Operations::eager, true};
    EXPECT_EQ(operations_per_token(tiny_spec(), eager), operations_per_token(without, eager) + 2 * 14);
}

}  // namespace
}  // namespace ropelab
