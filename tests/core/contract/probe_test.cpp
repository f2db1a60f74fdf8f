#include "core/contract/probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace ropelab {
namespace {

ProbeResult sample_result() {
    ProbeResult result;
    result.sequences = 3;
    result.length = 4;
    result.query_usage = {{1, 2, 2}, {1, 2, 3, 4}};
    result.stream_rms = {{2}, {0.5, 1}};
    result.stream_largest = {{2}, {2, 8}};
    result.gradient_norm = {{1, 2}, {0.125, 0.25}};
    result.update_ratio = {{1, 2}, {0.0625, 0.03125}};
    result.accumulated_update = {{1, 2}, {0.5, 0.75}};
    result.logit_contribution = {{1, 2, 3}, {0.5, 0.25, 0.25, 1, 0, 0}};
    result.weighted_logit_contribution = {{1, 2, 3}, {0.75, 0.25, 0, 0.5, 0.5, 0}};
    result.distances = {0, 1, 2, 3};
    result.attention_by_distance = {{1, 2, 4}, {0.5, 0.25, 0.25, 1, 0.5, 0.5, 0.5, 1}};
    result.map_tokens = {5, 6};
    result.loss_by_position = {1.5, 1.25, 1, 0.75};
    result.loss = 1.125;
    result.retrieval = {{4, 12, 0.5, 1.5, 0.25, 2.5}, {8, 12, 0.25, 2, 0.25, 2.5}};
    result.logit_contribution_error = {{1, 2, 3}, {0.125, 0.125, 0.25, 0, 0, 0}};
    result.attention_by_distance_error = {{1, 2, 4}, {0.5, 0.25, 0.125, 1, 0, 0, 0, 1}};
    result.loss_by_position_error = {0.5, 0.25, 0.125, 1};
    result.loss_error = 0.375;
    result.expert_tokens = {0, 6};
    result.expert_shares = {{1, 2, 2}, {0.5, 0, 0.25, 0.25}};
    result.expert_balance = {{1, 1}, {1.25}};
    result.expert_dropped = {{1, 1}, {0.125}};
    for (RetrievalPoint& point : result.retrieval) {
        point.sequences = 2;
        point.accuracy_error = 0.125;
        point.loss_error = 0.25;
        point.first_accuracy_error = 0.0625;
        point.first_loss_error = 0.5;
    }
    return result;
}

TEST(ProbeParts, ConvertingToTensorsAndBackGivesTheSameResult) {
    const ProbeResult result = sample_result();
    const auto parts = parts_of(result);
    EXPECT_EQ(probe_result_of(parts), result);
    EXPECT_TRUE(parts_of(ProbeResult{}).empty());
    EXPECT_TRUE(std::isnan(probe_result_of({}).loss));
}

TEST(ProbeParts, RetrievalHasSequencesAndAStandardError) {
    ProbeResult result = sample_result();
    result.retrieval.front().sequences = 16;
    result.retrieval.front().gain_error = 0.125;
    EXPECT_EQ(probe_result_of(parts_of(result)), result);
    const RetrievalPoint& point = result.retrieval.front();
    EXPECT_EQ(point.distance(), 3);
    EXPECT_DOUBLE_EQ(point.gain(), 0.25);
    EXPECT_DOUBLE_EQ(point.gain_standard_error(), 0.125);  // over 16 sequences
    // Snapshots of earlier versions have six columns; their error is binomial over 12 tokens.
    const NamedTensor old{"retrieval", {1, 6}, {4, 12, 0.5, 1.5, 0, 2.5}};
    const RetrievalPoint read = probe_result_of(std::vector<NamedTensor>{old}).retrieval.at(0);
    EXPECT_EQ(read.sequences, 0);
    EXPECT_NEAR(read.gain_standard_error(), 0.1443376, 1e-6);  // √(0.25/12): 14 percentage points
}

TEST(ProbeParts, NumbersOfExpertsWhoseShapesContradictEachOtherAreLeftOut) {
    const auto read = [](const char* name, const NamedTensor& damaged) {
        std::vector<NamedTensor> parts = parts_of(sample_result());
        for (NamedTensor& part : parts) {
            if (part.name == name) part = damaged;
        }
        return probe_result_of(parts);
    };
    for (const NamedTensor& damaged :
         {NamedTensor{"expert_shares", {4}, {0.5, 0, 0.25, 0.25}}, NamedTensor{"expert_tokens", {1}, {0}},
          NamedTensor{"expert_balance", {1}, {1.25}}, NamedTensor{"expert_dropped", {2, 1}, {0, 0}}}) {
        const ProbeResult result = read(damaged.name.c_str(), damaged);
        EXPECT_TRUE(result.expert_tokens.empty()) << damaged.name;
        EXPECT_TRUE(result.expert_shares.empty()) << damaged.name;
        EXPECT_TRUE(result.expert_balance.empty()) << damaged.name;
        EXPECT_TRUE(result.expert_dropped.empty()) << damaged.name;
        EXPECT_EQ(result.loss, sample_result().loss) << damaged.name;
    }
}

TEST(ProbeParts, ShapesThatContradictEachOtherAreRefused) {
    const auto refused = [](std::vector<NamedTensor> parts) {
        parts.push_back({"sequences", {2}, {1, 4}});
        EXPECT_THROW(probe_result_of(parts), BadInput);
    };
    refused({{"norm.query", {4}, {1, 2, 3, 4}}});                                             // one dimension
    refused({{"norm.query", {1, 2, 2}, {1, 2, 3, 4}}, {"entropy", {1, 1}, {1}}});             // heads
    refused({{"norm.query", {1, 1, 2}, {1, 2}}, {"stream.rms", {3}, {1, 2, 3}}});             // layers + 1
    refused({{"norm.query", {1, 1, 2}, {1, 2}}, {"logit_contribution", {1, 1, 2}, {1, 0}}});  // pairs + 1
    refused({{"distances", {3}, {0, 1, 2}}, {"logit_by_distance", {1, 1, 2}, {1, 2}}});
    refused({{"attention", {1, 1, 2, 1}, {1, 0}}});
    refused({{"distances", {1}, {1e30F}}});
    const NamedTensor parts[] = {{"norm.query", {1, 2, 2}, {1, 2, 3, 4}},
                                 {"frequencies", {1, 1, 2}, {1, 2}},
                                 {"norm.key", {1, 1, 2}, {1, 2}},
                                 {"logit_contribution", {1, 2, 3}, {1, 0, 0, 1, 0, 0}}};
    EXPECT_EQ(probe_result_of(parts).key_usage.shape, (std::vector<std::int64_t>{1, 1, 2}));
}

TEST(ProbeParts, ResultsOfEarlierVersionsHaveNoStandardErrors) {
    std::vector<NamedTensor> parts = parts_of(sample_result());
    std::erase_if(parts, [](const NamedTensor& part) { return part.name.starts_with("error."); });
    const ProbeResult result = probe_result_of(parts);
    EXPECT_TRUE(result.loss_by_position_error.empty());
    EXPECT_TRUE(result.attention_by_distance_error.empty());
    EXPECT_EQ(result.loss_error, 0);
    ASSERT_EQ(result.retrieval.size(), 2U);
    EXPECT_EQ(result.retrieval[0].sequences, 0);
    EXPECT_EQ(result.retrieval[0].accuracy, 0.5);
}

TEST(ProbeParts, RowReturnsTheNumbersOfOneLayerAndHead) {
    const ProbeResult result = sample_result();
    const auto row = result.logit_contribution.row(0, 1);
    EXPECT_EQ(std::vector<float>(row.begin(), row.end()), (std::vector<float>{1, 0, 0}));
}

TEST(ProbeParts, CompactedReplacesLongDistancesByMeansOfGroups) {
    ProbeResult result;
    result.sequences = 1;
    result.length = 1000;
    result.attention_by_distance.shape = {1, 1, 1000};
    for (std::int64_t distance = 0; distance < 1000; ++distance) {
        result.distances.push_back(distance);
        result.attention_by_distance.values.push_back(1.0F / static_cast<float>(1 + distance));
    }
    result.attention_by_distance_error = {{1, 1, 1000}, std::vector<float>(1000, 0.5F)};
    EXPECT_EQ(compacted(result, 1000), result);
    const ProbeResult compact = compacted(result, 64);
    ASSERT_LE(compact.distances.size(), 64U);
    ASSERT_GT(compact.distances.size(), 40U);
    EXPECT_EQ(std::ssize(compact.attention_by_distance.values), std::ssize(compact.distances));
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(compact.distances[i], static_cast<std::int64_t>(i));
        EXPECT_FLOAT_EQ(compact.attention_by_distance.values[i], result.attention_by_distance.values[i]);
    }
    for (std::size_t i = 1; i < compact.distances.size(); ++i) {
        EXPECT_GT(compact.distances[i], compact.distances[i - 1]);
        EXPECT_NEAR(compact.attention_by_distance.values[i], 1.0 / (1.0 + static_cast<double>(compact.distances[i])),
                    0.1 / (1.0 + static_cast<double>(compact.distances[i])));
    }
    EXPECT_LT(compact.distances.back(), 1000);
    ASSERT_EQ(std::ssize(compact.attention_by_distance_error.values), std::ssize(compact.distances));
    for (const float error : compact.attention_by_distance_error.values) EXPECT_FLOAT_EQ(error, 0.5F);  // upper bound
}

}  // namespace
}  // namespace ropelab
