#include "core/engine/attention/backend.h"
#include "core/engine/attention/reference.h"
#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

// Formula 66. Keys are normalized before the offset, and rotated after it.
AttentionInput with_offset_keys(AttentionInput input, const torch::Tensor& shifted, const AttentionUse& use) {
    LayerVectors vectors = vectors_of(input);
    if (input.query_norm.defined()) use.stages.computed("attention.qk_norm", vectors.query);
    const std::int64_t time = vectors.key.size(2);
    const bool continues = use.cache && use.cache->tokens() > time;
    const torch::Tensor before = continues ? use.cache->layer(use.layer).state.unsqueeze(0).unsqueeze(0).unsqueeze(0)
                                           : vectors.key.narrow(2, 0, 1);
    const torch::Tensor previous = torch::cat({before, vectors.key.narrow(2, 0, time - 1)}, 2);
    if (use.cache) use.cache->store_state(use.layer, vectors.key[0][0][time - 1]);
    vectors.key = torch::where(shifted, previous, vectors.key);
    use.stages.computed("attention.key_offset", vectors.key);
    input.qkv = torch::cat({vectors.query, vectors.key, vectors.value}, 3).flatten(3).flatten(1, 2);
    input.query_norm = torch::Tensor();
    input.key_norm = torch::Tensor();
    return input;
}

}  // namespace

torch::Tensor forward(const Softmax& part, const torch::Tensor& x, const LayerPass& pass) {
    const StageMarks& stages = pass.use.stages;
    const LayerTerms terms = pass.terms(part.scores);
    const torch::Tensor qkv = pass.linear(x, "attention.qkv", {"attention.queries", "attention.keys"});
    if (stages.wants_outputs()) {
        const std::int64_t queries = *part.heads.h * *part.heads.D;
        stages.output("attention.queries", qkv.narrow(2, 0, queries));
        stages.output("attention.keys", qkv.narrow(2, queries, qkv.size(2) - queries));
    }
    AttentionInput input{.qkv = qkv,
                         .batch = pass.batch,
                         .heads = {part.heads.h.value(), part.heads.kv.value()},
                         .query_norm = pass.weight("attention.query_norm.weight"),
                         .key_norm = pass.weight("attention.key_norm.weight"),
                         .norm_epsilon = part.head_norm.epsilon_used()};
    if (input.query_norm.defined() && part.head_norm.kind == NormPart::Kind::zero_centred_rms) {
        input.query_norm = input.query_norm + 1;
        input.key_norm = input.key_norm + 1;
    }
    if (const double factor = part.scores.factor; factor != 1.0) {
        const std::int64_t queries = *part.heads.h * *part.heads.D;
        if (input.query_norm.defined()) {
            input.query_norm = input.query_norm * factor;
        } else {
            input.qkv =
                torch::cat({qkv.narrow(2, 0, queries) * factor, qkv.narrow(2, queries, qkv.size(2) - queries)}, 2);
        }
    }
    if (terms.shifted.defined()) input = with_offset_keys(std::move(input), terms.shifted, pass.use);
    const torch::Tensor mixed = attend(input, terms, pass.dropout, pass.name("attention"), pass.use);
    if (!part.is_gated) return mixed;
    // The gate of each head and channel (formula 45), from the layer's input.
    const torch::Tensor gate =
        pass.weights.linear(x, pass.name("attention.gate"), pass.precision).to(mixed.scalar_type());
    const torch::Tensor gated = mixed * run_by_run(gate, [](const torch::Tensor& run) { return torch::sigmoid(run); });
    stages.computed("attention.gate", gated);
    return gated;
}

}  // namespace ropelab
