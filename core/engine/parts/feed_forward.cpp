#include "core/engine/parts/feed_forward.h"

#include "core/engine/operations/fused.h"
#include "core/engine/operations/linear.h"
#include "core/engine/operations/run_by_run.h"

namespace ropelab {

torch::Tensor activated(FeedForward kind, const torch::Tensor& x) {
    const auto gated = [&](const auto& activation) {
        const auto parts = x.chunk(2, 2);
        return activation(parts[0]) * parts[1];
    };
    switch (kind) {
        case FeedForward::relu:
            return torch::relu(x);
        case FeedForward::relu2: {
            const torch::Tensor positive = torch::relu(x);
            return positive * positive;
        }
        case FeedForward::swish:
            return run_by_run(x, [](const torch::Tensor& run) { return torch::silu(run); });
        case FeedForward::mish:  // Misra 2019
            return run_by_run(x, [](const torch::Tensor& run) { return torch::mish(run); });
        case FeedForward::glu:
            return run_by_run(x, [](const torch::Tensor& run) {
                const auto parts = run.chunk(2, 2);
                return torch::sigmoid(parts[0]) * parts[1];
            });
        case FeedForward::bilinear:
            return gated([](const torch::Tensor& gate) { return gate; });
        case FeedForward::reglu:
            return gated([](const torch::Tensor& gate) { return torch::relu(gate); });
        case FeedForward::geglu:
            return gated([](const torch::Tensor& gate) { return gelu_activation(gate.contiguous()); });
        case FeedForward::swiglu:
            return swiglu_activation(x);
        case FeedForward::automatic:
        case FeedForward::gelu:
            break;
    }
    return gelu_activation(x);
}

torch::Tensor feed_forward(const RunSpec& spec, const Parameters& weights, const torch::Tensor& x, std::int64_t layer,
                           Precision precision, const Dropout& dropout, ExpertRecord* record,
                           const StageMarks& stages) {
    if (spec.has_experts(layer)) return mixed_experts(spec, weights, x, layer, precision, dropout, record, stages);
    const std::string up = up_name(spec, layer);
    const std::string down = down_name(spec, layer);
    torch::Tensor rows = linear(x, weights.matrix(up + ".weight"), weights.get(up + ".bias"), precision);
    stages.computed("mlp.up", rows);
    rows = activated(spec.feed_forward_kind(), rows);
    stages.computed("mlp.activation", rows);
    const torch::Tensor output = linear(rows, weights.matrix(down + ".weight"), weights.get(down + ".bias"), precision);
    stages.computed("mlp.down", output);
    return output;
}

}  // namespace ropelab
