// Norms at every place: results that do not depend on the cohort, on fusion, or on a cache.
#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

std::vector<RunSpec> specs_with_norms() {
    std::vector<RunSpec> specs;
    for (const NormKind norm : {NormKind::automatic, NormKind::zero_centred_rms, NormKind::dyt}) {
        for (const NormPosition place : {NormPosition::pre, NormPosition::post, NormPosition::sandwich}) {
            if (norm == NormKind::automatic && place == NormPosition::pre) continue;  // today's default
            RunSpec spec = tiny_spec();
            spec.norm = norm;
            spec.norm_position = place;
            spec.deepnorm = place == NormPosition::post;
            spec.initialization = place == NormPosition::post ? Initialization::xavier : Initialization::gpt2;
            specs.push_back(spec);
        }
    }
    return specs;
}

class NormPositionsTest : public testing::Test {
 protected:
    std::unique_ptr<TorchCohort> cohort(const RunSpec& spec, std::int64_t others = 0) const {
        CohortStart start;
        start.runs.assign(static_cast<std::size_t>(others + 1), spec);
        for (std::int64_t other = 1; other <= others; ++other) start.runs[static_cast<std::size_t>(other)].seed = other;
        return std::make_unique<TorchCohort>(start, data_, 2);
    }

    TorchEngine engine_;
    std::vector<std::int32_t> tokens_ = tiny_tokens(3000);
    TokenData data_{7, tokens_, {tokens_.data(), 500}};
};

TEST_F(NormPositionsTest, ResultsDoNotDependOnTheCohort) {
    for (RunSpec spec : specs_with_norms()) {
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            spec.operations = operations;
            spec.dropout = 0.1;
            std::vector<std::vector<NamedTensor>> states;
            for (const std::int64_t others : {0, 3}) {
                const auto trained = cohort(spec, others);
                for (int step = 0; step < 3; ++step) trained->step();
                states.push_back(trained->state(0));
            }
            EXPECT_TRUE(states[0] == states[1])
                << "norm " << static_cast<int>(spec.norm) << ", place " << static_cast<int>(spec.norm_position);
        }
    }
}

TEST_F(NormPositionsTest, FusedAndEagerOperationsTrainEqually) {
    for (RunSpec spec : specs_with_norms()) {
        std::vector<double> losses[2];
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            spec.operations = operations;
            const auto trained = cohort(spec);
            for (int step = 0; step < 10; ++step) {
                losses[operations == Operations::eager].push_back(trained->step().front().training_loss);
            }
        }
        for (std::size_t step = 0; step < losses[0].size(); ++step) {
            EXPECT_NEAR(losses[0][step], losses[1][step], 1e-4) << "step " << step;
        }
    }
}

// The stream stays float32 in bfloat16, so that the loss is close to that of float32.
TEST_F(NormPositionsTest, Bfloat16TrainsToNearlyTheSameLoss) {
    for (RunSpec spec : specs_with_norms()) {
        std::vector<double> losses;
        for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
            spec.precision = precision;
            const auto trained = cohort(spec);
            for (int step = 0; step < 10; ++step) trained->step();
            losses.push_back(trained->step().front().training_loss);
        }
        EXPECT_NEAR(losses[0], losses[1], 0.02 * losses[0]);
    }
}

// Generation with a cache equals the evaluation of the whole context for each token, token for token.
TEST_F(NormPositionsTest, CachedGenerationEqualsWholeEvaluation) {
    const std::vector<std::int32_t> prompt = {3, 6, 2};
    for (const RunSpec& spec : specs_with_norms()) {
        const auto trained = cohort(spec);
        for (int step = 0; step < 20; ++step) trained->step();
        const auto state = trained->state(0);
        Generation options;
        options.length = 30;  // beyond the context of 16
        options.temperature = 0.8;
        RunSpec eager = spec;
        eager.operations = Operations::eager;
        EXPECT_EQ(create_model(engine_, spec, 7, state)->generate(prompt, options),
                  create_model(engine_, eager, 7, state)->generate(prompt, options))
            << "norm " << static_cast<int>(spec.norm) << ", place " << static_cast<int>(spec.norm_position);
    }
}

TEST_F(NormPositionsTest, ResumesBitForBit) {
    for (const RunSpec& spec : specs_with_norms()) {
        const auto whole = cohort(spec);
        for (int step = 0; step < 4; ++step) whole->step();
        const auto first = cohort(spec);
        for (int step = 0; step < 2; ++step) first->step();
        CohortStart start;
        start.runs = {spec};
        start.iteration = 2;
        start.states = {first->state(0)};
        start.conditions = first->conditions();
        TorchCohort second(start, data_, 2);
        for (int step = 0; step < 2; ++step) second.step();
        EXPECT_TRUE(second.state(0) == whole->state(0));
    }
}

// A probe after a measured step has the norms of that step's gradient and update, computed here from the cohort's
// gradients and states; a probe after an unmeasured step has none.
TEST_F(NormPositionsTest, ProbesHaveGradientsAndUpdatesByLayer) {
    RunSpec spec = tiny_spec();
    spec.clip = 0;
    const auto trained = cohort(spec, 1);
    ProbeRequest request;
    request.attention = false;
    request.sequences.length = 8;
    request.sequences.tokens.assign(tokens_.begin(), tokens_.begin() + 8);
    request.sequences.targets.assign(tokens_.begin() + 1, tokens_.begin() + 9);
    EXPECT_TRUE(trained->probe(0, request).gradient_norm.empty());
    const std::vector<std::vector<std::int64_t>> starts = {{3, 50, 120, 333}, {5, 6, 7, 8}};
    const auto initial = trained->state(0);
    trained->step_at(starts);
    const auto before = trained->state(0);
    const auto gradient = trained->gradient_at(starts, 0);
    trained->measure_next_step();
    trained->step_at(starts);
    const auto after = trained->state(0);
    const ProbeResult result = trained->probe(0, request);
    ASSERT_EQ(result.gradient_norm.shape, (std::vector<std::int64_t>{2, 2}));
    const auto squares_of = [](const std::vector<NamedTensor>& tensors, const std::vector<NamedTensor>* less,
                               const std::string& prefix) {
        double sum = 0;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (!tensors[i].name.starts_with(prefix)) continue;
            for (std::size_t j = 0; j < tensors[i].values.size(); ++j) {
                const double number = static_cast<double>(tensors[i].values[j]) - (less ? (*less)[i].values[j] : 0.0F);
                sum += number * number;
            }
        }
        return std::sqrt(sum);
    };
    for (std::int64_t layer = 0; layer < 2; ++layer) {
        for (std::int64_t branch = 0; branch < 2; ++branch) {
            const std::string name = "layers." + std::to_string(layer) + (branch == 0 ? ".attention" : ".mlp");
            const auto index = static_cast<std::size_t>(2 * layer + branch);
            EXPECT_NEAR(result.gradient_norm.values[index], squares_of(gradient, nullptr, name), 1e-5);
            EXPECT_NEAR(result.update_ratio.values[index],
                        squares_of(after, &before, "model." + name) / squares_of(before, nullptr, "model." + name),
                        1e-5);
            EXPECT_NEAR(result.accumulated_update.values[index],
                        squares_of(after, &initial, "model." + name) / squares_of(initial, nullptr, "model." + name),
                        1e-5);
        }
    }
    EXPECT_EQ(result.stream_rms.shape, std::vector<std::int64_t>{3});
    trained->step_at(starts);
    EXPECT_TRUE(trained->probe(0, request).gradient_norm.empty());
    // The other run keeps its numbers when the first leaves the cohort.
    trained->measure_next_step();
    trained->step_at(starts);
    const ProbeResult other = trained->probe(1, request);
    trained->remove(0);
    EXPECT_EQ(trained->probe(0, request).gradient_norm, other.gradient_norm);
}

// A measured step trains as an unmeasured one.
TEST_F(NormPositionsTest, MeasuringDoesNotChangeTraining) {
    const auto measured = cohort(tiny_spec());
    const auto plain = cohort(tiny_spec());
    for (int step = 0; step < 3; ++step) {
        measured->measure_next_step();
        measured->step();
        plain->step();
    }
    EXPECT_TRUE(measured->state(0) == plain->state(0));
}

}  // namespace
}  // namespace ropelab
