// Trains whole cohorts with the engine's code for devices in the memory of the CPU, and compares them with training on
// the CPU.
#include "core/engine/train/device_trainer.h"

#include <gtest/gtest.h>

#include <ATen/Context.h>
#include <ATen/record_function.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/base/processor.h"
#include "core/engine/device/cuda.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/core/engine/device/emulated_device.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

using Graphs = EmulatedDevice::Graphs;

class DeviceTrainerTest : public testing::Test {
 protected:
    static RunSpec small() {
        RunSpec spec = tiny_spec();
        spec.context = 8;
        spec.batch = 2;
        return spec;
    }
    // Returns three runs with different frequencies, seeds and learning rates.
    static std::vector<RunSpec> three(const RunSpec& spec) {
        std::vector<RunSpec> runs(3, spec);
        runs[0].fraction = 0.25;
        runs[1].seed = 7;
        runs[1].theta = 100;
        runs[2].learning_rate = 2e-3;
        return runs;
    }
    std::unique_ptr<TorchCohort> cohort(std::vector<RunSpec> runs) {
        CohortStart start;
        start.runs = std::move(runs);
        return std::make_unique<TorchCohort>(start, data_, 2);
    }

    struct TrainingHistory {
        std::vector<std::vector<StepResult>> steps;
        std::vector<EvaluationResult> losses;
        std::vector<std::vector<NamedTensor>> states;
    };
    TrainingHistory train(const std::vector<RunSpec>& runs, int steps) {
        const auto trained = cohort(runs);
        TrainingHistory result;
        for (int step = 0; step < steps; ++step) result.steps.push_back(trained->step());
        result.losses = trained->evaluate({});
        for (std::int64_t run = 0; run < trained->runs(); ++run) result.states.push_back(trained->state(run));
        EXPECT_EQ(trained->iteration(), steps);
        return result;
    }

    // Expects losses and gradient norms that agree within the relative `tolerance`, and weights within ten times that.
    static void expect_near(const TrainingHistory& got, const TrainingHistory& wanted, double tolerance) {
        for (std::size_t step = 0; step < wanted.steps.size(); ++step) {
            for (std::size_t run = 0; run < wanted.steps[step].size(); ++run) {
                SCOPED_TRACE(testing::Message() << "step " << step << ", run " << run);
                const StepResult& a = got.steps[step][run];
                const StepResult& b = wanted.steps[step][run];
                EXPECT_NEAR(a.training_loss, b.training_loss, tolerance * b.training_loss);
                EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 10 * tolerance * b.gradient_norm);
                EXPECT_EQ(a.learning_rate, b.learning_rate);
            }
        }
        for (std::size_t run = 0; run < wanted.losses.size(); ++run) {
            EXPECT_NEAR(got.losses[run].training_loss, wanted.losses[run].training_loss, 2 * tolerance);
            EXPECT_NEAR(got.losses[run].validation_loss, wanted.losses[run].validation_loss, 2 * tolerance);
            for (std::size_t i = 0; i < wanted.states[run].size(); ++i) {
                const NamedTensor& a = got.states[run][i];
                const NamedTensor& b = wanted.states[run][i];
                double largest = 0;
                for (std::size_t k = 0; k < b.values.size(); ++k) {
                    largest = std::max(largest, std::abs(double{a.values[k]} - double{b.values[k]}));
                }
                EXPECT_LT(largest, 100 * tolerance) << a.name;
            }
        }
    }
    static void expect_equal(const TrainingHistory& a, const TrainingHistory& b) {
        EXPECT_EQ(a.states, b.states);
        for (std::size_t run = 0; run < a.losses.size(); ++run) {
            EXPECT_EQ(a.losses[run].training_loss, b.losses[run].training_loss);
            EXPECT_EQ(a.losses[run].validation_loss, b.losses[run].validation_loss);
        }
    }

    void expect_the_cpus(const RunSpec& spec, double tolerance) {
        const auto runs = three(spec);
        const TrainingHistory wanted = train(runs, 10);
        const EmulatedDevice device(Graphs::replayed);
        expect_near(train(runs, 10), wanted, tolerance);
        EXPECT_GT(EmulatedDevice::replays(), 0);
    }

    std::vector<std::int32_t> tokens_ = tiny_tokens(700);
    TokenData data_{7, tokens_, {tokens_.data() + 500, 200}};
};

TEST_F(DeviceTrainerTest, TenStepsMatchTheCpu) {
    expect_the_cpus(small(), 1e-5);
}

TEST_F(DeviceTrainerTest, TenStepsWithDropoutBiasAndLearnedPositionsMatchTheCpu) {
    RunSpec spec = small();
    spec.dropout = 0.2;
    spec.bias = true;
    spec.position = Position::learned_rope;
    spec.tied_head = false;
    spec.clip = 0.1;
    spec.batches = BatchOrder::sequential;
    spec.evaluation = Evaluation::sampled;
    expect_the_cpus(spec, 1e-5);
}

// A step in micro-batches starts operation by operation. Its dropout masks are those of the whole batch on the CPU.
TEST_F(DeviceTrainerTest, TenStepsInMicroBatchesMatchTheWholeBatchOnTheCpu) {
    for (const double dropout : {0.0, 0.2}) {
        RunSpec spec = small();
        spec.batch = 4;
        spec.dropout = dropout;
        spec.bias = true;
        const TrainingHistory wanted = train(three(spec), 10);
        spec.micro_batch = 2;
        const EmulatedDevice device(Graphs::replayed);
        expect_near(train(three(spec), 10), wanted, 1e-5);
        const auto trained = cohort({spec});
        for (int step = 0; step < 5; ++step) trained->step();
        EXPECT_EQ(trained->steps_as(), "operation by operation");
        EXPECT_TRUE(trained->conditions().reason.ends_with("would store the operations of every micro-batch."));
    }
}

TEST_F(DeviceTrainerTest, TenStepsOnTextInFilesMatchTokensInMemory) {
    const auto runs = three(small());
    const EmulatedDevice device(Graphs::replayed);
    const TrainingHistory wanted = train(runs, 10);
    const std::string all(tokens_.begin(), tokens_.end());
    const ScratchFolder folder;
    const std::vector<TokenText::Piece> pieces = {{0, 300, folder.write("a", all.substr(0, 300))},
                                                  {300, std::ssize(all) - 300, folder.write("b", all.substr(300))}};
    data_.training = TokenText(pieces, 700);
    const TrainingHistory got = train(runs, 10);
    for (std::size_t step = 0; step < wanted.steps.size(); ++step) {
        for (std::size_t run = 0; run < runs.size(); ++run) {
            EXPECT_EQ(got.steps[step][run].training_loss, wanted.steps[step][run].training_loss);
        }
    }
    expect_equal(got, wanted);
    EXPECT_GT(EmulatedDevice::replays(), 0);
}

TEST_F(DeviceTrainerTest, TenStepsOfALlamaMatchTheCpu) {
    RunSpec spec = small();
    spec.block = Block::llama;
    spec.key_value_heads = 1;
    spec.qk_norm = QkNorm::head;
    spec.dropout = 0.1;
    expect_the_cpus(spec, 1e-5);
}

TEST_F(DeviceTrainerTest, TenStepsOfAPythiaMatchTheCpu) {
    RunSpec spec = small();
    spec.block = Block::pythia;
    spec.dropout = 0.1;
    spec.rotated_layers = "1";
    expect_the_cpus(spec, 1e-5);
}

// Attention without dropout is flash attention; attention with dropout is separate operations on the matrix of scores.
TEST_F(DeviceTrainerTest, TenStepsInBfloat16ApproximateTheCpu) {
    for (double dropout : {0.0, 0.2}) {
        RunSpec spec = small();
        spec.precision = Precision::bfloat16;
        spec.dropout = dropout;
        const TrainingHistory wanted = train({spec}, 10);
        const EmulatedDevice device(Graphs::replayed);
        const TrainingHistory got = train({spec}, 10);
        for (std::size_t step = 0; step < 10; ++step) {
            EXPECT_NEAR(got.steps[step][0].training_loss, wanted.steps[step][0].training_loss, 0.02);
            EXPECT_NEAR(got.steps[step][0].gradient_norm, wanted.steps[step][0].gradient_norm,
                        0.1 * wanted.steps[step][0].gradient_norm);
        }
        EXPECT_NEAR(got.losses[0].validation_loss, wanted.losses[0].validation_loss, 0.02);
    }
}

TEST_F(DeviceTrainerTest, GraphsGiveBitwiseEqualResults) {
    RunSpec spec = small();
    spec.dropout = 0.2;
    const auto runs = three(spec);
    const auto with = [&](Graphs graphs) {
        const EmulatedDevice device(graphs);
        return train(runs, 5);
    };
    const TrainingHistory plain = with(Graphs::none);
    expect_equal(with(Graphs::replayed), plain);
    expect_equal(with(Graphs::refused), plain);
}

// Precision auto is measured as training steps are launched.
TEST_F(DeviceTrainerTest, MeasuresThePrecisionWithGraphs) {
    if (!processor_multiplies_bfloat16()) GTEST_SKIP() << "This processor does not multiply bfloat16.";
    RunSpec spec = small();
    spec.precision = Precision::automatic;
    spec.dropout = 0.2;
    const EmulatedDevice device(Graphs::replayed);
    const auto trained = cohort({spec});
    EXPECT_EQ(EmulatedDevice::replays(), 8);  // one of the warm-up and three measurements, in two precisions
    EXPECT_NE(trained->conditions().reason.find("× as fast as"), std::string::npos) << trained->conditions().reason;
    const double loss = trained->step().front().training_loss;
    spec.precision = precision_of(trained->conditions());
    EXPECT_EQ(loss, cohort({spec})->step().front().training_loss);
}

// Steps that do not stay on the device, too, copy the losses and norms of all runs at once.
TEST_F(DeviceTrainerTest, StepsReadNoSingleNumbersOfTheDevice) {
    static int reads;
    const auto begin = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        if (std::string(function.name()) == "aten::_local_scalar_dense") ++reads;
        return nullptr;
    };
    std::vector<RunSpec> kinds(4, small());
    kinds[0].optimizer = OptimizerKind::muon;
    kinds[1].optimizer = OptimizerKind::sgd;
    kinds[2].theta_training = ThetaTraining::one;
    kinds[3].experts = 4;
    kinds[3].experts_per_token = 2;
    const EmulatedDevice device;
    for (const RunSpec& spec : kinds) {
        const auto trained = cohort(three(spec));
        reads = 0;
        const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(begin));
        trained->step();
        trained->evaluate({});
        at::removeCallback(handle);
        EXPECT_EQ(reads, 0);
    }
}

// Every kind of model trains with operations that are deterministic on a CUDA device, forward and backward. The names
// are those for which torch.use_deterministic_algorithms announces an error.
TEST_F(DeviceTrainerTest, TrainsWithDeterministicOperationsOnly) {
    static std::string refused;
    static int backward_passes;
    const auto begin = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        const std::string name = function.name();
        for (const char* without :
             {"aten::put_", "aten::histc", "aten::bincount", "aten::kthvalue", "aten::median", "aten::nll_loss2d",
              "aten::_ctc_loss", "aten::scatter_reduce", "aten::grid_sampler", "aten::upsample", "aten::reflection_pad",
              "aten::_embedding_bag", "aten::max_pool", "aten::adaptive_", "aten::avg_pool"}) {
            if (name.starts_with(without)) refused += name + " ";
        }
        if (name.ends_with("_backward")) ++backward_passes;
        const at::Context& context = at::globalContext();
        if (!context.deterministicAlgorithms() || context.deterministicAlgorithmsWarnOnly()) refused += "warning ";
        return nullptr;
    };
    std::vector<RunSpec> kinds;
    for (const PositionEncoding& encoding : position_encodings()) {
        kinds.push_back(small());
        kinds.back().position = encoding.choice.value;
    }
    const auto add = [&](auto change) {
        kinds.push_back(small());
        change(kinds.back());
    };
    add([](RunSpec& spec) { spec.dropout = 0.1; });
    add([](RunSpec& spec) { spec.attention = AttentionKind::mla; });
    add([](RunSpec& spec) { spec.attention_layers = "deltanet"; });
    add([](RunSpec& spec) { spec.experts = 4, spec.experts_per_token = 2; });
    add([](RunSpec& spec) { spec.optimizer = OptimizerKind::muon; });
    add([](RunSpec& spec) { spec.theta_training = ThetaTraining::head; });
    add([](RunSpec& spec) { spec.block = Block::llama, spec.key_value_heads = 1; });
    at::Context& context = at::globalContext();
    const char* workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
    const std::string before = workspace ? workspace : "";
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:2:16:8", 1);
    compute_deterministically();
    EXPECT_STREQ(std::getenv("CUBLAS_WORKSPACE_CONFIG"), ":4096:8") << "LibTorch refuses other values";
    const EmulatedDevice device;
    const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(begin));
    for (const RunSpec& spec : kinds) {
        refused.clear();
        backward_passes = 0;
        const auto trained = cohort({spec});
        trained->step();
        trained->evaluate({});
        EXPECT_EQ(refused, "");
        EXPECT_GT(backward_passes, 0);
    }
    at::removeCallback(handle);
    context.setDeterministicAlgorithms(false, false);
    context.setDeterministicFillUninitializedMemory(true);
    context.setSDPUseCuDNN(true);
    workspace ? setenv("CUBLAS_WORKSPACE_CONFIG", before.c_str(), 1) : unsetenv("CUBLAS_WORKSPACE_CONFIG");
}

TEST_F(DeviceTrainerTest, ReportsHowStepsAreLaunched) {
    const auto description = [&](Graphs graphs) {
        const EmulatedDevice device(graphs);
        const auto trained = cohort({small()});
        for (int i = 0; i < 4; ++i) trained->step();
        const bool reported =
            trained->conditions().reason.find("the capture of a CUDA graph failed") != std::string::npos;
        EXPECT_EQ(reported, graphs == Graphs::refused);
        return trained->steps_as();
    };
    EXPECT_EQ(description(Graphs::none), "operation by operation");
    EXPECT_EQ(description(Graphs::replayed), "a graph");
    EXPECT_EQ(description(Graphs::refused),
              "operation by operation, because the capture failed: operation not permitted when stream is capturing");
    EXPECT_EQ(cohort({small()})->steps_as(), "operation by operation");
}

// Cos and sin that are computed at every call are part of the CUDA graph. Eager operations are never captured.
TEST_F(DeviceTrainerTest, EveryWayToComputeRopeTrainsAndGeneratesEqually) {
    const std::vector<std::int32_t> prompt = {3, 6};
    Generation how;
    how.length = 20;  // much longer than the context of 8
    how.temperature = 0;
    RunSpec spec = small();
    spec.dropout = 0.2;
    const TrainingHistory wanted = train(three(spec), 5);
    const EmulatedDevice device(Graphs::replayed);
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const bool rope_cache : {true, false}) {
            spec.operations = operations;
            spec.rope_cache = rope_cache;
            expect_near(train(three(spec), 5), wanted, 1e-5);
            const auto trained = cohort({spec});
            const auto usual = cohort({small()});  // has the same initial weights
            EXPECT_EQ(trained->model(0)->generate(prompt, how), usual->model(0)->generate(prompt, how));
            for (int i = 0; i < 4; ++i) trained->step();
            EXPECT_EQ(trained->steps_as(), operations == Operations::eager ? "operation by operation" : "a graph");
        }
    }
}

// Tables that change at every step are never captured, and heads with separate thetas use the reference implementation.
TEST_F(DeviceTrainerTest, AChangingThetaTrainsAsOnTheCpu) {
    for (const ThetaTraining how : {ThetaTraining::one, ThetaTraining::head, ThetaTraining::fixed}) {
        RunSpec spec = small();
        spec.theta_training = how;
        if (how == ThetaTraining::fixed) spec.theta_schedule = ThetaSchedule::geometric;
        const auto runs = three(spec);
        const TrainingHistory wanted = train(runs, 6);
        const EmulatedDevice device(Graphs::replayed);
        expect_near(train(runs, 6), wanted, 1e-4);
        EXPECT_EQ(EmulatedDevice::replays(), 0);
    }
}

TEST_F(DeviceTrainerTest, TrainsInBfloat16WithRowsOfAnyLength) {
    RunSpec spec = small();
    spec.heads = 3;
    spec.width = 18;
    spec.precision = Precision::bfloat16;
    const EmulatedDevice device(Graphs::replayed);
    const auto trained = cohort({spec});
    const double before = trained->step().front().training_loss;
    for (int i = 0; i < 10; ++i) trained->step();
    EXPECT_LT(trained->step().front().training_loss, before);
}

TEST_F(DeviceTrainerTest, TenStepsWithAlibiAndASlidingWindowMatchTheCpu) {
    RunSpec spec = small();
    spec.dropout = 0.2;
    spec.position = Position::alibi;
    spec.attention_window = 5;
    expect_the_cpus(spec, 1e-5);
}

// The norms are those of the gradient before clipping, which the step divides in place.
TEST_F(DeviceTrainerTest, MeasuresAStepAsOnTheCpu) {
    RunSpec spec = small();
    spec.clip = 0.05;
    const auto measured = [&] {
        const auto trained = cohort(three(spec));
        for (int step = 0; step < 5; ++step) trained->step();
        trained->measure_next_step();
        trained->step();
        ProbeRequest request;
        request.sequences = {8, {tokens_.begin(), tokens_.begin() + 8}, {tokens_.begin() + 1, tokens_.begin() + 9}};
        return trained->probe(1, request);
    };
    const ProbeResult wanted = measured();
    ASSERT_FALSE(wanted.gradient_norm.values.empty());
    const EmulatedDevice device(Graphs::replayed);
    const ProbeResult got = measured();
    ASSERT_EQ(got.gradient_norm.values.size(), wanted.gradient_norm.values.size());
    for (std::size_t i = 0; i < wanted.gradient_norm.values.size(); ++i) {
        EXPECT_NEAR(got.gradient_norm.values[i], wanted.gradient_norm.values[i], 1e-3 * wanted.gradient_norm.values[i]);
        EXPECT_NEAR(got.update_ratio.values[i], wanted.update_ratio.values[i], 1e-3 * wanted.update_ratio.values[i]);
    }
}

// Generation with and without CUDA graphs must give the same text as on the CPU.
TEST_F(DeviceTrainerTest, GeneratesTheSameTextAsTheCpu) {
    const std::vector<std::int32_t> prompt = {3, 6};
    for (const Position position : {Position::rope, Position::alibi, Position::learned}) {
        for (const bool rolling : {false, true}) {
            if (rolling && position == Position::learned) continue;
            RunSpec spec = small();
            spec.position = position;
            Generation how;
            how.length = 20;
            how.temperature = 0;
            how.mode = rolling ? Generation::Mode::rolling : Generation::Mode::recompute;
            const auto wanted = cohort({spec})->model(0)->generate(prompt, how);
            for (const Graphs graphs : {Graphs::none, Graphs::replayed}) {
                const EmulatedDevice device(graphs);
                EXPECT_EQ(cohort({spec})->model(0)->generate(prompt, how), wanted);
                EXPECT_EQ(EmulatedDevice::replays() > 0, graphs == Graphs::replayed);
            }
        }
    }
}

TEST_F(DeviceTrainerTest, RemovingARunDoesNotChangeTheOtherRuns) {
    const EmulatedDevice device(Graphs::replayed);
    const auto runs = three(small());
    const auto whole = cohort(runs);
    const auto part = cohort(runs);
    for (int i = 0; i < 5; ++i) whole->step(), part->step();
    part->remove(1);
    for (int i = 0; i < 5; ++i) whole->step(), part->step();
    EXPECT_EQ(part->state(0), whole->state(0));
    EXPECT_EQ(part->state(1), whole->state(2));
}

TEST_F(DeviceTrainerTest, ResumesFromItsState) {
    const EmulatedDevice device(Graphs::replayed);
    RunSpec spec = small();
    spec.dropout = 0.2;
    const auto straight = cohort({spec});
    for (int i = 0; i < 8; ++i) straight->step();
    const auto first = cohort({spec});
    for (int i = 0; i < 5; ++i) first->step();
    CohortStart start{{spec}, first->iteration(), {first->state(0)}, first->conditions()};
    TorchCohort second(start, data_, 2);
    for (int i = 5; i < 8; ++i) second.step();
    EXPECT_EQ(second.state(0), straight->state(0));
}

TEST_F(DeviceTrainerTest, TrainsOnGivenSequencesBetweenCapturedSteps) {
    const std::vector<std::vector<std::int64_t>> starts = {{3, 100}};
    const auto train = [&] {
        const auto trained = cohort({small()});
        std::vector<double> losses;
        for (int i = 0; i < 5; ++i) losses.push_back(trained->step().front().training_loss);
        losses.push_back(trained->step_at(starts).front().training_loss);
        losses.push_back(trained->step().front().training_loss);
        const auto gradient = trained->gradient_at(starts, 0);
        for (float value : gradient.front().values) losses.push_back(value);
        return losses;
    };
    const auto wanted = train();
    const EmulatedDevice device(Graphs::replayed);
    const auto got = train();
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-5);
}

TEST_F(DeviceTrainerTest, ADivergedRunKeepsItsWeightsAndDoesNotAffectOtherRuns) {
    const EmulatedDevice device(Graphs::replayed);
    const auto runs = three(small());
    const auto healthy = cohort(runs);
    auto broken = healthy->state(1);
    for (NamedTensor& tensor : broken) {
        if (tensor.name == "model.final_norm.weight") tensor.values[0] = std::numeric_limits<float>::infinity();
    }
    CohortStart start;
    start.runs = runs;
    start.conditions = RunConditions{"float32", "cpu", 2, ""};
    start.states = {healthy->state(0), broken, healthy->state(2)};
    TorchCohort mixed(start, data_, 2);
    for (int i = 0; i < 5; ++i) {
        healthy->step();
        EXPECT_FALSE(std::isfinite(mixed.step()[1].training_loss));
    }
    EXPECT_EQ(mixed.state(1), broken);
    EXPECT_EQ(mixed.state(2), healthy->state(2));
}

TEST_F(DeviceTrainerTest, AnEvaluationCanBeCancelled) {
    const EmulatedDevice device;
    int calls = 0;
    EXPECT_TRUE(cohort({small()})->evaluate([&] { return ++calls > 1; }).empty());
}

}  // namespace
}  // namespace ropelab
