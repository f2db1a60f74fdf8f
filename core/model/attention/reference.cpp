#include "core/model/attention/reference.h"

#include <cmath>
#include <limits>

#include "core/model/attention/separate.h"
#include "core/model/fused.h"
#include "core/model/fused_device.h"

namespace ropelab::reference_attention {

namespace {

// Reorders (runs, batch, time, heads, head_dim) to (runs·batch, heads, time, head_dim).
torch::Tensor by_head(const torch::Tensor& vectors) {
    return vectors.flatten(0, 1).transpose(1, 2);
}

// Returns softmax attention with a mask that is added to the logits, (heads or 1, queries, keys); without a mask it is
// causal. q, k, v: (runs·batch, heads, queries or keys, head_dim) → (runs·batch, heads, queries, head_dim).
torch::Tensor mixed_values(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                           const torch::Tensor& mask) {
    if (!mask.defined()) return torch::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
    return torch::scaled_dot_product_attention(q, k, v, mask.unsqueeze(0), 0.0, false);
}

// Returns attention as mixed_values, with dropout of the attention weights. The dropout masks depend on each run's seed
// alone; LibTorch's own dropout would depend on the cohort.
torch::Tensor mixed_with_dropout(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                 const torch::Tensor& mask, std::int64_t runs, const Dropout& dropout,
                                 const std::string& place) {
    const torch::Tensor logits = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
    torch::Tensor masked_logits;
    if (mask.defined()) {
        masked_logits = logits + mask;
    } else {
        const torch::Tensor future = torch::ones({q.size(2), k.size(2)}, q.options().dtype(torch::kBool)).triu(1);
        masked_logits = logits.masked_fill(future, -std::numeric_limits<double>::infinity());
    }
    const torch::Tensor weights = torch::softmax(masked_logits, -1);
    return torch::matmul(dropout(weights.view({runs, -1}), place).view_as(weights), v);
}

}  // namespace

torch::Tensor normalize_heads(const torch::Tensor& vectors, const torch::Tensor& weight) {
    const torch::Tensor rows = vectors.reshape({vectors.size(0), -1, weight.size(1)});
    return residual_norm(rows, {}, weight, {}, {}, "", Norm::rms).normed.view(vectors.sizes());
}

LayerVectors vectors_of(const AttentionInput& input) {
    const torch::Tensor qkv = has_device_kernels(input.qkv) || input.qkv.scalar_type() == torch::kFloat64
                                  ? input.qkv
                                  : input.qkv.to(torch::kFloat32);
    const auto [heads, shared] = input.heads;
    const torch::Tensor parts = qkv.unflatten(1, {input.batch, -1}).unflatten(3, {heads + 2 * shared, -1});
    LayerVectors vectors{parts.narrow(3, 0, heads), parts.narrow(3, heads, shared),
                         parts.narrow(3, heads + shared, shared)};
    if (input.query_norm.defined()) vectors.query = normalize_heads(vectors.query, input.query_norm);
    if (input.key_norm.defined()) vectors.key = normalize_heads(vectors.key, input.key_norm);
    return vectors;
}

LayerVectors repeat_heads(LayerVectors vectors) {
    const std::int64_t group = vectors.query.size(3) / vectors.key.size(3);
    if (group > 1) {
        vectors.key = vectors.key.repeat_interleave(group, 3);
        vectors.value = vectors.value.repeat_interleave(group, 3);
    }
    return vectors;
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use) {
    LayerVectors vectors = vectors_of(input);
    if (use.hook) use.hook->observe(use.layer, vectors);
    if (terms.tables.defined()) {
        vectors.query = apply_rotation(vectors.query, terms.tables);
        vectors.key = apply_rotation(vectors.key, terms.tables);
    }
    if (use.hook) use.hook->modify(use.layer, vectors, terms);

    const std::int64_t runs = vectors.query.size(0);
    const std::int64_t time = vectors.query.size(2);
    const auto type = vectors.query.scalar_type();
    torch::Tensor mixed;
    if (use.cache) use.cache->store(use.layer, vectors.key[0][0], vectors.value[0][0]);
    if (use.cache && use.cache->tokens() > time) {
        TORCH_CHECK(time == 1, "A cache that is not empty accepts one token at a time.");
        const KeyValueCache::Layer& cached = use.cache->layer(use.layer);
        const auto expanded = [&](const torch::Tensor& slots) {  // to (1, query heads, capacity, head_dim)
            return slots.repeat_interleave(input.heads.query / input.heads.key_value, 0).unsqueeze(0);
        };
        const torch::Tensor mask = logit_mask(terms, use.cache->newest(), use.cache->positions(use.layer), type);
        const torch::Tensor q = by_head(vectors.query);
        const torch::Tensor keys = expanded(cached.keys);
        const torch::Tensor values = expanded(cached.values);
        mixed = terms.sinks.defined() ? attend_by_operations(q, keys, values, mask, terms.sinks, runs, {}, place)
                                      : mixed_values(q, keys, values, mask);
    } else {
        const LayerVectors repeated = repeat_heads(std::move(vectors));
        const torch::Tensor q = by_head(repeated.query);
        const torch::Tensor k = by_head(repeated.key);
        const torch::Tensor v = by_head(repeated.value);
        torch::Tensor mask;
        if (!terms.only_causal()) {
            const torch::Tensor positions = torch::arange(time, torch::TensorOptions(torch::kInt64).device(q.device()));
            mask = logit_mask(terms, positions, positions, type);
        }
        mixed = terms.sinks.defined() ? attend_by_operations(q, k, v, mask, terms.sinks, runs, dropout, place)
                : dropout.active()    ? mixed_with_dropout(q, k, v, mask, runs, dropout, place)
                                      : mixed_values(q, k, v, mask);
    }
    return mixed.transpose(1, 2).reshape({runs, -1, mixed.size(1) * mixed.size(3)});
}

}  // namespace ropelab::reference_attention
