#include "core/study/stored_conversions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

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
                testing::HasSubstr("the unconverted run reached 1.4375 with the same further steps (the conversion is "
                                   "0.1250 above it, 0.1000 to 0.1500)"));
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
