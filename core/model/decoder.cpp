#include "core/model/decoder.h"

#include <cmath>

#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/model/linear.h"
#include "core/model/operations.h"

namespace ropelab {

namespace {

// Returns a product in the type that LibTorch's operations require: float32, except on a device with kernels.
torch::Tensor residual_input(const torch::Tensor& product) {
    return has_device_kernels(product) ? product : product.to(torch::kFloat32);
}

// Branch that is added to the residual stream next.
struct Branch {
    torch::Tensor values;
    Dropout dropout;
    std::string place;
};

}  // namespace

torch::Tensor Decoder::embedded(const Parameters& weights, const torch::Tensor& tokens,
                                const PositionTerms& terms) const {
    const std::int64_t batch = tokens.size(1);
    const std::int64_t time = tokens.size(2);
    const torch::Tensor x = look_up(weights.get("embedding.weight"), tokens.flatten(1, 2));  // (runs, batch·time, C)
    const auto added = [&](const torch::Tensor& to, const torch::Tensor& rows) {  // rows: (runs or 1, 1, time, C)
        return (to.unflatten(1, {batch, time}) + rows).flatten(1, 2);
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
    const AttentionInput input{
        .qkv = linear(x, weights.matrix(name + ".qkv.weight"), weights.get(name + ".qkv.bias"), precision),
        .batch = batch,
        .heads = {spec_.heads, spec_.kv_heads()},
        .query_norm = weights.get(name + ".query_norm.weight"),
        .key_norm = weights.get(name + ".key_norm.weight")};
    const torch::Tensor mixed = attend(input, terms, dropout, name, use);
    return linear(mixed, weights.matrix(name + ".output.weight"), weights.get(name + ".output.bias"), precision);
}

torch::Tensor Decoder::mlp(const Parameters& weights, const torch::Tensor& x, std::int64_t layer,
                           Precision precision) const {
    const std::string name = "layers." + std::to_string(layer) + ".mlp";
    torch::Tensor wide;
    if (spec_.block == Block::llama) {
        wide = swiglu_activation(
            linear(x, weights.matrix(name + ".gate_up.weight"), weights.get(name + ".gate_up.bias"), precision));
    } else {
        wide =
            gelu_activation(linear(x, weights.matrix(name + ".up.weight"), weights.get(name + ".up.bias"), precision));
    }
    return linear(wide, weights.matrix(name + ".down.weight"), weights.get(name + ".down.bias"), precision);
}

torch::Tensor Decoder::logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                              Precision precision, const Dropout& dropout, KeyValueCache* cache,
                              AttentionHook* hook) const {
    const EagerGuard eager_guard(eager());
    const std::int64_t batch = tokens.size(1);
    if (cache) cache->assign_slots(terms.positions_of(tokens.size(2), tokens.device()));
    torch::Tensor x = dropout(embedded(weights, tokens, terms), "embedding");

    // Each branch is added to the residual stream by the next normalization.
    const Norm kind = spec_.block == Block::llama ? Norm::rms : Norm::layer;
    Branch branch;
    const auto norm = [&](const std::string& name) {
        const NormalizedResidual normalized =
            residual_norm(x, branch.values, weights.get(name + ".weight"), weights.get(name + ".bias"), branch.dropout,
                          branch.place, kind, precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32);
        x = normalized.sum;
        branch = {};
        return normalized.normed;
    };
    for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        LayerTerms layer_terms = terms.layer(layer);
        if (!spec_.has_fused_encoding()) layer_terms.relative = relative_weights(weights, layer);
        const torch::Tensor attended = attention(weights, norm(name + ".attention_norm"), batch, layer_terms, precision,
                                                 dropout, {.layer = layer, .cache = cache, .hook = hook});
        if (spec_.block == Block::pythia) {
            const torch::Tensor fed = mlp(weights, norm(name + ".mlp_norm"), layer, precision);
            branch.values = dropout(residual_input(attended), name + ".attention.output") +
                            dropout(residual_input(fed), name + ".mlp");
        } else {
            branch = {attended, dropout, name + ".attention.output"};
            branch = {mlp(weights, norm(name + ".mlp_norm"), layer, precision), dropout, name + ".mlp"};
        }
    }
    const torch::Tensor last = norm("final_norm");
    return linear(last, weights.matrix(spec_.tied_head ? "embedding.weight" : "head.weight"), {}, precision);
}

torch::Tensor row_means(const torch::Tensor& losses) {
    std::vector<torch::Tensor> means;
    for (std::int64_t run = 0; run < losses.size(0); ++run) means.push_back(losses.select(0, run).mean());
    return torch::stack(means);
}

}  // namespace ropelab
