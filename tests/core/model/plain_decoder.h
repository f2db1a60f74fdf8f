#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/spec/named_tensor.h"
#include "core/spec/random_stream.h"
#include "core/spec/run_spec.h"
#include "core/spec/selection.h"

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
        balances.clear();
        dropped_choices.clear();
        torch::Tensor x = torch::embedding(weights_.at("embedding.weight"), tokens);
        if (spec_.position == Position::sinusoidal) x = x * std::sqrt(static_cast<double>(spec_.width)) + sinusoids(x);
        x = dropped(x, "embedding");
        for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer);
            const torch::Tensor attended =
                dropped(attention(norm(x, name + ".attention_norm"), layer), name + ".attention.output");
            const torch::Tensor sum = x + attended;
            const torch::Tensor& mlp_input = spec_.block == Block::pythia ? x : sum;
            x = sum + dropped(mlp(norm(mlp_input, name + ".mlp_norm"), name), name + ".mlp");
        }
        return torch::matmul(norm(x, "final_norm"), weights_.at("embedding.weight").t());
    }

    /// Returns the activation of formula 48 in double precision; a gate comes before the factor that it multiplies.
    static torch::Tensor activation(FeedForward kind, const torch::Tensor& x) {
        const auto relu = [](const torch::Tensor& y) { return y.clamp_min(0); };
        const auto gelu = [](const torch::Tensor& y) { return y * (1 + torch::erf(y / std::sqrt(2.0))) / 2; };
        const auto swish = [](const torch::Tensor& y) { return y / (1 + torch::exp(-y)); };
        if (kind == FeedForward::relu) return relu(x);
        if (kind == FeedForward::relu2) return relu(x).pow(2);
        if (kind == FeedForward::gelu) return gelu(x);
        if (kind == FeedForward::swish) return swish(x);
        const auto parts = x.chunk(2, -1);
        const torch::Tensor& gate = parts[0];
        if (kind == FeedForward::glu) return parts[1] / (1 + torch::exp(-gate));
        if (kind == FeedForward::bilinear) return gate * parts[1];
        if (kind == FeedForward::reglu) return relu(gate) * parts[1];
        if (kind == FeedForward::geglu) return gelu(gate) * parts[1];
        return swish(gate) * parts[1];
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
    static torch::Tensor rms(const torch::Tensor& x) { return x * torch::rsqrt(x.square().mean(-1, true) + 1e-6); }
    torch::Tensor norm(const torch::Tensor& x, const std::string& name) {
        const torch::Tensor y =
            (spec_.block == Block::llama ? rms(x) : torch::layer_norm(x, {x.size(-1)})) * weights_.at(name + ".weight");
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
    torch::Tensor rotate(const torch::Tensor& x, std::int64_t layer) {
        if (!spec_.rotates()) return x;
        if (!selection(spec_.rotated_layers, spec_.layers, "rotated_layers")[static_cast<std::size_t>(layer)]) return x;
        const std::int64_t half = x.size(3) / 2;
        const auto chosen = selection(spec_.pairs, half, "pairs");
        const int channels = rotary_dim(spec_.head_dim(), spec_.fraction);
        const Frequencies rotated_frequencies =
            frequencies.value_or(Frequencies{channels, slice_frequencies(channels, spec_.theta), 1.0});
        std::vector<double> per_pair(static_cast<std::size_t>(half), 0.0);
        std::vector<double> sizes(static_cast<std::size_t>(half), 1.0);
        for (std::size_t i = 0; i < rotated_frequencies.inverse_frequencies.size(); ++i) {
            if (!chosen[i]) continue;
            per_pair[i] = rotated_frequencies.inverse_frequencies[i];
            sizes[i] = rotated_frequencies.attention_factor;
        }
        const torch::Tensor angle = torch::arange(x.size(2), torch::kFloat64).unsqueeze(1) *
                                    torch::tensor(c10::ArrayRef<double>(per_pair), torch::kFloat64);
        const torch::Tensor rotated =
            torch::complex(x.narrow(3, 0, half), x.narrow(3, half, half)) *
            torch::polar(torch::tensor(c10::ArrayRef<double>(sizes), torch::kFloat64).expand_as(angle).contiguous(),
                         angle);
        return torch::cat({torch::real(rotated), torch::imag(rotated)}, 3);
    }
    // Number by number, after Vaswani et al. 2017 and Press et al. 2022; the number of heads must be a power of two.
    torch::Tensor sinusoids(const torch::Tensor& x) const {
        torch::Tensor rows = torch::zeros({x.size(1), spec_.width}, torch::kFloat64);
        for (std::int64_t m = 0; m < x.size(1); ++m) {
            for (std::int64_t i = 0; 2 * i < spec_.width; ++i) {
                const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(spec_.width);
                const double angle = static_cast<double>(m) / std::pow(10000.0, exponent);
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
    torch::Tensor hidden(std::int64_t time) const {
        torch::Tensor result = torch::zeros({time, time}, torch::kBool);
        for (std::int64_t query = 0; query < time; ++query) {
            for (std::int64_t key = 0; key < time; ++key) {
                const bool outside = spec_.attention_window > 0 && query - key >= spec_.attention_window;
                if (key > query || outside) result[query][key] = true;
            }
        }
        return result;
    }
    torch::Tensor attention(const torch::Tensor& x, std::int64_t layer) {
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
        Attention record{q, k, v, rotate(q, layer), rotate(k, layer), {}, {}};
        q = record.rotated_query;
        k = record.rotated_key;
        std::vector<torch::Tensor> mixed, all_scores, all_weights;
        for (std::int64_t head = 0; head < spec_.heads; ++head) {
            const std::int64_t shared = head * spec_.kv_heads() / spec_.heads;
            const torch::Tensor scores = torch::matmul(q.select(1, head), k.select(1, shared).transpose(1, 2)) /
                                             std::sqrt(static_cast<double>(width)) +
                                         bias(head, q.size(2));
            const torch::Tensor attention_weights =
                torch::softmax(scores.masked_fill(hidden(q.size(2)), -INFINITY), -1);
            all_scores.push_back(scores);
            all_weights.push_back(attention_weights);
        }
        record.scores = torch::stack(all_scores, 1);
        record.attention_weights = torch::stack(all_weights, 1);
        const torch::Tensor kept = dropped(record.attention_weights, name);
        for (std::int64_t head = 0; head < spec_.heads; ++head) {
            const torch::Tensor values = v.select(1, head * spec_.kv_heads() / spec_.heads);
            mixed.push_back(torch::matmul(kept.select(1, head), values));
        }
        layers.push_back(std::move(record));
        return linear(torch::cat(mixed, -1), name + ".output");
    }

    RunSpec spec_;
    std::map<std::string, torch::Tensor> weights_;
};

}  // namespace ropelab
