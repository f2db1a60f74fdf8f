#include "core/study/head_conversion.h"

#include <algorithm>
#include <cmath>

#include "core/study/extrapolation.h"
#include "core/run/probing.h"
#include "core/spec/error.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

class HeadConversionTest : public TrainedRunTest {
 protected:
    static bool always(std::int64_t) { return true; }
    static const NamedTensor& tensor(const Checkpoint& checkpoint, const std::string& name) {
        const auto found = std::find_if(checkpoint.state.begin(), checkpoint.state.end(),
                                        [&](const NamedTensor& t) { return t.name == name; });
        EXPECT_NE(found, checkpoint.state.end()) << name;
        return *found;
    }
};

// The run has 2 heads of 8 channels and width 16: rows 0 to 15 are queries, 16 to 31 keys and 32 to 47 values.
TEST_F(HeadConversionTest, PoolsKeysAndValues) {
    const Checkpoint whole = checkpoint();
    const Checkpoint pooled = with_pooled_heads(whole, 1);
    EXPECT_EQ(pooled.spec.kv_heads(), 1);
    for (const char* prefix : {"model.", "optimizer.first.", "optimizer.second."}) {
        const std::string name = std::string(prefix) + "layers.1.attention.qkv.weight";
        const NamedTensor& before = tensor(whole, name);
        const NamedTensor& after = tensor(pooled, name);
        ASSERT_EQ(after.shape, (std::vector<std::int64_t>{32, 16}));
        const float factor = std::string(prefix) == "model." ? 0.5F : std::string(prefix) == "optimizer.first." ? 1 : 2;
        for (std::size_t row = 0; row < 32; ++row) {
            for (std::size_t column = 0; column < 16; ++column) {
                const auto at = [&](std::size_t r) { return before.values[r * 16 + column]; };
                const std::size_t first = row < 24 ? row : row + 8;  // the first head's row of keys or of values
                const float expected = row < 16 ? at(row) : factor * (at(first) + at(first + 8));
                EXPECT_NEAR(after.values[row * 16 + column], expected, 1e-6F * std::abs(expected) + 1e-12F);
            }
        }
    }
    EXPECT_EQ(tensor(pooled, "model.embedding.weight"), tensor(whole, "model.embedding.weight"));
}

// Equal heads stay what they are, so that the model does not change.
TEST_F(HeadConversionTest, EqualHeadsGiveTheSameModel) {
    Checkpoint equal = checkpoint();
    for (NamedTensor& each : equal.state) {
        if (each.name.find(".attention.qkv.weight") == std::string::npos) continue;
        for (const std::size_t first : {16U, 32U})
            std::copy_n(each.values.begin() + first * 16, 8 * 16, each.values.begin() + (first + 8) * 16);
    }
    const auto corpus = corpus_of(equal, {});
    const double before = model_of(*engine_, equal)->whole_loss(corpus->validation);
    EXPECT_NEAR(model_of(*engine_, with_pooled_heads(equal, 1))->whole_loss(corpus->validation), before, 1e-6);
}

TEST_F(HeadConversionTest, FurtherTrainingReducesTheLoss) {
    Checkpoint converted;
    const HeadConversion how{.key_value_heads = 1, .fraction = 0.25, .learning_rate = 3e-3};
    const auto result = convert_heads(*engine_, checkpoint(), how, {}, always, &converted);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->heads_before, 2);
    EXPECT_EQ(result->steps, 30);
    EXPECT_GT(result->loss_pooled, result->loss_before);
    // The run itself learns from the further steps too, so that it is the fair comparison.
    EXPECT_NE(result->loss_continued, result->loss_before);
    EXPECT_NEAR(result->continued_rise.mean, result->loss_trained - result->loss_continued, 1e-6);
    EXPECT_EQ(result->continued_rise.n, result->sequences);
    EXPECT_LT(result->loss_trained, result->loss_pooled);
    EXPECT_NEAR(result->pooled_rise.mean, result->loss_pooled - result->loss_before, 1e-5);
    EXPECT_EQ(2 * result->cache_after, result->cache_before);
    EXPECT_EQ(converted.iteration, checkpoint().iteration + 30);
    EXPECT_EQ(converted.spec.key_value_heads, 1);
    const auto again = convert_heads(*engine_, checkpoint(), how, {}, always);
    EXPECT_EQ(again->loss_trained, result->loss_trained);
    EXPECT_EQ(steps_of({}, checkpoint().spec), 6);  // 5 % of 120

    const auto untrained = convert_heads(*engine_, checkpoint(), {.key_value_heads = 1, .fraction = 0}, {}, always);
    EXPECT_EQ(untrained->loss_trained, result->loss_pooled);
    EXPECT_EQ(untrained->continued_rise.n, 0);
    EXPECT_FALSE(convert_heads(*engine_, checkpoint(), how, {}, [](std::int64_t done) { return done < 5; }));
}

// Transformer-XL's keys of distances belong to key heads too.
TEST_F(HeadConversionTest, PoolsTheKeysOfDistances) {
    Checkpoint relative = checkpoint();
    relative.spec.position = Position::transformer_xl;
    NamedTensor keys{"model.layers.0.attention.relative.weight", {16, 16}, std::vector<float>(256, 3.0F)};
    std::fill(keys.values.begin(), keys.values.begin() + 128, 1.0F);  // the first head
    relative.state.push_back(keys);
    const NamedTensor pooled = tensor(with_pooled_heads(relative, 1), keys.name);
    EXPECT_EQ(pooled.shape, (std::vector<std::int64_t>{8, 16}));
    EXPECT_EQ(pooled.values, std::vector<float>(128, 2.0F));
}

TEST_F(HeadConversionTest, RefusesWhatCannotBeConverted) {
    EXPECT_MESSAGE(with_pooled_heads(checkpoint(), 2), BadInput, "must divide the run's number, which is 2");
    EXPECT_MESSAGE(with_pooled_heads(checkpoint(), 0), BadInput, "is 0");
    Checkpoint latent = checkpoint();
    latent.spec.attention = AttentionKind::mla;
    EXPECT_MESSAGE(with_pooled_heads(latent, 1), BadInput, "multi-head latent attention");
    EXPECT_MESSAGE(convert_heads(*engine_, checkpoint(), {.fraction = 2}, {}, always), BadInput, "between 0 and 1");
    EXPECT_MESSAGE(convert_heads(*engine_, checkpoint(), {.learning_rate = -1}, {}, always), BadInput, "is -1");
}

}  // namespace
}  // namespace ropelab
