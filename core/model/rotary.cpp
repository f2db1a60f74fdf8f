#include "core/model/rotary.h"

#include "core/rope/rotation.h"

namespace ropelab {

namespace {

// (a, b) → (a·cos − b·sin, b·cos + a·sin) for the two halves a, b of the last dimension.
torch::Tensor turn(const torch::Tensor& x, const torch::Tensor& cosine, const torch::Tensor& sine, double direction) {
    const std::int64_t half = x.size(-1) / 2;
    const torch::Tensor a = x.narrow(-1, 0, half);
    const torch::Tensor b = x.narrow(-1, half, half);
    torch::Tensor result = torch::empty(x.sizes(), x.options());
    torch::Tensor first = result.narrow(-1, 0, half);
    torch::Tensor second = result.narrow(-1, half, half);
    torch::mul_out(first, a, cosine);
    first.addcmul_(b, sine, -direction);
    torch::mul_out(second, b, cosine);
    second.addcmul_(a, sine, direction);
    return result;
}

class Rotation : public torch::autograd::Function<Rotation> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& cosine, const torch::Tensor& sine) {
        context->save_for_backward({cosine, sine});
        return turn(x, cosine, sine, 1.0);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        return {turn(gradients[0], saved[0], saved[1], -1.0), {}, {}};
    }
};

}  // namespace

RotaryTables RotaryTables::narrow(std::int64_t first, std::int64_t count) const {
    if (!defined()) return {};
    return {cosine.narrow(2, first, count), sine.narrow(2, first, count)};
}

RotaryTables rotary_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device) {
    bool any = false;
    for (const RunSpec& run : runs) any = any || run.rotates();
    if (!any) return {};

    const std::int64_t pairs = runs.front().head_dim() / 2;
    std::vector<torch::Tensor> cosines;
    std::vector<torch::Tensor> sines;
    for (const RunSpec& run : runs) {
        RotationTable table = canonical_table({.head_dim = run.head_dim(),
                                               .theta = run.theta,
                                               .fraction = run.rotates() ? run.fraction : 0.0,
                                               .partial = run.partial},
                                              static_cast<std::size_t>(positions));
        const auto shape = {1L, positions, 1L, pairs};
        cosines.push_back(torch::from_blob(table.cosine.data(), shape, torch::kFloat32).clone());
        sines.push_back(torch::from_blob(table.sine.data(), shape, torch::kFloat32).clone());
    }
    return {torch::stack(cosines).to(device), torch::stack(sines).to(device)};
}

torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables) {
    return Rotation::apply(x, tables.cosine, tables.sine);
}

}  // namespace ropelab
