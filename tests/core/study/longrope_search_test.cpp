#include "core/study/longrope_search.h"

#include <algorithm>
#include <cmath>

#include "core/run/probing.h"
#include "core/spec/error.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

class LongRopeSearchTest : public TrainedRunTest {
 protected:
    static std::optional<LongRopeSearch> search(std::int64_t factor, const std::function<bool()>& cancelled = {}) {
        const auto corpus = corpus_of(checkpoint(), {});
        return search_longrope(*model_of(*engine_, checkpoint()), checkpoint().spec, corpus->training_text(), factor,
                               cancelled);
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
