#include "core/engine/attention/rotary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/random_stream.h"
#include "core/engine/operations/operations.h"
#include "core/rope/rotation.h"

namespace ropelab {

namespace {

// Halves a, b of the last dimension: (a·cos − b·sin, b·cos + a·sin).
torch::Tensor rotate_halves(const torch::Tensor& x, const torch::Tensor& cosine, const torch::Tensor& sine,
                            double direction) {
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
        return rotate_halves(x, cosine, sine, 1.0);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        return {rotate_halves(gradients[0], saved[0], saved[1], -1.0), {}, {}};
    }
};

// Of one layer, by run; null for a run that does not rotate it.
using LayerRotaries = std::vector<const Rotary*>;

LayerRotaries rotaries_of(std::span<const ModelPlan> runs, std::size_t layer) {
    LayerRotaries result;
    for (const ModelPlan& run : runs) {
        const Rotary* rotary = run.layers[layer].rotary();
        result.push_back(rotary && rotary->is_applied ? rotary : nullptr);
    }
    return result;
}

// Null if no run rotates the layer. What runs of a cohort have in common may be asked of it.
const Rotary* shape_of(const LayerRotaries& runs) {
    const auto found = std::ranges::find_if(runs, [](const Rotary* rotary) { return rotary != nullptr; });
    return found == runs.end() ? nullptr : *found;
}

bool are_equal(const LayerRotaries& a, const LayerRotaries& b) {
    return std::ranges::equal(
        a, b, [](const Rotary* one, const Rotary* other) { return one == other || (one && other && *one == *other); });
}

// (runs, 1, numbers) float64: float32 would round angles by a thousandth at position 10,000.
torch::Tensor rows_of_runs(const std::vector<double>& numbers, std::size_t runs, torch::Device device) {
    return torch::tensor(c10::ArrayRef<double>(numbers), torch::kFloat64)
        .view({static_cast<std::int64_t>(runs), 1, -1})
        .to(device);
}

// A number of each pair of each run, (runs, 1, pairs) float64; `otherwise` for runs that do not rotate.
template <typename Number>
torch::Tensor rows_of_pairs(const LayerRotaries& runs, torch::Device device, double otherwise, const Number& number) {
    const std::size_t pairs = shape_of(runs)->pairs.size();
    std::vector<double> numbers;
    for (const Rotary* run : runs) {
        for (std::size_t i = 0; i < pairs; ++i) numbers.push_back(run ? number(*run, run->pairs[i]) : otherwise);
    }
    return rows_of_runs(numbers, runs.size(), device);
}

torch::Tensor frequencies_of(const LayerRotaries& runs, torch::Device device) {
    return rows_of_pairs(runs, device, 0, [](const Rotary&, const RotaryPair& pair) { return pair.frequency; });
}

// shift: (runs, 1 or heads, 1 or pairs) float32 → (runs, 1 or heads, pairs) float64; 0 for pairs that do not rotate.
torch::Tensor moved_frequencies(const LayerRotaries& runs, const torch::Tensor& shift) {
    const torch::Tensor slopes =
        rows_of_pairs(runs, shift.device(), 0, [](const Rotary&, const RotaryPair& pair) { return pair.slope; });
    return frequencies_of(runs, shift.device()) * torch::exp(slopes * shift.to(torch::kFloat64));
}

// first … first + count − 1 as float64.
torch::Tensor positions_from(std::int64_t first, std::int64_t count, torch::Device device) {
    return torch::arange(first, first + count, torch::TensorOptions(torch::kFloat64).device(device));
}

// Rounds to bfloat16; the numbers keep their own type.
torch::Tensor rounded(const torch::Tensor& numbers) {
    return numbers.to(torch::kBFloat16).to(numbers.scalar_type());
}

// Returns FoPE's coefficients of each run, (runs, pairs, pairs) float64. `stream` names the random numbers: those of
// cos or of sin. Pairs that do not rotate neither add to others nor get anything.
torch::Tensor fourier_coefficients(const LayerRotaries& runs, const std::string& stream, torch::Device device) {
    std::vector<torch::Tensor> result;
    const auto pairs = std::ssize(shape_of(runs)->pairs);
    for (const Rotary* run : runs) {
        const torch::Tensor identity = torch::eye(pairs, torch::kFloat64);
        if (!run || run->deviation == 0) {
            result.push_back(identity);
            continue;
        }
        torch::Tensor moving = torch::zeros({pairs}, torch::kFloat64);
        for (std::int64_t pair = 0; pair < pairs; ++pair)
            moving[pair] = run->pairs[static_cast<std::size_t>(pair)].rotates;
        std::vector<float> numbers(static_cast<std::size_t>(pairs * pairs));
        RandomStream(run->seed, stream).fill_normal(numbers, run->deviation);
        const torch::Tensor noise =
            torch::tensor(c10::ArrayRef<float>(numbers), torch::kFloat32).to(torch::kFloat64).view({pairs, pairs});
        result.push_back(identity + noise * (1 - identity) * torch::outer(moving, moving));
    }
    return torch::stack(result).to(device);
}

// Returns the frequencies of a layer with a constant theta.
LayerFrequencies constant_frequencies(const LayerRotaries& runs, torch::Device device) {
    LayerFrequencies layer;
    layer.radians = frequencies_of(runs, device);
    const auto scales = [](const Rotary* run) { return run && run->attention_factor != 1.0; };
    if (std::ranges::any_of(runs, scales)) {
        layer.factors = rows_of_pairs(runs, device, 1, [](const Rotary& run, const RotaryPair& pair) {
            return pair.rotates ? run.attention_factor : 1.0;
        });
    }
    if (shape_of(runs)->kind != Rotary::Kind::fourier) return layer;
    layer.cosine_mix = fourier_coefficients(runs, "fope.cos", device);
    layer.sine_mix = fourier_coefficients(runs, "fope.sin", device);
    return layer;
}

// For positions, (time) float64, which a layer without rotation does not compute.
RotaryTables computed_tables(const LayerFrequencies& layer, const std::function<torch::Tensor()>& positions,
                             Rotary::Rounding rounding) {
    if (!layer.radians.defined()) return {};
    const bool rounds_positions = rounding == Rotary::Rounding::positions;
    const torch::Tensor column = (rounds_positions ? rounded(positions()) : positions()).view({1, 1, -1, 1, 1});
    const auto over_time = [](const torch::Tensor& t) { return t.unsqueeze(1).unsqueeze(1); };
    const torch::Tensor angles = column * over_time(layer.radians);  // (runs, 1, time, heads, pairs)
    const auto finished = [&](const torch::Tensor& numbers, const torch::Tensor& mix) {
        const torch::Tensor mixed = mix.defined() ? torch::matmul(numbers, over_time(mix)) : numbers;
        const torch::Tensor exact =
            (layer.factors.defined() ? mixed * over_time(layer.factors) : mixed).to(torch::kFloat32);
        return rounding == Rotary::Rounding::tables ? rounded(exact) : exact;
    };
    return {finished(torch::cos(angles), layer.cosine_mix), finished(torch::sin(angles), layer.sine_mix)};
}

RotaryTables tables_of(const LayerRotaries& runs, std::int64_t positions, torch::Device device) {
    const Rotary* shape = shape_of(runs);
    if (!shape) return {};
    if (shape->kind == Rotary::Kind::fourier) {
        return computed_tables(
            constant_frequencies(runs, device), [&] { return positions_from(0, positions, device); }, shape->rounding);
    }
    std::vector<torch::Tensor> cosines;
    std::vector<torch::Tensor> sines;
    torch::Tensor rounded_positions;  // (time) int64; undefined for exact positions
    std::int64_t rows = positions;
    if (shape->rounding == Rotary::Rounding::positions) {
        rounded_positions = rounded(positions_from(0, positions, torch::kCPU)).to(torch::kInt64);
        rows = rounded_positions[positions - 1].item<std::int64_t>() + 1;
    }
    std::vector<std::int64_t> all_positions(static_cast<std::size_t>(rows));
    std::iota(all_positions.begin(), all_positions.end(), 0);
    const std::size_t pairs = shape->pairs.size();
    for (const Rotary* run : runs) {
        Frequencies frequencies{.inverse_frequencies = std::vector<double>(pairs)};
        if (run) {
            std::ranges::transform(run->pairs, frequencies.inverse_frequencies.begin(), &RotaryPair::frequency);
            frequencies.attention_factor = run->attention_factor;
        }
        RotationTable table = rotation_table(frequencies, all_positions);
        for (std::size_t i = 0; run && i < table.cosine.size(); ++i) {
            if (run->pairs[i % pairs].rotates) continue;
            table.cosine[i] = 1.0F;  // without the attention factor
            table.sine[i] = 0.0F;
        }
        const auto size = {1L, rows, 1L, static_cast<std::int64_t>(pairs)};
        cosines.push_back(torch::from_blob(table.cosine.data(), size, torch::kFloat32).clone());
        sines.push_back(torch::from_blob(table.sine.data(), size, torch::kFloat32).clone());
    }
    const auto finished = [&](const std::vector<torch::Tensor>& tables) {
        torch::Tensor all = torch::stack(tables);  // (runs, 1, rows, 1, pairs)
        if (rounded_positions.defined()) all = all.index_select(2, rounded_positions);
        if (shape->rounding == Rotary::Rounding::tables) all = rounded(all);
        return all.to(device);
    };
    return {finished(cosines), finished(sines)};
}

// "rotary.shift", (runs, …) → (runs, 1 or heads, 1 or pairs). The shift of a theta schedule is not trained.
torch::Tensor shift_of_layer(const torch::Tensor& shift, Rotary::Shift kind, std::int64_t layer) {
    switch (kind) {
        case Rotary::Shift::none:
            break;
        case Rotary::Shift::schedule:
            return shift.detach().view({-1, 1, 1});
        case Rotary::Shift::model:
            return shift.view({-1, 1, 1});
        case Rotary::Shift::layer:
            return shift.narrow(1, layer, 1).unsqueeze(2);
        case Rotary::Shift::head:
            return shift.select(1, layer).unsqueeze(2);
        case Rotary::Shift::pair:
            return shift.select(1, layer).unsqueeze(1);
    }
    return {};
}

// Undefined if the runs have a constant theta.
torch::Tensor shift_of(const Parameters* weights) {
    return weights ? weights->get("rotary.shift") : torch::Tensor();
}

// Of one layer, whose index is `layer`.
LayerFrequencies layer_frequencies(const LayerRotaries& runs, std::int64_t layer, const torch::Tensor& shift,
                                   torch::Device device) {
    const Rotary* shape = shape_of(runs);
    if (!shape) return {};
    if (!shift.defined()) return constant_frequencies(runs, device);
    return {moved_frequencies(runs, shift_of_layer(shift, shape->shift, layer)), {}};
}

}  // namespace

RotaryTables RotaryTables::select(const torch::Tensor& positions) const {
    if (!defined()) return {};
    return {cosine.index_select(2, positions), sine.index_select(2, positions)};
}

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

LayerTables LayerTables::select(const torch::Tensor& positions) const {
    LayerTables result;
    for (const RotaryTables& tables : layers) result.layers.push_back(tables.select(positions));
    return result;
}

LayerTables layer_tables(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                         const Parameters* weights) {
    const torch::Tensor shift = shift_of(weights);
    std::vector<LayerRotaries> known;  // of the layers before; equal ones share their tables
    LayerTables result;
    for (std::size_t layer = 0; layer < runs.front().layers.size(); ++layer) {
        const LayerRotaries& rotaries = known.emplace_back(rotaries_of(runs, layer));
        const Rotary* shape = shape_of(rotaries);
        if (shape && shift.defined()) {
            result.layers.push_back(computed_tables(
                layer_frequencies(rotaries, static_cast<std::int64_t>(layer), shift, device),
                [&] { return positions_from(0, positions, device); }, shape->rounding));
            continue;
        }
        const auto same = std::ranges::find_if(known, [&](const auto& other) { return are_equal(other, rotaries); });
        const auto first = static_cast<std::size_t>(same - known.begin());
        result.layers.push_back(first < layer ? result.layers[first] : tables_of(rotaries, positions, device));
    }
    return result;
}

TableSource::TableSource(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                         const Parameters* weights)
    : device_(device) {
    const torch::NoGradGuard no_gradients;
    const Rotary* shape = runs.front().rotary();
    if (!shape || shape->stores_tables) {
        cached_ = layer_tables(runs, positions, device, weights);
        return;
    }
    rounding_ = shape->rounding;
    const torch::Tensor shift = shift_of(weights);
    for (std::size_t layer = 0; layer < runs.front().layers.size(); ++layer) {
        layers_.push_back(layer_frequencies(rotaries_of(runs, layer), static_cast<std::int64_t>(layer), shift, device));
    }
}

LayerTables TableSource::at(std::int64_t first, std::int64_t count) const {
    if (layers_.empty()) return first == 0 && count == cached_.positions() ? cached_ : cached_.narrow(first, count);
    return computed([&] { return positions_from(first, count, device_); });
}

LayerTables TableSource::at(const torch::Tensor& positions) const {
    if (layers_.empty()) return cached_.select(positions);
    return computed([&] { return positions.to(torch::kFloat64); });
}

LayerTables TableSource::computed(const std::function<torch::Tensor()>& positions) const {
    LayerTables result;
    for (const LayerFrequencies& layer : layers_) {
        result.layers.push_back(computed_tables(layer, positions, rounding_));
    }
    return result;
}

bool TableSource::ends_before(std::int64_t position) const {
    return cached_.positions() > 0 && cached_.positions() <= position;
}

torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables) {
    if (is_eager() || tables.cosine.requires_grad()) {
        const auto halves = x.chunk(2, -1);
        return torch::cat(
            {halves[0] * tables.cosine - halves[1] * tables.sine, halves[1] * tables.cosine + halves[0] * tables.sine},
            -1);
    }
    return Rotation::apply(x, tables.cosine, tables.sine);
}

std::vector<torch::Tensor> xpos_decays(std::span<const ModelPlan> runs, torch::Device device) {
    std::vector<torch::Tensor> result;
    for (std::size_t layer = 0; layer < runs.front().layers.size(); ++layer) {
        std::vector<double> decays;
        for (const ModelPlan& run : runs) {
            const Rotary* rotary = run.layers[layer].rotary();
            for (std::size_t i = 0; rotary && i < rotary->pairs.size(); ++i) decays.push_back(rotary->pairs[i].decay);
        }
        if (decays.empty()) {  // a layer without scores
            result.emplace_back();
            continue;
        }
        result.push_back(torch::tensor(c10::ArrayRef<double>(decays), torch::kFloat64)
                             .view({static_cast<std::int64_t>(runs.size()), -1})
                             .to(device));
    }
    return result;
}

torch::Tensor decayed(const torch::Tensor& x, const torch::Tensor& decay, const torch::Tensor& exponents) {
    const auto type = x.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    const torch::Tensor powers = decay.view({-1, 1, 1, 1, decay.size(1)}) * exponents.view({1, 1, -1, 1, 1});
    const torch::Tensor factors = torch::exp(powers).to(type);
    return x.to(type) * torch::cat({factors, factors}, -1);
}

}  // namespace ropelab
