// Measurements inside a model against a plain computation in double precision, pair by pair and query by query.
#include "core/engine/probe/probe.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/rope/rotation.h"
#include "tests/core/engine/model/plain_decoder.h"
#include "tests/core/engine/probe/probed_run.h"
#include "tests/support/every_choice.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

class Direct {
 public:
    Direct(const RunSpec& spec, const TorchCohort& cohort, const ProbeSequences& sequences)
        : spec_(spec), plain_(spec, cohort.state(0)), count_(sequences.count()), time_(sequences.length) {
        const auto table = [&](const std::vector<std::int32_t>& numbers) {
            return torch::tensor(c10::ArrayRef<std::int32_t>(numbers), torch::kInt64).view({count_, time_});
        };
        const torch::NoGradGuard no_gradients;
        const torch::Tensor logits = plain_.logits(table(sequences.tokens));
        losses_ = -torch::log_softmax(logits, -1).gather(2, table(sequences.targets).unsqueeze(2)).squeeze(2);
    }

    /// Returns the residual stream before a layer, or after the last one, (sequences, time, width).
    const torch::Tensor& stream(std::int64_t index) const { return plain_.streams.at(static_cast<std::size_t>(index)); }
    double loss(std::int64_t position) const { return losses_.select(1, position).mean().item<double>(); }
    double loss() const { return losses_.mean().item<double>(); }
    const PlainDecoder::Attention& layer(std::int64_t index) const {
        return plain_.layers.at(static_cast<std::size_t>(index));
    }

    double usage(const torch::Tensor& x, std::int64_t head, std::int64_t pair) const {
        double sum = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            for (std::int64_t t = 0; t < time_; ++t)
                sum += std::hypot(number(x, b, head, t, pair), number(x, b, head, t, pair + pairs()));
        }
        return sum / static_cast<double>(count_ * time_);
    }
    double massive(const torch::Tensor& x, std::int64_t head, std::int64_t channel) const {
        double sum = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            double squares = 0;
            for (std::int64_t t = 0; t < time_; ++t) squares += std::pow(number(x, b, head, t, channel), 2);
            sum += std::sqrt(squares);
        }
        return sum / static_cast<double>(count_);
    }
    /// Formula 8, literally; the last number is the unrotated part. `weighted`: under the attention weights.
    std::vector<double> logit_contributions(std::int64_t index, std::int64_t head, const std::vector<bool>& rotated,
                                            bool weighted = false) const {
        const auto& plain_layer = layer(index);
        const std::int64_t key_head = head * spec_.kv_heads() / spec_.heads;
        std::vector<double> covariance(static_cast<std::size_t>(pairs() + 1), 0.0);
        double variance = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            for (std::int64_t m = 0; m < time_; ++m) {
                std::vector<std::vector<double>> parts(covariance.size(),
                                                       std::vector<double>(static_cast<std::size_t>(m + 1), 0.0));
                std::vector<double> total(static_cast<std::size_t>(m + 1), 0.0);
                for (std::int64_t n = 0; n <= m; ++n) {
                    for (std::int64_t pair = 0; pair < pairs(); ++pair) {
                        double l = 0;
                        for (const std::int64_t c : {pair, pair + pairs()}) {
                            l += number(plain_layer.rotated_query, b, head, m, c) *
                                 number(plain_layer.rotated_key, b, key_head, n, c);
                        }
                        l /= std::sqrt(static_cast<double>(spec_.head_dim()));
                        parts[rotated[static_cast<std::size_t>(pair)] ? pair : pairs()][n] += l;
                        total[n] += l;
                    }
                }
                std::vector<double> weights(total.size(), 1.0);
                for (std::int64_t n = 0; n <= m && weighted; ++n)
                    weights[n] = number(plain_layer.attention_weights, b, head, m, n);
                centre(total, weights);
                for (auto& part : parts) centre(part, weights);
                for (std::int64_t n = 0; n <= m; ++n) {
                    variance += weights[n] * total[n] * total[n];
                    for (std::size_t i = 0; i < parts.size(); ++i) covariance[i] += weights[n] * parts[i][n] * total[n];
                }
            }
        }
        for (double& value : covariance) value /= variance;
        return covariance;
    }
    /// Returns the mean over the queries that have a key at this distance.
    double by_distance(const torch::Tensor& x, std::int64_t head, std::int64_t distance) const {
        double sum = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            for (std::int64_t m = distance; m < time_; ++m) sum += number(x, b, head, m, m - distance);
        }
        return sum / static_cast<double>(count_ * (time_ - distance));
    }
    double entropy(const torch::Tensor& shares, std::int64_t head) const {
        double sum = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            for (std::int64_t m = 1; m < time_; ++m) {
                for (std::int64_t n = 0; n <= m; ++n) {
                    const double share = number(shares, b, head, m, n);
                    if (share > 0) sum -= share * std::log(share);
                }
            }
        }
        return sum / static_cast<double>(count_ * (time_ - 1));
    }
    double sink(const torch::Tensor& shares, std::int64_t head) const {
        double sum = 0;
        for (std::int64_t b = 0; b < count_; ++b) {
            for (std::int64_t m = 1; m < time_; ++m) sum += number(shares, b, head, m, 0);
        }
        return sum / static_cast<double>(count_ * (time_ - 1));
    }

 private:
    std::int64_t pairs() const { return spec_.head_dim() / 2; }
    static double number(const torch::Tensor& x, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
        return x.const_data_ptr<double>()[a * x.stride(0) + b * x.stride(1) + c * x.stride(2) + d * x.stride(3)];
    }
    // Subtracts the weighted mean.
    static void centre(std::vector<double>& values, const std::vector<double>& weights) {
        double mean = 0, all = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            mean += weights[i] * values[i];
            all += weights[i];
        }
        mean /= all;
        for (double& value : values) value -= mean;
    }

    RunSpec spec_;
    PlainDecoder plain_;
    std::int64_t count_;
    std::int64_t time_;
    torch::Tensor losses_;
};

void expect_plain_numbers(const RunSpec& spec, const std::vector<bool>& rotated) {
    const auto tokens = tiny_tokens(400);
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 120, 333});
    request.map_size = 9;
    request.map_pair = 1;
    const ProbeResult result = cohort->probe(0, request);
    const Direct direct(spec, *cohort, request.sequences);
    const std::int64_t pairs = spec.head_dim() / 2;
    ASSERT_EQ(result.query_usage.shape, (std::vector<std::int64_t>{spec.layers, spec.heads, pairs}));
    ASSERT_EQ(result.key_usage.shape, (std::vector<std::int64_t>{spec.layers, spec.kv_heads(), pairs}));
    ASSERT_EQ(result.value_usage.shape, (std::vector<std::int64_t>{spec.layers, spec.kv_heads(), pairs}));
    ASSERT_EQ(result.logit_contribution.shape, (std::vector<std::int64_t>{spec.layers, spec.heads, pairs + 1}));
    ASSERT_EQ(result.attention.shape, (std::vector<std::int64_t>{spec.layers, spec.heads, 9, 9}));
    ASSERT_EQ(std::ssize(result.distances), spec.context);
    ASSERT_EQ(result.stream_rms.shape, std::vector<std::int64_t>{spec.layers + 1});
    ASSERT_EQ(result.stream_largest.shape, std::vector<std::int64_t>{spec.layers + 1});
    for (std::int64_t layer = 0; layer <= spec.layers; ++layer) {
        const auto index = static_cast<std::size_t>(layer);
        EXPECT_NEAR(result.stream_rms.values[index], direct.stream(layer).square().mean().sqrt().item<double>(), 1e-4);
        EXPECT_NEAR(result.stream_largest.values[index], direct.stream(layer).abs().max().item<double>(), 1e-4);
    }

    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const auto& plain_layer = direct.layer(layer);
        const bool rotates =
            selection(spec.rotated_layers, spec.layers, "rotated_layers")[static_cast<std::size_t>(layer)];
        const auto rotating = rotates ? rotated : std::vector<bool>(rotated.size(), false);
        for (std::int64_t head = 0; head < spec.kv_heads(); ++head) {
            for (std::int64_t pair = 0; pair < pairs; ++pair) {
                EXPECT_NEAR(result.key_usage.row(layer, head)[pair], direct.usage(plain_layer.key, head, pair), 1e-4);
                EXPECT_NEAR(result.key_usage.row(layer, head)[pair], direct.usage(plain_layer.rotated_key, head, pair),
                            1e-4);
                EXPECT_NEAR(result.value_usage.row(layer, head)[pair], direct.usage(plain_layer.value, head, pair),
                            1e-4);
                EXPECT_NEAR(result.key_massive.row(layer, head)[pair], direct.massive(plain_layer.key, head, pair),
                            1e-3);
            }
        }
        for (std::int64_t head = 0; head < spec.heads; ++head) {
            const auto contributions = direct.logit_contributions(layer, head, rotating);
            double sum = 0;
            for (std::int64_t pair = 0; pair <= pairs; ++pair) {
                const float share = result.logit_contribution.row(layer, head)[pair];
                EXPECT_NEAR(share, contributions[static_cast<std::size_t>(pair)], 1e-3)
                    << layer << " " << head << " " << pair;
                sum += share;
            }
            EXPECT_NEAR(sum, 1.0, 1e-6);
            const auto weighted = direct.logit_contributions(layer, head, rotating, true);
            for (std::int64_t pair = 0; pair <= pairs; ++pair) {
                EXPECT_NEAR(result.weighted_logit_contribution.row(layer, head)[pair],
                            weighted[static_cast<std::size_t>(pair)], 1e-3)
                    << layer << " " << head << " " << pair;
            }
            for (std::int64_t pair = 0; pair < pairs; ++pair) {
                // Rotation does not change norms, so that they are equal before and after it.
                const float usage = result.query_usage.row(layer, head)[pair];
                EXPECT_NEAR(usage, direct.usage(plain_layer.query, head, pair), 1e-4);
                EXPECT_NEAR(usage, direct.usage(plain_layer.rotated_query, head, pair), 1e-4);
                EXPECT_NEAR(result.query_massive.row(layer, head)[pair + pairs],
                            direct.massive(plain_layer.query, head, pair + pairs), 1e-3);
            }
            double attention = 0;
            for (std::int64_t distance = 0; distance < spec.context; ++distance) {
                EXPECT_NEAR(result.logit_by_distance.row(layer, head)[distance],
                            direct.by_distance(plain_layer.scores, head, distance), 1e-4);
                const float share = result.attention_by_distance.row(layer, head)[distance];
                EXPECT_NEAR(share, direct.by_distance(plain_layer.attention_weights, head, distance), 1e-5);
                attention += static_cast<double>(share) * static_cast<double>(spec.context - distance);
            }
            // the attention weights of each query sum to 1
            EXPECT_NEAR(attention, static_cast<double>(spec.context), 1e-3);
            EXPECT_NEAR(result.entropy.row(layer, head)[0], direct.entropy(plain_layer.attention_weights, head), 1e-4);
            EXPECT_NEAR(result.sink.row(layer, head)[0], direct.sink(plain_layer.attention_weights, head), 1e-5);

            const auto map = result.attention.row(layer, head);
            const auto pair_map = result.pair_logits.row(layer, head);
            const std::int64_t key_head = head * spec.kv_heads() / spec.heads;
            for (std::int64_t m = 0; m < 9; ++m) {
                double row = 0;
                for (std::int64_t n = 0; n < 9; ++n) {
                    row += map[m * 9 + n];
                    EXPECT_NEAR(map[m * 9 + n], plain_layer.attention_weights[0][head][m][n].item<double>(), 1e-5);
                    double part = 0;
                    for (const std::int64_t c : {std::int64_t{1}, 1 + pairs}) {
                        part += (plain_layer.rotated_query[0][head][m][c] * plain_layer.rotated_key[0][key_head][n][c])
                                    .item<double>();
                    }
                    const double expected = n <= m ? part / std::sqrt(static_cast<double>(spec.head_dim())) : 0.0;
                    EXPECT_NEAR(pair_map[m * 9 + n], expected, 1e-4);
                }
                EXPECT_NEAR(row, 1.0, 1e-6);
            }
        }
    }
    EXPECT_NEAR(result.loss, direct.loss(), 1e-5);
    for (std::int64_t position = 0; position < spec.context; ++position)
        EXPECT_NEAR(result.loss_by_position[static_cast<std::size_t>(position)], direct.loss(position), 1e-4);
}

TEST(Probe, AgreesWithThePlainComputation) {
    RunSpec spec = quick_spec();
    expect_plain_numbers(spec, std::vector<bool>(4, true));
}

TEST(Probe, AgreesWithSharedKeysAndPartialRotation) {
    RunSpec spec = quick_spec();
    spec.block = Block::llama;
    spec.heads = 4;
    spec.width = 32;
    spec.key_value_heads = 2;
    spec.qk_norm = QkNorm::head;
    spec.fraction = 0.75;
    spec.pairs = "0+2+3";
    spec.rotated_layers = "1";
    expect_plain_numbers(spec, {true, false, true, false});  // slice: three pairs, of which pair 1 is not rotated
}

TEST(Probe, AgreesWithNormalizedProjections) {
    RunSpec spec = quick_spec();
    spec.heads = 4;
    spec.width = 32;
    spec.key_value_heads = 2;
    spec.qk_norm = QkNorm::projection;
    expect_plain_numbers(spec, std::vector<bool>(4, true));
}

TEST(Probe, AgreesWithParallelBranches) {
    RunSpec spec = quick_spec();
    spec.block = Block::pythia;
    spec.bias = true;
    spec.fraction = 0.5;
    expect_plain_numbers(spec, {true, true, false, false});
}

TEST(Probe, MeanLossByPositionIsTheValidationLoss) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start + spec.context + 1 <= 400; start += spec.context) starts.push_back(start);
    request.sequences = sequences_at(tokens, spec.context, starts);
    const ProbeResult result = cohort->probe(0, request);
    double sum = 0;
    for (const double loss : result.loss_by_position) sum += loss;
    EXPECT_NEAR(sum / static_cast<double>(spec.context), result.loss, 1e-12);
    const auto model = cohort->model(0);
    EXPECT_NEAR(result.loss, model->whole_loss(tokens), 1e-6);
    EXPECT_NEAR(result.loss, cohort->evaluate({}).front().validation_loss, 1e-6);
    EXPECT_EQ(model->probe(request), result);

    // Without attention measurements the fused implementation is used.
    request.vectors = request.attention = false;
    const ProbeResult plain = cohort->probe(0, request);
    EXPECT_DOUBLE_EQ(plain.loss, model->whole_loss(tokens));
    EXPECT_TRUE(plain.query_usage.empty() && plain.logit_contribution.empty() && plain.attention.empty());
}

TEST(Probe, MeasuresLongSequencesInParts) {
    RunSpec spec = quick_spec();
    const auto tokens = tiny_tokens(3000);
    const auto cohort = trained(spec, tokens);
    ProbeRequest together;
    together.sequences = sequences_at(tokens, 1200, {0, 900, 1700});  // 3 · 2 · 1200² scores exceed the number per part
    const ProbeResult all = cohort->probe(0, together);
    std::vector<ProbeResult> alone;
    for (const std::int64_t start : {0, 900, 1700}) {
        ProbeRequest request;
        request.sequences = sequences_at(tokens, 1200, {start});
        alone.push_back(cohort->probe(0, request));
    }
    const auto expect_mean = [&](ProbeArray ProbeResult::*member) {
        for (std::size_t i = 0; i < (all.*member).values.size(); ++i) {
            double mean = 0;
            for (const ProbeResult& one : alone) mean += (one.*member).values[i] / 3.0;
            EXPECT_NEAR((all.*member).values[i], mean, 1e-4 * (1 + std::abs(mean))) << i;
        }
    };
    expect_mean(&ProbeResult::logit_by_distance);
    expect_mean(&ProbeResult::attention_by_distance);
    expect_mean(&ProbeResult::entropy);
    expect_mean(&ProbeResult::sink);
    expect_mean(&ProbeResult::query_usage);
}

TEST(Probe, FreezingAllPairsRemovesRotation) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    request.map_size = spec.context;
    const ProbeResult rotating = cohort->probe(0, request);
    request.frozen_pairs = {0, 1, 2, 3};
    const ProbeResult stopped = cohort->probe(0, request);
    request.frozen_pairs = {};
    RunSpec still = spec;
    still.fraction = 0;
    TorchEngine engine;
    EXPECT_EQ(create_model(engine, still, vocabulary_size, cohort->state(0))->probe(request), stopped);
    EXPECT_NE(rotating.loss, stopped.loss);
    for (std::int64_t head = 0; head < spec.heads; ++head)
        EXPECT_NEAR(stopped.logit_contribution.row(0, head)[4], 1.0, 1e-6);  // only the unrotated part remains
}

TEST(Probe, AblatingAllPairsGivesUniformAttention) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    request.map_size = spec.context;
    const ProbeResult before = cohort->probe(0, request);
    request.ablated_pairs = {0, 1, 2, 3};
    const ProbeResult after = cohort->probe(0, request);
    EXPECT_NE(after.loss, before.loss);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        for (std::int64_t head = 0; head < spec.heads; ++head) {
            const auto map = after.attention.row(layer, head);
            for (std::int64_t m = 0; m < spec.context; ++m) {
                for (std::int64_t n = 0; n <= m; ++n)
                    EXPECT_FLOAT_EQ(map[m * spec.context + n], 1.0F / static_cast<float>(m + 1));
            }
            for (const float logit : after.logit_by_distance.row(layer, head)) EXPECT_EQ(logit, 0.0F);
            for (const float share : after.logit_contribution.row(layer, head)) EXPECT_EQ(share, 0.0F);
        }
    }
    // The first layer's vectors precede any ablation.
    for (std::int64_t pair = 0; pair < 4; ++pair)
        EXPECT_EQ(after.query_usage.row(0, 0)[pair], before.query_usage.row(0, 0)[pair]);

    // Losses without attention measurements belong to the changed model, too.
    request.vectors = request.attention = false;
    request.map_size = 0;
    EXPECT_NEAR(cohort->probe(0, request).loss, after.loss, 1e-6);
}

TEST(Probe, VectorsOfATokenAreTheSameAtEveryPositionOfTheFirstLayer) {
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tiny_tokens(400));
    const auto vectors = [&](std::int64_t at) {
        const auto length = static_cast<std::size_t>(at + 1);
        ProbeRequest request;
        request.sequences = {at + 1, std::vector<std::int32_t>(length, 3), std::vector<std::int32_t>(length, -1)};
        request.vectors = request.attention = false;
        request.vectors_at = at;
        return cohort->probe(0, request);
    };
    const ProbeResult first = vectors(0);
    const ProbeResult later = vectors(4);
    ASSERT_EQ(first.query_vectors.shape, (std::vector<std::int64_t>{spec.layers, spec.heads, spec.head_dim()}));
    ASSERT_EQ(first.key_vectors.shape, (std::vector<std::int64_t>{spec.layers, spec.kv_heads(), spec.head_dim()}));
    for (std::int64_t channel = 0; channel < spec.head_dim(); ++channel) {
        EXPECT_NEAR(first.query_vectors.row(0, 0)[channel], later.query_vectors.row(0, 0)[channel], 1e-5);
        EXPECT_NEAR(first.key_vectors.row(0, 0)[channel], later.key_vectors.row(0, 0)[channel], 1e-5);
        EXPECT_NE(first.query_vectors.row(0, 0)[channel], 0.0F);
    }
    EXPECT_TRUE(first.attention.values.empty()) << "no map was requested";
}

TEST(Probe, ScalingsChangeTheFrequencies) {
    const auto tokens = tiny_tokens(400);
    RunSpec spec = quick_spec();
    spec.fraction = 0.75;
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, 64, {3, 200});
    for (const ScalingName& name : scaling_names()) {
        request.scaling = {};
        request.scaling.method = name.method;
        request.scaling.factor = name.method == ScalingMethod::none ? 1.0 : 4.0;
        if (name.method == ScalingMethod::longrope) {
            request.scaling.short_factors = {1, 1, 1};
            request.scaling.long_factors = {1, 2, 4};
        }
        const Frequencies expected = frequencies({.head_dim = spec.head_dim(),
                                                  .theta = spec.theta,
                                                  .fraction = spec.fraction,
                                                  .partial = spec.partial,
                                                  .scaling = request.scaling,
                                                  .context = static_cast<double>(spec.context),
                                                  .length = 64});
        const ModelPlan plan = plan_of(spec, vocabulary_size).changed(request.scaling, 64);
        const auto tables = layer_tables({&plan, 1}, 64, torch::kCPU);
        const std::vector<std::int64_t> positions = {0, 1, 17, 63};
        const RotationTable table = rotation_table(expected, positions);
        for (std::size_t row = 0; row < positions.size(); ++row) {
            for (std::size_t pair = 0; pair < 4; ++pair) {
                const auto at = [&](const torch::Tensor& x) {
                    return x[0][0][positions[row]][0][static_cast<std::int64_t>(pair)].item<float>();
                };
                // Channels outside the rotary dimension do not change, whatever the attention factor.
                EXPECT_EQ(at(tables.at(0).cosine), pair < 3 ? table.cosine[row * 3 + pair] : 1.0F) << name.word;
                EXPECT_EQ(at(tables.at(0).sine), pair < 3 ? table.sine[row * 3 + pair] : 0.0F) << name.word;
            }
        }
        // The model uses these frequencies.
        PlainDecoder plain(spec, cohort->state(0));
        plain.frequencies = expected;
        const torch::NoGradGuard no_gradients;
        const auto x =
            torch::tensor(c10::ArrayRef<std::int32_t>(request.sequences.tokens), torch::kInt64).view({2, 64});
        const auto y =
            torch::tensor(c10::ArrayRef<std::int32_t>(request.sequences.targets), torch::kInt64).view({2, 64});
        EXPECT_NEAR(cohort->probe(0, request).loss, plain.loss(x, y).item<double>(), 1e-5) << name.word;
    }
}

TEST(Probe, MeasuresRetrievalAtTheCopies) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {0});
    request.vectors = request.attention = false;
    request.retrieval = {sequences_at(tokens, spec.context, {3, 50, 200}), {4, 8, 4}, 3};
    const ProbeResult result = cohort->probe(0, request);
    ASSERT_EQ(result.retrieval.size(), 2U);
    EXPECT_EQ(result.retrieval[0].lag, 4);
    EXPECT_EQ(result.retrieval[0].tokens, 6);
    EXPECT_EQ(result.retrieval[1].tokens, 3);
    EXPECT_EQ(result.retrieval[0].sequences, 2);
    EXPECT_EQ(result.retrieval[1].sequences, 1);
    EXPECT_EQ(result.retrieval[1].gain_error, 0);

    const auto model = cohort->model(0);
    RetrievalPoint expected{4, 6, 0, 0, 0, 0};
    std::vector<double> gains;  // per sequence
    for (const std::size_t window : {0U, 2U}) {
        const double before = expected.gain();
        const std::size_t begin = window * 16;
        const std::vector<std::int32_t> text(request.retrieval.sequences.tokens.begin() + begin,
                                             request.retrieval.sequences.tokens.begin() + begin + 16);
        const auto logits = model->logits(text);
        for (std::size_t place = 13; place < 16; ++place) {
            for (const std::size_t position : {place, place - 4}) {
                const std::span<const float> row(logits.data() + position * vocabulary_size, vocabulary_size);
                const auto target = static_cast<std::size_t>(request.retrieval.sequences.targets[begin + position]);
                double total = 0;
                for (const float logit : row) total += std::exp(static_cast<double>(logit));
                const double loss = (std::log(total) - row[target]) / 6;
                const double right = row[target] == *std::max_element(row.begin(), row.end()) ? 1.0 / 6 : 0.0;
                (position == place ? expected.loss : expected.first_loss) += loss;
                (position == place ? expected.accuracy : expected.first_accuracy) += right;
            }
        }
        gains.push_back(2 * (expected.gain() - before));
    }
    EXPECT_NEAR(result.retrieval[0].gain_error, std::abs(gains[0] - gains[1]) / 2, 1e-12);
    EXPECT_NEAR(result.retrieval[0].loss, expected.loss, 1e-5);
    EXPECT_NEAR(result.retrieval[0].first_loss, expected.first_loss, 1e-5);
    EXPECT_NEAR(result.retrieval[0].accuracy, expected.accuracy, 1e-12);
    EXPECT_NEAR(result.retrieval[0].first_accuracy, expected.first_accuracy, 1e-12);
}

TEST(Probe, DoesNotAffectTraining) {
    const auto tokens = tiny_tokens(400);
    RunSpec spec = quick_spec();
    spec.dropout = 0.1;
    CohortStart start;
    start.runs = {spec, spec};
    start.runs[1].theta = 100;
    const TokenData data{vocabulary_size, tokens, tokens};
    TorchCohort watched(start, data, 1);
    TorchCohort alone(start, data, 1);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, 64, {3, 200});
    request.ablated_pairs = {1};
    for (int step = 0; step < 10; ++step) {
        const ProbeResult result = watched.probe(step % 2, request);
        EXPECT_EQ(result, watched.model(step % 2)->probe(request));
        watched.step();
        alone.step();
    }
    EXPECT_EQ(watched.state(0), alone.state(0));
    EXPECT_EQ(watched.state(1), alone.state(1));
    EXPECT_EQ(watched.evaluate({})[1].validation_loss, alone.evaluate({})[1].validation_loss);
}

TEST(Probe, NoTargetsGiveNoLoss) {
    const auto tokens = tiny_tokens(400);
    const auto cohort = trained(quick_spec(), tokens, 0);
    ProbeRequest request;
    request.sequences = {4, {1, 2, 3, 4}, {2, 3, 4, -1}};
    const ProbeResult known = cohort->probe(0, request);
    EXPECT_TRUE(std::isfinite(known.loss));
    EXPECT_TRUE(std::isnan(known.loss_by_position.back()));
    request.sequences.targets = {-1, -1, -1, -1};
    const ProbeResult none = cohort->probe(0, request);
    EXPECT_TRUE(none.loss_by_position.empty());
    EXPECT_TRUE(std::isnan(none.loss));
    request.cancelled = [] { return true; };
    EXPECT_EQ(cohort->probe(0, request).sequences, 0);
}

TEST(Probe, RejectsRequestsThatDoNotFit) {
    const auto tokens = tiny_tokens(400);
    const auto cohort = trained(quick_spec(), tokens, 0);
    RunSpec learned = quick_spec();
    learned.position = Position::learned;
    const auto with_positions = trained(learned, tokens, 0);
    const auto refused = [&](const TorchCohort& where, const auto& change, const char* sentence) {
        ProbeRequest request;
        request.sequences = sequences_at(tokens, 16, {3});
        change(request);
        EXPECT_MESSAGE(where.probe(0, request), BadInput, sentence);
    };
    refused(
        *with_positions, [&](ProbeRequest& r) { r.sequences = sequences_at(tokens, 17, {3}); },
        "learned positions for 16 tokens only");
    refused(
        *with_positions,
        [](ProbeRequest& r) {
            r.scaling = {ScalingMethod::linear, 2};
        },
        "has no RoPE");
    refused(
        *cohort, [](ProbeRequest& r) { r.frozen_pairs = {4}; },
        "Pair 4 does not exist: a head of this model has the pairs 0 to 3");
    refused(
        *cohort, [](ProbeRequest& r) { r.ablated_pairs = {-1}; }, "Pair -1");
    refused(
        *cohort, [](ProbeRequest& r) { r.map_size = 17; }, "Attention maps of 17 tokens");
    refused(
        *cohort, [](ProbeRequest& r) { r.sequences.tokens[2] = 9; }, "Token 9 is outside");
    refused(
        *cohort, [](ProbeRequest& r) { r.sequences.targets.pop_back(); }, "15 target tokens");
    refused(
        *cohort,
        [](ProbeRequest& r) {
            r.sequences = {1, {0}, {1}};
        },
        "at least 2");
    refused(
        *cohort,
        [&](ProbeRequest& r) {
            r.retrieval = {sequences_at(tokens, 16, {3}), {14}, 3};
        },
        "3 tokens is repeated 14 tokens after");
    refused(
        *cohort,
        [](ProbeRequest& r) {
            r.scaling = {ScalingMethod::linear, 0.5};
        },
        "factor of context scaling is 0.5");
}

// The probe computes the attention weights of relative encodings as the decoder does.
TEST(Probe, AttentionOfRelativeEncodings) {
    const auto tokens = tiny_tokens();
    for (const Position position : stepwise_encodings()) {
        SCOPED_TRACE(static_cast<int>(position));
        RunSpec spec = quick_spec();
        spec.position = position;
        spec.relative_clip = 3;
        spec.cope_positions = 4;
        spec.xpos_scale_base = 16;
        const auto cohort = trained(spec, tokens);
        ProbeRequest request;
        request.sequences = sequences_at(tokens, spec.context, {5, 77, 300});
        request.map_size = spec.context;
        const ProbeResult result = cohort->model(0)->probe(request);
        const Direct direct(spec, *cohort, request.sequences);
        EXPECT_NEAR(result.loss, direct.loss(), 1e-4);
        for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
            const torch::Tensor all = direct.layer(layer).attention_weights;
            for (std::int64_t head = 0; head < spec.heads; ++head) {
                const std::span<const float> map = result.attention.row(layer, head);
                for (std::int64_t m = 0; m < spec.context; ++m) {
                    for (std::int64_t n = 0; n <= m; ++n) {
                        EXPECT_NEAR(map[static_cast<std::size_t>(m * spec.context + n)],
                                    all[0][head][m][n].item<double>(), 1e-4);
                    }
                }
                // The mean attention weight at distance 1 over sequences and queries.
                double sum = 0;
                for (std::int64_t m = 1; m < spec.context; ++m) {
                    for (std::int64_t b = 0; b < 3; ++b) sum += all[b][head][m][m - 1].item<double>();
                }
                EXPECT_NEAR(result.attention_by_distance.row(layer, head)[1],
                            sum / static_cast<double>(3 * (spec.context - 1)), 1e-4);
            }
        }
    }
}

}  // namespace
}  // namespace ropelab
