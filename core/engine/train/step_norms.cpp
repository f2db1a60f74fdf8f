#include "core/engine/train/step_norms.h"

#include <cmath>
#include <string>
#include <vector>

namespace ropelab {

namespace {

constexpr std::int64_t branch_count = 2;  // attention and MLP

// layer · branch_count + branch; −1 for parameters outside the layers.
std::int64_t branch_of(const std::string& name) {
    const std::string prefix = "layers.";
    if (!name.starts_with(prefix)) return -1;
    const std::size_t dot = name.find('.', prefix.size());
    const std::int64_t layer = std::stoll(name.substr(prefix.size(), dot - prefix.size()));
    return layer * branch_count + (name.compare(dot + 1, 9, "attention") == 0 ? 0 : 1);
}

using BranchSquares = std::vector<double>;

double sum_of_squares(const torch::Tensor& numbers) {
    return numbers.to(torch::kFloat64).square().sum().item<double>();
}

ProbeArray by_layer(const BranchSquares& squares, const BranchSquares* divisors) {
    ProbeArray result{{std::ssize(squares) / branch_count, branch_count}, {}};
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const double divisor = divisors ? (*divisors)[i] : 1.0;
        result.values.push_back(divisor > 0 ? static_cast<float>(std::sqrt(squares[i] / divisor)) : 0.0F);
    }
    return result;
}

}  // namespace

StepNorms step_norms(const Layout& layout, std::int64_t layers, const torch::Tensor& gradient,
                     const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& initial) {
    const torch::NoGradGuard no_gradients;
    const auto count = static_cast<std::size_t>(layers * branch_count);
    BranchSquares gradients(count), weights(count), updates(count), starts(count), changes(count);
    const auto host_row = [](const torch::Tensor& row) { return row.detach().to(torch::kCPU); };
    const torch::Tensor rows[] = {host_row(gradient), host_row(before), host_row(after), host_row(initial)};
    for (const Parameter& parameter : layout.parameters) {
        const std::int64_t branch = branch_of(parameter.name);
        if (branch < 0) continue;
        const auto part = [&](int row) {
            return rows[row].narrow(0, parameter.offset, parameter.size).to(torch::kFloat64);
        };
        const auto index = static_cast<std::size_t>(branch);
        const torch::Tensor old = part(1);
        const torch::Tensor now = part(2);
        const torch::Tensor first = part(3);
        gradients[index] += sum_of_squares(part(0));
        weights[index] += sum_of_squares(old);
        updates[index] += sum_of_squares(now - old);
        starts[index] += sum_of_squares(first);
        changes[index] += sum_of_squares(now - first);
    }
    return {by_layer(gradients, nullptr), by_layer(updates, &weights), by_layer(changes, &starts)};
}

}  // namespace ropelab
