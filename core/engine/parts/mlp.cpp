#include <stdexcept>

#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

torch::Tensor gelu_tanh(const torch::Tensor& x) {
    return torch::gelu(x, "tanh");
}

}  // namespace

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
        case FeedForward::gelu_tanh:
            return run_by_run(x, gelu_tanh);
        case FeedForward::geglu_tanh:
            return gated([](const torch::Tensor& gate) { return run_by_run(gate, gelu_tanh); });
        case FeedForward::swiglu:
            return swiglu_activation(x);
        case FeedForward::gelu:
            return gelu_activation(x);
        case FeedForward::automatic:
            break;
    }
    throw std::logic_error("An activation that is still automatic has no forward pass.");
}

torch::Tensor forward(const Mlp& part, const torch::Tensor& x, const LayerPass& pass) {
    torch::Tensor rows = pass.weights.linear(x, pass.name("mlp." + part.first_matrix()), pass.precision);
    pass.use.stages.computed("mlp.up", rows);
    rows = activated(part.activation.kind, rows);
    pass.use.stages.computed("mlp.activation", rows);
    return pass.linear(rows, "mlp.down");
}

}  // namespace ropelab
