#include "core/model/open_attention.h"

#include <cmath>
#include <limits>

namespace ropelab {

LayerVectors split_heads(const torch::Tensor& qkv, std::int64_t batch, std::int64_t heads,
                         std::int64_t key_value_heads) {
    const torch::Tensor parts = qkv.unflatten(1, {batch, -1}).unflatten(3, {heads + 2 * key_value_heads, -1});
    return {parts.narrow(3, 0, heads), parts.narrow(3, heads, key_value_heads),
            parts.narrow(3, heads + key_value_heads, key_value_heads)};
}

LayerVectors turned(LayerVectors vectors, const RotaryTables& tables) {
    if (tables.defined()) {
        vectors.query = apply_rotation(vectors.query, tables);
        vectors.key = apply_rotation(vectors.key, tables);
    }
    return vectors;
}

LayerVectors spread_over_heads(LayerVectors vectors) {
    const std::int64_t group = vectors.query.size(3) / vectors.key.size(3);
    if (group > 1) {
        vectors.key = vectors.key.repeat_interleave(group, 3);
        vectors.value = vectors.value.repeat_interleave(group, 3);
    }
    return vectors;
}

torch::Tensor attend_openly(const LayerVectors& vectors, const Dropout& dropout, const std::string& place) {
    const LayerVectors spread = spread_over_heads(vectors);
    const std::int64_t runs = spread.query.size(0);
    const std::int64_t time = spread.query.size(2);
    // (runs·batch, heads, time, head_dim)
    const auto by_head = [](const torch::Tensor& t) { return t.flatten(0, 1).transpose(1, 2); };
    const torch::Tensor q = by_head(spread.query);
    const torch::Tensor k = by_head(spread.key);
    const torch::Tensor v = by_head(spread.value);
    torch::Tensor mixed;
    if (dropout.active()) {
        // Not LibTorch's own dropout: its masks would depend on the cohort.
        const torch::Tensor scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
        const torch::Tensor future = torch::ones({time, time}, q.options().dtype(torch::kBool)).triu(1);
        constexpr double never = -std::numeric_limits<double>::infinity();
        torch::Tensor shares = torch::softmax(scores.masked_fill(future, never), -1);
        shares = dropout(shares.view({runs, -1}), place).view_as(shares);
        mixed = torch::matmul(shares, v);
    } else {
        mixed = torch::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
    }
    return mixed.transpose(1, 2).reshape({runs, -1, q.size(1) * q.size(3)});
}

}  // namespace ropelab
