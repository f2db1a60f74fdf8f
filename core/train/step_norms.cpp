#include "core/train/step_norms.h"

#include <cmath>
#include <string>
#include <vector>

namespace ropelab {

namespace {

constexpr std::int64_t branches = 2;  // attention and MLP

// Returns the index of the branch that a parameter belongs to, layer · branches + branch; −1 for parameters outside the
// layers.
std::int64_t branch_of(const std::string& name) {
    const std::string prefix = "layers.";
    if (!name.starts_with(prefix)) return -1;
    const std::size_t dot = name.find('.', prefix.size());
    const std::int64_t layer = std::stoll(name.substr(prefix.size(), dot - prefix.size()));
    return layer * branches + (name.compare(dot + 1, 9, "attention") == 0 ? 0 : 1);
}

// Sums of squares, one per branch of each layer.
using Squares = std::vector<double>;

double sum_of_squares(const torch::Tensor& numbers) {
    return numbers.to(torch::kFloat64).square().sum().item<double>();
}

ProbeArray to_rows(const Squares& squares, const Squares* divisors) {
    ProbeArray result{{std::ssize(squares) / branches, branches}, {}};
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
    const auto count = static_cast<std::size_t>(layers * branches);
    Squares gradients(count), weights(count), updates(count), starts(count), changes(count);
    const auto on_host = [](const torch::Tensor& row) { return row.detach().to(torch::kCPU); };
    const torch::Tensor rows[] = {on_host(gradient), on_host(before), on_host(after), on_host(initial)};
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
    return {to_rows(gradients, nullptr), to_rows(updates, &weights), to_rows(changes, &starts)};
}

}  // namespace ropelab
