#include "core/engine/attention/reference.h"

#include <cmath>
#include <limits>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/operations.h"

namespace ropelab {

namespace {

class RepeatedRows : public torch::autograd::Function<RepeatedRows> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& vectors, std::int64_t rows) {
        return vectors.unsqueeze(1).expand({vectors.size(0), rows, vectors.size(1)}).contiguous();
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::Tensor gradient = gradients[0].contiguous();
        std::vector<torch::Tensor> sums;
        for (std::int64_t run = 0; run < gradient.size(0); ++run) sums.push_back(gradient.select(0, run).sum(0));
        return {torch::stack(sums), {}};
    }
};

// The mask is added to the logits, (heads or 1, queries, keys); causal without one. q, k, v: (runs·batch, heads,
// queries or keys, head_dim) → (runs·batch, heads, queries, head_dim).
torch::Tensor mixed_values(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                           const torch::Tensor& mask) {
    if (!mask.defined()) return torch::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
    return torch::scaled_dot_product_attention(q, k, v, mask.unsqueeze(0), 0.0, false);
}

// Logits that are not only products: (runs, batch, heads, queries, head_dim). Run by run, so that sums cannot depend on
// the cohort. query, key, value: (runs, batch, heads, queries or keys, head_dim). Positions: (n) int64.
torch::Tensor mixed_by_run(const LayerVectors& vectors, const LayerTerms& terms, const torch::Tensor& queries,
                           const torch::Tensor& keys, const Dropout& dropout, const std::string& place,
                           const StageMarks& stages) {
    const torch::Tensor hidden = hidden_keys(queries, keys, terms.window);
    const auto* shaw = std::get_if<ShawTerms>(&terms.relative);
    const double size = std::sqrt(static_cast<double>(vectors.query.size(-1)));
    const std::vector<torch::Tensor> query = vectors.query.unbind(0);
    const std::vector<torch::Tensor> key = vectors.key.unbind(0);
    std::vector<torch::Tensor> weights;
    for (std::size_t run = 0; run < query.size(); ++run) {
        torch::Tensor logits = torch::matmul(query[run], key[run].transpose(-2, -1)) / size;
        stages.computed("attention.scores");
        const torch::Tensor more = relative_logits(
            terms.relative, {static_cast<std::int64_t>(run), query[run], key[run], logits, queries, keys, hidden},
            stages);
        if (more.defined()) logits = logits + more;
        if (terms.soft_cap > 0) logits = capped(logits, terms.soft_cap);
        logits = logits.masked_fill(hidden, -std::numeric_limits<double>::infinity());
        stages.computed("attention.scores", logits);
        weights.push_back(softmax_with_sinks(
            logits, terms.sinks.defined() ? terms.sinks.narrow(0, static_cast<std::int64_t>(run), 1) : terms.sinks));
        stages.computed("attention.weights", weights.back());
    }
    if (dropout.active()) {
        const torch::Tensor all = torch::stack(weights);
        weights = dropout(all.view({all.size(0), -1}), place).view_as(all).unbind(0);
    }
    const std::vector<torch::Tensor> value = vectors.value.unbind(0);
    std::vector<torch::Tensor> mixed;
    for (std::size_t run = 0; run < query.size(); ++run) {
        mixed.push_back(torch::matmul(weights[run], value[run]));
        if (!shaw) continue;
        stages.computed("attention.values");
        if (stages.wants_outputs()) stages.output("attention.values", mixed.back().transpose(1, 2).unsqueeze(0));
        mixed.back() =
            mixed.back() + relative_values(*shaw, static_cast<std::int64_t>(run), weights[run], queries, keys);
        stages.computed("attention.relative_values");
        if (stages.wants_outputs())
            stages.output("attention.relative_values", mixed.back().transpose(1, 2).unsqueeze(0));
    }
    return torch::stack(mixed);
}

// Mixed_by_run for whole sequences or for one token that continues a cache, (runs, batch·time, heads·head_dim). Queries
// and keys are rotated; xPos' decay has been applied to those of whole sequences.
torch::Tensor attend_by_run(LayerVectors vectors, const LayerTerms& terms, const Dropout& dropout,
                            const std::string& place, const KeyValueCache* cache, const AttentionUse& use) {
    const torch::Tensor& given = vectors.query;
    const auto options = torch::TensorOptions(torch::kInt64).device(given.device());
    torch::Tensor queries = torch::arange(given.size(2), options);
    torch::Tensor keys = queries;
    if (cache) {
        queries = cache->newest();
        keys = cache->positions(use.layer);
        const auto slots = [&](const torch::Tensor& of_heads) {  // to (1, 1, capacity, key_value_heads, head_dim)
            return of_heads.transpose(0, 1).unsqueeze(0).unsqueeze(0);
        };
        vectors.key = slots(cache->layer(use.layer).keys);
        vectors.value = slots(cache->layer(use.layer).values);
        // The decay from each key to the query; keys in the cache are only rotated.
        if (terms.decay.defined()) vectors.key = decayed(vectors.key, terms.decay, queries - keys);
    }
    vectors = repeat_heads(std::move(vectors));
    const auto type = given.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    for (torch::Tensor* each : {&vectors.query, &vectors.key, &vectors.value}) {
        *each = each->to(type).transpose(2, 3);
    }
    const torch::Tensor mixed = mixed_by_run(vectors, terms, queries, keys, dropout, place, use.stages);
    const torch::Tensor rows = mixed.transpose(2, 3).flatten(3).flatten(1, 2);
    const bool is_shaw = std::holds_alternative<ShawTerms>(terms.relative);
    use.stages.computed(is_shaw ? "attention.relative_values" : "attention.values", rows);
    return rows;
}

// On a device, attention with dropout multiplies in bfloat16, as LibTorch's flash attention does without dropout: its
// products in float32 took a seventh of a step on an H200. The softmax stays in float32.
bool multiplies_in_bfloat16(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                            const AttentionUse& use) {
    return is_accelerated(input.qkv.device()) && input.qkv.scalar_type() == torch::kBFloat16 && dropout.active() &&
           !terms.sinks.defined() && !use.stages.wants_outputs();
}

}  // namespace

torch::Tensor heads_first(const torch::Tensor& vectors) {
    return vectors.flatten(0, 1).transpose(1, 2);
}

torch::Tensor repeat_rows(const torch::Tensor& vectors, std::int64_t rows) {
    return RepeatedRows::apply(vectors, rows);
}

torch::Tensor softmax_with_sinks(const torch::Tensor& logits, const torch::Tensor& sinks) {
    if (!sinks.defined()) return torch::softmax(logits, -1);
    const std::int64_t runs = sinks.size(0);
    const std::int64_t batch = logits.size(0) / runs;
    const torch::Tensor rows = repeat_rows(sinks.to(logits.scalar_type()), batch * logits.size(2));
    const torch::Tensor column = rows.view({runs * batch, logits.size(2), logits.size(1)}).transpose(1, 2).unsqueeze(3);
    return torch::softmax(torch::cat({logits, column}, -1), -1).narrow(-1, 0, logits.size(-1));
}

torch::Tensor attend_by_operations(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                   const torch::Tensor& mask, const torch::Tensor& sinks, std::int64_t runs,
                                   const Dropout& dropout, const std::string& place, const StageMarks& stages,
                                   double soft_cap) {
    const double size = std::sqrt(static_cast<double>(q.size(-1)));
    const bool rounds = v.scalar_type() == torch::kBFloat16;
    torch::Tensor logits =
        rounds ? torch::matmul(q / size, k.transpose(-2, -1)) : torch::matmul(q, k.transpose(-2, -1)) / size;
    if (soft_cap > 0) logits = capped(logits, soft_cap);
    if (mask.defined()) {
        logits = logits + mask;
    } else {
        const torch::Tensor future = torch::ones({q.size(2), k.size(2)}, q.options().dtype(torch::kBool)).triu(1);
        logits = logits.masked_fill(future, -std::numeric_limits<double>::infinity());
    }
    stages.computed("attention.scores", logits);
    torch::Tensor weights = rounds ? torch::softmax(logits, -1, torch::kFloat32) : softmax_with_sinks(logits, sinks);
    stages.computed("attention.weights", weights);
    if (dropout.active()) weights = dropout(weights.reshape({runs, -1}), place).view(weights.sizes());
    return torch::matmul(weights.to(v.scalar_type()), v);
}

torch::Tensor normalize_heads(const torch::Tensor& vectors, const torch::Tensor& weight, double epsilon) {
    const torch::Tensor rows = vectors.reshape({vectors.size(0), -1, weight.size(1)});
    return residual_norm(rows, {}, weight, {}, {}, "", {.is_centred = false, .epsilon = epsilon})
        .normed.view(vectors.sizes());
}

LayerVectors vectors_of(const AttentionInput& input) {
    const auto [heads, shared] = input.heads;
    const torch::Tensor parts =
        in_float(input.qkv).unflatten(1, {input.batch, -1}).unflatten(3, {heads + 2 * shared, -1});
    // Unlike those of narrow, the gradients of split are joined in one pass.
    const std::vector<torch::Tensor> of_kinds = parts.split_with_sizes({heads, shared, shared}, 3);
    LayerVectors vectors{of_kinds[0], of_kinds[1], of_kinds[2]};
    if (input.query_norm.defined())
        vectors.query = normalize_heads(vectors.query, input.query_norm, input.norm_epsilon);
    if (input.key_norm.defined()) vectors.key = normalize_heads(vectors.key, input.key_norm, input.norm_epsilon);
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

torch::Tensor attend_by_reference(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                                  const std::string& place, const AttentionUse& use) {
    LayerVectors vectors = vectors_of(input);
    if (input.query_norm.defined()) use.stages.computed("attention.qk_norm", vectors.query);
    if (use.hook) use.hook->observe(use.layer, vectors);
    LayerTerms rotation = terms;
    if (use.cache) rotation.decay = torch::Tensor();  // a cache stores keys without decay
    vectors.query = encoded_queries(vectors.query, rotation);
    vectors.key = encoded_keys(vectors.key, rotation);
    if (terms.tables.defined()) use.stages.computed("attention.rotation", vectors.query);
    if (use.hook) use.hook->modify(use.layer, vectors, terms);

    const std::int64_t runs = vectors.query.size(0);
    const std::int64_t time = vectors.query.size(2);
    const auto type = vectors.query.scalar_type();
    torch::Tensor mixed;
    const char* last = "attention.values";  // the stage that ends here
    if (use.cache) use.cache->store(use.layer, vectors.key[0][0], vectors.value[0][0]);
    const bool continues = use.cache && use.cache->tokens() > time;
    TORCH_CHECK(!continues || time == 1,
                "A KV cache that already contains tokens accepts only one more token at a time.");
    if (!terms.only_products()) {
        if (use.cache && !continues && terms.decay.defined()) {
            const LayerTerms decay{.tables = {}, .decay = terms.decay};
            vectors.query = encoded_queries(vectors.query, decay);
            vectors.key = encoded_keys(vectors.key, decay);
        }
        return attend_by_run(std::move(vectors), terms, dropout, place, continues ? use.cache : nullptr, use);
    }
    if (continues) {
        const KeyValueCache::Layer& cached = use.cache->layer(use.layer);
        const auto expanded = [&](const torch::Tensor& slots) {  // to (1, query heads, capacity, head_dim)
            return slots.repeat_interleave(input.heads.query / input.heads.key_value, 0).unsqueeze(0);
        };
        const torch::Tensor mask = logit_mask(terms, use.cache->newest(), use.cache->positions(use.layer), type);
        const torch::Tensor q = heads_first(vectors.query);
        const torch::Tensor keys = expanded(cached.keys);
        const torch::Tensor values = expanded(cached.values);
        mixed = terms.sinks.defined() ? attend_by_operations(q, keys, values, mask, terms.sinks, runs, {}, place)
                                      : mixed_values(q, keys, values, mask);
    } else {
        const LayerVectors repeated = repeat_heads(std::move(vectors));
        const auto products = multiplies_in_bfloat16(input, terms, dropout, use) ? torch::kBFloat16 : type;
        const torch::Tensor q = heads_first(repeated.query.to(products));
        const torch::Tensor k = heads_first(repeated.key.to(products));
        const torch::Tensor v = heads_first(repeated.value.to(products));
        torch::Tensor mask;
        if (!terms.only_causal()) {
            const torch::Tensor positions = torch::arange(time, torch::TensorOptions(torch::kInt64).device(q.device()));
            mask = logit_mask(terms, positions, positions, type);
        }
        if (terms.sinks.defined() || dropout.active() || use.stages.wants_outputs()) {
            mixed = attend_by_operations(q, k, v, mask, terms.sinks, runs, dropout, place, use.stages);
        } else {
            mixed = mixed_values(q, k, v, mask);
            last = "attention.scores";
            use.stages.computed(last, {"attention.weights", "attention.values"});
        }
    }
    const torch::Tensor rows = mixed.transpose(1, 2).reshape({runs, -1, mixed.size(1) * mixed.size(3)});
    use.stages.computed(last);
    use.stages.output("attention.values", rows);
    return rows;
}

}  // namespace ropelab
