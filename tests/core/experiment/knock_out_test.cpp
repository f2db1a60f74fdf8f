#include "core/experiment/knock_out.h"

#include <cmath>

#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "tests/core/experiment/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using Pairs = std::vector<std::int64_t>;
using Kind = KnockOut::Kind;

TEST(KnockOutPairs, AreNamedOneByOneByRangeOrFromAnEnd) {
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

TEST(KnockOutPairs, ReplaceWhatARequestAskedBefore) {
    ProbeRequest request;
    knock_out(request, pair_range(Kind::stop, 0, 1));
    EXPECT_EQ(request.stopped_pairs, (Pairs{0, 1}));
    knock_out(request, pair_range(Kind::remove, 2, 2));
    EXPECT_TRUE(request.stopped_pairs.empty());
    EXPECT_EQ(request.removed_pairs, (Pairs{2}));
}

class KnockOutTest : public TrainedRunTest {};

TEST_F(KnockOutTest, AResultIsTheModelWithAndWithout) {
    const KnockOut how = pair_range(Kind::remove, 0, 1);
    const KnockOutResult result = judge_knock_out(*engine_, checkpoint(), how, {}, {});
    EXPECT_EQ(result.knock_out, how);
    EXPECT_EQ(result.iteration, 120);
    ProbeRequest request = judging_request(corpus_of(checkpoint(), {})->validation, 16, 4096);
    const auto model = model_of(*engine_, checkpoint());
    EXPECT_EQ(model->probe(request), *result.whole);
    knock_out(request, how);
    EXPECT_EQ(model->probe(request), *result.without);
    EXPECT_GT(result.without->loss, result.whole->loss);
    const KnockOut wrong = pair_range(Kind::stop, 4, 4);
    EXPECT_MESSAGE(judge_knock_out(*engine_, checkpoint(), wrong, {}, {}), BadInput, "Pair 4 is not there");
}

TEST_F(KnockOutTest, ACurveGoesFromNoneToAllFromBothEnds) {
    const KnockOutCurve curve = judge_knock_outs(*engine_, checkpoint(), Kind::stop, {}, {});
    ASSERT_EQ(curve.count(), 5U);  // 4 pairs
    EXPECT_EQ(curve.fast_loss.front(), curve.slow_loss.front());
    EXPECT_EQ(curve.fast_loss.back(), curve.slow_loss.back());
    const KnockOutResult two = judge_knock_out(*engine_, checkpoint(), pair_range(Kind::stop, 0, 1), {}, {});
    EXPECT_EQ(curve.fast_loss[0], two.whole->loss);
    EXPECT_EQ(curve.fast_loss[2], two.without->loss);
    EXPECT_EQ(curve.fast_accuracy[2], retrieval_accuracy(*two.without));
    const KnockOutResult slow = judge_knock_out(*engine_, checkpoint(), pair_range(Kind::stop, 3, 3), {}, {});
    EXPECT_EQ(curve.slow_loss[1], slow.without->loss);
    EXPECT_LT(judge_knock_outs(*engine_, checkpoint(), Kind::stop, {}, [] { return true; }).count(), 5U);
}

TEST(RetrievalAccuracy, CountsSymbols) {
    ProbeResult result;
    EXPECT_TRUE(std::isnan(retrieval_accuracy(result)));
    result.retrieval = {{4, 30, 0.5, 1, 0, 1}, {8, 10, 0.9, 1, 0, 1}};
    EXPECT_DOUBLE_EQ(retrieval_accuracy(result), 0.6);
}

}  // namespace
}  // namespace ropelab
