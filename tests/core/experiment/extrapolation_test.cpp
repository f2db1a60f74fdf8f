#include "core/experiment/extrapolation.h"

#include <fstream>
#include <iterator>
#include <limits>

#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "tests/core/experiment/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

class ExtrapolationTest : public TrainedRunTest {
 protected:
    static constexpr std::int64_t few = 24;  // sequences

    static bool always(std::int64_t) { return true; }
    static ExtrapolationResult tuned(const FineTuning& how) {
        return fine_tune_extrapolation(*engine_, checkpoint(), how, {}, always, few);
    }
    static std::string bytes() {
        std::ifstream stream(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(ExtrapolationTest, EvaluatesOncePerMethodAtAMultipleOfTheContext) {
    const ExtrapolationResult result =
        evaluate_extrapolation(*engine_, checkpoint(), 4, extrapolation_methods(), {}, {});
    EXPECT_EQ(result.factor, 4);
    EXPECT_EQ(result.iteration, 120);
    ASSERT_EQ(result.evaluations.size(), 7U);
    for (const ExtrapolationEvaluation& evaluation : result.evaluations) {
        EXPECT_EQ(evaluation.result->loss_by_position.size(), 64U);
        EXPECT_FALSE(evaluation.fine_tuning);
        EXPECT_FALSE(evaluation.result->retrieval.empty());
    }
    EXPECT_NE(result.evaluations[0].result->loss, result.evaluations[1].result->loss);
    const auto corpus = corpus_of(checkpoint(), {});
    ProbeRequest request = loss_request(corpus->validation, 64, 16384);
    EXPECT_EQ(request.sequences.count(), result.evaluations[0].result->sequences);
    request.scaling = {.method = ScalingMethod::llama3, .factor = 4};
    EXPECT_EQ(model_of(*engine_, checkpoint())->probe(request), *result.evaluations[6].result);

    const std::vector<ScalingMethod> one = {ScalingMethod::ntk};
    const ExtrapolationResult three = evaluate_extrapolation(*engine_, checkpoint(), 2, one, {}, {}, 3);
    ASSERT_EQ(three.evaluations.size(), 1U);
    EXPECT_EQ(three.evaluations[0].result->sequences, 3);
    EXPECT_TRUE(evaluate_extrapolation(*engine_, checkpoint(), 2, one, {}, [] { return true; }).evaluations.empty());
    const auto validation = std::ssize(corpus->validation);
    EXPECT_EQ(evaluate_extrapolation(*engine_, checkpoint(), 2, one, {}, {}, 0).evaluations[0].result->sequences,
              (validation - 1) / 32);
}

// Cancelling at each call of `cancelled` keeps the completed evaluations and omits the incomplete one.
TEST_F(ExtrapolationTest, CancelledEvaluationsAreOmitted) {
    const std::vector<ScalingMethod> two = {ScalingMethod::none, ScalingMethod::yarn};
    std::int64_t calls = 0;
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    const auto cancelled = [&] { return ++calls > limit; };
    const ExtrapolationResult whole = evaluate_extrapolation(*engine_, checkpoint(), 2, two, {}, cancelled, few);
    const std::int64_t all = calls;
    ASSERT_GT(all, 2);
    for (limit = 0; limit < all; ++limit) {
        calls = 0;
        const ExtrapolationResult result = evaluate_extrapolation(*engine_, checkpoint(), 2, two, {}, cancelled, few);
        ASSERT_EQ(result.evaluations.size(), 2 * limit < all ? 0U : 1U) << limit;
        for (const ExtrapolationEvaluation& evaluation : result.evaluations)
            EXPECT_EQ(*evaluation.result, *whole.evaluations[0].result);
    }

    const FineTuning how{.factor = 2, .steps = 2};
    const auto should_continue = [&](std::int64_t) { return !cancelled(); };
    limit = std::numeric_limits<std::int64_t>::max();
    calls = 0;
    const ExtrapolationResult tuned = fine_tune_extrapolation(*engine_, checkpoint(), how, {}, should_continue, few);
    ASSERT_EQ(tuned.evaluations.size(), 2U);
    const std::int64_t tuned_calls = calls;
    for (limit = 0; limit < tuned_calls; ++limit) {
        calls = 0;
        const ExtrapolationResult result =
            fine_tune_extrapolation(*engine_, checkpoint(), how, {}, should_continue, few);
        ASSERT_EQ(result.evaluations.size(), limit < all / 2 ? 0U : 1U) << limit;
        for (const ExtrapolationEvaluation& evaluation : result.evaluations)
            EXPECT_EQ(*evaluation.result, *tuned.evaluations[0].result);
    }
}

TEST_F(ExtrapolationTest, ListedFrequenciesHaveTheMethodsWithoutTheta) {
    RunSpec spec;
    EXPECT_EQ(extrapolation_methods_of(spec).size(), extrapolation_methods().size());
    spec.frequencies = "1+0.5";
    EXPECT_EQ(extrapolation_methods_of(spec), (std::vector{ScalingMethod::none, ScalingMethod::linear,
                                                           ScalingMethod::ntk_by_parts, ScalingMethod::llama3}));
}

TEST_F(ExtrapolationTest, ZeroStepsChangeNothing) {
    for (const ScalingMethod method : extrapolation_methods()) {
        const std::vector<ScalingMethod> one = {method};
        const ExtrapolationResult plain = evaluate_extrapolation(*engine_, checkpoint(), 2, one, {}, {}, few);
        const ExtrapolationResult result = tuned({.method = method, .factor = 2, .steps = 0});
        ASSERT_EQ(result.evaluations.size(), 2U);
        EXPECT_EQ(*result.evaluations[0].result, *plain.evaluations[0].result);
        EXPECT_EQ(*result.evaluations[1].result, *plain.evaluations[0].result);
        EXPECT_EQ(result.evaluations[1].fine_tuning->steps, 0);
    }
}

TEST_F(ExtrapolationTest, FineTuningLowersTheLossBeyondTheContext) {
    for (const ScalingMethod method : {ScalingMethod::none, ScalingMethod::linear, ScalingMethod::yarn}) {
        const ExtrapolationResult result = tuned({.method = method, .factor = 2, .steps = 40});
        ASSERT_EQ(result.evaluations.size(), 2U);
        const std::int64_t context = checkpoint().spec.context;
        const SplitLoss before = split_loss(*result.evaluations[0].result, context);
        const SplitLoss after = split_loss(*result.evaluations[1].result, context);
        EXPECT_LT(after.beyond, before.beyond) << word_of(method);
    }
}

TEST_F(ExtrapolationTest, FineTuningIsDeterministicAndKeepsTheRun) {
    const std::string before = bytes();
    const Checkpoint stored = checkpoint();
    const FineTuning how{.method = ScalingMethod::ntk, .factor = 2, .steps = 7};
    const auto first = fine_tuned(*engine_, stored, how, {}, always).value();
    const auto again = fine_tuned(*engine_, stored, how, {}, always).value();
    EXPECT_EQ(first.state, again.state);
    EXPECT_EQ(first.iteration, 127);
    EXPECT_EQ(first.spec, stored.spec);
    EXPECT_NE(first.state, stored.state);
    EXPECT_EQ(*tuned(how).evaluations[1].result, *tuned(how).evaluations[1].result);
    FineTuning faster = how;
    faster.learning_rate = 2e-3;
    EXPECT_NE(fine_tuned(*engine_, stored, faster, {}, always)->state, first.state);
    FineTuning own = how;
    own.learning_rate = stored.spec.learning_rate / 10;
    EXPECT_EQ(fine_tuned(*engine_, stored, own, {}, always)->state, first.state);
    FineTuning other = how;
    other.method = ScalingMethod::none;
    EXPECT_NE(fine_tuned(*engine_, stored, other, {}, always)->state, first.state);
    EXPECT_EQ(stored.state, checkpoint().state);
    EXPECT_EQ(bytes(), before);
}

TEST_F(ExtrapolationTest, ReportsEachStepAndStopsOnRequest) {
    std::vector<std::int64_t> steps;
    const auto none = fine_tuned(*engine_, checkpoint(), {.factor = 2, .steps = 50}, {}, [&](std::int64_t done) {
        steps.push_back(done);
        return done < 3;
    });
    EXPECT_FALSE(none);
    EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 1, 2, 3}));
    const ExtrapolationResult result = fine_tune_extrapolation(*engine_, checkpoint(), {.factor = 2, .steps = 50}, {},
                                                               [](std::int64_t done) { return done < 3; });
    EXPECT_EQ(result.evaluations.size(), 1U);
}

TEST_F(ExtrapolationTest, RejectsRunsThatCannotBeEvaluatedOrFineTuned) {
    Checkpoint wrong = checkpoint();
    wrong.spec.position = Position::learned;
    EXPECT_MESSAGE(evaluate_extrapolation(*engine_, wrong, 2, extrapolation_methods(), {}, {}), BadInput,
                   "learned a position embedding for each");
    wrong.spec.position = Position::none;
    EXPECT_MESSAGE(fine_tuned(*engine_, wrong, {}, {}, always), BadInput,
                   "has no RoPE, so its frequencies cannot be scaled");
    wrong = checkpoint();
    wrong.spec.theta_training = ThetaTraining::one;
    EXPECT_MESSAGE(fine_tuned(*engine_, wrong, {}, {}, always), BadInput, "theta of this run changed");
    EXPECT_MESSAGE(tuned({.factor = 0}), BadInput, "1 time or more");
    for (const std::int64_t far : {std::int64_t{65537}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_MESSAGE(tuned({.factor = far}), BadInput, "must be at most 65536 times");
        EXPECT_MESSAGE(evaluate_extrapolation(*engine_, checkpoint(), far, extrapolation_methods(), {}, {}), BadInput,
                       "at most 1048576 tokens");
    }
    EXPECT_MESSAGE(tuned({.steps = -1}), BadInput, "fine-tuning steps is -1");
    EXPECT_MESSAGE(tuned({.learning_rate = -1}), BadInput, "must be above 0");
    EXPECT_MESSAGE(tuned({.factor = 1000}), BadInput, "needs at least");
    wrong = checkpoint();
    for (NamedTensor& tensor : wrong.state) {
        if (tensor.name.starts_with("model.")) tensor.values.front() = std::numeric_limits<float>::infinity();
    }
    EXPECT_MESSAGE(fine_tuned(*engine_, wrong, {.factor = 2}, {}, always), BadInput, "no longer a finite number");
    wrong = checkpoint();
    wrong.vocabulary = "characters:97,98";
    EXPECT_MESSAGE(evaluate_extrapolation(*engine_, wrong, 2, extrapolation_methods(), {}, {}), BadInput,
                   "has changed since this run was trained");
}

TEST(SplitLoss, AveragesInsideAndBeyondTheContext) {
    ProbeResult result;
    result.loss_by_position = {1, 2, 3, std::nan(""), 6};
    EXPECT_DOUBLE_EQ(split_loss(result, 2).inside, 1.5);
    EXPECT_DOUBLE_EQ(split_loss(result, 2).beyond, 4.5);
    EXPECT_DOUBLE_EQ(split_loss(result, 9).inside, 3);
    EXPECT_TRUE(std::isnan(split_loss(result, 9).beyond));
}

}  // namespace
}  // namespace ropelab
