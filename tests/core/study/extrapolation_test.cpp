#include "core/study/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "core/base/error.h"
#include "core/run/probing.h"
#include "core/store/run_settings.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/every_choice.h"
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
    ASSERT_EQ(result.evaluations.size(), 8U);
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

TEST_F(ExtrapolationTest, ALabStoresLossesBeforeAndAfterFineTuning) {
    const std::filesystem::path path = *folder_ / "runs.ropelab";
    const auto lab = LabFile::create(path);
    const RunId run = lab->add_run(lab->add_experiment("e", "{}"), "r", to_json(checkpoint().spec).dump());
    std::filesystem::copy_file(ExtrapolationTest::path(), (lab->checkpoint_folder(), lab->checkpoint_path(run)));
    RunSummary summary;
    summary.iterations = 120;
    lab->record(std::vector<Event>{event::RunEnded{run, RunState::finished, "", summary}});
    const ExtrapolationPlan plan{.factor = 2, .methods = {ScalingMethod::none, ScalingMethod::yarn}, .steps = 2};
    EXPECT_FALSE(extrapolate_runs(*engine_, path, plan, {}, [](double) { return false; }));
    EXPECT_TRUE(stored_extrapolations(*lab, run).empty());
    double before = 0;
    EXPECT_TRUE(extrapolate_runs(*engine_, path, plan, {}, [&](double done) {
        EXPECT_GE(done, before);
        before = done;
        return true;
    }));
    EXPECT_EQ(before, 1);
    const std::vector<ExtrapolationResult> stored = stored_extrapolations(*lab, run);
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[1].evaluations[1].fine_tuning, plan.tuning(ScalingMethod::yarn));
    const std::vector<double>& losses = stored[1].evaluations[0].result->loss_by_position;
    ASSERT_EQ(losses.size(), 32U);
    EXPECT_NEAR(lab->measurements(run).at("loss_beyond_yarn_0"),
                split_loss(*stored[1].evaluations[0].result, 16).beyond, 1e-12);
    EXPECT_NE(lab->measurements(run).at("loss_inside_yarn_2"), lab->measurements(run).at("loss_inside_yarn_0"));
    lab->add_later_result(run, "extrapolation", R"({"factor": 2, "iteration": 1, "evaluations": []})");
    EXPECT_MESSAGE(stored_extrapolations(*lab, run), BadInput, "are damaged");
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
    EXPECT_EQ(extrapolation_methods_of(plan_of(spec, 65)).size(), extrapolation_methods().size());
    spec.frequencies = "1+0.5";
    spec.fraction = 4.0 / spec.rotary_head_dim();
    EXPECT_EQ(extrapolation_methods_of(plan_of(spec, 65)),
              (std::vector{ScalingMethod::none, ScalingMethod::linear, ScalingMethod::ntk_by_parts,
                           ScalingMethod::llama3, ScalingMethod::longrope}));
}

TEST_F(ExtrapolationTest, OnlyRunsWithConstantRopeFrequenciesHaveScalings) {
    const std::vector<ScalingMethod> none = {ScalingMethod::none};
    RunSpec spec;
    for (const Position position :
         encodings_with([](const PositionEncoding& row) { return !row.rotates() && !row.learns_positions(); })) {
        spec.position = position;
        EXPECT_EQ(extrapolation_methods_of(plan_of(spec, 65)), none) << label_of(spec);
    }
    for (const Position position :
         encodings_with([](const PositionEncoding& row) { return row.rotates() && !row.learns_positions(); })) {
        spec.position = position;
        EXPECT_EQ(extrapolation_methods_of(plan_of(spec, 65)).size(), extrapolation_methods().size()) << label_of(spec);
    }
    RunSpec trained;
    trained.theta_training = ThetaTraining::layer;
    EXPECT_EQ(extrapolation_methods_of(plan_of(trained, 65)), none);
    RunSpec unrotated;
    unrotated.fraction = 0;
    EXPECT_EQ(extrapolation_methods_of(plan_of(unrotated, 65)), none);
    RunSpec linear_attention;
    linear_attention.attention_layers = "deltanet";
    EXPECT_EQ(extrapolation_methods_of(plan_of(linear_attention, 65)), none);
}

// The first half of a sequence of twice the context is an ordinary sequence of the same tokens.
TEST_F(ExtrapolationTest, EveryEncodingWithADefinitionIsEvaluatedBeyondTheContext) {
    for (const Position position :
         encodings_with([](const PositionEncoding& row) { return !row.learns_positions(); })) {
        RunSpec spec = checkpoint().spec;
        spec.position = position;
        spec.relative_clip = 4;  // shorter than the context, so that distances are clipped
        spec.distance_buckets = 8;
        spec.largest_distance = 12;
        spec.cope_positions = 6;
        spec.iterations = 8;
        spec.evaluate_every = 8;
        const auto path = *folder_ / "encoding.safetensors";
        std::filesystem::remove(path);
        Runner runner([]() -> Engine& { return *engine_; }, [](const Event&) {});
        runner.start({{{1, spec, path, false, std::nullopt}}, {}, {}, {}, {}});
        runner.join();
        const auto trained = read_checkpoint(path);
        ASSERT_TRUE(trained) << label_of(spec);

        const std::vector<ScalingMethod> plain = {ScalingMethod::none};
        const ExtrapolationResult beyond = evaluate_extrapolation(*engine_, *trained, 2, plain, {}, {}, 3);
        ASSERT_EQ(beyond.evaluations.size(), 1U) << label_of(spec);
        const std::vector<double>& losses = beyond.evaluations[0].result->loss_by_position;
        ASSERT_EQ(losses.size(), static_cast<std::size_t>(2 * spec.context));
        for (const double loss : losses) EXPECT_TRUE(std::isfinite(loss)) << label_of(spec);

        const ProbeSequences whole = spaced_sequences(corpus_of(*trained, {})->validation, 2 * spec.context, 3);
        ProbeRequest inside;
        inside.vectors = inside.attention = false;
        inside.sequences.length = spec.context;
        for (std::int64_t sequence = 0; sequence < whole.count(); ++sequence) {
            const auto copy = [&](const std::vector<std::int32_t>& from, std::vector<std::int32_t>& to) {
                const auto first = from.begin() + sequence * whole.length;
                to.insert(to.end(), first, first + spec.context);
            };
            copy(whole.tokens, inside.sequences.tokens);
            copy(whole.targets, inside.sequences.targets);
        }
        const ProbeResult ordinary = model_of(*engine_, *trained)->probe(inside);
        for (std::size_t i = 0; i < ordinary.loss_by_position.size(); ++i)
            EXPECT_NEAR(losses[i], ordinary.loss_by_position[i], 2e-5) << label_of(spec) << ", position " << i;

        const auto tuned =
            fine_tuned(*engine_, *trained, {.method = ScalingMethod::none, .factor = 2, .steps = 2}, {}, always);
        ASSERT_TRUE(tuned) << label_of(spec);
        EXPECT_NE(tuned->state, trained->state);
        if (spec.rotates()) continue;
        const std::vector<ScalingMethod> yarn = {ScalingMethod::yarn};
        EXPECT_MESSAGE(evaluate_extrapolation(*engine_, *trained, 2, yarn, {}, {}, 3), BadInput,
                       "has no RoPE, so its frequencies cannot be scaled; choose the scaling none");
    }
}

TEST_F(ExtrapolationTest, LongRopeUsesSearchedOrGivenDivisors) {
    const std::vector<ScalingMethod> one = {ScalingMethod::longrope};
    const auto evaluated = [&](std::span<const double> divisors) {
        return evaluate_extrapolation(*engine_, checkpoint(), 2, one, {}, {}, few, divisors).evaluations.at(0);
    };
    const auto searched = evaluated({});
    EXPECT_EQ(searched.long_factors.size(), static_cast<std::size_t>(checkpoint().spec.head_dim() / 2));
    EXPECT_TRUE(std::is_sorted(searched.long_factors.begin(), searched.long_factors.end()));
    EXPECT_GE(searched.long_factors.front(), 1);
    EXPECT_LE(searched.long_factors.back(), 2);
    const auto given = evaluated(searched.long_factors);
    EXPECT_EQ(*given.result, *searched.result);
    EXPECT_EQ(given.long_factors, searched.long_factors);
    const std::vector<double> wrong = {1, 2};
    EXPECT_MESSAGE(evaluated(wrong), BadInput, "long_factors has 2 numbers");

    const FineTuning how{.method = ScalingMethod::longrope, .factor = 2, .steps = 3};
    FineTuning same = how;
    same.long_factors = searched.long_factors;
    EXPECT_EQ(fine_tuned(*engine_, checkpoint(), how, {}, always)->state,
              fine_tuned(*engine_, checkpoint(), same, {}, always)->state);
    // Fine-tuning reads texts beyond the context, for which the divisors are.
    FineTuning none = how;
    none.long_factors.assign(4, 1.0);
    FineTuning half = how;
    half.long_factors.assign(4, 2.0);
    EXPECT_NE(fine_tuned(*engine_, checkpoint(), none, {}, always)->state,
              fine_tuned(*engine_, checkpoint(), half, {}, always)->state);
    const ExtrapolationResult tuned_result = tuned(how);
    EXPECT_EQ(*tuned_result.evaluations.at(0).result, *searched.result);
    EXPECT_EQ(tuned_result.evaluations.at(1).fine_tuning, how);
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
    EXPECT_MESSAGE(evaluate_extrapolation(*engine_, wrong, 2, extrapolation_methods(), {}, {}), BadInput,
                   "requires a constant theta, but this run changed theta");
    wrong = checkpoint();
    wrong.spec.frequencies = "1+0.1+0.01+0.001";
    EXPECT_MESSAGE(fine_tuned(*engine_, wrong, {.method = ScalingMethod::ntk}, {}, always), BadInput,
                   "ntk depends on theta, but the frequencies of this model are listed");
    wrong = checkpoint();
    wrong.spec.fraction = 0;
    EXPECT_MESSAGE(fine_tuned(*engine_, wrong, {}, {}, always), BadInput, "yarn has no effect");
    wrong = checkpoint();
    wrong.spec.position = Position::xpos;
    EXPECT_MESSAGE(evaluate_extrapolation(*engine_, wrong, 4096, extrapolation_methods(), {}, {}), BadInput,
                   "65536 tokens is too long for xPos, the position encoding of this run");
    EXPECT_TRUE(is_defined_at(plan_of(wrong.spec, 65), 16384));
    EXPECT_FALSE(is_defined_at(plan_of(wrong.spec, 65), 65536));
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

class LongRopeSearchTest : public TrainedRunTest {
 protected:
    static std::optional<LongRopeSearch> search(std::int64_t factor, const std::function<bool()>& cancelled = {}) {
        const auto corpus = corpus_of(checkpoint(), {});
        return search_longrope(*model_of(*engine_, checkpoint()), plan_of(checkpoint()), corpus->training_text(),
                               factor, cancelled);
    }
    /// Returns the loss of a scaling on the sequences of the search.
    static double loss_of(const Scaling& scaling) {
        const auto corpus = corpus_of(checkpoint(), {});
        ProbeRequest request;
        request.vectors = request.attention = false;
        const std::int64_t length = checkpoint().spec.context * static_cast<std::int64_t>(scaling.factor);
        request.sequences = spaced_sequences(corpus->training, length, 4);
        request.scaling = scaling;
        return model_of(*engine_, checkpoint())->probe(request).loss;
    }
};

TEST_F(LongRopeSearchTest, IsAtLeastAsGoodAsTheMethodsThatItBeginsWith) {
    const LongRopeSearch found = search(4).value();
    ASSERT_EQ(found.factors.size(), 4U);
    EXPECT_TRUE(std::is_sorted(found.factors.begin(), found.factors.end()));
    EXPECT_GE(found.factors.front(), 1);
    EXPECT_LE(found.factors.back(), 4);
    Scaling scaling{.method = ScalingMethod::longrope, .factor = 4};
    scaling.short_factors.assign(4, 1.0);
    scaling.long_factors = found.factors;
    EXPECT_EQ(loss_of(scaling), found.loss);
    scaling.long_factors.assign(4, 4.0);  // position interpolation, with the attention factor of longrope
    EXPECT_LE(found.loss, loss_of(scaling));
    scaling.long_factors.clear();  // NTK-aware
    for (int pair = 0; pair < 4; ++pair) scaling.long_factors.push_back(std::pow(4.0, 2.0 * pair / 6.0));
    EXPECT_LE(found.loss, loss_of(scaling) + 1e-6);
    EXPECT_EQ(search(4)->factors, found.factors);
}

TEST_F(LongRopeSearchTest, KeepsTheFrequenciesWithoutExtension) {
    EXPECT_EQ(search(1)->factors, std::vector<double>(4, 1.0));
}

TEST_F(LongRopeSearchTest, EndsWhenCancelledAndNeedsEnoughTokens) {
    EXPECT_FALSE(search(2, [] { return true; }));
    int calls = 0;
    EXPECT_FALSE(search(2, [&] { return ++calls > 12; }));
    EXPECT_MESSAGE(search(1000), BadInput, "but the search of LongRoPE's factors needs at least 16001");
}

}  // namespace

}  // namespace ropelab
