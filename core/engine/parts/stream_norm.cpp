#include "core/engine/parts/stream_norm.h"

#include <vector>

namespace ropelab {

namespace {

// Γ·tanh(αx) + β. The gradient of α is summed separately for each run, row by row and then over the rows, so that its
// rounding does not depend on the other runs of the cohort.
torch::Tensor dynamic_tanh(const torch::Tensor& x, const StreamNormWeights& weights) {
    const std::vector<torch::Tensor> rows = x.unbind(0);
    const std::vector<torch::Tensor> scales = weights.scale.unbind(0);
    std::vector<torch::Tensor> results;
    for (std::size_t run = 0; run < rows.size(); ++run) {
        const torch::Tensor scale_of_rows = scales[run].expand({rows[run].size(0)}).unsqueeze(1);
        results.push_back(torch::tanh(rows[run] * scale_of_rows));
    }
    const torch::Tensor scaled = torch::stack(results) * weights.weight.unsqueeze(1);
    return weights.bias.defined() ? scaled + weights.bias.unsqueeze(1) : scaled;
}

}  // namespace

NormalizedResidual stream_norm(NormKind kind, const torch::Tensor& x, const torch::Tensor& branch,
                               const StreamNormWeights& weights, const Dropout& dropout, const std::string& place,
                               torch::ScalarType type) {
    if (kind == NormKind::dyt) {
        const torch::Tensor sum = branch.defined() ? x + dropout(branch.to(torch::kFloat32), place) : x;
        return {sum, dynamic_tanh(sum, weights)};
    }
    const torch::Tensor weight = kind == NormKind::zero_centred_rms ? weights.weight + 1 : weights.weight;
    return residual_norm(x, branch, weight, weights.bias, dropout, place,
                         kind == NormKind::layer ? Norm::layer : Norm::rms, type);
}

}  // namespace ropelab
