#include "core/model/token_decoder.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/kernels.h"
#include "core/model/parallel.h"

namespace ropelab {

namespace {

// Multiplications that are worth another thread.
constexpr std::int64_t worth_a_thread = 32768;

float* numbers(const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

// Of the one run; undefined where the model has no such parameter.
torch::Tensor copy(const Parameters& weights, const std::string& name) {
    const torch::Tensor tensor = weights.get(name);
    return tensor.defined() ? tensor[0].detach().clone() : tensor;
}

}  // namespace

TokenDecoder::TokenDecoder(const RunSpec& spec, const Parameters& weights, Precision precision)
    : spec_(spec), tables_(layer_tables({&spec, 1}, spec.context, torch::kCPU)) {
    const torch::NoGradGuard no_gradients;
    embedding_ = copy(weights, "embedding.weight");
    positions_ = copy(weights, "positions.weight");
    final_norm_ = norm(weights, "final_norm");
    head_ = matrix(weights, spec.tied_head ? "embedding" : "head", precision);
    const std::string up = spec.block == Block::llama ? ".mlp.gate_up" : ".mlp.up";
    const std::vector<std::int64_t> held = {spec.kv_heads(), spec.context, spec.head_dim()};
    for (std::int64_t index = 0; index < spec.layers; ++index) {
        const std::string name = "layers." + std::to_string(index);
        layers_.push_back({.attention_norm = norm(weights, name + ".attention_norm"),
                           .mlp_norm = norm(weights, name + ".mlp_norm"),
                           .query_norm = norm(weights, name + ".attention.query_norm"),
                           .key_norm = norm(weights, name + ".attention.key_norm"),
                           .qkv = matrix(weights, name + ".attention.qkv", precision),
                           .output = matrix(weights, name + ".attention.output", precision),
                           .up = matrix(weights, name + up, precision),
                           .down = matrix(weights, name + ".mlp.down", precision),
                           .keys = torch::empty(held),
                           .values = torch::empty(held)});
    }
}

TokenDecoder::Matrix TokenDecoder::matrix(const Parameters& weights, const std::string& name, Precision precision) {
    const torch::Tensor weight = copy(weights, name + ".weight");
    return {precision == Precision::bfloat16 ? weight.to(torch::kBFloat16) : weight, copy(weights, name + ".bias")};
}

TokenDecoder::Norm TokenDecoder::norm(const Parameters& weights, const std::string& name) {
    return {copy(weights, name + ".weight"), copy(weights, name + ".bias")};
}

torch::Tensor TokenDecoder::product(const Matrix& matrix, const torch::Tensor& x) {
    const std::int64_t rows = matrix.numbers.size(0);
    const std::int64_t columns = matrix.numbers.size(1);
    torch::Tensor result = torch::empty({rows});
    const std::int64_t grain = std::max<std::int64_t>(1, worth_a_thread / columns);
    if (matrix.numbers.scalar_type() == torch::kBFloat16) {
        const auto* halves = reinterpret_cast<const std::uint16_t*>(matrix.numbers.data_ptr<at::BFloat16>());
        const kernels::PairedVector paired(numbers(x), columns);
        at::parallel_for(0, rows, grain, [&](std::int64_t first, std::int64_t last) {
            kernels::dot_rows(halves, paired, numbers(result), first, last);
        });
    } else {
        at::parallel_for(0, rows, grain, [&](std::int64_t first, std::int64_t last) {
            kernels::dot_rows(numbers(matrix.numbers), numbers(x), columns, numbers(result), first, last);
        });
    }
    return matrix.bias.defined() ? result.add_(matrix.bias) : result;
}

// rows: (n, columns), or one row.
torch::Tensor TokenDecoder::normed(const Norm& norm, const torch::Tensor& rows, bool centred) {
    const std::int64_t columns = norm.weight.size(0);
    const std::int64_t count = rows.numel() / columns;
    torch::Tensor result = torch::empty_like(rows);
    const torch::Tensor statistics = torch::empty({2, count});
    kernels::norm_forward({.columns = columns,
                           .centred = centred,
                           .x = numbers(rows),
                           .branch = nullptr,
                           .weight = numbers(norm.weight),
                           .bias = numbers(norm.bias),
                           .dropout = {},
                           .mask = nullptr,
                           .sum = nullptr,
                           .normed = numbers(result),
                           .mean = numbers(statistics),
                           .inverse = numbers(statistics) + count},
                          count, 0, kernels::blocks_of(count));
    return result;
}

torch::Tensor TokenDecoder::attention(Layer& layer, const RotaryTables& tables, const torch::Tensor& x,
                                      std::int64_t position) {
    const std::int64_t head_dim = spec_.head_dim();
    const std::int64_t key_heads = spec_.kv_heads();
    const torch::Tensor qkv = product(layer.qkv, x);
    torch::Tensor query = qkv.narrow(0, 0, spec_.heads * head_dim);
    torch::Tensor key = qkv.narrow(0, spec_.heads * head_dim, key_heads * head_dim);
    if (spec_.qk_norm) {
        query = normed(layer.query_norm, query, false);
        key = normed(layer.key_norm, key, false);
    }
    if (tables.defined()) {
        const std::int64_t at = position * (head_dim / 2);
        for (const auto& [vectors, heads] : {std::pair(query, spec_.heads), std::pair(key, key_heads)}) {
            kernels::turn_heads(numbers(vectors), heads, head_dim, numbers(tables.cosine) + at,
                                numbers(tables.sine) + at, 1.0F);
        }
    }
    const std::int64_t place = length_ % spec_.context;
    layer.keys.select(1, place).copy_(key.view({key_heads, head_dim}));
    layer.values.select(1, place).copy_(
        qkv.narrow(0, (spec_.heads + key_heads) * head_dim, key_heads * head_dim).view({key_heads, head_dim}));

    // The order of the entries does not matter: a key carries its place in its rotation.
    const std::int64_t seen = std::min(length_ + 1, spec_.context);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
    torch::Tensor mixed = torch::empty({spec_.heads * head_dim});
    const torch::Tensor scores = torch::empty({spec_.heads, seen});
    const std::int64_t grain = std::max<std::int64_t>(1, worth_a_thread / (2 * seen * head_dim));
    at::parallel_for(0, spec_.heads, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t head = first; head < last; ++head) {
            const std::int64_t entries = head * key_heads / spec_.heads * spec_.context * head_dim;
            float* shares = numbers(scores) + head * seen;
            kernels::dot_rows(numbers(layer.keys) + entries, numbers(query) + head * head_dim, head_dim, shares, 0,
                              seen);
            kernels::softmax(shares, seen, scale);
            kernels::sum_weighted_rows(numbers(layer.values) + entries, shares, seen, head_dim,
                                       numbers(mixed) + head * head_dim);
        }
    });
    return product(layer.output, mixed);
}

torch::Tensor TokenDecoder::mlp(const Layer& layer, const torch::Tensor& x) const {
    torch::Tensor wide = product(layer.up, x);
    if (spec_.block == Block::llama) {
        const auto parts = wide.chunk(2, 0);
        wide = torch::silu(parts[0]).mul_(parts[1]);
    } else {
        wide = torch::gelu(wide);
    }
    return product(layer.down, wide);
}

torch::Tensor TokenDecoder::read(std::int32_t token, std::int64_t position) {
    const torch::NoGradGuard no_gradients;
    if (const std::int64_t made = tables_.positions(); made > 0 && position >= made) {
        tables_ = layer_tables({&spec_, 1}, 2 * position, torch::kCPU);
    }
    torch::Tensor x = embedding_[token].clone();
    if (positions_.defined()) x += positions_[position];
    const bool centred = spec_.block != Block::llama;
    for (std::int64_t index = 0; index < spec_.layers; ++index) {
        Layer& layer = layers_[static_cast<std::size_t>(index)];
        const torch::Tensor attended =
            attention(layer, tables_.at(index), normed(layer.attention_norm, x, centred), position);
        if (spec_.block == Block::pythia) {
            x += attended + mlp(layer, normed(layer.mlp_norm, x, centred));
        } else {
            x += attended;
            x += mlp(layer, normed(layer.mlp_norm, x, centred));
        }
    }
    ++length_;
    return product(head_, normed(final_norm_, x, centred));
}

}  // namespace ropelab
