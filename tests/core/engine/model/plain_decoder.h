#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/random_stream.h"
#include "core/base/selection.h"
#include "core/contract/named_tensor.h"
#include "core/rope/frequencies.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Plain implementation of the decoder in double precision with LibTorch's autograd: the reference for the fused
/// decoder and for measurements inside it.
class PlainDecoder {
 public:
    /// Vectors of one layer, (batch, heads, time, head_dim), and its scores and attention weights, (batch, heads, time,
    /// time). Keys and values may have fewer heads.
    struct Attention {
        torch::Tensor query, key, value, rotated_query, rotated_key, scores, attention_weights;
    };
    /// Layers of the last call of `logits`.
    std::vector<Attention> layers;
    /// Residual stream before each layer of that call and after the last, (batch, time, width).
    std::vector<torch::Tensor> streams;
    /// Inverse frequencies of a head's first pairs and the factor of cos and sin, which replace the run's own.
    std::optional<Frequencies> frequencies;
    /// Returns the dropout mask, with the shape of the masked tensor, of a place in the model; empty for no dropout.
    std::function<torch::Tensor(c10::IntArrayRef shape, const std::string& place)> mask;

    /// Training step for which experts are routed with noise, a random second expert and a capacity; none: evaluation.
    std::optional<std::int64_t> step;
    /// Load-balancing losses and numbers of dropped choices of the last call of `logits`, one per layer with experts.
    std::vector<torch::Tensor> balances;
    std::vector<std::int64_t> dropped_choices;

    PlainDecoder(const RunSpec& spec, const std::vector<NamedTensor>& state) : spec_(spec) {
        const std::string prefix = "model.";
        for (const NamedTensor& tensor : state) {
            if (!tensor.name.starts_with(prefix)) continue;
            const auto values = torch::tensor(c10::ArrayRef<float>(tensor.values)).view(tensor.shape);
            weights_[tensor.name.substr(prefix.size())] = values.to(torch::kFloat64).requires_grad_(true);
        }
    }

    std::map<std::string, torch::Tensor>& weights() { return weights_; }

    // Returns the logits, (batch, time, vocabulary), of tokens, (batch, time).
    torch::Tensor logits(const torch::Tensor& tokens) {
        layers.clear();
        streams.clear();
        balances.clear();
        dropped_choices.clear();
        torch::Tensor x = torch::embedding(weights_.at("embedding.weight"), tokens);
        if (spec_.position == Position::sinusoidal) x = x * std::sqrt(static_cast<double>(spec_.width));
        if (spec_.token_smear) x = smeared(x);
        if (spec_.position == Position::sinusoidal) x = x + sinusoids(x);
        x = dropped(x, "embedding");
        for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer);
            streams.push_back(x);
            if (spec_.norm_position == NormPosition::post) {
                const double factor = spec_.deepnorm ? std::pow(2.0 * static_cast<double>(spec_.layers), 0.25) : 1.0;
                x = norm(factor * x + dropped(attention(x, layer), name + ".attention.output"),
                         name + ".attention_norm");
                x = norm(factor * x + dropped(mlp(x, name), name + ".mlp"), name + ".mlp_norm");
                continue;
            }
            const auto output = [&](const torch::Tensor& branch, const std::string& norm_name) {
                return spec_.norm_position == NormPosition::sandwich ? norm(branch, norm_name) : branch;
            };
            const torch::Tensor attended =
                dropped(output(attention(norm(x, name + ".attention_norm"), layer), name + ".attention_output_norm"),
                        name + ".attention.output");
            const torch::Tensor sum = x + attended;
            const torch::Tensor& mlp_input = spec_.block == Block::pythia ? x : sum;
            x = sum + dropped(output(mlp(norm(mlp_input, name + ".mlp_norm"), name), name + ".mlp_output_norm"),
                              name + ".mlp");
        }
        streams.push_back(x);
        if (spec_.norm_position != NormPosition::post) x = norm(x, "final_norm");
        return torch::matmul(x, weights_.at("embedding.weight").t());
    }

    /// Returns the activation of formula 48 in double precision; a gate comes before the factor that it multiplies.
    static torch::Tensor activation(FeedForward kind, const torch::Tensor& x) {
        const auto relu = [](const torch::Tensor& y) { return y.clamp_min(0); };
        const auto gelu = [](const torch::Tensor& y) { return y * (1 + torch::erf(y / std::sqrt(2.0))) / 2; };
        const auto gelu_tanh = [](const torch::Tensor& y) {
            return y * (1 + torch::tanh(std::sqrt(2 / std::numbers::pi) * (y + 0.044715 * y.pow(3)))) / 2;
        };
        const auto swish = [](const torch::Tensor& y) { return y / (1 + torch::exp(-y)); };
        if (kind == FeedForward::relu) return relu(x);
        if (kind == FeedForward::relu2) return relu(x).pow(2);
        if (kind == FeedForward::mish) return x * torch::tanh(torch::log1p(torch::exp(x)));
        if (kind == FeedForward::gelu) return gelu(x);
        if (kind == FeedForward::gelu_tanh) return gelu_tanh(x);
        if (kind == FeedForward::swish) return swish(x);
        const auto parts = x.chunk(2, -1);
        const torch::Tensor& gate = parts[0];
        if (kind == FeedForward::glu) return parts[1] / (1 + torch::exp(-gate));
        if (kind == FeedForward::bilinear) return gate * parts[1];
        if (kind == FeedForward::reglu) return relu(gate) * parts[1];
        if (kind == FeedForward::geglu) return gelu(gate) * parts[1];
        if (kind == FeedForward::geglu_tanh) return gelu_tanh(gate) * parts[1];
        if (kind == FeedForward::swiglu) return swish(gate) * parts[1];
        throw std::logic_error("The plain decoder does not know an activation.");
    }

    /// Returns the cross-entropy, with experts plus the load-balancing losses.
    torch::Tensor loss_with_balance(const torch::Tensor& tokens, const torch::Tensor& targets) {
        torch::Tensor sum = loss(tokens, targets);
        for (const torch::Tensor& balance : balances) sum = sum + spec_.expert_balance * balance;
        return sum;
    }

    torch::Tensor loss(const torch::Tensor& tokens, const torch::Tensor& targets) {
        return torch::cross_entropy_loss(logits(tokens).flatten(0, 1), targets.flatten());
    }

 private:
    torch::Tensor dropped(const torch::Tensor& x, const std::string& place) const {
        return mask ? x * mask(x.sizes(), place) : x;
    }
    torch::Tensor linear(const torch::Tensor& x, const std::string& name) {
        const torch::Tensor y = torch::matmul(x, weights_.at(name + ".weight").t());
        return weights_.contains(name + ".bias") ? y + weights_.at(name + ".bias") : y;
    }
    // Formula 67, token by token: (batch, time, C).
    torch::Tensor smeared(const torch::Tensor& x) const {
        const torch::Tensor& gate = weights_.at("smear.gate");
        std::vector<torch::Tensor> rows = {x.select(1, 0)};
        for (std::int64_t t = 1; t < x.size(1); ++t) {
            const torch::Tensor own = x.select(1, t);
            const torch::Tensor inner = (own.narrow(1, 0, gate.size(0)) * gate).sum(1, true);
            rows.push_back(own + weights_.at("smear.factor") / (1 + torch::exp(-inner)) * x.select(1, t - 1));
        }
        return torch::stack(rows, 1);
    }
    // Formula 66, channel by channel: (batch, heads, time, head_dim).
    torch::Tensor offset(const torch::Tensor& k, std::int64_t layer) const {
        if (spec_.key_offset == "none" ||
            !selection(spec_.key_offset, spec_.layers, "key_offset")[static_cast<std::size_t>(layer)]) {
            return k;
        }
        const bool rotates = spec_.rotates() && selection(spec_.rotated_layers, spec_.layers,
                                                          "rotated_layers")[static_cast<std::size_t>(layer)];
        const std::int64_t half = k.size(3) / 2;
        const auto chosen = selection(spec_.pairs, half, "pairs");
        const int channels = rotates ? rotary_dim(spec_.rotary_head_dim(), spec_.fraction) : 0;
        std::vector<torch::Tensor> columns;
        for (std::int64_t c = 0; c < k.size(3); ++c) {
            const std::int64_t pair = c % half;
            const torch::Tensor own = k.select(3, c);
            const bool turns = 2 * pair < channels && chosen[static_cast<std::size_t>(pair)];
            const torch::Tensor before = torch::cat({own.narrow(2, 0, 1), own.narrow(2, 0, own.size(2) - 1)}, 2);
            columns.push_back(turns ? own : before);
        }
        return torch::stack(columns, 3);
    }
    static torch::Tensor rms(const torch::Tensor& x) { return x * torch::rsqrt(x.square().mean(-1, true) + 1e-6); }
    torch::Tensor norm(const torch::Tensor& x, const std::string& name) {
        const torch::Tensor& weight = weights_.at(name + ".weight");
        torch::Tensor y;
        if (spec_.norm == NormKind::dyt) {
            y = torch::tanh(weights_.at(name + ".scale") * x) * weight;
        } else if (spec_.norm == NormKind::zero_centred_rms) {
            y = rms(x) * (1.0 + weight);
        } else if (spec_.norm == NormKind::rms || (spec_.norm == NormKind::automatic && spec_.block == Block::llama)) {
            y = rms(x) * weight;
        } else {
            y = torch::layer_norm(x, {x.size(-1)}) * weight;
        }
        return weights_.contains(name + ".bias") ? y + weights_.at(name + ".bias") : y;
    }
    torch::Tensor mlp(const torch::Tensor& x, const std::string& name) {
        if (weights_.contains(name + ".mlp.router.weight")) return experts(x.flatten(0, 1), name + ".mlp").view_as(x);
        const std::string up = weights_.contains(name + ".mlp.gate_up.weight") ? ".mlp.gate_up" : ".mlp.up";
        return linear(activation(spec_.feed_forward_kind(), linear(x, name + up)), name + ".mlp.down");
    }
    // One expert's output for one token, (C).
    torch::Tensor expert(const torch::Tensor& x, const std::string& name, std::int64_t index) {
        const auto product = [&](const torch::Tensor& y, const std::string& matrix) {
            const torch::Tensor z = torch::mv(weights_.at(matrix + ".weight").select(0, index), y);
            return weights_.contains(matrix + ".bias") ? z + weights_.at(matrix + ".bias").select(0, index) : z;
        };
        const std::string up = weights_.contains(name + ".experts.gate_up.weight") ? ".experts.gate_up" : ".experts.up";
        return product(activation(spec_.feed_forward_kind(), product(x, name + up)), name + ".experts.down");
    }
    // Formulas 49 to 51, token by token: (n, C) → (n, C).
    torch::Tensor experts(const torch::Tensor& x, const std::string& name) {
        const std::int64_t tokens = x.size(0);
        const std::int64_t count = spec_.experts;
        torch::Tensor router = torch::matmul(x, weights_.at(name + ".router.weight").t());
        if (step && spec_.expert_noise) {
            std::vector<float> noise(static_cast<std::size_t>(tokens * count));
            RandomStream(spec_.seed, "router_noise:" + name + ":" + std::to_string(*step)).fill_normal(noise, 1.0);
            const torch::Tensor size = torch::matmul(x, weights_.at(name + ".router_noise.weight").t());
            router = router + torch::tensor(c10::ArrayRef<float>(noise)).to(torch::kFloat64).view({tokens, count}) *
                                  torch::log1p(torch::exp(size));
        }
        const torch::Tensor probabilities = torch::softmax(router, 1);
        std::vector<std::vector<std::int64_t>> chosen;
        for (std::int64_t token = 0; token < tokens; ++token) {
            std::vector<std::int64_t> order(static_cast<std::size_t>(count));
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                return router[token][a].item<double>() > router[token][b].item<double>();
            });
            order.resize(static_cast<std::size_t>(spec_.experts_per_token));
            if (step && spec_.second_expert == SecondExpert::random) {
                const double number =
                    RandomStream(spec_.seed, "second_expert:" + name)
                        .uniform(static_cast<std::uint64_t>(*step), static_cast<std::uint64_t>(token));
                if (2 * probabilities[token][order[1]].item<double>() < number) order.pop_back();
            }
            chosen.push_back(order);
        }
        const double even = static_cast<double>(spec_.experts_per_token * tokens) / static_cast<double>(count);
        const double capacity = std::ceil(spec_.expert_capacity * even);
        std::vector<double> load(static_cast<std::size_t>(count), 0.0);
        std::vector<torch::Tensor> sums(static_cast<std::size_t>(tokens), torch::zeros({x.size(1)}, torch::kFloat64));
        std::int64_t beyond = 0;
        for (std::size_t choice = 0; choice < static_cast<std::size_t>(spec_.experts_per_token); ++choice) {
            for (std::int64_t token = 0; token < tokens; ++token) {
                const std::vector<std::int64_t>& own = chosen[static_cast<std::size_t>(token)];
                if (choice >= own.size()) continue;
                const std::int64_t index = own[choice];
                double& here = load[static_cast<std::size_t>(index)];
                here += 1;
                if (step && spec_.expert_capacity > 0 && here > capacity) {
                    ++beyond;
                    continue;
                }
                torch::Tensor gate = probabilities[token][index];
                if (spec_.experts_per_token > 1) {
                    torch::Tensor total = torch::zeros({}, torch::kFloat64);
                    for (const std::int64_t other : own) total = total + torch::exp(router[token][other]);
                    gate = torch::exp(router[token][index]) / total;
                }
                torch::Tensor& sum = sums[static_cast<std::size_t>(token)];
                sum = sum + gate * expert(x[token], name, index);
            }
        }
        const double total = std::accumulate(load.begin(), load.end(), 0.0);
        torch::Tensor balance = torch::zeros({}, torch::kFloat64);
        for (std::int64_t index = 0; index < count; ++index) {
            balance = balance + load[static_cast<std::size_t>(index)] / total * probabilities.select(1, index).mean();
        }
        balances.push_back(balance * static_cast<double>(count));
        dropped_choices.push_back(beyond);
        return torch::stack(sums);
    }
    // Rotates x, (batch, heads, time, head_dim); pair i consists of the channels i and i + head_dim/2.
    // With xPos, queries (direction 1) and keys (direction −1) decay after Sun et al. 2022, from position 0 on.
    torch::Tensor rotate(const torch::Tensor& x, std::int64_t layer, double direction) {
        if (!spec_.rotates()) return x;
        if (!selection(spec_.rotated_layers, spec_.layers, "rotated_layers")[static_cast<std::size_t>(layer)]) return x;
        const std::int64_t half = x.size(3) / 2;
        const auto chosen = selection(spec_.pairs, half, "pairs");
        const int channels = rotary_dim(spec_.rotary_head_dim(), spec_.fraction);
        const Frequencies rotated_frequencies =
            frequencies.value_or(Frequencies{channels, own_frequencies(channels), 1.0});
        torch::Tensor decay = torch::zeros({half}, torch::kFloat64);
        std::vector<double> per_pair(static_cast<std::size_t>(half), 0.0);
        std::vector<double> sizes(static_cast<std::size_t>(half), 1.0);
        for (std::size_t i = 0; i < rotated_frequencies.inverse_frequencies.size(); ++i) {
            if (!chosen[i]) continue;
            per_pair[i] = rotated_frequencies.inverse_frequencies[i];
            sizes[i] = rotated_frequencies.attention_factor;
        }
        const torch::Tensor angle = torch::arange(x.size(2), torch::kFloat64).unsqueeze(1) *
                                    torch::tensor(c10::ArrayRef<double>(per_pair), torch::kFloat64);
        torch::Tensor turned = torch::polar(
            torch::tensor(c10::ArrayRef<double>(sizes), torch::kFloat64).expand_as(angle).contiguous(), angle);
        if (spec_.position == Position::fope) turned = fourier_series(angle, per_pair);
        const bool slice = spec_.partial == Partial::slice;
        const double decay_channels = slice ? channels : spec_.head_dim();
        for (std::int64_t i = 0; i < half && spec_.position == Position::xpos; ++i) {
            if (2 * i < channels && chosen[static_cast<std::size_t>(i)]) {
                decay[i] = std::log((2.0 * static_cast<double>(i) + 0.4 * decay_channels) / (1.4 * decay_channels)) /
                           spec_.xpos_scale_base;
            }
        }
        const torch::Tensor powers =
            torch::exp(direction * torch::arange(x.size(2), torch::kFloat64).unsqueeze(1) * decay);
        const torch::Tensor rotated = powers * torch::complex(x.narrow(3, 0, half), x.narrow(3, half, half)) * turned;
        return torch::cat({torch::real(rotated), torch::imag(rotated)}, 3);
    }
    // FoPE, number by number (formula 62). angle: (time, pairs).
    torch::Tensor fourier_series(const torch::Tensor& angle, const std::vector<double>& per_pair) const {
        const std::int64_t pairs = std::ssize(per_pair);
        std::vector<std::int64_t> turning;
        for (std::int64_t i = 0; i < pairs; ++i) {
            const double turns = per_pair[static_cast<std::size_t>(i)] * static_cast<double>(spec_.context);
            if (turns >= 2 * std::acos(-1.0)) turning.push_back(i);
        }
        torch::Tensor series = torch::complex(torch::ones_like(angle), torch::zeros_like(angle));
        const double deviation = spec_.fourier_deviation / std::sqrt(static_cast<double>(turning.size()));
        std::vector<float> of_cosine(static_cast<std::size_t>(pairs * pairs));
        std::vector<float> of_sine(of_cosine.size());
        RandomStream(spec_.seed, "fope.cos").fill_normal(of_cosine, deviation);
        RandomStream(spec_.seed, "fope.sin").fill_normal(of_sine, deviation);
        for (const std::int64_t i : turning) {
            torch::Tensor cosine = torch::cos(angle.select(1, i));
            torch::Tensor sine = torch::sin(angle.select(1, i));
            for (const std::int64_t k : turning) {
                if (k == i) continue;
                const auto number = static_cast<std::size_t>(k * pairs + i);
                cosine = cosine + of_cosine[number] * torch::cos(angle.select(1, k));
                sine = sine + of_sine[number] * torch::sin(angle.select(1, k));
            }
            series.select(1, i).copy_(torch::complex(cosine, sine));
        }
        return series;
    }
    std::vector<double> own_frequencies(int channels) const {
        return spec_.frequencies == "auto" ? slice_frequencies(channels, spec_.theta) : listed_frequencies(spec_);
    }
    // Number by number, after Vaswani et al. 2017 and Press et al. 2022; the number of heads must be a power of two.
    torch::Tensor sinusoids(const torch::Tensor& x) const {
        torch::Tensor rows = torch::zeros({x.size(1), spec_.width}, torch::kFloat64);
        for (std::int64_t m = 0; m < x.size(1); ++m) {
            for (std::int64_t i = 0; 2 * i < spec_.width; ++i) {
                const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(spec_.width);
                const double angle = static_cast<double>(m) / std::pow(spec_.sinusoidal_base, exponent);
                rows[m][2 * i] = std::sin(angle);
                rows[m][2 * i + 1] = std::cos(angle);
            }
        }
        return rows;
    }
    torch::Tensor bias(std::int64_t head, std::int64_t time) const {
        torch::Tensor result = torch::zeros({time, time}, torch::kFloat64);
        if (spec_.position != Position::alibi) return result;
        const double slope = std::pow(2.0, -8.0 * static_cast<double>(head + 1) / static_cast<double>(spec_.heads));
        for (std::int64_t query = 0; query < time; ++query) {
            for (std::int64_t key = 0; key <= query; ++key) {
                result[query][key] = -slope * static_cast<double>(query - key);
            }
        }
        return result;
    }
    // T5's bucket of a distance, after `relative_position_bucket` of Hugging Face transformers.
    std::int64_t bucket(std::int64_t distance) const {
        const std::int64_t exact = spec_.distance_buckets / 2;
        if (distance < exact) return distance;
        const double steps = std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
                             std::log(static_cast<double>(spec_.largest_distance) / static_cast<double>(exact)) *
                             static_cast<double>(spec_.distance_buckets - exact);
        return std::min(exact + static_cast<std::int64_t>(steps), spec_.distance_buckets - 1);
    }
    // The logit that the learned relative positions add for query m and key n of one head: (batch). q, k: (batch, time,
    // head_dim).
    torch::Tensor relative_logit(const std::string& name, std::int64_t head, std::int64_t key_head,
                                 const torch::Tensor& q, const torch::Tensor& k, std::int64_t m, std::int64_t n) {
        const double size = std::sqrt(static_cast<double>(q.size(2)));
        const torch::Tensor query = q.select(1, m);
        using Scores = PositionEncoding::Scores;
        switch (spec_.encoding().scores) {
            case Scores::shaw: {
                const torch::Tensor vectors = weights_.at(name + ".relative_keys.weight");
                return torch::matmul(query, vectors[std::min(m - n, spec_.relative_clip)]) / size;
            }
            case Scores::distance_bias:
                return weights_.at("distance_bias.weight")[head][bucket(m - n)].expand({q.size(0)});
            case Scores::kerple: {
                const torch::Tensor r1 = weights_.at("distance_kernel.log_r1")[head].exp();
                const torch::Tensor r2 = weights_.at("distance_kernel.log_r2")[head].exp();
                return (-r1 * torch::log(1 + r2 * static_cast<double>(m - n))).expand({q.size(0)});
            }
            case Scores::transformer_xl: {
                const torch::Tensor projection =
                    weights_.at(name + ".relative.weight").narrow(0, key_head * q.size(2), q.size(2));
                const torch::Tensor row = torch::matmul(projection, sinusoids(torch::zeros({1, m - n + 1, 1}))[m - n]);
                return (torch::matmul(k.select(1, n), weights_.at("content_bias.weight")[head]) +
                        torch::matmul(query + weights_.at("distance_query.weight")[head], row)) /
                       size;
            }
            case Scores::cope: {
                torch::Tensor sum = torch::zeros({q.size(0)}, torch::kFloat64);
                for (std::int64_t j = n; j <= m; ++j) {
                    sum = sum + torch::sigmoid((query * k.select(1, j)).sum(-1) / size);
                }
                const torch::Tensor position = sum.clamp_max(static_cast<double>(spec_.cope_positions - 1));
                const torch::Tensor lower = position.detach().floor();
                const torch::Tensor embeddings = weights_.at(name + ".contextual.weight");
                const auto logit = [&](const torch::Tensor& at) {
                    return (query * embeddings.index_select(0, at.to(torch::kInt64))).sum(-1);
                };
                return (position - lower) * logit(position.detach().ceil()) + (1 + lower - position) * logit(lower);
            }
            case Scores::products:
            case Scores::alibi:
                break;
        }
        return torch::zeros({q.size(0)}, torch::kFloat64);
    }
    // What the learned relative positions add to the logits of one head: (batch, time, time).
    torch::Tensor relative(const std::string& name, std::int64_t head, std::int64_t key_head, const torch::Tensor& q,
                           const torch::Tensor& k) {
        const std::int64_t time = q.size(1);
        using Scores = PositionEncoding::Scores;
        if (const Scores scores = spec_.encoding().scores; scores == Scores::products || scores == Scores::alibi) {
            return torch::zeros({time, time}, torch::kFloat64);
        }
        std::vector<torch::Tensor> rows;
        for (std::int64_t m = 0; m < time; ++m) {
            std::vector<torch::Tensor> row;
            for (std::int64_t n = 0; n < time; ++n) {
                row.push_back(n <= m ? relative_logit(name, head, key_head, q, k, m, n)
                                     : torch::zeros({q.size(0)}, torch::kFloat64));
            }
            rows.push_back(torch::stack(row, 1));
        }
        return torch::stack(rows, 1);
    }
    // Sums of Shaw's value vectors, weighted by attention, (batch, time, time) → (batch, time, head_dim).
    torch::Tensor relative_values(const std::string& name, const torch::Tensor& attention) {
        if (spec_.position != Position::shaw) return torch::zeros({1}, torch::kFloat64);
        const torch::Tensor vectors = weights_.at(name + ".relative_values.weight");
        std::vector<torch::Tensor> rows;
        for (std::int64_t m = 0; m < attention.size(1); ++m) {
            torch::Tensor sum = torch::zeros({attention.size(0), vectors.size(1)}, torch::kFloat64);
            for (std::int64_t n = 0; n <= m; ++n) {
                sum = sum +
                      attention.select(1, m).select(1, n).unsqueeze(1) * vectors[std::min(m - n, spec_.relative_clip)];
            }
            rows.push_back(sum);
        }
        return torch::stack(rows, 1);
    }
    torch::Tensor hidden(std::int64_t time, std::int64_t window) const {
        torch::Tensor result = torch::zeros({time, time}, torch::kBool);
        for (std::int64_t query = 0; query < time; ++query) {
            for (std::int64_t key = 0; key < time; ++key) {
                const bool outside = window > 0 && query - key >= window;
                if (key > query || outside) result[query][key] = true;
            }
        }
        return result;
    }
    // Queries, keys and values of multi-head latent attention after rotation (DeepSeek-AI 2024, equations 9 to 18),
    // with the rotated channels before the others.
    Attention latent_vectors(const torch::Tensor& x, std::int64_t layer) {
        const std::string name = "layers." + std::to_string(layer) + ".attention";
        const std::int64_t width = spec_.head_dim();
        const std::int64_t rotary = spec_.rotary_head_dim();
        const std::int64_t half = (width + rotary) / 2;
        const torch::Tensor query =
            linear(x, name + ".query").unflatten(2, {spec_.heads, width + rotary}).transpose(1, 2);
        const auto parts = [&](std::int64_t first, std::int64_t count) {
            return torch::cat({query.narrow(3, first, count), query.narrow(3, half + first, count)}, 3);
        };
        const torch::Tensor both = linear(x, name + ".latent");
        const std::int64_t latent_width = both.size(2) - rotary;
        const torch::Tensor latent = rms(both.narrow(2, 0, latent_width)) * weights_.at(name + ".latent_norm.weight");
        const torch::Tensor shared_key = both.narrow(2, latent_width, rotary).unsqueeze(1);
        const torch::Tensor key_value =
            linear(latent, name + ".key_value").unflatten(2, {2 * spec_.heads, width}).transpose(1, 2);
        Attention record;
        record.value = key_value.narrow(1, spec_.heads, spec_.heads);
        record.rotated_query = torch::cat({rotate(parts(0, rotary / 2), layer, 1), parts(rotary / 2, width / 2)}, 3);
        record.rotated_key = torch::cat(
            {rotate(shared_key, layer, -1).expand({-1, spec_.heads, -1, -1}), key_value.narrow(1, 0, spec_.heads)}, 3);
        return record;
    }
    // Gated DeltaNet token by token (Yang et al. 2024, equation 10).
    torch::Tensor delta_net(const torch::Tensor& x, const std::string& name) {
        const auto by_head = [&](const torch::Tensor& all, std::int64_t part) {
            const std::int64_t columns = spec_.heads * spec_.head_dim();
            return all.narrow(2, part * columns, columns).unflatten(2, {spec_.heads, -1});
        };
        const auto unit = [](const torch::Tensor& v) { return v / torch::sqrt(v.square().sum(-1, true) + 1e-6); };
        const torch::Tensor qkv = linear(x, name + ".qkv");
        const torch::Tensor q = unit(by_head(qkv, 0));
        const torch::Tensor k = unit(by_head(qkv, 1));
        const torch::Tensor v = by_head(qkv, 2);
        const torch::Tensor rates = linear(x, name + ".rates");
        const torch::Tensor step =
            torch::log1p(torch::exp(rates.narrow(2, 0, spec_.heads) + weights_.at(name + ".decay_shift")));
        const torch::Tensor alpha = torch::exp(-torch::exp(weights_.at(name + ".log_decay")) * step);
        const torch::Tensor beta = torch::sigmoid(rates.narrow(2, spec_.heads, spec_.heads));
        torch::Tensor state = torch::zeros({x.size(0), spec_.heads, spec_.head_dim(), spec_.head_dim()}, x.options());
        std::vector<torch::Tensor> outputs;
        for (std::int64_t t = 0; t < x.size(1); ++t) {
            const auto at = [&](const torch::Tensor& all) { return all.select(1, t).unsqueeze(-1); };
            const torch::Tensor a = at(alpha).unsqueeze(-1);
            const torch::Tensor b = at(beta).unsqueeze(-1);
            const torch::Tensor key_row = at(k).transpose(2, 3);
            state = a * (state - b * torch::matmul(torch::matmul(state, at(k)), key_row)) +
                    b * torch::matmul(at(v), key_row);
            outputs.push_back(torch::matmul(state, at(q)).squeeze(-1));
        }
        const torch::Tensor normalized = rms(torch::stack(outputs, 1)) * weights_.at(name + ".head_norm.weight");
        const torch::Tensor gate = linear(x, name + ".gate");
        return linear(normalized.flatten(2) * gate * torch::sigmoid(gate), name + ".output");
    }
    // Queries, keys and values before and after rotation.
    Attention own_vectors(const torch::Tensor& x, std::int64_t layer) {
        const std::string name = "layers." + std::to_string(layer) + ".attention";
        const std::int64_t width = spec_.head_dim();
        const torch::Tensor all = linear(x, name + ".qkv");
        const auto heads_from = [&](std::int64_t first, std::int64_t count) {
            return all.narrow(2, first * width, count * width).unflatten(2, {count, width}).transpose(1, 2);
        };
        torch::Tensor q = heads_from(0, spec_.heads);
        torch::Tensor k = heads_from(spec_.heads, spec_.kv_heads());
        const torch::Tensor v = heads_from(spec_.heads + spec_.kv_heads(), spec_.kv_heads());
        if (spec_.qk_norm == QkNorm::head) {
            q = rms(q) * weights_.at(name + ".query_norm.weight");
            k = rms(k) * weights_.at(name + ".key_norm.weight");
        } else if (spec_.qk_norm == QkNorm::projection) {
            const auto over_projection = [&](const torch::Tensor& vectors, const std::string& weight) {
                const torch::Tensor channels = vectors.transpose(1, 2).flatten(2);  // (batch, time, heads·head_dim)
                return (rms(channels) * weights_.at(weight)).unflatten(2, {vectors.size(1), width}).transpose(1, 2);
            };
            q = over_projection(q, name + ".query_norm.weight");
            k = over_projection(k, name + ".key_norm.weight");
        }
        k = offset(k, layer);
        return {q, k, v, rotate(q, layer, 1), rotate(k, layer, -1), {}, {}};
    }
    torch::Tensor attention(const torch::Tensor& x, std::int64_t layer) {
        const std::string name = "layers." + std::to_string(layer) + ".attention";
        const LayerAttention kind = spec_.layer_attention(layer);
        if (kind == LayerAttention::delta_net) {
            layers.emplace_back();
            return delta_net(x, name);
        }
        const std::int64_t window = kind == LayerAttention::window ? spec_.attention_window : 0;
        Attention record = spec_.attention == AttentionKind::mla ? latent_vectors(x, layer) : own_vectors(x, layer);
        const torch::Tensor q = record.rotated_query;
        const torch::Tensor k = record.rotated_key;
        const torch::Tensor v = record.value;
        std::vector<torch::Tensor> mixed, all_scores, all_weights;
        for (std::int64_t head = 0; head < spec_.heads; ++head) {
            const std::int64_t shared = head * spec_.kv_heads() / spec_.heads;
            const torch::Tensor scores = torch::matmul(q.select(1, head), k.select(1, shared).transpose(1, 2)) /
                                             std::sqrt(static_cast<double>(q.size(3))) +
                                         bias(head, q.size(2)) +
                                         relative(name, head, shared, q.select(1, head), k.select(1, shared));
            const torch::Tensor masked = scores.masked_fill(hidden(q.size(2), window), -INFINITY);
            torch::Tensor attention_weights = torch::softmax(masked, -1);
            if (spec_.attention_sinks) {  // one more term in the denominator
                const torch::Tensor sink = torch::exp(weights_.at(name + ".sinks")[head]);
                attention_weights = torch::exp(masked) / (torch::exp(masked).sum(-1, true) + sink);
            }
            all_scores.push_back(scores);
            all_weights.push_back(attention_weights);
        }
        record.scores = torch::stack(all_scores, 1);
        record.attention_weights = torch::stack(all_weights, 1);
        const torch::Tensor kept = dropped(record.attention_weights, name);
        for (std::int64_t head = 0; head < spec_.heads; ++head) {
            const torch::Tensor values = v.select(1, head * spec_.kv_heads() / spec_.heads);
            mixed.push_back(torch::matmul(kept.select(1, head), values) + relative_values(name, kept.select(1, head)));
        }
        layers.push_back(std::move(record));
        torch::Tensor together = torch::cat(mixed, -1);
        if (spec_.attention == AttentionKind::gated) together = together * torch::sigmoid(linear(x, name + ".gate"));
        return linear(together, name + ".output");
    }

    RunSpec spec_;
    std::map<std::string, torch::Tensor> weights_;
};

}  // namespace ropelab
