#include "core/study/ablation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/run/probing.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {

namespace {

using Sets = std::vector<std::vector<std::int64_t>>;

const std::vector<double> contributions = {0.4, 0.1, 0.1, 0.1, 0.1, 0.2};
const std::vector<std::int64_t> every = {0, 1, 2, 3, 4, 5};

TEST(AblationControls, HaveTheContributionOfTheAblatedPairs) {
    const std::vector<std::int64_t> ablated = {5};
    // The sets of exactly 0.2 are the six pairs of {1, 2, 3, 4}; 200 orders find all of them.
    const Sets sets = control_pairs(contributions, every, ablated, 10);
    ASSERT_EQ(sets.size(), 6U);
    for (const auto& set : sets) {
        EXPECT_EQ(set.size(), 2U);
        EXPECT_DOUBLE_EQ(total_contribution(contributions, set), 0.2);
        EXPECT_EQ(std::count(set.begin(), set.end(), 5), 0);
        EXPECT_TRUE(std::is_sorted(set.begin(), set.end()));
    }
    EXPECT_EQ(std::set(sets.begin(), sets.end()).size(), 6U);
    EXPECT_EQ(control_pairs(contributions, every, ablated, 10), sets);  // the same at every call
    EXPECT_EQ(control_pairs(contributions, every, ablated, 4), Sets(sets.begin(), sets.begin() + 4));
}

TEST(AblationControls, UseOnlyPairsThatTheAblationCanChange) {
    const std::vector<std::int64_t> ablated = {5};
    EXPECT_EQ(control_pairs(contributions, std::vector<std::int64_t>{1, 3, 5}, ablated, 3), (Sets{{1, 3}}));
}

TEST(AblationControls, AreMissingIfNoSetFits) {
    // 0.6 is ablated, and the others have 0.4: further away than 20 %.
    EXPECT_TRUE(control_pairs(contributions, every, std::vector<std::int64_t>{0, 5}, 3).empty());
    EXPECT_TRUE(control_pairs(contributions, every, every, 3).empty());
    EXPECT_TRUE(control_pairs(contributions, every, std::vector<std::int64_t>{}, 3).empty());
    // A difference of up to 0.01 is accepted however small the contribution is.
    EXPECT_EQ(control_pairs(std::vector<double>{0.001, 0.009}, std::vector<std::int64_t>{0, 1},
                            std::vector<std::int64_t>{0}, 3),
              (Sets{{1}}));
}

TEST(AblationControls, ContributionsAreMeansOverLayersAndHeads) {
    ProbeResult result;
    EXPECT_TRUE(pair_contributions(result).empty());
    result.logit_contribution = {{1, 2, 3}, {0.5F, 0.5F, 0, 0.25F, 0.75F, 0}};
    EXPECT_EQ(pair_contributions(result), (std::vector<double>{0.375, 0.625}));
}

using Pairs = std::vector<std::int64_t>;
using Kind = Ablation::Kind;

TEST(AblationPairs, ParsesNumbersRangesAndEnds) {
    EXPECT_EQ(parse_pairs("3", 8, "pairs"), (Pairs{3}));
    EXPECT_EQ(parse_pairs("0-2+5", 8, "pairs"), (Pairs{0, 1, 2, 5}));
    EXPECT_EQ(parse_pairs("fast2", 8, "pairs"), (Pairs{0, 1}));
    EXPECT_EQ(parse_pairs("slow3", 8, "pairs"), (Pairs{5, 6, 7}));
    EXPECT_EQ(parse_pairs("slow8", 8, "pairs").size(), 8U);
    for (const char* wrong : {"fast", "fast0", "slow9", "fast-1", "slow2x", "fast1.5"}) {
        EXPECT_MESSAGE(parse_pairs(wrong, 8, "pairs"), BadInput, "from 1 to 8, such as");
    }
    EXPECT_MESSAGE(parse_pairs("8", 8, "pairs"), BadInput, "pairs");
    EXPECT_EQ(pair_range(Kind::stop, 2, 4).pairs, (Pairs{2, 3, 4}));
    EXPECT_TRUE(pair_range(Kind::stop, 0, -1).pairs.empty());
}

TEST(AblationPairs, ReplacesAnEarlierAblation) {
    ProbeRequest request;
    apply_ablation(request, pair_range(Kind::stop, 0, 1));
    EXPECT_EQ(request.frozen_pairs, (Pairs{0, 1}));
    apply_ablation(request, pair_range(Kind::remove, 2, 2));
    EXPECT_TRUE(request.frozen_pairs.empty());
    EXPECT_EQ(request.ablated_pairs, (Pairs{2}));
    apply_ablation(request, pair_range(Kind::mean, 1, 1));
    EXPECT_TRUE(request.ablated_pairs.empty());
    EXPECT_EQ(request.mean_ablated_pairs, (Pairs{1}));
}

TEST(AblationKinds, HaveWords) {
    for (const Kind kind : {Kind::stop, Kind::remove, Kind::mean})
        EXPECT_EQ(parse_ablation_kind(word_of(kind), "kind"), kind);
    EXPECT_EQ(parse_ablation_kind("stop", "kind"), Kind::stop);  // a word of an earlier version
    EXPECT_MESSAGE(parse_ablation_kind("meen", "--ablation-curve"), BadInput,
                   "--ablation-curve is \"meen\"; did you mean mean?");
}

/// Model with three pairs per head, which contribute 0.2, 0.2 and 0.6 to the logits.
class ContributingModel : public Model {
 public:
    std::vector<float> logits(std::span<const std::int32_t>) override { return {}; }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation&) override { return {}; }
    double whole_loss(std::span<const std::int32_t>) override { return 0; }
    ProbeResult probe(const ProbeRequest&) override {
        ProbeResult result;
        result.logit_contribution = {{1, 1, 4}, {0.2F, 0.2F, 0.6F, 0}};
        return result;
    }
};

TEST(AblationControls, ConsistOfPairsThatTheModelHas) {
    ContributingModel model;
    RunSpec spec = tiny_spec();
    spec.heads = 1;
    spec.width = 6;
    const AblationControls controls = measure_controls(model, plan_of(spec, 65), {}, {Kind::remove, {0}}, 5);
    EXPECT_NEAR(controls.contribution, 0.2, 1e-6);
    ASSERT_EQ(controls.draws.size(), 1U);
    EXPECT_EQ(controls.draws[0].pairs, (Pairs{1}));
}

class AblationTest : public TrainedRunTest {};

TEST_F(AblationTest, MeasuresTheModelWithAndWithoutPairs) {
    const Ablation how = pair_range(Kind::remove, 0, 1);
    const AblationResult result = measure_ablation(*engine_, checkpoint(), how, {}, {});
    EXPECT_EQ(result.ablation, how);
    EXPECT_EQ(result.iteration, 120);
    ProbeRequest request = loss_request(corpus_of(checkpoint(), {})->validation, 16, 4096);
    const auto model = model_of(*engine_, checkpoint());
    EXPECT_EQ(model->probe(request), *result.whole);
    apply_ablation(request, how);
    EXPECT_EQ(model->probe(request), *result.without);
    EXPECT_GT(result.without->loss, result.whole->loss);
    ASSERT_TRUE(std::isfinite(loss_rise(*result.whole, *result.without).standard_error));
    EXPECT_NEAR(loss_rise(*result.whole, *result.without).mean, result.without->loss - result.whole->loss, 1e-5);
    for (const AblationControl& draw : result.controls.draws) {
        for (const std::int64_t pair : draw.pairs) EXPECT_GE(pair, 2);
        EXPECT_LE(std::abs(draw.contribution - result.controls.contribution),
                  std::max(0.01, 0.2 * std::abs(result.controls.contribution)));
        apply_ablation(request, {Kind::remove, draw.pairs});
        EXPECT_EQ(model->probe(request), *draw.result);
    }
    const Ablation wrong = pair_range(Kind::stop, 4, 4);
    EXPECT_MESSAGE(measure_ablation(*engine_, checkpoint(), wrong, {}, {}), BadInput, "Pair 4 does not exist");
}

TEST_F(AblationTest, MeasuresCurvesFromBothEnds) {
    const AblationCurve curve = measure_ablation_curve(*engine_, checkpoint(), Kind::stop, {}, {});
    ASSERT_EQ(curve.count(), 5U);  // 0 to 4 pairs
    EXPECT_EQ(curve.fast_loss.front(), curve.slow_loss.front());
    EXPECT_EQ(curve.fast_loss.back(), curve.slow_loss.back());
    const AblationResult two = measure_ablation(*engine_, checkpoint(), pair_range(Kind::stop, 0, 1), {}, {});
    EXPECT_EQ(curve.fast_loss[0], two.whole->loss);
    EXPECT_EQ(curve.fast_loss[2], two.without->loss);
    EXPECT_EQ(curve.fast_accuracy[2], retrieval_accuracy(*two.without));
    const AblationResult slow = measure_ablation(*engine_, checkpoint(), pair_range(Kind::stop, 3, 3), {}, {});
    EXPECT_EQ(curve.slow_loss[1], slow.without->loss);
    EXPECT_LT(measure_ablation_curve(*engine_, checkpoint(), Kind::stop, {}, [] { return true; }).count(), 5U);
    ASSERT_EQ(curve.fast_rise.size(), 5U);
    EXPECT_EQ(curve.fast_rise[0].mean, 0);
    EXPECT_NEAR(curve.fast_rise[2].mean, curve.fast_loss[2] - curve.fast_loss[0], 1e-5);
    EXPECT_EQ(curve.slow_accuracy_interval.size(), 5U);
    ASSERT_EQ(curve.fast_controls.size(), 5U);
    EXPECT_TRUE(curve.fast_controls[0].draws.empty() && curve.slow_controls[4].draws.empty());
    EXPECT_EQ(curve.sequences, curve.fast_rise[0].n);
    EXPECT_EQ(curve.length, 16);
    EXPECT_GT(curve.retrieval_sequences, 0);
}

TEST_F(AblationTest, MeanAblationDiffersFromZeroAblation) {
    const auto removed = measure_ablation(*engine_, checkpoint(), pair_range(Kind::remove, 0, 1), {}, {}, 0);
    const auto mean = measure_ablation(*engine_, checkpoint(), pair_range(Kind::mean, 0, 1), {}, {}, 0);
    EXPECT_EQ(mean.whole->loss, removed.whole->loss);
    EXPECT_NE(mean.without->loss, removed.without->loss);
    EXPECT_TRUE(mean.controls.draws.empty());  // none were requested
    const AblationCurve curve = measure_ablation_curve(*engine_, checkpoint(), Kind::mean, {}, {}, 0);
    EXPECT_EQ(curve.fast_loss[2], mean.without->loss);
}

TEST(LossRise, IsPairedBySequence) {
    ProbeResult whole, without;
    EXPECT_EQ(loss_rise(whole, without).n, 0);
    whole.sequence_losses = {{2, 2}, {1, 1, 2, 4}};
    without.sequence_losses = {{2, 2}, {2, 2, 3, 5}};  // both sequences rise by 1
    const Description rise = loss_rise(whole, without);
    EXPECT_EQ(rise.n, 2);
    EXPECT_EQ(rise.mean, 1);
    EXPECT_EQ(rise.confidence_low, 1);
    EXPECT_EQ(rise.confidence_high, 1);
}

TEST(RetrievalInterval, AddsTheErrorsOfTheLags) {
    ProbeResult result;
    EXPECT_TRUE(std::isnan(retrieval_interval(result).low));
    result.retrieval = {{4, 24, 0.5, 1, 0, 1}, {8, 24, 0.75, 1, 0, 1}};
    EXPECT_TRUE(std::isnan(retrieval_interval(result).low));  // stored without standard errors
    result.retrieval[0].sequences = result.retrieval[1].sequences = 2;
    result.retrieval[0].accuracy_error = 0.1;
    result.retrieval[1].accuracy_error = 0.2;
    // 0.625 ± t · √(0.1² + 0.2²) / 2 with t = 4.302653 for 2 degrees of freedom (SciPy: scipy.stats.t.ppf(0.975, 2))
    EXPECT_NEAR(retrieval_interval(result).low, 0.625 - 4.302653 * std::sqrt(0.05) / 2, 1e-6);
    EXPECT_EQ(retrieval_interval(result).high, 1);
    EXPECT_EQ(retrieval_sequences(result), 4);
}

TEST(RetrievalAccuracy, WeightsByTokens) {
    ProbeResult result;
    EXPECT_TRUE(std::isnan(retrieval_accuracy(result)));
    result.retrieval = {{4, 30, 0.5, 1, 0, 1}, {8, 10, 0.9, 1, 0, 1}};
    EXPECT_DOUBLE_EQ(retrieval_accuracy(result), 0.6);
}

}  // namespace

}  // namespace ropelab
