#include "core/engine/model/decoder.h"

#include <cmath>
#include <vector>

#include "core/engine/operations/fused.h"
#include "core/engine/operations/linear.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/run_by_run.h"
#include "core/engine/parts/delta_net.h"
#include "core/engine/parts/feed_forward.h"
#include "core/engine/parts/latent.h"
#include "core/engine/parts/stream_norm.h"

namespace ropelab {

namespace {

struct Branch {
    torch::Tensor values;
    Dropout dropout;
    std::string place;
    const char* sum = nullptr;  // stage of the sum, which the next norm computes
    std::int64_t layer = -1;
};

// Also reports the sum of the residual stream before the norm.
void report_norm(const StageMarks& stages, const char* norm, const NormalizedResidual& result, const char* sum,
                 std::int64_t layer_of_sum) {
    if (!stages.observer) return;
    stages.computed(norm, result.normed);
    if (!sum) return;
    stages.observer->contained(sum, layer_of_sum, norm, stages.layer);
    StageMarks{stages.observer, layer_of_sum}.output(sum, result.sum);
}

}  // namespace

torch::Tensor Decoder::embedded(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                                const StageMarks& stages) const {
    const std::int64_t batch = tokens.size(1);
    const std::int64_t time = tokens.size(2);
    const torch::Tensor x = look_up(weights.get("embedding.weight"), tokens.flatten(1, 2));  // (runs, batch·time, C)
    stages.computed("embedding", x);
    const auto added = [&](const torch::Tensor& to, const torch::Tensor& rows) {  // rows: (runs or 1, 1, time, C)
        const torch::Tensor sum = (to.unflatten(1, {batch, time}) + rows).flatten(1, 2);
        stages.computed("positions", sum);
        return sum;
    };
    if (terms.embeddings.defined()) {  // Vaswani et al. 2017, 3.4
        return added(x * std::sqrt(static_cast<double>(spec_.width)), terms.embeddings.unsqueeze(0).unsqueeze(0));
    }
    const torch::Tensor learned = weights.get("positions.weight");
    if (!learned.defined()) return x;
    const torch::Tensor rows =
        terms.positions.defined() ? learned.index_select(1, terms.positions) : learned.narrow(1, terms.first, time);
    return added(x, rows.unsqueeze(1));
}

torch::Tensor Decoder::attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                 const LayerTerms& terms, Precision precision, const Dropout& dropout,
                                 const AttentionUse& use) const {
    const std::string name = "layers." + std::to_string(use.layer) + ".attention";
    const LayerAttention kind = kinds_[static_cast<std::size_t>(use.layer)];
    const auto projected = [&](const torch::Tensor& from, const std::string& matrix) {
        return linear(from, weights.matrix(name + matrix + ".weight"), weights.get(name + matrix + ".bias"), precision);
    };
    LayerTerms own_terms = terms;
    if (kind == LayerAttention::full) own_terms.window = 0;
    own_terms.sinks = weights.get(name + ".sinks");
    // A layer that `rotated_layers` leaves out has no rotation to compute.
    if (spec_.rotates() && kind != LayerAttention::delta_net && !terms.tables.defined()) {
        use.stages.computed("attention.rotation");
    }
    torch::Tensor mixed;
    if (kind == LayerAttention::delta_net) {
        mixed = delta_net(weights, x, batch, precision, use);
    } else if (spec_.attention == AttentionKind::mla) {
        mixed = latent_attention(weights, x, batch, own_terms, precision, dropout, use);
    } else {
        const torch::Tensor qkv = projected(x, ".qkv");
        use.stages.computed("attention.qkv", {"attention.queries", "attention.keys"});
        const std::int64_t queries = spec_.heads * spec_.head_dim();
        use.stages.output("attention.qkv", qkv);
        if (use.stages.wants_outputs()) {
            use.stages.output("attention.queries", qkv.narrow(2, 0, queries));
            use.stages.output("attention.keys", qkv.narrow(2, queries, qkv.size(2) - queries));
        }
        const AttentionInput input{.qkv = qkv,
                                   .batch = batch,
                                   .heads = {spec_.heads, spec_.kv_heads()},
                                   .query_norm = weights.get(name + ".query_norm.weight"),
                                   .key_norm = weights.get(name + ".key_norm.weight")};
        mixed = attend(input, own_terms, dropout, name, use);
        // The gate of each head and channel (formula 45), from the layer's input.
        if (spec_.attention == AttentionKind::gated) {
            const torch::Tensor gate = projected(x, ".gate").to(mixed.scalar_type());
            mixed = mixed * run_by_run(gate, [](const torch::Tensor& run) { return torch::sigmoid(run); });
            use.stages.computed("attention.gate", mixed);
        }
    }
    const torch::Tensor output = projected(mixed, ".output");
    use.stages.computed("attention.output", output);
    return output;
}

torch::Tensor Decoder::latent_attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                        const LayerTerms& terms, Precision precision, const Dropout& dropout,
                                        const AttentionUse& use) const {
    const std::string name = "layers." + std::to_string(use.layer) + ".attention";
    const auto projected = [&](const std::string& matrix, const char* stage) {
        const torch::Tensor rows =
            linear(x, weights.matrix(name + matrix + ".weight"), weights.get(name + matrix + ".bias"), precision);
        use.stages.computed(stage, rows);
        return rows;
    };
    return ropelab::latent_attention::attend({.query = projected(".query", "attention.query"),
                                              .latent = projected(".latent", "attention.latent"),
                                              .latent_norm = weights.get(name + ".latent_norm.weight"),
                                              .key_value = weights.matrix(name + ".key_value.weight"),
                                              .batch = batch,
                                              .heads = spec_.heads,
                                              .head_dim = spec_.head_dim(),
                                              .precision = precision},
                                             terms, dropout, name, use);
}

torch::Tensor Decoder::delta_net(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                 Precision precision, const AttentionUse& use) const {
    const std::string name = "layers." + std::to_string(use.layer) + ".attention";
    const auto projected = [&](const std::string& matrix, const char* stage) {
        const torch::Tensor rows =
            linear(x, weights.matrix(name + matrix + ".weight"), weights.get(name + matrix + ".bias"), precision);
        use.stages.computed(stage);
        return rows;
    };
    const ropelab::delta_net::Input all{.qkv = projected(".qkv", "attention.qkv"),
                                        .gate = projected(".gate", "attention.gate"),
                                        .rates = projected(".rates", "attention.rates"),
                                        .log_decay = weights.get(name + ".log_decay"),
                                        .decay_shift = weights.get(name + ".decay_shift"),
                                        .head_norm = weights.get(name + ".head_norm.weight"),
                                        .batch = batch,
                                        .heads = spec_.heads};
    use.stages.output("attention.qkv", all.qkv);
    // Each run separately, for the reason of run_by_run.
    std::vector<torch::Tensor> outputs;
    for (std::int64_t run = 0; run < x.size(0); ++run) {
        ropelab::delta_net::Input one = all;
        for (torch::Tensor* part :
             {&one.qkv, &one.gate, &one.rates, &one.log_decay, &one.decay_shift, &one.head_norm}) {
            *part = part->narrow(0, run, 1);
        }
        outputs.push_back(ropelab::delta_net::attend(one, use));
    }
    return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 0);
}

torch::Tensor Decoder::logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                              Precision precision, const Dropout& dropout, KeyValueCache* cache, AttentionHook* hook,
                              ExpertRecord* experts, StageObserver* stages) const {
    const EagerGuard eager_guard(eager());
    const std::int64_t batch = tokens.size(1);
    if (cache) cache->assign_slots(terms.positions_of(tokens.size(2), tokens.device()));
    const StageMarks outside{stages, -1};
    torch::Tensor x = dropout(embedded(weights, tokens, terms, outside), "embedding");

    // Each branch is added to the residual stream by the next normalization.
    Branch branch;
    const auto normalized = [&](const torch::Tensor& stream, const Branch& added, const std::string& name,
                                torch::ScalarType type) {
        const StreamNormWeights norm_weights{weights.get(name + ".weight"), weights.get(name + ".bias"),
                                             weights.get(name + ".scale")};
        return stream_norm(spec_.norm_kind(), stream, added.values, norm_weights, added.dropout, added.place, type);
    };
    const auto norm = [&](const std::string& name, const StageMarks& marks, const char* stage) {
        const NormalizedResidual result =
            normalized(x, branch, name, precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32);
        report_norm(marks, stage, result, branch.sum, branch.layer);
        x = result.sum;
        branch = {};
        return result.normed;
    };
    // Sandwich: normalizes the output of a branch before it is added.
    const auto branch_output = [&](const torch::Tensor& output, const std::string& name, const StageMarks& marks,
                                   const char* stage) {
        if (spec_.norm_position != NormPosition::sandwich) return output;
        const NormalizedResidual result = normalized(output.to(torch::kFloat32), {}, name, torch::kFloat32);
        report_norm(marks, stage, result, nullptr, -1);
        return result.normed;
    };
    const auto attend_layer = [&](const torch::Tensor& input, std::int64_t layer) {
        LayerTerms layer_terms = terms.layer(layer);
        layer_terms.relative = relative_weights(weights, layer);
        return attention(weights, input, batch, layer_terms, precision, dropout,
                         {.layer = layer, .cache = cache, .hook = hook, .stages = {stages, layer}});
    };
    const auto mlp = [&](const torch::Tensor& rows, std::int64_t layer) {
        return feed_forward(spec_, weights, rows, layer, precision, dropout, experts, {stages, layer});
    };
    const auto head = [&](const torch::Tensor& rows) {
        const torch::Tensor logits = linear(rows, weights.matrix(spec_.tied_head ? "embedding.weight" : "head.weight"),
                                            weights.get("head.bias"), precision);
        outside.computed("head", logits);
        return logits;
    };
    const auto observe = [&](std::int64_t layer) {
        if (hook) hook->observe_stream(layer, x);
    };
    if (spec_.norm_position == NormPosition::post) {
        // The stream is the output of a norm and stays float32.
        const auto add = [&](const torch::Tensor& output, const std::string& place, const std::string& name,
                             std::int64_t layer, bool is_attention) {
            const Branch added{output.to(torch::kFloat32), dropout, place};
            const torch::Tensor scaled = spec_.deepnorm ? x * spec_.residual_factor() : x;
            const NormalizedResidual result = normalized(scaled, added, name, torch::kFloat32);
            report_norm({stages, layer}, is_attention ? "attention_post_norm" : "mlp_post_norm", result,
                        is_attention ? "attention.sum" : "mlp.sum", layer);
            x = result.normed;
        };
        for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer);
            observe(layer);
            add(attend_layer(x, layer), name + ".attention.output", name + ".attention_norm", layer, true);
            add(mlp(x, layer), name + ".mlp", name + ".mlp_norm", layer, false);
        }
        observe(spec_.layers);
        return head(x);
    }
    for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        const StageMarks marks{stages, layer};
        const torch::Tensor input = norm(name + ".attention_norm", marks, "attention_norm");
        observe(layer);
        const torch::Tensor attended =
            branch_output(attend_layer(input, layer), name + ".attention_output_norm", marks, "attention_output_norm");
        const auto fed = [&] {
            return branch_output(mlp(norm(name + ".mlp_norm", marks, "mlp_norm"), layer), name + ".mlp_output_norm",
                                 marks, "mlp_output_norm");
        };
        if (spec_.block == Block::pythia) {
            const torch::Tensor added = fed();
            branch = {dropout(attended.to(torch::kFloat32), name + ".attention.output") +
                          dropout(added.to(torch::kFloat32), name + ".mlp"),
                      {},
                      "",
                      "mlp.sum",
                      layer};
        } else {
            branch = {attended, dropout, name + ".attention.output", "attention.sum", layer};
            branch = {fed(), dropout, name + ".mlp", "mlp.sum", layer};
        }
    }
    const torch::Tensor last = norm("final_norm", outside, "final_norm");
    observe(spec_.layers);
    return head(last);
}

torch::Tensor row_means(const torch::Tensor& losses) {
    std::vector<torch::Tensor> means;
    for (std::int64_t run = 0; run < losses.size(0); ++run) means.push_back(losses.select(0, run).mean());
    return torch::stack(means);
}

}  // namespace ropelab
