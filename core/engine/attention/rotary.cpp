#include "core/engine/attention/rotary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/base/selection.h"
#include "core/engine/operations/operations.h"
#include "core/rope/encodings.h"
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

FrequencySettings settings_of(const RunSpec& run, bool rotates, std::int64_t positions, const TableChanges& changes) {
    FrequencySettings settings = frequency_settings_of(run);
    if (!rotates) {
        settings.fraction = 0;
        settings.listed.clear();
    }
    settings.scaling = changes.scaling;
    settings.context = static_cast<double>(run.context);
    settings.length = static_cast<double>(positions);
    return settings;
}

// Returns which pairs of a run rotate. The other pairs are unchanged and have no attention factor. With FoPE, pairs
// that turn less than once in the training context do not rotate.
std::vector<bool> rotated_pairs(const RunSpec& run, std::size_t in_rotary_dimension, const TableChanges& changes) {
    auto chosen = selection(run.pairs, run.rotary_head_dim() / 2, "pairs");
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(in_rotary_dimension), chosen.end(), false);
    for (const std::int64_t pair : changes.frozen_pairs) {
        if (pair < std::ssize(chosen)) chosen.at(static_cast<std::size_t>(pair)) = false;
    }
    if (run.position == Position::fope) {
        const std::vector<double> trained = frequencies(frequency_settings_of(run)).inverse_frequencies;
        for (std::size_t pair = 0; pair < trained.size(); ++pair) {
            if (trained[pair] * static_cast<double>(run.context) < two_pi) chosen[pair] = false;
        }
    }
    return chosen;
}

bool any(const std::vector<bool>& rotates) {
    return std::find(rotates.begin(), rotates.end(), true) != rotates.end();
}

// (runs, 1, numbers) float64: float32 would round angles by a thousandth at position 10,000.
torch::Tensor rows_of_runs(const std::vector<double>& numbers, std::size_t runs, torch::Device device) {
    return torch::tensor(c10::ArrayRef<double>(numbers), torch::kFloat64)
        .view({static_cast<std::int64_t>(runs), 1, -1})
        .to(device);
}

// shift: (runs, 1 or heads, 1 or pairs) float32 → (runs, 1 or heads, pairs) float64; 0 for pairs that do not rotate.
torch::Tensor moved_frequencies(std::span<const RunSpec> runs, const std::vector<bool>& rotates,
                                const torch::Tensor& shift, const TableChanges& changes) {
    std::vector<double> radians;
    // d log frequency / d log theta: −2i/d_r for slice, −2i/d for truncate, and 1 if every frequency changes
    // separately.
    std::vector<double> slopes;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunSpec& spec = runs[run];
        const Frequencies all = frequencies({.head_dim = spec.rotary_head_dim(),
                                             .theta = spec.theta,
                                             .fraction = spec.fraction,
                                             .partial = spec.partial});
        const std::vector<bool> chosen = rotated_pairs(spec, all.inverse_frequencies.size(), changes);
        const double dimension = spec.partial == Partial::slice ? all.rotary_dim : spec.rotary_head_dim();
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const bool moves = rotates[run] && chosen[i];
            const double slope =
                spec.theta_training == ThetaTraining::free ? 1.0 : -2.0 * static_cast<double>(i) / dimension;
            radians.push_back(moves ? all.inverse_frequencies[i] : 0.0);
            slopes.push_back(moves ? slope : 0.0);
        }
    }
    const auto row = [&](const std::vector<double>& numbers) {
        return rows_of_runs(numbers, runs.size(), shift.device());
    };
    return row(radians) * torch::exp(row(slopes) * shift.to(torch::kFloat64));
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
// cos or of sin. Pairs that a probe froze neither add to others nor get anything.
torch::Tensor fourier_coefficients(std::span<const RunSpec> runs, const std::vector<bool>& rotates,
                                   const TableChanges& changes, const std::string& stream, torch::Device device) {
    std::vector<torch::Tensor> result;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const RunSpec& spec = runs[run];
        const std::size_t in_rotary_dimension = frequencies(frequency_settings_of(spec)).inverse_frequencies.size();
        const auto as_tensor = [](const std::vector<bool>& chosen) {
            torch::Tensor mask = torch::zeros({std::ssize(chosen)}, torch::kFloat64);
            for (std::size_t pair = 0; pair < chosen.size(); ++pair)
                mask[static_cast<std::int64_t>(pair)] = chosen[pair];
            return mask;
        };
        const torch::Tensor trained = as_tensor(rotated_pairs(spec, in_rotary_dimension, {}));
        const torch::Tensor moving = as_tensor(rotated_pairs(spec, in_rotary_dimension, changes));
        const std::int64_t pairs = trained.numel();
        const torch::Tensor identity = torch::eye(pairs, torch::kFloat64);
        if (!rotates[run] || trained.sum().item<double>() < 2) {
            result.push_back(identity);
            continue;
        }
        std::vector<float> numbers(static_cast<std::size_t>(pairs * pairs));
        RandomStream(spec.seed, stream)
            .fill_normal(numbers, spec.fourier_deviation / std::sqrt(trained.sum().item<double>()));
        const torch::Tensor noise =
            torch::tensor(c10::ArrayRef<float>(numbers), torch::kFloat32).to(torch::kFloat64).view({pairs, pairs});
        result.push_back(identity + noise * (1 - identity) * torch::outer(moving, moving));
    }
    return torch::stack(result).to(device);
}

// Returns the frequencies of a layer with a constant theta.
LayerFrequencies constant_frequencies(std::span<const RunSpec> runs, const std::vector<bool>& rotates,
                                      std::int64_t positions, torch::Device device, const TableChanges& changes) {
    std::vector<double> radians;
    std::vector<double> factors;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        Frequencies all = frequencies(settings_of(runs[run], rotates[run], positions, changes));
        const auto chosen = rotated_pairs(runs[run], all.inverse_frequencies.size(), changes);
        all.inverse_frequencies.resize(chosen.size());
        for (std::size_t pair = 0; pair < chosen.size(); ++pair) {
            radians.push_back(chosen[pair] ? all.inverse_frequencies[pair] : 0.0);
            factors.push_back(chosen[pair] || !rotates[run] ? all.attention_factor : 1.0);
        }
    }
    LayerFrequencies layer;
    layer.radians = rows_of_runs(radians, runs.size(), device);
    const bool scales = std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; });
    if (scales) layer.factors = rows_of_runs(factors, runs.size(), device);
    if (runs.front().position != Position::fope) return layer;
    layer.cosine_mix = fourier_coefficients(runs, rotates, changes, "fope.cos", device);
    layer.sine_mix = fourier_coefficients(runs, rotates, changes, "fope.sin", device);
    return layer;
}

// For positions, (time) float64, which a layer without rotation does not compute.
RotaryTables computed_tables(const LayerFrequencies& layer, const std::function<torch::Tensor()>& positions,
                             RopePrecision precision) {
    if (!layer.radians.defined()) return {};
    const bool rounds_positions = precision == RopePrecision::bfloat16_positions;
    const torch::Tensor column = (rounds_positions ? rounded(positions()) : positions()).view({1, 1, -1, 1, 1});
    const auto over_time = [](const torch::Tensor& t) { return t.unsqueeze(1).unsqueeze(1); };
    const torch::Tensor angles = column * over_time(layer.radians);  // (runs, 1, time, heads, pairs)
    const auto finished = [&](const torch::Tensor& numbers, const torch::Tensor& mix) {
        const torch::Tensor mixed = mix.defined() ? torch::matmul(numbers, over_time(mix)) : numbers;
        const torch::Tensor exact =
            (layer.factors.defined() ? mixed * over_time(layer.factors) : mixed).to(torch::kFloat32);
        return precision == RopePrecision::bfloat16_tables ? rounded(exact) : exact;
    };
    return {finished(torch::cos(angles), layer.cosine_mix), finished(torch::sin(angles), layer.sine_mix)};
}

RotaryTables tables_of(std::span<const RunSpec> runs, const std::vector<bool>& rotates, std::int64_t positions,
                       torch::Device device, const TableChanges& changes) {
    if (!any(rotates)) return {};
    if (runs.front().position == Position::fope) {
        return computed_tables(
            constant_frequencies(runs, rotates, positions, device, changes),
            [&] { return positions_from(0, positions, device); }, runs.front().rope_precision);
    }
    std::vector<torch::Tensor> cosines;
    std::vector<torch::Tensor> sines;
    const RopePrecision precision = runs.front().rope_precision;
    torch::Tensor rounded_positions;  // (time) int64; undefined for exact positions
    std::int64_t rows = positions;
    if (precision == RopePrecision::bfloat16_positions) {
        rounded_positions = rounded(positions_from(0, positions, torch::kCPU)).to(torch::kInt64);
        rows = rounded_positions[positions - 1].item<std::int64_t>() + 1;
    }
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const FrequencySettings settings = settings_of(runs[run], rotates[run], positions, changes);
        RotationTable table = canonical_table(settings, static_cast<std::size_t>(rows));
        const auto chosen = rotated_pairs(runs[run], frequencies(settings).inverse_frequencies.size(), changes);
        for (std::size_t i = 0; rotates[run] && i < table.cosine.size(); ++i) {
            if (chosen[i % table.pairs]) continue;
            table.cosine[i] = 1.0F;
            table.sine[i] = 0.0F;
        }
        const auto shape = {1L, rows, 1L, static_cast<std::int64_t>(table.pairs)};
        cosines.push_back(torch::from_blob(table.cosine.data(), shape, torch::kFloat32).clone());
        sines.push_back(torch::from_blob(table.sine.data(), shape, torch::kFloat32).clone());
    }
    const auto finished = [&](const std::vector<torch::Tensor>& tables) {
        torch::Tensor all = torch::stack(tables);  // (runs, 1, rows, 1, pairs)
        if (rounded_positions.defined()) all = all.index_select(2, rounded_positions);
        if (precision == RopePrecision::bfloat16_tables) all = rounded(all);
        return all.to(device);
    };
    return {finished(cosines), finished(sines)};
}

// "rotary.shift", (runs, …) → (runs, 1 or heads, 1 or pairs). The shift of a theta schedule is not trained.
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

// Undefined if the runs have a constant theta.
torch::Tensor shift_of(const Parameters* weights, const TableChanges& changes) {
    const torch::Tensor shift = weights ? weights->get("rotary.shift") : torch::Tensor();
    if (shift.defined() && changes.scaling.method != ScalingMethod::none) {
        throw BadInput("The scaling " + std::string(word_of(changes.scaling.method)) +
                       " requires a constant theta, but this run changed theta during training; remove the scaling.");
    }
    return shift;
}

std::vector<std::vector<bool>> rotating_runs(std::span<const RunSpec> runs) {
    std::vector<std::vector<bool>> result(static_cast<std::size_t>(runs.front().layers));
    for (const RunSpec& run : runs) {
        const auto rotated = selection(run.rotated_layers, run.layers, "rotated_layers");
        for (std::size_t layer = 0; layer < result.size(); ++layer) {
            result[layer].push_back(run.rotates() && rotated[layer]);
        }
    }
    return result;
}

// Of one layer, whose index is `layer`.
LayerFrequencies layer_frequencies(std::span<const RunSpec> runs, const std::vector<bool>& rotates, std::int64_t layer,
                                   const torch::Tensor& shift, std::int64_t positions, torch::Device device,
                                   const TableChanges& changes) {
    if (!any(rotates)) return {};
    if (!shift.defined()) return constant_frequencies(runs, rotates, positions, device, changes);
    return {moved_frequencies(runs, rotates, shift_of_layer(shift, runs.front(), layer), changes), {}};
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

LayerTables layer_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                         const TableChanges& changes, const Parameters* weights) {
    const torch::Tensor shift = shift_of(weights, changes);
    std::map<std::vector<bool>, RotaryTables> tables_by_runs;  // one table per set of rotating runs
    LayerTables result;
    for (const std::vector<bool>& rotates : rotating_runs(runs)) {
        if (shift.defined()) {
            const std::int64_t layer = std::ssize(result.layers);
            result.layers.push_back(computed_tables(
                layer_frequencies(runs, rotates, layer, shift, positions, device, changes),
                [&] { return positions_from(0, positions, device); }, runs.front().rope_precision));
            continue;
        }
        const auto [found, is_new] = tables_by_runs.try_emplace(rotates);
        if (is_new) found->second = tables_of(runs, rotates, positions, device, changes);
        result.layers.push_back(found->second);
    }
    return result;
}

TableSource::TableSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                         const TableChanges& changes, const Parameters* weights)
    : precision_(runs.front().rope_precision), device_(device) {
    const torch::NoGradGuard no_gradients;
    if (runs.front().rope_cache) {
        cached_ = layer_tables(runs, positions, device, changes, weights);
        return;
    }
    const torch::Tensor shift = shift_of(weights, changes);
    for (const std::vector<bool>& rotates : rotating_runs(runs)) {
        layers_.push_back(layer_frequencies(runs, rotates, std::ssize(layers_), shift, positions, device, changes));
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
        result.layers.push_back(computed_tables(layer, positions, precision_));
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

std::vector<torch::Tensor> xpos_decays(std::span<const RunSpec> runs, torch::Device device) {
    std::vector<torch::Tensor> result;
    const RunSpec& shape = runs.front();
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        torch::Tensor& decay = result.emplace_back(
            torch::zeros({static_cast<std::int64_t>(runs.size()), shape.head_dim() / 2}, torch::kFloat64));
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const RunSpec& spec = runs[run];
            if (!selection(spec.rotated_layers, spec.layers, "rotated_layers")[static_cast<std::size_t>(layer)])
                continue;
            const int rotated = rotary_dim(spec.head_dim(), spec.fraction);
            const auto chosen = selection(spec.pairs, spec.head_dim() / 2, "pairs");
            const std::vector<double> factors = xpos_decay(spec.partial == Partial::slice ? rotated : spec.head_dim());
            for (int pair = 0; pair < rotated / 2; ++pair) {
                const auto index = static_cast<std::size_t>(pair);
                if (chosen[index]) {
                    decay[static_cast<std::int64_t>(run)][pair] = std::log(factors[index]) / spec.xpos_scale_base;
                }
            }
        }
        decay = decay.to(device);
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
