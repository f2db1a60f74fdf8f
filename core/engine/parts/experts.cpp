#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/random_stream.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

// Rows of x, (n, C), in another order; the gradient is a permutation too, so no sum depends on threads.
class PermutedRows : public torch::autograd::Function<PermutedRows> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& order, const torch::Tensor& inverse) {
        context->save_for_backward({inverse});
        return x.index_select(0, order);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        return {gradients[0].index_select(0, context->get_saved_variables()[0]), {}, {}};
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

    // (E, rows, columns) and (E, rows) of each run
    std::vector<torch::Tensor> weight, working, bias;
};

// Each has a leading dimension of 1.
struct RunExperts {
    RunExperts(const ExpertWeights& weights, std::size_t run) {
        const auto split = [run](const std::vector<torch::Tensor>& runs) {
            return runs.empty() ? std::vector<torch::Tensor>() : runs[run].unbind(0);
        };
        weight = split(weights.weight);
        working = split(weights.working);
        bias = split(weights.bias);
    }
    torch::Tensor operator()(const torch::Tensor& x, std::size_t expert, Precision precision) const {
        const auto one = [expert](const std::vector<torch::Tensor>& experts) {
            return experts.empty() ? torch::Tensor() : experts[expert].unsqueeze(0);
        };
        return linear(x, {one(weight), one(working), {}}, one(bias), precision);
    }
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
        // The places of the choices, expert by expert, followed by those that no expert processes.
        std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(routing.experts + 1));
        for (std::size_t place = 0; place < routing.expert.size(); ++place) {
            const auto group =
                routing.kept[place] ? static_cast<std::size_t>(routing.expert[place]) : places.size() - 1;
            places[group].push_back(static_cast<std::int64_t>(place));
        }
        std::vector<std::int64_t> order;
        std::vector<std::int64_t> sizes;
        for (const auto& group : places) {
            order.insert(order.end(), group.begin(), group.end());
            sizes.push_back(std::ssize(group));
        }
        std::vector<std::int64_t> inverse(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
        }
        const auto indices = [&](const std::vector<std::int64_t>& numbers) {
            return torch::tensor(c10::ArrayRef<std::int64_t>(numbers), torch::kInt64).to(x.device());
        };
        const torch::Tensor forwards = indices(order);
        const torch::Tensor backwards = indices(inverse);
        const torch::Tensor copies = x.unsqueeze(1).expand({-1, k_, -1}).reshape({-1, x.size(1)});
        const auto inputs = PermutedRows::apply(copies, forwards, backwards).split_with_sizes(sizes, 0);
        const RunExperts up(up_, run);
        const RunExperts down(down_, run);
        std::vector<torch::Tensor> outputs;
        std::vector<torch::Tensor> sums;    // observed: inputs of the activation
        std::vector<torch::Tensor> hidden;  // observed: outputs of the activation
        for (std::size_t expert = 0; expert + 1 < inputs.size(); ++expert) {
            if (sizes[expert] == 0) continue;
            torch::Tensor rows = up(inputs[expert].unsqueeze(0), expert, pass_.precision);
            stages_.computed("mlp.up");
            if (stages_.wants_outputs()) sums.push_back(rows.squeeze(0));
            rows = activated(part_.expert.activation.kind, rows);
            stages_.computed("mlp.activation");
            if (stages_.wants_outputs()) hidden.push_back(rows.squeeze(0));
            outputs.push_back(down(rows, expert, pass_.precision).squeeze(0));
            stages_.computed("mlp.down");
        }
        // By token and choice, (1, n, k·rows); without a capacity, every choice is processed.
        const auto output = [&](const char* stage, const std::vector<torch::Tensor>& rows) {
            if (!stages_.wants_outputs()) return;
            stages_.output(stage, torch::cat(rows, 0).index_select(0, backwards).view({1, x.size(0), -1}));
        };
        output("mlp.up", sums);
        output("mlp.activation", hidden);
        output("mlp.down", outputs);
        if (sizes.back() > 0) outputs.push_back(torch::zeros({sizes.back(), x.size(1)}, outputs.front().options()));
        const torch::Tensor all = PermutedRows::apply(torch::cat(outputs, 0), backwards, forwards);
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
