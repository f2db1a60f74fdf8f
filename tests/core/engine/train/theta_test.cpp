// Tests of thetas that change during the training: by gradients, or on a schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/support/expect_message.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class MovingTheta : public testing::TestWithParam<ThetaTraining> {
 protected:
    static RunSpec spec_of(ThetaTraining training) {
        RunSpec spec = tiny_spec();
        spec.width = 32;
        spec.theta = 50;
        spec.theta_training = training;
        spec.theta_learning_rate = 0.1;
        return spec;
    }
    std::unique_ptr<TorchCohort> cohort(std::vector<RunSpec> runs, std::vector<std::vector<NamedTensor>> states = {},
                                        std::int64_t iteration = 0) {
        CohortStart start;
        start.runs = std::move(runs);
        start.states = std::move(states);
        start.iteration = iteration;
        if (!start.states.empty()) start.conditions = RunConditions{"float32", "cpu", 2, ""};
        return std::make_unique<TorchCohort>(start, data_, 2);
    }
    static NamedTensor& shift_in(std::vector<NamedTensor>& state, const std::string& prefix) {
        return *std::find_if(state.begin(), state.end(),
                             [&](const NamedTensor& tensor) { return tensor.name == prefix + "rotary.shift"; });
    }
    ProbeArray frequencies_of(Model& model) const {
        ProbeRequest request;
        request.sequences = {8, {tokens_.begin(), tokens_.begin() + 8}, {tokens_.begin() + 1, tokens_.begin() + 9}};
        return model.probe(request).frequencies;
    }

    std::vector<std::int32_t> tokens_ = tiny_tokens(3000);
    TokenData data_{7, tokens_, {tokens_.data(), 500}};
};

// Compares the gradient along each shift with a finite difference of the loss, at a point where theta has changed.
TEST_P(MovingTheta, GradientMatchesFiniteDifferences) {
    const RunSpec spec = spec_of(GetParam());
    const auto trained = cohort({spec});
    for (int i = 0; i < 10; ++i) trained->step();
    const auto state = trained->state(0);
    const std::vector<std::vector<std::int64_t>> starts = {{1, 60, 200, 700}};
    const auto gradients = cohort({spec}, {state}, 10)->gradient_at(starts, 0);
    const auto found = std::find_if(gradients.begin(), gradients.end(),
                                    [](const NamedTensor& tensor) { return tensor.name == "rotary.shift"; });
    ASSERT_NE(found, gradients.end());
    const auto loss_at = [&](std::size_t place, float change) {
        auto moved = state;
        shift_in(moved, "model.").values[place] += change;
        return cohort({spec}, {moved}, 10)->step_at(starts).front().training_loss;
    };
    constexpr float step = 0.02F;
    double largest = 0;
    for (const float gradient : found->values) largest = std::max(largest, std::abs(static_cast<double>(gradient)));
    EXPECT_GT(largest, 0);
    for (std::size_t place = 0; place < found->values.size(); place += 3) {
        const double difference = (loss_at(place, step) - loss_at(place, -step)) / (2.0 * step);
        EXPECT_NEAR(found->values[place], difference, 0.02 * largest + 2e-5) << place;
    }
}

TEST_P(MovingTheta, RunDoesNotDependOnTheCohortAndResumesBitForBit) {
    std::vector<RunSpec> runs(3, spec_of(GetParam()));
    runs[1].theta = 5000;
    runs[2].fraction = 0.5;
    const auto together = cohort(runs);
    for (int i = 0; i < 20; ++i) together->step();
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto alone = cohort({runs[run]});
        for (int i = 0; i < 12; ++i) alone->step();
        const auto on = cohort({runs[run]}, {alone->state(0)}, 12);
        for (int i = 12; i < 20; ++i) on->step();
        EXPECT_EQ(on->state(0), together->state(static_cast<std::int64_t>(run))) << "run " << run;
    }
}

TEST_P(MovingTheta, ModelUsesItsOwnFrequencies) {
    const RunSpec spec = spec_of(GetParam());
    const auto trained = cohort({spec});
    for (int i = 0; i < 20; ++i) trained->step();
    const auto model = trained->model(0);
    const ProbeArray frequencies = frequencies_of(*model);
    const std::int64_t heads = GetParam() == ThetaTraining::head ? spec.heads : 1;
    ASSERT_EQ(frequencies.shape, (std::vector<std::int64_t>{spec.layers, heads, spec.head_dim() / 2}));
    auto state = trained->state(0);
    const auto& shift = shift_in(state, "model.").values;
    const double fastest = GetParam() == ThetaTraining::free ? std::exp(shift[0]) : 1.0;
    EXPECT_NEAR(frequencies.values[0], fastest, 1e-6);
    const double slope = GetParam() == ThetaTraining::free ? 1.0 : -2.0 / spec.head_dim();
    const double moved = GetParam() == ThetaTraining::free ? shift[1] : shift[0];
    const double second = std::pow(50.0, -2.0 / spec.head_dim()) * std::exp(slope * moved);
    EXPECT_NEAR(frequencies.values[1], second, 1e-6);
    EXPECT_GT(std::abs(moved), 0);

    // Token by token as in a whole sequence.
    Generation how;
    how.length = 10;
    how.temperature = 0;
    std::vector<std::int32_t> text = {3, 6, 2};
    const auto written = model->generate(text, how);
    for (const std::int32_t token : written) {
        const auto logits = model->logits(text);
        EXPECT_EQ(std::max_element(logits.end() - 7, logits.end()) - (logits.end() - 7), token);
        text.push_back(token);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, MovingTheta,
                         testing::Values(ThetaTraining::one, ThetaTraining::layer, ThetaTraining::head,
                                         ThetaTraining::free));

using ThetaSchedules = MovingTheta;

TEST_F(ThetaSchedules, EndAtThetaEndAndEqualAConstantTheta) {
    for (const ThetaSchedule schedule : {ThetaSchedule::linear, ThetaSchedule::geometric}) {
        RunSpec spec = spec_of(ThetaTraining::fixed);
        spec.theta_schedule = schedule;
        spec.theta_end = 800;
        spec.iterations = 10;
        const auto trained = cohort({spec});
        for (int i = 0; i < 10; ++i) trained->step();
        const auto model = trained->model(0);
        EXPECT_NEAR(frequencies_of(*model).values[1], std::pow(800.0, -2.0 / spec.head_dim()), 1e-6);

        RunSpec fixed = spec;
        fixed.theta = 800;
        fixed.theta_schedule = ThetaSchedule::constant;
        const auto same = cohort({fixed}, {trained->state(0)}, 10)->model(0);
        EXPECT_NEAR(model->whole_loss({tokens_.data(), 400}), same->whole_loss({tokens_.data(), 400}), 1e-6);
    }
}

// DroPE: until the drop as with a constant theta, afterwards as without rotation.
TEST_F(ThetaSchedules, DropStopsAllPairs) {
    RunSpec spec = spec_of(ThetaTraining::fixed);
    spec.theta_schedule = ThetaSchedule::drop;
    spec.iterations = 10;
    spec.recalibration = 4;
    RunSpec fixed = spec;
    fixed.theta_schedule = ThetaSchedule::constant;
    fixed.recalibration = 0;
    const auto trained = cohort({spec});
    const auto rotated = cohort({fixed});
    for (int i = 0; i < 10; ++i) {
        const bool is_equal = trained->step().front().training_loss == rotated->step().front().training_loss;
        EXPECT_EQ(is_equal, i < 6) << "step " << i;
    }
    const auto model = trained->model(0);
    for (const float frequency : frequencies_of(*model).values) EXPECT_EQ(frequency, 0.0F);
    RunSpec none = fixed;
    none.position = Position::none;
    const auto same = cohort({none}, {trained->state(0)}, 10)->model(0);
    EXPECT_NEAR(model->whole_loss({tokens_.data(), 400}), same->whole_loss({tokens_.data(), 400}), 1e-6);
}

TEST_F(ThetaSchedules, AutoDeviceAlsoTrainsSchedules) {
    CohortStart start;
    start.runs = {spec_of(ThetaTraining::one)};
    TorchEngine engine;
    const RunConditions conditions = engine.create_cohort(start, data_)->conditions();
    EXPECT_EQ(conditions.device, engine.info().cuda ? "cuda" : "cpu");
    EXPECT_EQ(conditions.reason.find("theta"), std::string::npos) << conditions.reason;
    if (engine.info().cuda) return;
    const auto says_why = [](const RunConditions& of) {
        return of.reason.find("The run trains on the CPU: ") != std::string::npos;
    };
    EXPECT_TRUE(says_why(conditions)) << conditions.reason;
    start.runs.front().device = Device::cpu;
    EXPECT_FALSE(says_why(engine.create_cohort(start, data_)->conditions())) << "as asked";
}

TEST_F(ThetaSchedules, RejectContradictorySettings) {
    RunSpec spec = spec_of(ThetaTraining::one);
    spec.position = Position::learned;
    EXPECT_MESSAGE(check(spec), BadInput, "this model does not use RoPE");
    spec = spec_of(ThetaTraining::one);
    spec.theta_schedule = ThetaSchedule::linear;
    EXPECT_MESSAGE(check(spec), BadInput, "cannot both be trained and follow a schedule");
    spec = spec_of(ThetaTraining::head);
    spec.key_value_heads = 1;
    EXPECT_MESSAGE(check(spec), BadInput, "set key_value_heads to 0");

    const auto model = cohort({spec_of(ThetaTraining::one)})->model(0);
    ProbeRequest request;
    request.sequences = {8, {tokens_.begin(), tokens_.begin() + 8}, {tokens_.begin() + 1, tokens_.begin() + 9}};
    request.scaling.method = ScalingMethod::linear;
    EXPECT_MESSAGE(model->probe(request), BadInput, "this run changed theta during training");
}

}  // namespace
}  // namespace ropelab
