#include "core/model/decoder.h"

#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/model/linear.h"
#include "core/model/operations.h"

namespace ropelab {

namespace {

// RMSNorm of each head's channels. vectors: (runs, batch, time, heads, head_dim), weight: (runs, head_dim).
torch::Tensor norm_heads(const torch::Tensor& vectors, const torch::Tensor& weight) {
    const torch::Tensor rows = vectors.flatten(1, 3);
    return residual_norm(rows, {}, weight, {}, {}, "", Norm::rms).normed.view(vectors.sizes());
}

// The inverse of split_heads.
torch::Tensor joined(const LayerVectors& vectors) {
    return torch::cat({vectors.query, vectors.key, vectors.value}, 3).flatten(3).flatten(1, 2);
}

// What a product gave, for LibTorch's operations: they are made in float32, but on a device with kernels.
torch::Tensor unrounded(const torch::Tensor& product) {
    return has_device_kernels(product) ? product : product.to(torch::kFloat32);
}

// What goes to the residual stream next.
struct Branch {
    torch::Tensor values;
    Dropout dropout;
    std::string place;
};

}  // namespace

KeyValueCache::Layer& KeyValueCache::layer(std::int64_t index) {
    if (std::ssize(layers) <= index) layers.resize(static_cast<std::size_t>(index + 1));
    return layers[static_cast<std::size_t>(index)];
}

void KeyValueCache::keep_last(std::int64_t count) {
    const std::int64_t surplus = length() - count;
    if (surplus <= 0) return;
    for (Layer& layer : layers) {
        layer.key = layer.key.narrow(2, surplus, count).contiguous();
        layer.value = layer.value.narrow(2, surplus, count).contiguous();
    }
}

torch::Tensor Decoder::attend_to_cache(LayerVectors vectors, KeyValueCache::Layer& held) const {
    const bool causal = !held.key.defined();
    if (held.key.defined()) {
        // One new symbol looks at all that is held; several at once would need a mask of their own.
        TORCH_CHECK(vectors.query.size(2) == 1, "a filled cache takes one symbol at a time");
        vectors.key = torch::cat({held.key, vectors.key}, 2);
        vectors.value = torch::cat({held.value, vectors.value}, 2);
    }
    held = {vectors.key, vectors.value};
    const LayerVectors spread = spread_over_heads(vectors);
    // (batch, heads, time, head_dim)
    const auto by_head = [](const torch::Tensor& t) { return t.flatten(0, 1).transpose(1, 2); };
    const torch::Tensor mixed = torch::scaled_dot_product_attention(by_head(spread.query), by_head(spread.key),
                                                                    by_head(spread.value), {}, 0.0, causal);
    return mixed.transpose(1, 2).reshape({1, -1, spec_.width});
}

torch::Tensor Decoder::attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                 std::int64_t layer, const LayerTables& tables, Precision precision,
                                 const Dropout& dropout, KeyValueCache* cache, AttentionHook* hook) const {
    const std::string name = "layers." + std::to_string(layer) + ".attention";
    const torch::Tensor qkv =
        linear(x, weights.matrix(name + ".qkv.weight"), weights.get(name + ".qkv.bias"), precision);
    const auto normed = [&] {
        LayerVectors vectors = split_heads(unrounded(qkv), batch, spec_.heads, spec_.kv_heads());
        if (spec_.qk_norm) {
            vectors.query = norm_heads(vectors.query, weights.get(name + ".query_norm.weight"));
            vectors.key = norm_heads(vectors.key, weights.get(name + ".key_norm.weight"));
        }
        return vectors;
    };
    torch::Tensor mixed;
    const bool apart = spec_.qk_norm && is_eager();  // normed heads are put together for the fused ways only
    if (!cache && !hook && tables.at(layer).plain() && !apart) {
        const torch::Tensor packed = spec_.qk_norm ? joined(normed()) : qkv;
        mixed = attend(packed, batch, {spec_.heads, spec_.kv_heads()}, tables.at(layer), dropout, name);
    } else {
        LayerVectors vectors = normed();
        if (hook) hook->see(layer, vectors);
        vectors = turned(std::move(vectors), tables.at(layer));
        if (hook) hook->change(layer, vectors);
        mixed =
            cache ? attend_to_cache(std::move(vectors), cache->layer(layer)) : attend_openly(vectors, dropout, name);
    }
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

torch::Tensor Decoder::logits(const Parameters& weights, const torch::Tensor& tokens, const LayerTables& tables,
                              Precision precision, const Dropout& dropout, std::int64_t first_position,
                              KeyValueCache* cache, AttentionHook* hook) const {
    const EagerGuard as_asked(eager());
    const std::int64_t batch = tokens.size(1);
    const std::int64_t time = tokens.size(2);

    torch::Tensor x = look_up(weights.get("embedding.weight"), tokens.flatten(1, 2));  // (runs, batch·time, C)
    if (const torch::Tensor learned = weights.get("positions.weight"); learned.defined()) {
        const torch::Tensor rows = learned.narrow(1, first_position, time).unsqueeze(1);  // (runs, 1, time, C)
        x = (x.unflatten(1, {batch, time}) + rows).flatten(1, 2);
    }
    x = dropout(x, "embedding");

    // Each branch is added to the residual stream where the next normalisation reads it.
    const Norm kind = spec_.block == Block::llama ? Norm::rms : Norm::layer;
    Branch branch;
    const auto norm = [&](const std::string& name) {
        const Normed both =
            residual_norm(x, branch.values, weights.get(name + ".weight"), weights.get(name + ".bias"), branch.dropout,
                          branch.place, kind, precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32);
        x = both.sum;
        branch = {};
        return both.normed;
    };
    for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        const torch::Tensor attended =
            attention(weights, norm(name + ".attention_norm"), batch, layer, tables, precision, dropout, cache, hook);
        if (spec_.block == Block::pythia) {
            const torch::Tensor fed = mlp(weights, norm(name + ".mlp_norm"), layer, precision);
            branch.values =
                dropout(unrounded(attended), name + ".attention.output") + dropout(unrounded(fed), name + ".mlp");
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
