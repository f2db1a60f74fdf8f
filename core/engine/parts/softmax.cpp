#include "core/engine/attention/backend.h"
#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

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
