#include "core/model/rotary.h"

#include <algorithm>
#include <map>

#include "core/rope/rotation.h"
#include "core/spec/selection.h"

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

// The table of one run, with `turns` false one that turns nothing.
RotationTable table_of(const RunSpec& run, bool turns, std::int64_t positions) {
    RotationTable table = canonical_table({.head_dim = run.head_dim(),
                                           .theta = run.theta,
                                           .fraction = turns ? run.fraction : 0.0,
                                           .partial = run.partial},
                                          static_cast<std::size_t>(positions));
    if (!turns) return table;
    const auto chosen = selection(run.pairs, run.head_dim() / 2, "pairs");
    for (std::size_t i = 0; i < table.cosine.size(); ++i) {
        if (chosen[i % table.pairs]) continue;
        table.cosine[i] = 1.0F;
        table.sine[i] = 0.0F;
    }
    return table;
}

RotaryTables tables_of(std::span<const RunSpec> runs, const std::vector<bool>& turns, std::int64_t positions,
                       torch::Device device) {
    if (std::find(turns.begin(), turns.end(), true) == turns.end()) return {};
    std::vector<torch::Tensor> cosines;
    std::vector<torch::Tensor> sines;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        RotationTable table = table_of(runs[run], turns[run], positions);
        const auto shape = {1L, positions, 1L, static_cast<std::int64_t>(table.pairs)};
        cosines.push_back(torch::from_blob(table.cosine.data(), shape, torch::kFloat32).clone());
        sines.push_back(torch::from_blob(table.sine.data(), shape, torch::kFloat32).clone());
    }
    return {torch::stack(cosines).to(device), torch::stack(sines).to(device)};
}

}  // namespace

RotaryTables RotaryTables::narrow(std::int64_t first, std::int64_t count) const {
    if (!defined()) return {};
    return {cosine.narrow(2, first, count), sine.narrow(2, first, count)};
}

std::int64_t LayerTables::positions() const {
    for (const RotaryTables& tables : layers) {
        if (tables.defined()) return tables.cosine.size(2);
    }
    return 0;
}

LayerTables LayerTables::narrow(std::int64_t first, std::int64_t count) const {
    LayerTables result;
    for (const RotaryTables& tables : layers) result.layers.push_back(tables.narrow(first, count));
    return result;
}

LayerTables layer_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device) {
    std::vector<std::vector<bool>> rotated;  // of each run, its layers
    for (const RunSpec& run : runs) {
        rotated.push_back(selection(run.rotated_layers, run.layers, "rotated_layers"));
        if (!run.rotates()) rotated.back().assign(rotated.back().size(), false);
    }
    std::map<std::vector<bool>, RotaryTables> made;  // by the runs that rotate
    LayerTables result;
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(runs.front().layers); ++layer) {
        std::vector<bool> turns;
        for (const auto& layers : rotated) turns.push_back(layers[layer]);
        const auto [found, fresh] = made.try_emplace(turns);
        if (fresh) found->second = tables_of(runs, turns, positions, device);
        result.layers.push_back(found->second);
    }
    return result;
}

torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables) {
    return Rotation::apply(x, tables.cosine, tables.sine);
}

}  // namespace ropelab
