#include "core/model/rotary.h"

#include <algorithm>
#include <map>

#include "core/rope/rotation.h"
#include "core/spec/error.h"
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
RotationTable table_of(const RunSpec& run, bool turns, std::int64_t positions, const TableChanges& changes) {
    const FrequencySettings settings{.head_dim = run.head_dim(),
                                     .theta = run.theta,
                                     .fraction = turns ? run.fraction : 0.0,
                                     .partial = run.partial,
                                     .scaling = changes.scaling,
                                     .context = static_cast<double>(run.context),
                                     .length = static_cast<double>(positions)};
    RotationTable table = canonical_table(settings, static_cast<std::size_t>(positions));
    if (!turns) return table;
    auto chosen = selection(run.pairs, run.head_dim() / 2, "pairs");
    // Channels outside the rotary dimension pass unchanged, an attention factor included.
    std::fill(chosen.begin() + std::ssize(frequencies(settings).inverse_frequencies), chosen.end(), false);
    for (const std::int64_t pair : changes.stopped_pairs) chosen.at(static_cast<std::size_t>(pair)) = false;
    for (std::size_t i = 0; i < table.cosine.size(); ++i) {
        if (chosen[i % table.pairs]) continue;
        table.cosine[i] = 1.0F;
        table.sine[i] = 0.0F;
    }
    return table;
}

// A run's frequencies before they were moved, one a pair (0: it does not turn), and what a shift of log theta by 1 adds
// to the logarithm of each: −2i/d_r for slice, −2i/d for truncate, and 1 where every frequency moves by itself.
struct Movable {
    std::vector<double> frequencies;
    std::vector<double> slopes;
};
Movable movable_of(const RunSpec& run, bool turns, const std::vector<std::int64_t>& stopped) {
    const auto pairs = static_cast<std::size_t>(run.head_dim() / 2);
    Movable result{std::vector<double>(pairs, 0.0), std::vector<double>(pairs, 0.0)};
    if (!turns) return result;
    const Frequencies all =
        frequencies({.head_dim = run.head_dim(), .theta = run.theta, .fraction = run.fraction, .partial = run.partial});
    const auto chosen = selection(run.pairs, run.head_dim() / 2, "pairs");
    const double dimension = run.partial == Partial::slice ? all.rotary_dim : run.head_dim();
    for (std::size_t i = 0; i < all.inverse_frequencies.size(); ++i) {
        const bool still = std::find(stopped.begin(), stopped.end(), static_cast<std::int64_t>(i)) != stopped.end();
        if (!chosen[i] || still) continue;
        result.frequencies[i] = all.inverse_frequencies[i];
        result.slopes[i] = run.theta_training == ThetaTraining::free ? 1.0 : -2.0 * static_cast<double>(i) / dimension;
    }
    return result;
}

// As tables_of, moved by shift: (runs, 1 or heads, 1 or pairs), float32.
RotaryTables moved_tables(std::span<const RunSpec> runs, const std::vector<bool>& turns, std::int64_t positions,
                          const torch::Tensor& shift, const std::vector<std::int64_t>& stopped) {
    if (std::find(turns.begin(), turns.end(), true) == turns.end()) return {};
    std::vector<double> frequencies;
    std::vector<double> slopes;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const Movable movable = movable_of(runs[run], turns[run], stopped);
        frequencies.insert(frequencies.end(), movable.frequencies.begin(), movable.frequencies.end());
        slopes.insert(slopes.end(), movable.slopes.begin(), movable.slopes.end());
    }
    const auto count = static_cast<std::int64_t>(runs.size());
    // In double: an angle is as large as the position, and float32 would round it by a thousandth at 10,000.
    const auto of_runs = [&](const std::vector<double>& numbers) {
        return torch::tensor(c10::ArrayRef<double>(numbers), torch::kFloat64).view({count, 1, -1}).to(shift.device());
    };
    const torch::Tensor moved = of_runs(frequencies) * torch::exp(of_runs(slopes) * shift.to(torch::kFloat64));
    const torch::Tensor places =
        torch::arange(positions, shift.options().dtype(torch::kFloat64).requires_grad(false)).view({1, 1, -1, 1, 1});
    const torch::Tensor angles = places * moved.unsqueeze(1).unsqueeze(1);  // (runs, 1, time, heads, pairs)
    return {torch::cos(angles).to(torch::kFloat32), torch::sin(angles).to(torch::kFloat32)};
}

RotaryTables tables_of(std::span<const RunSpec> runs, const std::vector<bool>& turns, std::int64_t positions,
                       torch::Device device, const TableChanges& changes) {
    if (std::find(turns.begin(), turns.end(), true) == turns.end()) return {};
    std::vector<torch::Tensor> cosines;
    std::vector<torch::Tensor> sines;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        RotationTable table = table_of(runs[run], turns[run], positions, changes);
        const auto shape = {1L, positions, 1L, static_cast<std::int64_t>(table.pairs)};
        cosines.push_back(torch::from_blob(table.cosine.data(), shape, torch::kFloat32).clone());
        sines.push_back(torch::from_blob(table.sine.data(), shape, torch::kFloat32).clone());
    }
    return {torch::stack(cosines).to(device), torch::stack(sines).to(device)};
}

// shift: (runs, …) of "rotary.shift" → (runs, 1 or heads, 1 or pairs). A schedule's is not trained.
torch::Tensor shift_of_layer(const torch::Tensor& shift, const RunSpec& shape, std::int64_t layer) {
    switch (shape.theta_training) {
        case ThetaTraining::fixed:
            return shift.detach().view({-1, 1, 1});
        case ThetaTraining::one:
            return shift.view({-1, 1, 1});
        case ThetaTraining::layer:
            return shift.narrow(1, layer, 1).unsqueeze(2);
        case ThetaTraining::head:
            return shift.select(1, layer).unsqueeze(2);
        case ThetaTraining::free:
            return shift.select(1, layer).unsqueeze(1);
    }
    return {};
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

LayerTables layer_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                         const TableChanges& changes, const Parameters* weights) {
    const torch::Tensor shift = weights ? weights->get("rotary.shift") : torch::Tensor();
    if (shift.defined() && changes.scaling.method != ScalingMethod::none) {
        throw BadInput("The scaling " + std::string(word_of(changes.scaling.method)) +
                       " starts from a theta that was fixed, but this run moved its own; leave it out.");
    }
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
        if (shift.defined()) {
            const torch::Tensor of_layer = shift_of_layer(shift, runs.front(), static_cast<std::int64_t>(layer));
            result.layers.push_back(moved_tables(runs, turns, positions, of_layer, changes.stopped_pairs));
            continue;
        }
        const auto [found, fresh] = made.try_emplace(turns);
        if (fresh) found->second = tables_of(runs, turns, positions, device, changes);
        result.layers.push_back(found->second);
    }
    return result;
}

torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables) {
    if (tables.cosine.requires_grad()) {
        const auto halves = x.chunk(2, -1);
        return torch::cat(
            {halves[0] * tables.cosine - halves[1] * tables.sine, halves[1] * tables.cosine + halves[0] * tables.sine},
            -1);
    }
    return Rotation::apply(x, tables.cosine, tables.sine);
}

}  // namespace ropelab
