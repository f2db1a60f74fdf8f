#include "core/engine/model/decoder.h"

#include <algorithm>
#include <cmath>

#include "core/engine/operations/fused.h"
#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

// Ids of a branch's stages. Norms have parameters of the same name, but those after the sum: `norm`.
struct BranchNames {
    const char* norm;
    const char* output_norm;
    const char* post_norm;
    const char* sum;
    const char* dropout;  // its place in the layer
};
constexpr BranchNames attention_names = {"attention_norm", "attention_output_norm", "attention_post_norm",
                                         "attention.sum", "attention.output"};
constexpr BranchNames mlp_names = {"mlp_norm", "mlp_output_norm", "mlp_post_norm", "mlp.sum", "mlp"};

// One forward pass: the residual stream, to which each branch is added by the next normalization.
class Stream {
 public:
    Stream(const Parameters& weights, Precision precision, const DecoderUse& use)
        : weights_(weights),
          use_(use),
          product_type_(precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32) {}

    void begin(const torch::Tensor& embedded) { x_ = use_.dropout(embedded, "embedding"); }

    /// Input of a branch or of the head: the stream, normalized if there is a norm. `layer`: −1 for the head.
    torch::Tensor input(const std::optional<NormPart>& norm, std::int64_t layer, const char* name) {
        if (!norm) {
            add_branch();
            return x_;
        }
        const NormalizedResidual result = normalized(*norm, x_, product_type_, layer, name, name);
        x_ = result.sum;
        branch_ = {};
        return result.normed;
    }

    /// Output of a branch before it is added.
    torch::Tensor output(const torch::Tensor& rows, const LayerPlan& plan, const BranchNorms& norms, std::int64_t layer,
                         const BranchNames& names) const {
        if (!norms.output) return plan.branch_factor != 1.0 ? rows * plan.branch_factor : rows;
        const NormalizedResidual result =
            forward(*norms.output, rows.to(torch::kFloat32), {}, weights_, parameter(layer, names.output_norm));
        StageMarks{use_.stages, layer}.computed(names.output_norm, result.normed);
        return plan.branch_factor != 1.0 ? result.normed * plan.branch_factor : result.normed;
    }

    /// With a norm after the sum, the stream is the output of that norm and stays float32.
    void add(const torch::Tensor& rows, const LayerPlan& plan, const BranchNorms& norms, std::int64_t layer,
             const BranchNames& names) {
        branch_ = {rows, use_.dropout, parameter(layer, names.dropout)};
        sum_ = {names.sum, layer};
        if (!norms.after) return;
        branch_.values = rows.to(torch::kFloat32);
        const torch::Tensor stream = plan.stream_factor != 1.0 ? x_ * plan.stream_factor : x_;
        x_ = normalized(*norms.after, stream, torch::kFloat32, layer, names.norm, names.post_norm).normed;
        branch_ = {};
    }

    /// Of a layer whose branches are parallel.
    void add_both(const torch::Tensor& attended, const torch::Tensor& fed, std::int64_t layer) {
        const auto dropped = [&](const torch::Tensor& rows, const BranchNames& names) {
            return use_.dropout(rows.to(torch::kFloat32), parameter(layer, names.dropout));
        };
        branch_ = {dropped(attended, attention_names) + dropped(fed, mlp_names)};
        sum_ = {mlp_names.sum, layer};
    }

    void observe(std::int64_t layer) const {
        if (use_.hook) use_.hook->observe_stream(layer, x_);
    }

 private:
    static std::string parameter(std::int64_t layer, const char* name) {
        return layer < 0 ? name : "layers." + std::to_string(layer) + "." + name;
    }

    // Also reports the sum of the stream and the pending branch, which the norm computes.
    NormalizedResidual normalized(const NormPart& norm, const torch::Tensor& stream, torch::ScalarType type,
                                  std::int64_t layer, const char* name, const char* stage) {
        NormalizedResidual result = forward(norm, stream, branch_, weights_, parameter(layer, name), type);
        const StageMarks marks{use_.stages, layer};
        marks.computed(stage, result.normed);
        if (use_.stages && branch_.values.defined()) {
            use_.stages->contained(sum_.id, sum_.layer, stage, layer);
            StageMarks{use_.stages, sum_.layer}.output(sum_.id, result.sum);
        }
        return result;
    }

    // Where no norm does it (OLMo 2).
    void add_branch() {
        if (!branch_.values.defined()) return;
        x_ = x_ + branch_.dropout(branch_.values.to(torch::kFloat32), branch_.place);
        StageMarks{use_.stages, sum_.layer}.computed(sum_.id, x_);
        branch_ = {};
    }

    struct Sum {
        const char* id = nullptr;
        std::int64_t layer = -1;
    };

    const Parameters& weights_;
    const DecoderUse& use_;
    torch::ScalarType product_type_;
    torch::Tensor x_;
    Branch branch_;  // not yet added
    Sum sum_;        // its stage
};

// Formula 67 for x: (runs, batch·time, C). Each run separately, for the reason of run_by_run.
torch::Tensor smeared(const Embedding& part, const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                      KeyValueCache* cache) {
    const torch::Tensor gates = weights.get("smear.gate");
    const torch::Tensor factors = weights.get("smear.factor");
    std::vector<torch::Tensor> runs;
    for (std::int64_t run = 0; run < x.size(0); ++run) {
        const torch::Tensor own = x[run].unflatten(0, {batch, -1});  // (batch, time, C)
        const std::int64_t time = own.size(1);
        const bool continues = cache && cache->tokens() > time;
        const torch::Tensor before =
            continues ? cache->embedding().view({1, 1, -1}) : torch::zeros_like(own.narrow(1, 0, 1));
        const torch::Tensor previous = torch::cat({before, own.narrow(1, 0, time - 1)}, 1);
        const torch::Tensor gate =
            factors[run] * torch::sigmoid(torch::matmul(own.narrow(2, 0, part.smear_channels), gates[run]));
        runs.push_back((own + gate.unsqueeze(2) * previous).flatten(0, 1));
    }
    if (cache) cache->store_embedding(x[0][x.size(1) - 1]);
    return torch::stack(runs);
}

// (runs, batch·time, C).
torch::Tensor embedded(const Embedding& part, const Parameters& weights, const torch::Tensor& tokens,
                       const PositionTerms& terms, const StageMarks& stages, KeyValueCache* cache) {
    const std::int64_t batch = tokens.size(1);
    const std::int64_t time = tokens.size(2);
    const Matrix table = weights.matrix("embedding.weight");
    torch::Tensor x = table.weight.defined() ? look_up(table.weight, tokens.flatten(1, 2))
                                             : table.numbers(tokens.flatten()).to(torch::kFloat32);
    stages.computed("embedding", x);
    if (part.factor != 1.0) x = x * part.factor;
    if (part.smear_channels > 0) {
        x = smeared(part, weights, x, batch, cache);
        stages.computed("smear", x);
    }
    const auto added = [&](const torch::Tensor& to, const torch::Tensor& rows) {  // rows: (runs or 1, 1, time, C)
        const torch::Tensor sum = (to.unflatten(1, {batch, time}) + rows).flatten(1, 2);
        stages.computed("positions", sum);
        return sum;
    };
    switch (part.positions) {
        case Embedding::Positions::none:
            break;
        case Embedding::Positions::learned: {
            const torch::Tensor learned = weights.get("positions.weight");
            const torch::Tensor rows = terms.positions.defined() ? learned.index_select(1, terms.positions)
                                                                 : learned.narrow(1, terms.first, time);
            return added(x, rows.unsqueeze(1));
        }
        case Embedding::Positions::sinusoidal:
            return added(x, terms.embeddings.unsqueeze(0).unsqueeze(0));
    }
    return x;
}

}  // namespace

torch::Tensor Decoder::logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                              Precision precision, const DecoderUse& use) const {
    const torch::Tensor result = head(weights, last_rows(weights, tokens, terms, precision, use), precision);
    StageMarks{use.stages, -1}.computed("head", result);
    return result;
}

torch::Tensor Decoder::last_rows(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                                 Precision precision, const DecoderUse& use) const {
    const EagerGuard eager_guard(plan_.is_eager);
    if (use.cache) use.cache->assign_slots(terms.positions_of(tokens.size(2), tokens.device()));
    const StageMarks outside{use.stages, -1};
    Stream stream(weights, precision, use);
    stream.begin(embedded(plan_.embedding, weights, tokens, terms, outside, use.cache));
    for (std::size_t index = 0; index < plan_.layers.size(); ++index) {
        const LayerPlan& plan = plan_.layers[index];
        const auto layer = static_cast<std::int64_t>(index);
        const LayerPass pass{.weights = weights,
                             .positions = terms,
                             .dropout = use.dropout,
                             .experts = use.experts,
                             .precision = precision,
                             .batch = tokens.size(1),
                             .use = {layer, use.cache, use.hook, {use.stages, layer}}};
        torch::Tensor x;  // parallel branches may share it
        const auto attend_layer = [&] {
            x = stream.input(plan.attention_norms.before, layer, attention_names.norm);
            stream.observe(layer);
            const torch::Tensor mixed =
                std::visit([&](const auto& part) { return forward(part, x, pass); }, plan.attention);
            return stream.output(pass.linear(mixed, "attention.output"), plan, plan.attention_norms, layer,
                                 attention_names);
        };
        const auto feed_forward = [&] {
            if (!plan.is_parallel || plan.feed_forward_norms.before)
                x = stream.input(plan.feed_forward_norms.before, layer, mlp_names.norm);
            const torch::Tensor fed =
                std::visit([&](const auto& part) { return forward(part, x, pass); }, plan.feed_forward);
            return stream.output(fed, plan, plan.feed_forward_norms, layer, mlp_names);
        };
        const torch::Tensor attended = attend_layer();
        if (plan.is_parallel) {
            stream.add_both(attended, feed_forward(), layer);
            continue;
        }
        stream.add(attended, plan, plan.attention_norms, layer, attention_names);
        stream.add(feed_forward(), plan, plan.feed_forward_norms, layer, mlp_names);
    }
    const torch::Tensor last = stream.input(plan_.head.norm, -1, "final_norm");
    stream.observe(std::ssize(plan_.layers));
    return last;
}

torch::Tensor Decoder::next_logits(const Parameters& weights, const torch::Tensor& rows, Precision precision) const {
    constexpr std::int64_t many = std::int64_t{1} << 20;
    const bool is_many = rows.size(1) * plan_.sizes.V.value_or(many) >= many;
    return head(weights, is_many ? rows.narrow(1, rows.size(1) - 1, 1) : rows, precision)[0][-1];
}

void Decoder::each_logits(const Parameters& weights, const torch::Tensor& last, Precision precision,
                          const std::function<void(std::int64_t, const torch::Tensor&)>& f) const {
    const std::int64_t most_logits = std::int64_t{1} << (last.is_cpu() ? 22 : 26);
    const std::int64_t vocabulary = weights.layout().at("embedding.weight").shape.front();
    const std::int64_t count = std::max<std::int64_t>(most_logits / vocabulary, 1);
    for (std::int64_t first = 0; first < last.size(1); first += count) {
        f(first, head(weights, last.slice(1, first, std::min(first + count, last.size(1))), precision));
    }
}

torch::Tensor Decoder::head(const Parameters& weights, const torch::Tensor& last, Precision precision) const {
    const EagerGuard eager_guard(plan_.is_eager);
    const Matrix rows = weights.matrix(plan_.head.is_tied ? "embedding.weight" : "head.weight");
    torch::Tensor logits = linear(last, rows, weights.get("head.bias"), precision);
    if (plan_.head.factor != 1.0) logits = logits * plan_.head.factor;
    if (plan_.head.soft_cap > 0) {
        logits = run_by_run(logits, [&](const torch::Tensor& run) { return capped(run, plan_.head.soft_cap); });
    }
    return logits;
}

}  // namespace ropelab
