#include "core/model/decoder.h"

#include "core/model/fused.h"

namespace ropelab {

namespace {

// y = x·weightᵀ for each run, in float32 or with both factors rounded to bfloat16.
// x: (runs, n, in), weight: (runs, out, in) → (runs, n, out), float32.
class BatchedLinear : public torch::autograd::Function<BatchedLinear> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& weight, bool rounded) {
        const auto type = rounded ? torch::kBFloat16 : torch::kFloat32;
        const torch::Tensor a = x.to(type);
        const torch::Tensor b = weight.to(type);
        context->save_for_backward({a, b});
        return torch::bmm(a, b.transpose(1, 2)).to(torch::kFloat32);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& x = saved[0];
        const torch::Tensor& weight = saved[1];
        const torch::Tensor gradient = gradients[0].to(x.scalar_type());
        // Run by run: the sum over n is long and its result small, so a single product is cut along n among threads,
        // but a batch of products is not; one batched call would make a run's bits depend on whether it has mates.
        const torch::Tensor of_weight = torch::empty(weight.sizes(), x.options());
        for (std::int64_t run = 0; run < x.size(0); ++run) {
            torch::Tensor out = of_weight.select(0, run);
            torch::mm_out(out, gradient.select(0, run).t(), x.select(0, run));
        }
        return {torch::bmm(gradient, weight).to(torch::kFloat32), of_weight.to(torch::kFloat32), {}};
    }
};

// With a bias: (runs, out), or undefined.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     Precision precision) {
    const torch::Tensor result = BatchedLinear::apply(x, weight, precision == Precision::bfloat16);
    return bias.defined() ? result + bias.unsqueeze(1) : result;
}

}  // namespace

void KeyValueCache::keep_last(std::int64_t count) {
    const std::int64_t surplus = length() - count;
    if (surplus <= 0) return;
    for (Layer& layer : layers) {
        layer.key = layer.key.narrow(2, surplus, count).contiguous();
        layer.value = layer.value.narrow(2, surplus, count).contiguous();
    }
}

torch::Tensor Decoder::attend_to_cache(const torch::Tensor& qkv, const RotaryTables& tables,
                                       KeyValueCache::Layer& held) const {
    // One text: (1, 1, time, 3, heads, head_dim), each part then (1, heads, time, head_dim).
    const torch::Tensor parts = qkv.view({1, 1, qkv.size(1), 3, spec_.heads, spec_.head_dim()});
    torch::Tensor q = parts.select(3, 0);
    torch::Tensor k = parts.select(3, 1);
    if (tables.defined()) {
        q = apply_rotation(q, tables);
        k = apply_rotation(k, tables);
    }
    const auto by_head = [](const torch::Tensor& t) { return t.flatten(0, 1).transpose(1, 2); };
    q = by_head(q);
    k = by_head(k);
    torch::Tensor v = by_head(parts.select(3, 2));
    const bool causal = !held.key.defined();
    if (held.key.defined()) {
        // One new symbol looks at all that is held; several at once would need a mask of their own.
        TORCH_CHECK(qkv.size(1) == 1, "a filled cache takes one symbol at a time");
        k = torch::cat({held.key, k}, 2);
        v = torch::cat({held.value, v}, 2);
    }
    held = {k, v};
    const torch::Tensor mixed = torch::scaled_dot_product_attention(q, k, v, {}, 0.0, causal);
    return mixed.transpose(1, 2).reshape({1, qkv.size(1), spec_.width});
}

torch::Tensor Decoder::attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                 std::int64_t layer, const RotaryTables& tables, Precision precision,
                                 const Dropout& dropout, KeyValueCache* cache) const {
    const std::string name = "layers." + std::to_string(layer) + ".attention";
    const torch::Tensor qkv = linear(x, weights.get(name + ".qkv.weight"), weights.get(name + ".qkv.bias"), precision);
    torch::Tensor mixed;
    if (cache) {
        if (static_cast<std::int64_t>(cache->layers.size()) <= layer) {
            cache->layers.resize(static_cast<std::size_t>(layer + 1));
        }
        mixed = attend_to_cache(qkv, tables, cache->layers[static_cast<std::size_t>(layer)]);
    } else {
        mixed = attend(qkv, batch, spec_.heads, tables, dropout, name);
    }
    return linear(mixed, weights.get(name + ".output.weight"), weights.get(name + ".output.bias"), precision);
}

torch::Tensor Decoder::logits(const Parameters& weights, const torch::Tensor& tokens, const RotaryTables& tables,
                              Precision precision, const Dropout& dropout, std::int64_t first_position,
                              KeyValueCache* cache) const {
    const std::int64_t batch = tokens.size(1);
    const std::int64_t time = tokens.size(2);

    torch::Tensor x = look_up(weights.get("embedding.weight"), tokens.flatten(1, 2));  // (runs, batch·time, C)
    if (const torch::Tensor learned = weights.get("positions.weight"); learned.defined()) {
        const torch::Tensor rows = learned.narrow(1, first_position, time).unsqueeze(1);  // (runs, 1, time, C)
        x = (x.unflatten(1, {batch, time}) + rows).flatten(1, 2);
    }
    x = dropout(x, "embedding");

    // Each branch is added to the residual stream where the next normalisation reads it.
    const auto norm = [&](const std::string& name, const torch::Tensor& branch, const std::string& place) {
        const Normed both =
            residual_norm(x, branch, weights.get(name + ".weight"), weights.get(name + ".bias"), dropout, place);
        x = both.sum;
        return both.normed;
    };
    torch::Tensor branch;
    std::string place;
    for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        branch = attention(weights, norm(name + ".attention_norm", branch, place), batch, layer, tables, precision,
                           dropout, cache);
        const torch::Tensor wide =
            linear(norm(name + ".mlp_norm", branch, name + ".attention.output"), weights.get(name + ".mlp.up.weight"),
                   weights.get(name + ".mlp.up.bias"), precision);
        branch = linear(torch::gelu(wide), weights.get(name + ".mlp.down.weight"), weights.get(name + ".mlp.down.bias"),
                        precision);
        place = name + ".mlp";
    }
    const torch::Tensor last = norm("final_norm", branch, place);
    const torch::Tensor head = weights.get(spec_.tied_head ? "embedding.weight" : "head.weight");
    return linear(last, head, {}, precision);
}

torch::Tensor row_means(const torch::Tensor& losses) {
    std::vector<torch::Tensor> means;
    for (std::int64_t run = 0; run < losses.size(0); ++run) means.push_back(losses.select(0, run).mean());
    return torch::stack(means);
}

}  // namespace ropelab
