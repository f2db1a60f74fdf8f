#include <stdexcept>
#include <vector>

#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

// γ·tanh(αx) + β; scale: (runs, 1). The gradient of α is summed separately for each run, row by row and then over the
// rows, so that its rounding does not depend on the other runs of the cohort.
torch::Tensor dynamic_tanh(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                           const torch::Tensor& scale) {
    const std::vector<torch::Tensor> rows = x.unbind(0);
    const std::vector<torch::Tensor> scales = scale.unbind(0);
    std::vector<torch::Tensor> results;
    for (std::size_t run = 0; run < rows.size(); ++run) {
        const torch::Tensor scale_of_rows = scales[run].expand({rows[run].size(0)}).unsqueeze(1);
        results.push_back(torch::tanh(rows[run] * scale_of_rows));
    }
    const torch::Tensor scaled = torch::stack(results) * weight.unsqueeze(1);
    return bias.defined() ? scaled + bias.unsqueeze(1) : scaled;
}

}  // namespace

NormalizedResidual forward(const NormPart& part, const torch::Tensor& x, const Branch& branch,
                           const Parameters& weights, const std::string& name, torch::ScalarType type) {
    const torch::Tensor weight = weights.get(name + ".weight");
    const torch::Tensor bias = weights.get(name + ".bias");
    const auto residual = [&](const torch::Tensor& factor) {
        return residual_norm(x, branch.values, factor, bias, branch.dropout, branch.place,
                             {part.kind == NormPart::Kind::layer, part.epsilon_used()}, type);
    };
    switch (part.kind) {
        case NormPart::Kind::layer:
        case NormPart::Kind::rms:
            return residual(weight);
        case NormPart::Kind::zero_centred_rms:
            return residual(weight + 1);
        case NormPart::Kind::dyt: {
            const torch::Tensor sum =
                branch.values.defined() ? x + branch.dropout(branch.values.to(torch::kFloat32), branch.place) : x;
            return {sum, dynamic_tanh(sum, weight, bias, weights.get(name + ".scale"))};
        }
        case NormPart::Kind::unknown:
            break;
    }
    throw std::logic_error("A norm of unknown kind has no forward pass.");
}

}  // namespace ropelab
