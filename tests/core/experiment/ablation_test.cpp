#include "core/experiment/ablation.h"

#include <cmath>

#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "tests/core/experiment/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using Pairs = std::vector<std::int64_t>;
using Kind = Ablation::Kind;

TEST(AblationPairs, ParsesNumbersRangesAndEnds) {
    EXPECT_EQ(parse_pairs("3", 8, "pairs"), (Pairs{3}));
    EXPECT_EQ(parse_pairs("0-2+5", 8, "pairs"), (Pairs{0, 1, 2, 5}));
    EXPECT_EQ(parse_pairs("fast2", 8, "pairs"), (Pairs{0, 1}));
    EXPECT_EQ(parse_pairs("slow3", 8, "pairs"), (Pairs{5, 6, 7}));
    EXPECT_EQ(parse_pairs("slow8", 8, "pairs").size(), 8U);
    for (const char* wrong : {"fast", "fast0", "slow9", "fast-1", "slow2x", "fast1.5"}) {
        EXPECT_MESSAGE(parse_pairs(wrong, 8, "pairs"), BadInput, "1 to 8 from an end");
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
}

TEST(RetrievalAccuracy, WeightsByTokens) {
    ProbeResult result;
    EXPECT_TRUE(std::isnan(retrieval_accuracy(result)));
    result.retrieval = {{4, 30, 0.5, 1, 0, 1}, {8, 10, 0.9, 1, 0, 1}};
    EXPECT_DOUBLE_EQ(retrieval_accuracy(result), 0.6);
}

}  // namespace
}  // namespace ropelab
