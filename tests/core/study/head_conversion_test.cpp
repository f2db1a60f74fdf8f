#include "core/study/head_conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/run/probing.h"
#include "core/study/extrapolation.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

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
    int calls = 0;
    EXPECT_FALSE(convert_heads(*engine_, checkpoint(), {.key_value_heads = 1, .fraction = 0}, {}, [&](std::int64_t) {
        return ++calls < 3;
    })) << "an evaluation asks too, beside the call after each of the two";
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
    EXPECT_MESSAGE(with_pooled_heads(checkpoint(), 2), BadInput,
                   "must divide the number of heads of the run, which is 2");
    EXPECT_MESSAGE(with_pooled_heads(checkpoint(), 0), BadInput, "is 0");
    Checkpoint latent = checkpoint();
    latent.spec.attention = AttentionKind::mla;
    EXPECT_MESSAGE(with_pooled_heads(latent, 1), BadInput, "multi-head latent attention");
    EXPECT_MESSAGE(convert_heads(*engine_, checkpoint(), {.fraction = 2}, {}, always), BadInput, "between 0 and 1");
    EXPECT_MESSAGE(convert_heads(*engine_, checkpoint(), {.learning_rate = -1}, {}, always), BadInput, "is -1");
}

HeadConversionResult conversion_to(std::int64_t heads) {
    HeadConversionResult result;
    result.conversion = {.key_value_heads = heads, .fraction = 0.05, .learning_rate = 2e-4};
    result.heads_before = 4;
    result.iteration = 2000;
    result.steps = 100;
    result.sequences = 32;
    result.loss_before = 1.5;
    result.loss_pooled = 1.75;
    result.loss_trained = 1.5625;
    result.pooled_rise = {.n = 32, .mean = 0.25, .confidence_low = 0.2, .confidence_high = 0.3};
    result.trained_rise = {.n = 1, .mean = 0.0625};  // one sequence has no interval
    result.cache_before = 65536;
    result.cache_after = 16384 * heads;
    return result;
}

class StoredConversions : public testing::Test {
 protected:
    void SetUp() override {
        const std::int64_t experiment = lab_->add_experiment("sweep", "{}");
        for (int run = 1; run <= 2; ++run) lab_->add_run(experiment, "run " + std::to_string(run), "{}");
    }
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_ / "x.ropelab";
    std::unique_ptr<LabFile> lab_ = LabFile::create(path_);
};

TEST_F(StoredConversions, AreReadAsTheyWereStored) {
    EXPECT_TRUE(stored_head_conversions(*lab_).empty());
    store_head_conversion(*lab_, 2, conversion_to(2));
    store_head_conversion(*lab_, 1, conversion_to(2));
    store_head_conversion(*lab_, 1, conversion_to(1));
    const auto stored = stored_head_conversions(*LabFile::open(path_, LabFile::Mode::read));
    ASSERT_EQ(stored.size(), 3U);
    EXPECT_EQ(stored[0].run, 1);
    EXPECT_EQ(stored[1].run, 1);
    EXPECT_EQ(stored[2].run, 2);
    EXPECT_EQ(stored[0].created.size(), std::string("2026-03-01T12:00:00Z").size());
    const HeadConversionResult& read = stored[1].result;
    EXPECT_EQ(read.conversion, conversion_to(1).conversion);
    EXPECT_EQ(head_conversion_json(read).dump(), head_conversion_json(conversion_to(1)).dump());  // null for NaN
    EXPECT_EQ(read.pooled_rise.confidence_high, 0.3);
    EXPECT_TRUE(std::isnan(read.trained_rise.confidence_low));
    EXPECT_EQ(read.cache_after, 16384);
}

TEST_F(StoredConversions, OlderOnesLackTheRunTrainedAsLong) {
    nlohmann::json json = head_conversion_json(conversion_to(1));
    json.erase("loss_continued");
    json.erase("continued_rise");
    lab_->add_later_result(1, "head-conversion", json.dump());
    const HeadConversionResult read = stored_head_conversions(*lab_)[0].result;
    EXPECT_EQ(read.continued_rise.n, 0);
    EXPECT_THAT(head_conversion_words(read), testing::Not(testing::HasSubstr("unconverted")));
    HeadConversionResult newer = conversion_to(1);
    newer.loss_continued = 1.4375;
    newer.continued_rise = {.n = 32, .mean = 0.125, .confidence_low = 0.1, .confidence_high = 0.15};
    lab_->add_later_result(2, "head-conversion", head_conversion_json(newer).dump());
    EXPECT_THAT(head_conversion_words(stored_head_conversions(*lab_)[1].result),
                testing::HasSubstr("after the same number of further steps, the unconverted run reached 1.4375 (the "
                                   "converted model is 0.1250 nats above it, 95 % interval 0.1000 to 0.1500)"));
}

TEST_F(StoredConversions, StayWhenTheRunResumesAndGoWithIt) {
    store_head_conversion(*lab_, 1, conversion_to(2));
    lab_->record(std::vector<Event>{event::CohortStarted{{1}, 0, 3000, {"float32", "cpu", 1, "", ""}},
                                    event::RunEnded{1, RunState::finished, "", {}}});
    EXPECT_EQ(stored_head_conversions(*lab_).size(), 1U);
    lab_->delete_run(1);
    EXPECT_TRUE(stored_head_conversions(*lab_).empty());
    lab_->restore_run(1);
    EXPECT_EQ(stored_head_conversions(*lab_).size(), 1U);
    lab_->delete_run(1);
    lab_->purge();
    EXPECT_TRUE(stored_head_conversions(*lab_).empty());
    EXPECT_THROW(store_head_conversion(*lab_, 1, conversion_to(2)), BadInput);
}

TEST_F(StoredConversions, WordsNameTheLossesAndTheCache) {
    HeadConversionResult result = conversion_to(1);
    EXPECT_THAT(head_conversion_words(result),
                testing::StartsWith("At step 2000, 4 key and value heads were replaced by 1: the validation loss of "
                                    "1.5000 nats per token on 32 sequences became 1.7500 and 1.5625 after 100 further "
                                    "steps (rise 0.0625"));
    EXPECT_THAT(head_conversion_words(result), testing::EndsWith("the KV cache shrank from 65,536 to 16,384 bytes."));
    result.steps = 1;
    EXPECT_THAT(head_conversion_words(result), testing::HasSubstr("after 1 further step (rise"));
    result.steps = 0;
    EXPECT_THAT(head_conversion_words(result),
                testing::HasSubstr("became 1.7500 (rise 0.2500, 95 % interval 0.2000 to 0.3000)"));
}

TEST_F(StoredConversions, ADamagedTextIsNamed) {
    lab_->add_later_result(2, "head-conversion", R"({"steps":1})");
    EXPECT_MESSAGE(stored_head_conversions(*lab_), BadInput, "stores for run 2 is damaged");
}

}  // namespace

}  // namespace ropelab
