#include "core/engine/train/optimizer.h"

#include <cmath>
#include <numeric>

#include "core/engine/operations/own_passes.h"
#include "core/kernels/kernels.h"

namespace ropelab {

namespace {

constexpr std::int64_t part_size = 65536;

// `size` numbers of a run's row from `offset`.
struct Part {
    std::int64_t run;
    std::int64_t offset;
    std::int64_t size;
    double learning_rate;
    double decay;  // decoupled
    double l2;     // factor of the weights that are added to the gradient

    torch::Tensor slice_of(const torch::Tensor& rows) const { return rows.select(0, run).narrow(0, offset, size); }
};

double correction(double beta, std::int64_t iteration) {
    return 1.0 - std::pow(beta, static_cast<double>(iteration + 1));
}

torch::Tensor gradient_of(const Optimizer& rows, const Parameters& weights, double scale, const Part& part) {
    const torch::Tensor gradient = part.slice_of(rows.gradient).mul(scale);
    return part.l2 > 0 ? gradient.add(part.slice_of(weights.flat()), part.l2) : gradient;
}

void step_eagerly(const Optimizer& rows, const Parameters& weights, const RunSpec& spec, std::int64_t iteration,
                  double scale, const Part& part) {
    const torch::Tensor gradient = gradient_of(rows, weights, scale, part);
    torch::Tensor first = part.slice_of(rows.first_moment);
    torch::Tensor second = part.slice_of(rows.second_moment);
    first.mul_(spec.beta1).add_(gradient, 1.0 - spec.beta1);
    second.mul_(spec.beta2).addcmul_(gradient, gradient, 1.0 - spec.beta2);
    const torch::Tensor root = second.div(correction(spec.beta2, iteration)).sqrt().add(adamw_epsilon);
    part.slice_of(weights.flat())
        .mul_(1.0 - part.learning_rate * part.decay)
        .addcdiv_(first, root, -part.learning_rate / correction(spec.beta1, iteration));
}

// f(first, last, working copy or null) for begin … end − 1; with a copy each call stays within one matrix.
template <typename F>
void each_copied(const Parameters& weights, std::int64_t run, std::int64_t begin, std::int64_t end, F f) {
    const auto& parameters = weights.layout().parameters;
    for (std::size_t i = 0; i < parameters.size() && begin < end; ++i) {
        const torch::Tensor& copy = weights.working(i);
        const std::int64_t last = std::min(end, parameters[i].offset + parameters[i].size);
        if (!copy.defined() || last <= begin) continue;
        auto* numbers = reinterpret_cast<std::uint16_t*>(copy.data_ptr<at::BFloat16>());
        f(begin, last, numbers + run * parameters[i].size + begin - parameters[i].offset);
        begin = last;
    }
    if (begin < end) f(begin, end, nullptr);
}

void step_on_cpu(const Optimizer& rows, const Parameters& weights, const RunSpec& spec, std::int64_t iteration,
                 double scale, const Part& part) {
    ROPELAB_OWN_PASS("adamw");
    const kernels::AdamW settings{.rate = part.learning_rate,
                                  .beta1 = spec.beta1,
                                  .beta2 = spec.beta2,
                                  .epsilon = adamw_epsilon,
                                  .decay = part.decay,
                                  .correction1 = correction(spec.beta1, iteration),
                                  .correction2 = correction(spec.beta2, iteration)};
    auto* weight = part.slice_of(weights.flat()).data_ptr<float>();
    const auto* gradient = part.slice_of(rows.gradient).data_ptr<float>();
    auto* first_moment = part.slice_of(rows.first_moment).data_ptr<float>();
    auto* second_moment = part.slice_of(rows.second_moment).data_ptr<float>();
    at::parallel_for(0, part.size, part_size, [&](std::int64_t begin, std::int64_t end) {
        each_copied(weights, part.run, part.offset + begin, part.offset + end,
                    [&](std::int64_t first, std::int64_t last, std::uint16_t* working) {
                        const std::int64_t at = first - part.offset;
                        kernels::adamw(weight + at, gradient + at, first_moment + at, second_moment + at, last - first,
                                       static_cast<float>(scale), settings, working);
                    });
    });
}

// As in PyTorch, without dampening.
void step_with_momentum(const Optimizer& rows, const Parameters& weights, const RunSpec& spec,
                        std::int64_t /*iteration*/, double scale, const Part& part) {
    torch::Tensor momentum = part.slice_of(rows.first_moment);
    momentum.mul_(spec.momentum).add_(gradient_of(rows, weights, scale, part));
    part.slice_of(weights.flat()).mul_(1.0 - part.learning_rate * part.decay).add_(momentum, -part.learning_rate);
}

// About U·Vᵀ of the decomposition U·S·Vᵀ, by five Newton–Schulz iterations (Jordan et al. 2024) in float32.
torch::Tensor orthogonalized(const torch::Tensor& matrices) {
    constexpr double a = 3.4445;
    constexpr double b = -4.7750;
    constexpr double c = 2.0315;
    const bool tall = matrices.size(-2) > matrices.size(-1);
    torch::Tensor x = tall ? matrices.transpose(-2, -1) : matrices;
    x = x / (x.square().sum({-2, -1}, true).sqrt() + 1e-7);
    for (int i = 0; i < 5; ++i) {
        const torch::Tensor squared = torch::matmul(x, x.transpose(-2, -1));
        x = a * x + torch::matmul(b * squared + c * torch::matmul(squared, squared), x);
    }
    return tall ? x.transpose(-2, -1) : x;
}

// Nesterov momentum; AdamW's root mean square, 0.2 (Liu et al. 2025), so that both have one learning rate.
void step_with_muon(const Optimizer& rows, const Parameters& weights, const RunSpec& spec, double scale,
                    const Part& part, const std::vector<std::int64_t>& shape) {
    const torch::Tensor gradient = gradient_of(rows, weights, scale, part);
    torch::Tensor momentum = part.slice_of(rows.first_moment);
    momentum.lerp_(gradient, 1.0 - spec.momentum);
    const torch::Tensor update = orthogonalized(gradient.lerp(momentum, spec.momentum).view(shape));
    const auto longest = static_cast<double>(std::max(update.size(-2), update.size(-1)));
    part.slice_of(weights.flat())
        .mul_(1.0 - part.learning_rate * part.decay)
        .add_(update.reshape({-1}), -part.learning_rate * 0.2 * std::sqrt(longest));
}

}  // namespace

void Optimizer::backward(const Parameters& weights, const torch::Tensor& loss, bool accumulates) const {
    const std::vector<Parameter>& parameters = weights.layout().parameters;
    // A working copy that products use is a leaf in addition to its matrix; either or both have a gradient.
    std::vector<torch::Tensor> leaves = weights.leaves();
    std::vector<std::size_t> parameter_of(leaves.size());
    std::iota(parameter_of.begin(), parameter_of.end(), 0);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!weights.working(i).defined() || !weights.working(i).requires_grad()) continue;
        leaves.push_back(weights.working(i));
        parameter_of.push_back(i);
    }
    const auto gradients = torch::autograd::grad({loss}, leaves, {}, {}, false, true);
    std::vector<bool> filled(parameters.size(), accumulates);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (!gradients[leaf].defined()) continue;
        const Parameter& parameter = parameters[parameter_of[leaf]];
        torch::Tensor place = gradient.narrow(1, parameter.offset, parameter.size).view(leaves[leaf].sizes());
        filled[parameter_of[leaf]] ? place.add_(gradients[leaf]) : place.copy_(gradients[leaf]);
        filled[parameter_of[leaf]] = true;
    }
}

torch::Tensor Optimizer::gradient_norms() const {
    std::vector<torch::Tensor> norms;
    for (const torch::Tensor& row : gradient.unbind(0)) norms.push_back(row.norm());
    return torch::stack(norms);
}

double Optimizer::gradient_norm(const RunSpec& spec, std::int64_t run) const {
    const torch::Tensor row = gradient.select(0, run);
    if (spec.operations == Operations::eager) return row.norm().item<double>();
    ROPELAB_OWN_PASS("gradient_norm");
    const std::int64_t parts = (row.numel() + part_size - 1) / part_size;
    std::vector<double> squares(static_cast<std::size_t>(parts));
    const auto* numbers = row.data_ptr<float>();
    at::parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t part = first; part < last; ++part) {
            const std::int64_t begin = part * part_size;
            squares[static_cast<std::size_t>(part)] =
                kernels::sum_of_squares(numbers + begin, std::min(part_size, row.numel() - begin));
        }
    });
    return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

void Optimizer::step(const Parameters& weights, const RunSpec& spec, std::int64_t run, std::int64_t iteration,
                     double learning_rate, double scale) const {
    const torch::NoGradGuard no_gradients;
    const Layout& layout = weights.layout();
    const bool eager = spec.operations == Operations::eager;
    const bool muon = spec.optimizer == OptimizerKind::muon;
    const bool adds_decay = spec.weight_decay_kind == WeightDecayKind::l2;
    const auto part_of = [&](std::int64_t offset, std::int64_t size, double its_learning_rate, bool decays) {
        const double decay = decays ? spec.weight_decay : 0.0;
        return Part{run, offset, size, its_learning_rate, adds_decay ? 0.0 : decay, adds_decay ? decay : 0.0};
    };
    const auto update = [&](std::int64_t offset, std::int64_t size, double its_learning_rate, bool decays) {
        const Part part = part_of(offset, size, its_learning_rate, decays);
        const auto step_part = spec.optimizer == OptimizerKind::sgd         ? step_with_momentum
                               : eager || part.l2 > 0 || !gradient.is_cpu() ? step_eagerly
                                                                            : step_on_cpu;
        step_part(*this, weights, spec, iteration, scale, part);
    };
    const std::int64_t thetas = layout.matrices + layout.vectors;
    if (eager || muon) {  // tensor by tensor, as plain programs do
        for (const Parameter& parameter : layout.parameters) {
            if (parameter.offset >= thetas) break;
            const bool decays = parameter.offset < layout.matrices;
            if (muon && trains_with_muon(layout, parameter)) {
                step_with_muon(*this, weights, spec, scale,
                               part_of(parameter.offset, parameter.size, learning_rate, decays), parameter.shape);
            } else {
                update(parameter.offset, parameter.size, learning_rate, decays);
            }
        }
    } else {
        update(0, layout.matrices, learning_rate, true);
        update(layout.matrices, layout.vectors, learning_rate, false);
    }
    if (spec.theta_training == ThetaTraining::fixed) return;
    const bool has_own_rate = spec.theta_learning_rate > 0 && spec.learning_rate > 0;
    update(thetas, layout.total - thetas,
           has_own_rate ? learning_rate * spec.theta_learning_rate / spec.learning_rate : learning_rate, false);
}

}  // namespace ropelab
