#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/base/random_stream.h"
#include "core/engine/operations/own_passes.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The rows in which experts process the choices of tokens, expert by expert.
struct ExpertRows : torch::CustomClassHolder {
    // Shapes of products in bfloat16 repeat, because oneDNN generates code for each new one.
    ExpertRows(const Routing& routing, bool pads, torch::Device device) : k(routing.per_token) {
        std::vector<std::int64_t> choices;
        std::vector<std::int64_t> places(routing.expert.size());
        for (std::int64_t expert = 0; expert < routing.experts; ++expert) {
            begin.push_back(std::ssize(choices));
            for (std::size_t place = 0; place < places.size(); ++place) {
                if (!routing.kept[place] || routing.expert[place] != expert) continue;
                places[place] = std::ssize(choices);
                choices.push_back(static_cast<std::int64_t>(place));
            }
            end.push_back(std::ssize(choices));
            if (pads) choices.resize(choices.size() + static_cast<std::size_t>(missing(end.back() - begin.back())));
        }
        begin.push_back(std::ssize(choices));
        // One more row, of zeros, for the choices that no expert processes.
        if (std::count(routing.kept.begin(), routing.kept.end(), 0) > 0) choices.push_back(0);
        for (std::size_t place = 0; place < places.size(); ++place) {
            if (!routing.kept[place]) places[place] = std::ssize(choices) - 1;
        }
        const auto indices = [&](const std::vector<std::int64_t>& numbers) {
            return torch::tensor(c10::ArrayRef<std::int64_t>(numbers), torch::kInt64).to(device);
        };
        order = indices(choices);
        inverse = indices(places);
    }
    static std::int64_t missing(std::int64_t count) {
        constexpr std::int64_t step = 64;
        if (count >= step) return (step - count % step) % step;
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count))) - (count > 0 ? count : 1);
    }
    std::int64_t experts() const { return std::ssize(end); }
    torch::Tensor of(const torch::Tensor& rows, std::int64_t expert) const {
        const auto i = static_cast<std::size_t>(expert);
        return rows.slice(0, begin[i], begin[i + 1]);
    }
    // Sets those without a choice to 0.
    torch::Tensor cleared(torch::Tensor rows) const {
        for (std::size_t i = 0; i < end.size(); ++i) {
            const std::int64_t next = i + 1 < end.size() ? begin[i + 1] : rows.size(0);
            if (end[i] < next) rows.slice(0, end[i], next).zero_();
        }
        return rows;
    }

    std::int64_t k;                        // choices per token
    std::vector<std::int64_t> begin, end;  // of each expert's rows; those from `end` to the next `begin` are zeros
    torch::Tensor order;                   // the choice, token·k + choice, of each row
    torch::Tensor inverse;                 // the row of each choice
};
using ExpertRowsOf = c10::intrusive_ptr<ExpertRows>;

// Vectors of tokens, (n, C), to the rows of experts, or these to the choices, (n·k, C). Each gradient is gathered, so
// that no sum depends on threads.
class GatheredRows : public torch::autograd::Function<GatheredRows> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const ExpertRowsOf& rows,
                                 bool of_tokens) {
        context->saved_data["rows"] = torch::IValue::make_capsule(rows);
        context->saved_data["of_tokens"] = of_tokens;
        if (!of_tokens) return x.index_select(0, rows->inverse);
        return rows->cleared(x.index_select(0, rows->order.floor_divide(rows->k)));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto capsule = context->saved_data["rows"].toCapsule();
        const auto* rows = static_cast<ExpertRows*>(capsule.get());
        if (!context->saved_data["of_tokens"].toBool())
            return {rows->cleared(gradients[0].index_select(0, rows->order)), {}, {}};
        const torch::Tensor of_choices = gradients[0].index_select(0, rows->inverse);
        return {of_choices.view({-1, rows->k, of_choices.size(1)}).sum(1), {}, {}};
    }
};

// f(0) … f(count − 1), on the CPU each by one thread, whichever is free, as LibTorch's products by one thread.
template <typename F>
void in_turns(const torch::Tensor& x, std::int64_t count, F f) {
    if (!has_own_passes(x)) {
        for (std::int64_t i = 0; i < count; ++i) f(i);
        return;
    }
    ROPELAB_OWN_PASS("experts");
    std::atomic<std::int64_t> next = 0;
    at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
        const at::AutoDispatchBelowADInplaceOrView guard;
        for (std::int64_t i = next++; i < count; i = next++) f(i);
    });
}

// The rows of each expert times its matrix. The numbers of rows differ in each step, so that comparing ways of
// multiplying them (products.h) would not end. x: (rows, in), weight: (experts, out, in), bias: (experts, out)
// → (rows, out), as linear().
class ExpertProducts : public torch::autograd::Function<ExpertProducts> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                                 const std::optional<torch::Tensor>& working, const std::optional<torch::Tensor>& bias,
                                 bool rounded, const ExpertRowsOf& rows) {
        const auto type = rounded ? torch::kBFloat16 : torch::kFloat32;
        const torch::Tensor a = x.to(type);
        const torch::Tensor b = working.value_or(weight).to(type);
        context->save_for_backward({a, b});
        context->saved_data["rows"] = torch::IValue::make_capsule(rows);
        context->saved_data["copied"] = working && working->requires_grad();
        context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
        const torch::Tensor products = torch::empty({x.size(0), b.size(1)}, a.options());
        in_turns(x, rows->experts(),
                 [&](std::int64_t expert) { multiply(*rows, expert, a, b.transpose(1, 2), products); });
        products.slice(0, rows->begin.back()).zero_();
        context->saved_data["bias"] = bias.has_value();
        if (!bias) return products.to(x.scalar_type());
        const bool keeps_type = is_accelerated(x.device()) && !is_eager();
        torch::Tensor sums = products.to(keeps_type ? x.scalar_type() : bias->scalar_type());
        in_turns(x, rows->experts(), [&](std::int64_t expert) {
            rows->of(sums, expert).add_(bias->select(0, expert).to(sums.scalar_type()));
        });
        return sums;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["rows"].toCapsule();
        const auto* rows = static_cast<ExpertRows*>(capsule.get());
        const torch::Tensor gradient = gradients[0].to(saved[0].scalar_type());
        const torch::Tensor x_gradient = torch::empty_like(saved[0]);
        x_gradient.slice(0, rows->begin.back()).zero_();
        const torch::Tensor weight_gradient = torch::empty_like(saved[1]);
        const bool biased = context->saved_data["bias"].toBool();
        const torch::Tensor bias_gradient =
            biased ? torch::empty({saved[1].size(0), saved[1].size(1)}, torch::kFloat32).to(gradient.device())
                   : torch::Tensor();
        in_turns(gradient, 2 * rows->experts(), [&](std::int64_t turn) {
            const std::int64_t expert = turn / 2;
            if (turn % 2 == 0) return multiply(*rows, expert, gradient, saved[1], x_gradient);
            torch::Tensor out = weight_gradient.select(0, expert);
            torch::mm_out(out, rows->of(gradient, expert).t(), rows->of(saved[0], expert));
            if (biased) bias_gradient.select(0, expert).copy_(rows->of(gradients[0], expert).sum(0));
        });
        const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
        const bool copied = context->saved_data["copied"].toBool();
        return {x_gradient.to(type),
                copied ? torch::Tensor() : weight_gradient.to(torch::kFloat32),
                copied ? weight_gradient : torch::Tensor(),
                bias_gradient,
                {},
                {}};
    }

 private:
    static void multiply(const ExpertRows& rows, std::int64_t expert, const torch::Tensor& x,
                         const torch::Tensor& matrices, const torch::Tensor& result) {
        torch::Tensor out = rows.of(result, expert).unsqueeze(0);
        if (out.numel() > 0) torch::bmm_out(out, rows.of(x, expert).unsqueeze(0), matrices.narrow(0, expert, 1));
    }
};

// By run. Splitting them once costs one gradient tensor, a slice per use one each.
struct ExpertWeights {
    ExpertWeights(const Parameters& weights, const std::string& name)
        : weight(by_run(weights.matrix(name + ".weight").weight)),
          working(by_run(weights.matrix(name + ".weight").working)),
          bias(by_run(weights.get(name + ".bias"))) {}

    // Along the first dimension; empty for an undefined tensor.
    static std::vector<torch::Tensor> by_run(const torch::Tensor& tensor) {
        return tensor.defined() ? tensor.unbind(0) : std::vector<torch::Tensor>();
    }
    // (rows, in) → (rows, out)
    torch::Tensor operator()(const torch::Tensor& x, std::size_t run, const ExpertRowsOf& rows,
                             Precision precision) const {
        const bool rounded = precision == Precision::bfloat16;
        const auto of_run = [run](const std::vector<torch::Tensor>& runs) {
            return runs.empty() ? std::nullopt : std::optional(runs[run]);
        };
        const auto copy = rounded ? of_run(working) : std::nullopt;
        return ExpertProducts::apply(x, weight.empty() ? working[run] : weight[run], copy, of_run(bias), rounded, rows);
    }

    // (E, rows, columns) and (E, rows) of each run
    std::vector<torch::Tensor> weight, working, bias;
};

// Runs are computed one after another.
class Mixture {
 public:
    Mixture(const Experts& part, const LayerPass& pass)
        : part_(part),
          pass_(pass),
          stages_(pass.use.stages),
          name_(pass.name("mlp")),
          E_(part.E.value()),
          k_(part.k.value()),
          router_(pass.weights, name_ + ".router"),
          noise_(pass.weights, name_ + ".router_noise"),
          up_(pass.weights, name_ + ".experts." + part.expert.first_matrix()),
          down_(pass.weights, name_ + ".experts.down") {}

    // One run, (1, n, C). Adds routing to `entry` and, if they are recorded, the load-balancing loss to `balances`.
    torch::Tensor operator()(const torch::Tensor& x, std::size_t run, ExpertLayer& entry,
                             std::vector<torch::Tensor>& balances) const {
        const torch::Tensor logits = router_logits(x.to(torch::kFloat32), run);  // (n, E)
        stages_.computed("mlp.router");
        if (stages_.wants_outputs()) stages_.output("mlp.router", logits.unsqueeze(0));
        Routing routing = routed(logits, run);
        const torch::Tensor probabilities = torch::softmax(logits, 1);
        if (pass_.experts) balances.push_back(balance(probabilities, routing));
        const torch::Tensor chosen = gates(logits, probabilities, routing);
        stages_.computed("mlp.gates");
        if (stages_.wants_outputs()) stages_.output("mlp.gates", chosen.unsqueeze(0));
        const torch::Tensor output = combined(x.squeeze(0), run, routing, chosen);
        stages_.computed("mlp.mixture");
        if (stages_.wants_outputs()) stages_.output("mlp.mixture", output.unsqueeze(0));
        entry.routing.push_back(std::move(routing));
        return output.unsqueeze(0);
    }

 private:
    bool trains() const { return !pass_.dropout.seeds().empty(); }

    // Formula 49: x·W, in training with noise of a learned deviation.
    torch::Tensor router_logits(const torch::Tensor& x, std::size_t run) const {
        const auto product = [&](const ExpertWeights& router) {
            return linear(x, {router.weight[run].unsqueeze(0), {}, {}}, {}, Precision::float32).squeeze(0);
        };
        const torch::Tensor logits = product(router_);
        if (!trains() || !part_.has_noise) return logits;
        const torch::Tensor normal = torch::empty(logits.sizes(), torch::kFloat32);
        const std::string stream = "router_noise:" + name_ + ":" + std::to_string(pass_.dropout.step());
        RandomStream(pass_.dropout.seeds()[run], stream)
            .fill_normal({normal.data_ptr<float>(), static_cast<std::size_t>(normal.numel())}, 1.0);
        return logits + normal.to(logits.device()) * torch::softplus(product(noise_));
    }

    Routing routed(const torch::Tensor& logits, std::size_t run) const {
        const torch::Tensor host = logits.detach().to(torch::kCPU).contiguous();
        const std::span<const float> numbers(host.data_ptr<float>(), static_cast<std::size_t>(host.numel()));
        const std::int64_t tokens = host.size(0);
        if (!trains()) return route(numbers, E_, k_);
        std::vector<double> second;
        if (part_.second == SecondExpert::random) {
            const RandomStream stream(pass_.dropout.seeds()[run], "second_expert:" + name_);
            for (std::int64_t token = 0; token < tokens; ++token) {
                second.push_back(stream.uniform(static_cast<std::uint64_t>(pass_.dropout.step()),
                                                static_cast<std::uint64_t>(token)));
            }
        }
        const std::int64_t capacity = expert_capacity_of(part_.capacity, tokens, E_, k_);
        return route(numbers, E_, k_, {capacity, second});
    }

    // Formula 50: E·Σ f_i·p_i, with the shares f of the choices and the mean probabilities p.
    torch::Tensor balance(const torch::Tensor& probabilities, const Routing& routing) const {
        std::vector<float> shares;
        for (const std::int64_t count : routing.counts) {
            shares.push_back(static_cast<float>(static_cast<double>(count) / static_cast<double>(routing.choices())));
        }
        const torch::Tensor f = torch::tensor(c10::ArrayRef<float>(shares)).to(probabilities.device());
        return (f * probabilities.mean(0)).sum() * static_cast<double>(E_);
    }

    // Weights of the chosen experts, (n, k); 0 for a choice that is not processed.
    torch::Tensor gates(const torch::Tensor& logits, const torch::Tensor& probabilities, const Routing& routing) const {
        const torch::Tensor expert = torch::tensor(c10::ArrayRef<std::int64_t>(routing.expert), torch::kInt64)
                                         .view({-1, k_})
                                         .to(logits.device());
        std::vector<float> kept(routing.kept.begin(), routing.kept.end());
        const torch::Tensor mask = torch::tensor(c10::ArrayRef<float>(kept)).view({-1, k_}).to(logits.device());
        if (k_ == 1) return probabilities.gather(1, expert) * mask;
        const torch::Tensor chosen =
            logits.gather(1, expert.clamp_min(0)).masked_fill(expert.lt(0), -std::numeric_limits<double>::infinity());
        return torch::softmax(chosen, 1) * mask;
    }

    // (n, C), weighted by the gates, (n, k).
    torch::Tensor combined(const torch::Tensor& x, std::size_t run, const Routing& routing,
                           const torch::Tensor& gates) const {
        const bool pads = has_own_passes(x) && pass_.precision == Precision::bfloat16;
        const auto rows = c10::make_intrusive<ExpertRows>(routing, pads, x.device());
        // By token and choice, (1, n, k·rows).
        const auto output = [&](const char* stage, const torch::Tensor& numbers) {
            stages_.computed(stage);
            if (!stages_.wants_outputs()) return;
            stages_.output(stage, numbers.index_select(0, rows->inverse).view({1, x.size(0), -1}));
        };
        torch::Tensor numbers = up_(GatheredRows::apply(x, rows, true), run, rows, pass_.precision);
        output("mlp.up", numbers);
        numbers = activated(part_.expert.activation.kind, numbers.unsqueeze(0)).squeeze(0);
        output("mlp.activation", numbers);
        numbers = down_(numbers, run, rows, pass_.precision);
        output("mlp.down", numbers);
        const torch::Tensor all = GatheredRows::apply(numbers, rows, false);
        return (all.view({-1, k_, x.size(1)}) * gates.unsqueeze(2).to(all.scalar_type())).sum(1);
    }

    const Experts& part_;
    const LayerPass& pass_;
    const StageMarks& stages_;
    std::string name_;
    std::int64_t E_;  // experts
    std::int64_t k_;  // experts per token
    ExpertWeights router_, noise_, up_, down_;
};

}  // namespace

torch::Tensor forward(const Experts& part, const torch::Tensor& x, const LayerPass& pass) {
    const Mixture mixture(part, pass);
    ExpertLayer entry{pass.use.layer, {}, {}};
    std::vector<torch::Tensor> outputs;
    std::vector<torch::Tensor> balances;
    for (std::int64_t run = 0; run < x.size(0); ++run) {
        outputs.push_back(mixture(x.narrow(0, run, 1), static_cast<std::size_t>(run), entry, balances));
    }
    if (pass.experts) {
        entry.balance = torch::stack(balances);
        pass.experts->layers.push_back(std::move(entry));
    }
    return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 0);
}

}  // namespace ropelab
