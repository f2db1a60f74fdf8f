// Standard errors over sequences and mean ablation, against plain computations.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/error.h"
#include "core/engine/probe/attention_probe.h"
#include "core/rope/frequencies.h"
#include "tests/core/engine/model/plain_decoder.h"
#include "tests/core/engine/probe/probed_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

/// Returns standard deviation / √n.
double standard_error_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double mean = 0;
    for (const double value : values) mean += value / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (n - 1) / n);
}

TEST(SequenceSums, StandardErrorOfTheMean) {
    SequenceSums sums;
    sums.add(torch::tensor({1.0, 2.0}, torch::kFloat64));
    sums.add(torch::tensor({3.0, 6.0}, torch::kFloat64));
    // mean 3, deviations −2, −1, 0, 3: √(14 / 3 / 4)
    EXPECT_NEAR(sums.standard_error().item<double>(), std::sqrt(14.0 / 12.0), 1e-12);
    SequenceSums one;
    one.add(torch::tensor({1.0}, torch::kFloat64));
    EXPECT_FALSE(one.standard_error().defined());
}

TEST(SequenceSums, StandardErrorOfARatio) {
    SequenceRatioSums sums;
    sums.add(torch::tensor({1.0, 2.0}, torch::kFloat64).view({2, 1, 1}),
             torch::tensor({2.0, 2.0}, torch::kFloat64).view({2, 1, 1}));
    sums.add(torch::tensor({3.0}, torch::kFloat64).view({1, 1, 1}),
             torch::tensor({4.0}, torch::kFloat64).view({1, 1, 1}));
    // ratio 6/8; part − ratio · total = −0.5, 0.5, 0; √(3/2 · 0.5) / 8
    EXPECT_NEAR(sums.standard_error().item<double>(), std::sqrt(0.75) / 8, 1e-12);
}

TEST(ProbeIntervals, AreThoseOfTheSequencesOneByOne) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    const std::vector<std::int64_t> starts = {3, 120, 300};
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, starts);
    request.sequence_losses = true;
    const ProbeResult all = cohort->probe(0, request);
    std::vector<ProbeResult> alone;
    for (const std::int64_t start : starts) {
        request.sequences = sequences_at(tokens, spec.context, {start});
        alone.push_back(cohort->probe(0, request));
    }
    const auto expect_errors = [&](ProbeArray ProbeResult::*mean, ProbeArray ProbeResult::*error) {
        ASSERT_EQ((all.*error).shape, (all.*mean).shape);
        for (std::size_t i = 0; i < (all.*mean).values.size(); ++i) {
            std::vector<double> values;
            for (const ProbeResult& one : alone) values.push_back((one.*mean).values[i]);
            EXPECT_NEAR((all.*error).values[i], standard_error_of(values), 1e-4) << i;
        }
        EXPECT_TRUE((alone.front().*error).empty());
    };
    expect_errors(&ProbeResult::logit_by_distance, &ProbeResult::logit_by_distance_error);
    expect_errors(&ProbeResult::attention_by_distance, &ProbeResult::attention_by_distance_error);
    expect_errors(&ProbeResult::entropy, &ProbeResult::entropy_error);
    expect_errors(&ProbeResult::sink, &ProbeResult::sink_error);
    ASSERT_EQ(all.logit_contribution_error.shape, all.logit_contribution.shape);

    ASSERT_EQ(all.loss_by_position_error.size(), 16U);
    std::vector<double> means;
    for (const ProbeResult& one : alone) means.push_back(one.loss);
    EXPECT_NEAR(all.loss_error, standard_error_of(means), 1e-5);
    for (std::size_t position = 0; position < 16; ++position) {
        std::vector<double> losses;
        for (const ProbeResult& one : alone) losses.push_back(one.loss_by_position[position]);
        EXPECT_NEAR(all.loss_by_position_error[position], standard_error_of(losses), 1e-4) << position;
        EXPECT_NEAR(all.sequence_losses.values[16 + position], losses[1], 1e-4);
    }
    EXPECT_EQ(all.sequence_losses.shape, (std::vector<std::int64_t>{3, 16}));
    EXPECT_EQ(all.sequence_correct.shape, (std::vector<std::int64_t>{3, 16}));
    EXPECT_TRUE(alone.front().loss_by_position_error.empty());
}

TEST(ProbeIntervals, OfRetrievalCountSequencesNotTokens) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {0});
    request.vectors = request.attention = false;
    request.retrieval = {sequences_at(tokens, spec.context, {3, 50, 200}), {4, 8, 4}, 3};
    const ProbeResult both = cohort->probe(0, request);
    ASSERT_EQ(both.retrieval.size(), 2U);
    EXPECT_EQ(both.retrieval[0].sequences, 2);
    EXPECT_EQ(both.retrieval[1].sequences, 1);
    EXPECT_EQ(both.retrieval[1].loss_error, 0);  // unknown
    std::vector<RetrievalPoint> alone;
    for (const std::int64_t start : {3, 200}) {
        request.retrieval = {sequences_at(tokens, spec.context, {start}), {4}, 3};
        alone.push_back(cohort->probe(0, request).retrieval.at(0));
    }
    // The standard error of two values is half their difference.
    EXPECT_NEAR(both.retrieval[0].loss_error, std::abs(alone[0].loss - alone[1].loss) / 2, 1e-5);
    EXPECT_NEAR(both.retrieval[0].accuracy_error, std::abs(alone[0].accuracy - alone[1].accuracy) / 2, 1e-7);
    EXPECT_NEAR(both.retrieval[0].first_loss_error, std::abs(alone[0].first_loss - alone[1].first_loss) / 2, 1e-5);
}

TEST(ProbeContributions, SplitTheUnrotatedPairs) {
    const auto tokens = tiny_tokens(400);
    RunSpec spec = quick_spec();
    spec.fraction = 0.5;
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    const ProbeResult together = cohort->probe(0, request);
    request.splits_unrotated = true;
    const ProbeResult split = cohort->probe(0, request);
    for (std::int64_t head = 0; head < spec.heads; ++head) {
        const auto parts = split.logit_contribution.row(1, head);
        const auto lumped = together.logit_contribution.row(1, head);
        EXPECT_FLOAT_EQ(parts[0], lumped[0]);
        EXPECT_NEAR(parts[2] + parts[3], lumped[4], 1e-5);
        EXPECT_NEAR(parts[4], 0, 1e-6);
    }
}

// The first layer's vectors precede any ablation, so the plain decoder gives its queries and keys.
TEST(MeanAblation, ReplacesQueryAndKeyOfAPairByTheirMeans) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    request.map_size = spec.context;
    request.map_pair = 1;
    request.mean_ablated_pairs = {1};
    const ProbeResult result = cohort->probe(0, request);

    PlainDecoder plain(spec, cohort->state(0));
    const torch::NoGradGuard no_gradients;
    plain.logits(torch::tensor(c10::ArrayRef<std::int32_t>(request.sequences.tokens), torch::kInt64).view({2, 16}));
    const auto& layer = plain.layers.at(0);
    const double frequency = slice_frequencies(8, spec.theta).at(1);
    for (std::int64_t head = 0; head < spec.heads; ++head) {
        // Means over sequences and positions of the channels 1 and 1 + 4.
        const auto mean = [head](const torch::Tensor& x, std::int64_t channel) {
            return x.select(1, head).select(-1, channel).mean().item<double>();
        };
        const double q0 = mean(layer.query, 1), q1 = mean(layer.query, 5);
        const double k0 = mean(layer.key, 1), k1 = mean(layer.key, 5);
        const auto term = [&](std::int64_t distance) {
            const double angle = frequency * static_cast<double>(distance);
            return ((q0 * k0 + q1 * k1) * std::cos(angle) - (q1 * k0 - q0 * k1) * std::sin(angle)) / std::sqrt(8.0);
        };
        const auto terms = result.pair_logits.row(0, head);
        const auto map = result.attention.row(0, head);
        for (std::int64_t m = 0; m < 16; ++m) {
            std::vector<double> logits;
            double total = 0;
            for (std::int64_t n = 0; n <= m; ++n) {
                EXPECT_NEAR(terms[m * 16 + n], term(m - n), 1e-4) << m << " " << n;
                double pair = 0;
                for (const std::int64_t c : {1, 5}) {
                    pair += (layer.rotated_query[0][head][m][c] * layer.rotated_key[0][head][n][c]).item<double>();
                }
                const double logit = layer.scores[0][head][m][n].item<double>() - pair / std::sqrt(8.0) + term(m - n);
                logits.push_back(std::exp(logit));
                total += logits.back();
            }
            for (std::int64_t n = 0; n <= m; ++n)
                EXPECT_NEAR(map[m * 16 + n], logits[static_cast<std::size_t>(n)] / total, 1e-4);
        }
    }
    request.mean_ablated_pairs = {4};
    EXPECT_MESSAGE(cohort->probe(0, request), BadInput, "Pair 4 does not exist");
}

TEST(MeanAblation, UsesTheMeansOfItsOwnSequences) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    const auto model = cohort->model(0);  // which keeps the means, unlike the cohort
    ProbeRequest request;
    request.vectors = request.attention = false;
    for (const std::int64_t start : {3, 3, 90}) {
        request.sequences = sequences_at(tokens, spec.context, {start, 200});
        for (const std::int64_t pair : {1, 2}) {
            request.mean_ablated_pairs = {pair};
            EXPECT_EQ(model->probe(request).loss, cohort->probe(0, request).loss) << start << " " << pair;
        }
    }
}

TEST(ProbeLosses, DoNotDependOnTheThreads) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start < 150; ++start) starts.push_back(start);  // several pieces
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, starts);
    request.ablated_pairs = {1};
    request.sequence_losses = true;
    request.vectors = false;
    const ProbeResult with_attention = cohort->probe(0, request);
    request.attention = false;
    const int before = at::get_num_threads();
    std::vector<ProbeResult> results;
    for (const int threads : {1, 2, 3}) {
        at::set_num_threads(threads);
        results.push_back(cohort->probe(0, request));
    }
    at::set_num_threads(before);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    EXPECT_NEAR(results[0].loss, with_attention.loss, 1e-6);
    ASSERT_EQ(results[0].sequence_losses.shape, with_attention.sequence_losses.shape);
    for (std::size_t i = 0; i < results[0].sequence_losses.values.size(); ++i)
        EXPECT_NEAR(results[0].sequence_losses.values[i], with_attention.sequence_losses.values[i], 1e-5);
}

// Without rotation the mean term is the same at all distances, and softmax ignores a constant.
TEST(MeanAblation, EqualsZeroAblationWithoutRotation) {
    const auto tokens = tiny_tokens(400);
    RunSpec spec = quick_spec();
    spec.fraction = 0;
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    const double whole = cohort->probe(0, request).loss;
    request.mean_ablated_pairs = {0, 2};
    const double mean = cohort->probe(0, request).loss;
    request.mean_ablated_pairs = {};
    request.ablated_pairs = {0, 2};
    EXPECT_NEAR(cohort->probe(0, request).loss, mean, 1e-5);
    EXPECT_NE(mean, whole);
}

}  // namespace
}  // namespace ropelab
