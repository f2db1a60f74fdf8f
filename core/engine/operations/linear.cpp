#include "core/engine/operations/linear.h"

#include <optional>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"

namespace ropelab {

namespace {

class BatchedLinear : public torch::autograd::Function<BatchedLinear> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& weight, const std::optional<torch::Tensor>& working,
                                 bool rounded) {
        const auto type = rounded ? torch::kBFloat16 : torch::kFloat32;
        const torch::Tensor a = x.to(type);
        const torch::Tensor b = working.value_or(weight).to(type);
        context->save_for_backward({a, b});
        context->saved_data["copied"] = working.has_value() && working->requires_grad();
        context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
        return torch::bmm(a, b.transpose(1, 2)).to(x.scalar_type());
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& x = saved[0];
        const torch::Tensor& weight = saved[1];
        const torch::Tensor gradient = gradients[0].to(x.scalar_type());
        // One product per run: LibTorch splits its long sum among threads, which it does not for a batch of products. A
        // batched call would also make a run's bits depend on the cohort.
        const torch::Tensor weight_gradient = torch::empty(weight.sizes(), x.options());
        for (std::int64_t run = 0; run < x.size(0); ++run) {
            torch::Tensor out = weight_gradient.select(0, run);
            torch::mm_out(out, gradient.select(0, run).t(), x.select(0, run));
        }
        const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
        const torch::Tensor x_gradient = torch::bmm(gradient, weight).to(type);
        if (context->saved_data["copied"].toBool()) return {x_gradient, {}, weight_gradient, {}};
        return {x_gradient, weight_gradient.to(torch::kFloat32), {}, {}};
    }
};

}  // namespace

torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision) {
    const bool rounded = precision == Precision::bfloat16;
    const auto working = rounded && matrix.working.defined() ? std::optional(matrix.working) : std::nullopt;
    const torch::Tensor result = BatchedLinear::apply(x, matrix.weight, working, rounded);
    if (!bias.defined()) return result;
    const bool keeps_type = is_accelerated(x.device()) && !is_eager();
    return result + (keeps_type ? bias.to(result.scalar_type()) : bias).unsqueeze(1);
}

}  // namespace ropelab
