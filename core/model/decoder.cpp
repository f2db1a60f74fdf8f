#include "core/model/decoder.h"

#include <cmath>

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
        std::vector<torch::Tensor> of_weight;
        for (std::int64_t run = 0; run < x.size(0); ++run) {
            of_weight.push_back(torch::mm(gradient.select(0, run).t(), x.select(0, run)));
        }
        return {torch::bmm(gradient, weight).to(torch::kFloat32), torch::stack(of_weight).to(torch::kFloat32), {}};
    }
};

// With a bias: (runs, out), or undefined.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     Precision precision) {
    const torch::Tensor result = BatchedLinear::apply(x, weight, precision == Precision::bfloat16);
    return bias.defined() ? result + bias.unsqueeze(1) : result;
}

// Normalises the last dimension; weight and bias are each run's own. x: (runs, n, C).
torch::Tensor layer_norm(const torch::Tensor& x, const Parameters& weights, const std::string& name) {
    constexpr double epsilon = 1e-5;
    torch::Tensor result =
        torch::layer_norm(x, {x.size(-1)}, {}, {}, epsilon) * weights.get(name + ".weight").unsqueeze(1);
    const torch::Tensor bias = weights.get(name + ".bias");
    return bias.defined() ? result + bias.unsqueeze(1) : result;
}

// tokens: (runs, n), table: (runs, rows, C) → (runs, n, C). Run by run, so that the gradient of each table is one
// scatter of its own.
torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens) {
    std::vector<torch::Tensor> rows;
    for (std::int64_t run = 0; run < table.size(0); ++run) {
        rows.push_back(torch::embedding(table.select(0, run), tokens.select(0, run)));
    }
    return torch::stack(rows);
}

// With dropout the fast path is left: its masks would depend on the cohort. q, k, v: (runs·batch, heads, time,
// head_dim).
torch::Tensor attention_with_dropout(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                     const Dropout& dropout, std::int64_t runs, const std::string& place) {
    const std::int64_t time = q.size(2);
    torch::Tensor scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
    const torch::Tensor future = torch::ones({time, time}, q.options().dtype(torch::kBool)).triu(1);
    torch::Tensor shares = torch::softmax(scores.masked_fill(future, -INFINITY), -1);
    shares = dropout(shares.view({runs, -1}), place).view_as(shares);
    return torch::matmul(shares, v);
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

torch::Tensor Decoder::attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                 std::int64_t layer, const RotaryTables& tables, Precision precision,
                                 const Dropout& dropout, KeyValueCache* cache) const {
    const std::string name = "layers." + std::to_string(layer) + ".attention";
    const std::int64_t runs = x.size(0);
    const std::int64_t time = x.size(1) / batch;

    // (runs, batch, time, 3, heads, head_dim), then each (runs, batch, time, heads, head_dim)
    const torch::Tensor qkv = linear(x, weights.get(name + ".qkv.weight"), weights.get(name + ".qkv.bias"), precision)
                                  .view({runs, batch, time, 3, spec_.heads, spec_.head_dim()});
    torch::Tensor q = qkv.select(3, 0);
    torch::Tensor k = qkv.select(3, 1);
    torch::Tensor v = qkv.select(3, 2);
    if (tables.defined()) {
        q = apply_rotation(q, tables);
        k = apply_rotation(k, tables);
    }
    // (runs·batch, heads, time, head_dim)
    const auto by_head = [&](const torch::Tensor& t) { return t.flatten(0, 1).transpose(1, 2); };
    q = by_head(q);
    k = by_head(k);
    v = by_head(v);

    bool causal = true;
    if (cache) {
        if (static_cast<std::int64_t>(cache->layers.size()) <= layer)
            cache->layers.resize(static_cast<std::size_t>(layer + 1));
        auto& held = cache->layers[static_cast<std::size_t>(layer)];
        if (held.key.defined()) {
            // One new symbol looks at all that is held; several at once would need a mask of their own.
            TORCH_CHECK(time == 1, "a filled cache takes one symbol at a time");
            k = torch::cat({held.key, k}, 2);
            v = torch::cat({held.value, v}, 2);
            causal = false;
        }
        held = {k, v};
    }

    torch::Tensor mixed = dropout.active() ? attention_with_dropout(q, k, v, dropout, runs, name)
                                           : torch::scaled_dot_product_attention(q, k, v, {}, 0.0, causal);
    mixed = mixed.transpose(1, 2).reshape({runs, batch * time, spec_.width});
    const torch::Tensor projected =
        linear(mixed, weights.get(name + ".output.weight"), weights.get(name + ".output.bias"), precision);
    return dropout(projected, name + ".output");
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

    for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        x = x + attention(weights, layer_norm(x, weights, name + ".attention_norm"), batch, layer, tables, precision,
                          dropout, cache);
        const torch::Tensor wide =
            linear(layer_norm(x, weights, name + ".mlp_norm"), weights.get(name + ".mlp.up.weight"),
                   weights.get(name + ".mlp.up.bias"), precision);
        const torch::Tensor narrow = linear(torch::gelu(wide), weights.get(name + ".mlp.down.weight"),
                                            weights.get(name + ".mlp.down.bias"), precision);
        x = x + dropout(narrow, name + ".mlp");
    }
    x = layer_norm(x, weights, "final_norm");
    const torch::Tensor head = weights.get(spec_.tied_head ? "embedding.weight" : "head.weight");
    return linear(x, head, {}, precision);
}

torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets) {
    return torch::cross_entropy_loss(logits.flatten(0, 1), targets.flatten(), {}, at::Reduction::None).view_as(targets);
}

torch::Tensor row_means(const torch::Tensor& losses) {
    std::vector<torch::Tensor> means;
    for (std::int64_t run = 0; run < losses.size(0); ++run) means.push_back(losses.select(0, run).mean());
    return torch::stack(means);
}

}  // namespace ropelab
