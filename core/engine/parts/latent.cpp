#include <cmath>

#include "core/engine/attention/backend.h"
#include "core/engine/attention/reference.h"
#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

// The rotary pairs come first in each half.
torch::Tensor joined(const torch::Tensor& rotary, const torch::Tensor& content) {
    const auto halves = [](const torch::Tensor& x) { return x.unflatten(-1, {2, x.size(-1) / 2}); };
    return torch::cat({halves(rotary), halves(content)}, -1).flatten(-2);
}

torch::Tensor pairs_of(const torch::Tensor& x, std::int64_t first, std::int64_t count) {
    return x.unflatten(-1, {2, x.size(-1) / 2}).narrow(-1, first, count).flatten(-2);
}

// Those of the rotary channels, then `content` pairs that do not rotate.
RotaryTables padded(const RotaryTables& tables, std::int64_t content) {
    if (!tables.defined()) return {};
    auto shape = tables.cosine.sizes().vec();
    shape.back() = content;
    const auto options = tables.cosine.options().requires_grad(false);
    return {torch::cat({tables.cosine, torch::ones(shape, options)}, -1),
            torch::cat({tables.sine, torch::zeros(shape, options)}, -1)};
}

// One token: (1, 1, heads·head_dim). query: its rotated query, (heads, head_dim + rotary).
torch::Tensor attend_one(const Latent& part, const torch::Tensor& query, const LayerTerms& terms,
                         const LayerPass& pass) {
    const KeyValueCache& cache = *pass.use.cache;
    const KeyValueCache::Layer& cached = cache.layer(pass.use.layer);
    const torch::Tensor keys = in_float(cached.keys[0]);       // (capacity, rotary)
    const torch::Tensor latents = in_float(cached.values[0]);  // (capacity, latent width)
    const torch::Tensor weight = pass.weight("attention.key_value.weight")[0];
    const bool rounded = pass.precision == Precision::bfloat16;
    const torch::Tensor matrix = rounded ? weight.to(torch::kBFloat16).to(torch::kFloat32) : weight;
    const torch::Tensor per_head = matrix.view({2, *part.h, *part.D, -1});

    const std::int64_t rotary = keys.size(1);
    const torch::Tensor rotated = pairs_of(query, 0, rotary / 2);
    const torch::Tensor content = pairs_of(query, rotary / 2, *part.D / 2);
    const torch::Tensor latent_query = torch::bmm(content.unsqueeze(1), per_head[0]).squeeze(1);  // (heads, latent)
    torch::Tensor logits = torch::matmul(latent_query, latents.t()) + torch::matmul(rotated, keys.t());
    logits = logits / std::sqrt(static_cast<double>(query.size(1)));
    if (terms.soft_cap > 0) logits = capped(logits, terms.soft_cap);
    const torch::Tensor mask = logit_mask(terms, cache.newest(), cache.positions(pass.use.layer),
                                          logits.scalar_type());  // (heads or 1, 1, slots)
    const torch::Tensor weights = softmax_with_sinks((logits.unsqueeze(1) + mask).unsqueeze(0), terms.sinks)[0];
    const torch::Tensor mixed = torch::matmul(weights, latents);  // (heads, 1, latent)
    return torch::bmm(mixed, per_head[1].transpose(1, 2)).reshape({1, 1, -1});
}

}  // namespace

torch::Tensor forward(const Latent& part, const torch::Tensor& x, const LayerPass& pass) {
    const StageMarks& stages = pass.use.stages;
    const std::int64_t heads = part.h.value();
    const std::int64_t head_dim = part.D.value();
    const std::int64_t width = part.L.value();
    const std::int64_t rotary = part.R.value();
    const LayerTerms terms = pass.terms(part.scores);
    const auto by_token = [&](const torch::Tensor& rows, std::int64_t count) {
        return rows.unflatten(1, {pass.batch, -1}).unflatten(3, {count, -1});
    };
    // (runs, batch, time, heads, head_dim + rotary), and (runs, batch, time, 1, latent width + rotary)
    torch::Tensor query = by_token(pass.linear(x, "attention.query"), heads);
    if (part.scores.factor != 1.0) query = query * part.scores.factor;
    // Unlike those of narrow, the gradients of split are joined in one pass.
    const auto both = in_float(by_token(pass.linear(x, "attention.latent"), 1)).split_with_sizes({width, rotary}, 4);
    const torch::Tensor& key = both[1];
    const torch::Tensor latent = normalize_heads(both[0], pass.weight("attention.latent_norm.weight"),
                                                 part.norm_epsilon.value_or(NormPart::usual_epsilon(false)));
    stages.computed("attention.latent_norm", latent);
    // Computed at most once: a cache receives the key that attention reads.
    auto rotated_key = [&, rotated = torch::Tensor()]() mutable {
        if (!rotated.defined()) rotated = terms.tables.defined() ? apply_rotation(key, terms.tables) : key;
        return rotated;
    };
    LayerTerms all_pairs = terms;
    all_pairs.tables = padded(terms.tables, head_dim / 2);
    const auto rotated_query = [&] {
        return all_pairs.tables.defined() ? apply_rotation(query, all_pairs.tables) : query;
    };
    if (pass.use.cache) {
        pass.use.cache->store(pass.use.layer, rotated_key()[0][0], latent[0][0]);
        const std::int64_t time = query.size(2);
        if (pass.use.cache->tokens() > time) {
            TORCH_CHECK(time == 1, "A KV cache that already contains tokens accepts only one more token at a time.");
            query = in_float(query);
            return attend_one(part, rotated_query()[0][0][0], terms, pass);
        }
    }

    const torch::Tensor rows = latent.flatten(3).flatten(1, 2).to(x.scalar_type());  // (runs, batch·time, latent width)
    const Matrix key_value_matrix = pass.weights.matrix(pass.name("attention.key_value.weight"));
    const torch::Tensor key_value = by_token(linear(rows, key_value_matrix, {}, pass.precision), 2 * heads);
    stages.computed("attention.key_value", key_value);
    const auto parts = key_value.split(heads, 3);
    const auto whole_key = [&](const torch::Tensor& shared, const torch::Tensor& content) {
        return joined(shared.to(content.scalar_type()).expand({-1, -1, -1, heads, -1}), content);
    };
    AttentionUse whole = pass.use;  // a cache has received what it stores
    whole.cache = nullptr;
    if (attention_backend({.qkv = x}, all_pairs, whole, pass.dropout) == AttentionBackend::cpu) {
        // The kernel's values have as many channels as its keys.
        const torch::Tensor values = torch::constant_pad_nd(parts[1], {0, rotary});
        const torch::Tensor qkv = torch::cat({query, whole_key(key, parts[0]), values}, 3).flatten(3).flatten(1, 2);
        const torch::Tensor mixed = attend({.qkv = qkv, .batch = pass.batch, .heads = {heads, heads}}, all_pairs,
                                           pass.dropout, pass.name("attention"), whole);
        return mixed.unflatten(2, {heads, -1}).narrow(3, 0, head_dim).flatten(2);
    }
    query = in_float(query);
    const torch::Tensor content = in_float(parts[0]);
    LayerVectors vectors{query, {}, in_float(parts[1])};
    if (pass.use.hook) {
        vectors.key = whole_key(key, content);
        pass.use.hook->observe(pass.use.layer, vectors);
    }
    vectors.query = rotated_query();
    vectors.key = rotated_key();
    if (terms.tables.defined()) stages.computed("attention.rotation");
    if (stages.wants_outputs()) {
        stages.output("attention.rotation", pairs_of(vectors.query, 0, rotary / 2));
    }
    vectors.key = whole_key(vectors.key, content);
    if (pass.use.hook) pass.use.hook->modify(pass.use.layer, vectors, all_pairs);

    torch::Tensor mask;
    if (!terms.only_causal()) {
        const torch::Tensor positions =
            torch::arange(query.size(2), torch::TensorOptions(torch::kInt64).device(query.device()));
        mask = logit_mask(terms, positions, positions, query.scalar_type());
    }
    const std::int64_t runs = query.size(0);
    const torch::Tensor mixed =
        attend_by_operations(heads_first(vectors.query), heads_first(vectors.key), heads_first(vectors.value), mask,
                             terms.sinks, runs, pass.dropout, pass.name("attention"), stages, terms.soft_cap);
    const torch::Tensor output = mixed.transpose(1, 2).reshape({runs, -1, heads * head_dim});
    stages.computed("attention.values", output);
    return output;
}

}  // namespace ropelab
