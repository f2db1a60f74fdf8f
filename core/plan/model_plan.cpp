#include "core/plan/model_plan.h"

#include <algorithm>

#include "core/base/numbers.h"

namespace ropelab {

namespace {

// `branch`: "attention" or "mlp". If the branches are parallel or their order is unknown, "mlp" adds both outputs.
AnatomyStage residual_sum(const PlanSizes& sizes, const LayerPlan& layer, const std::string& branch) {
    const bool both = layer.is_parallel || !layer.is_order_known;
    AnatomyStage stage = {.id = branch + ".sum",
                          .name = "Residual sum",
                          .kind = !layer.is_order_known ? "unknown"
                                  : both                ? "parallel"
                                                        : "",
                          .symbols = "(B, T, C)",
                          .shape = extents({sizes.B, sizes.T, sizes.C}),
                          .formula = both ? "X ← X + Y_attention + Y_MLP" : "X ← X + Y",
                          .settings = {"block", "deepnorm"}};
    if (layer.branch_factor != 1.0) {
        const std::string factor = factor_text(layer.branch_factor);
        stage.formula = both ? "X ← X + " + factor + "(Y_attention + Y_MLP)" : "X ← X + " + factor + "Y";
    }
    if (layer.stream_factor != 1.0) {
        stage.kind = "DeepNet";
        stage.formula = "X ← α·X + Y,  α = (2·layers)^{1/4}";
    }
    return stage;
}

// "0–2, 4–6". Beyond four runs of layers, the others are "…".
std::string layers_text(const std::vector<std::int64_t>& layers) {
    constexpr int most_runs = 4;
    std::string text;
    int runs = 0;
    for (std::size_t at = 0; at < layers.size();) {
        std::size_t end = at + 1;
        while (end < layers.size() && layers[end] == layers[end - 1] + 1) ++end;
        text += text.empty() ? "" : ", ";
        if (++runs > most_runs) return text + "…";
        text += std::to_string(layers[at]);
        if (end - at > 1) text += "–" + std::to_string(layers[end - 1]);
        at = end;
    }
    return text;
}

}  // namespace

Stages LayerPlan::stages(const PlanSizes& sizes) const {
    Stages result;
    const auto add_branch = [&](const std::string& branch, const std::string& name, const BranchNorms& norms,
                                const Stages& stages, bool has_sum) {
        if (norms.before) {
            const bool of_layer = is_parallel && branch == "attention" && !feed_forward_norms.before;
            result.push_back(norms.before->stage(sizes, branch + "_norm",
                                                 of_layer ? "Norm before attention and MLP" : "Norm before " + name,
                                                 branch + "_norm"));
        }
        result.insert(result.end(), stages.begin(), stages.end());
        if (norms.output) {
            result.push_back(norms.output->stage(sizes, branch + "_output_norm", "Norm of the output of " + name,
                                                 branch + "_output_norm", "Y", "Y", storage::output_norm));
        }
        if (has_sum) result.push_back(residual_sum(sizes, *this, branch));
        if (norms.after) {
            result.push_back(
                norms.after->stage(sizes, branch + "_post_norm", "Norm after " + name, branch + "_norm", "X", "X"));
        }
    };
    const bool has_input_norm = attention_norms.before.has_value();
    const std::string input = has_input_norm ? "H" : "X";
    const bool is_fed_normed = feed_forward_norms.before || (is_parallel && has_input_norm);
    const std::string fed = is_fed_normed ? "H" : "X";
    add_branch("attention", "attention", attention_norms,
               std::visit([&](const auto& part) { return part.stages(sizes, input); }, attention),
               !is_parallel && is_order_known);
    add_branch("mlp", "MLP", feed_forward_norms,
               std::visit([&](const auto& part) { return part.stages(sizes, fed); }, feed_forward), true);
    return result;
}

const Scores* LayerPlan::scores() const {
    if (const auto* softmax = std::get_if<Softmax>(&attention)) return &softmax->scores;
    if (const auto* latent = std::get_if<Latent>(&attention)) return &latent->scores;
    return nullptr;
}

const Rotary* LayerPlan::rotary() const {
    const std::optional<Rotary>* rotary = nullptr;
    if (const auto* softmax = std::get_if<Softmax>(&attention)) rotary = &softmax->rotary;
    if (const auto* latent = std::get_if<Latent>(&attention)) rotary = &latent->rotary;
    return rotary && *rotary ? &**rotary : nullptr;
}

std::int64_t LayerPlan::heads() const {
    if (const auto* softmax = std::get_if<Softmax>(&attention)) return softmax->heads.h.value_or(0);
    if (const auto* latent = std::get_if<Latent>(&attention)) return latent->h.value_or(0);
    return std::get<DeltaNet>(attention).h_k.value_or(0);
}

std::int64_t LayerPlan::query_channels() const {
    if (const auto* softmax = std::get_if<Softmax>(&attention)) return softmax->heads.D.value_or(0);
    if (const auto* latent = std::get_if<Latent>(&attention)) return sum_of({latent->D, latent->R}).value_or(0);
    return std::get<DeltaNet>(attention).D_k.value_or(0);
}

namespace {

// Of the first layer that has one.
template <typename Part>
const Part* first_of(const std::vector<LayerPlan>& layers, const Part* (LayerPlan::*part)() const) {
    for (const LayerPlan& layer : layers) {
        if (const Part* found = (layer.*part)()) return found;
    }
    return nullptr;
}

}  // namespace

const Scores* ModelPlan::scores() const {
    return first_of(layers, &LayerPlan::scores);
}

const Rotary* ModelPlan::rotary() const {
    return first_of(layers, &LayerPlan::rotary);
}

bool ModelPlan::has_relative_positions() const {
    const bool is_relative = scores() && !std::holds_alternative<PlainScores>(scores()->relative);
    const bool is_rotary = rotary() && rotary()->kind != Rotary::Kind::fourier;
    return embedding.positions == Embedding::Positions::none && (is_relative || is_rotary);
}

ModelPlan ModelPlan::changed(const Scaling& scaling, std::int64_t length, std::span<const std::int64_t> frozen) const {
    ModelPlan plan = *this;
    for (LayerPlan& layer : plan.layers) {
        if (Rotary* rotary = layer.rotary()) rotary->change(scaling, length, frozen);
    }
    return plan;
}

std::optional<std::vector<CachedLayers>> LayerPlan::caches() const {
    if (!scores()) return std::vector<CachedLayers>();
    if (scores()->caches) return scores()->caches;
    const auto* latent = std::get_if<Latent>(&attention);
    const Count numbers = latent ? latent->latent_numbers() : std::get<Softmax>(attention).key_value_numbers();
    if (!numbers) return std::nullopt;
    return std::vector<CachedLayers>{{.layers = 1, .numbers = *numbers, .window = scores()->window.value_or(0)}};
}

std::optional<std::vector<CachedLayers>> ModelPlan::caches() const {
    std::vector<CachedLayers> result;
    for (const LayerPlan& layer : layers) {
        const auto of_layer = layer.caches();
        if (!of_layer) return std::nullopt;
        result.insert(result.end(), of_layer->begin(), of_layer->end());
    }
    return result;
}

Stages ModelPlan::front() const {
    Stages result = embedding.stages(sizes);
    result.insert(result.end(), shared.begin(), shared.end());
    return result;
}

Stages ModelPlan::back() const {
    return head.stages(sizes, before_head);
}

std::optional<double> ModelPlan::operations() const {
    return anatomy().totals().operations;
}

Anatomy ModelPlan::anatomy() const {
    Anatomy result;
    result.sizes = symbols;
    const auto counted = [&](Stages stages) {
        for (AnatomyStage& stage : stages) {
            stage.count_tensors();
            if (names_settings) continue;
            stage.settings.clear();
            stage.tensors.clear();
        }
        return stages;
    };
    result.sections.push_back({"", {}, counted(front())});
    std::vector<const LayerPlan*> kinds;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto same =
            std::find_if(kinds.begin(), kinds.end(), [&](const LayerPlan* kind) { return *kind == layers[i]; });
        const auto index = static_cast<std::int64_t>(i);
        if (same != kinds.end()) {
            result.sections[static_cast<std::size_t>(same - kinds.begin()) + 1].layers.push_back(index);
            continue;
        }
        kinds.push_back(&layers[i]);
        result.sections.push_back({"Layer", {index}, counted(layers[i].stages(sizes))});
    }
    for (std::size_t i = 0; kinds.size() > 1 && i < kinds.size(); ++i) {
        AnatomySection& section = result.sections[i + 1];
        section.title =
            (section.layers.size() > 1 ? "Layers " : "Layer ") + layers_text(section.layers) + ": " + kinds[i]->words;
    }
    result.sections.push_back({"", {}, counted(back())});
    result.remarks = remarks;
    if (const std::int64_t bytes = result.totals().state_bytes; bytes > 0) {
        result.remarks.push_back(state_remark(bytes));
    }
    return result;
}

std::string window_remark(std::int64_t window, bool is_chunked) {
    return std::string("In layers with ") + (is_chunked ? "chunked attention" : "a sliding window") +
           ", the KV cache stores the last " + grouped(window) +
           " tokens only, so bytes per token times a longer context overestimate the cache.";
}

std::string state_remark(std::int64_t bytes) {
    return "The states of the gated DeltaNets have " + grouped(bytes) +
           " bytes per sequence in all layers together, whatever the number of tokens.";
}

AnatomyTotals Anatomy::totals() const {
    AnatomyTotals totals = {.parameters = 0, .active_parameters = {}, .operations = 0.0, .cache_bytes_per_token = 0};
    if (!times.empty()) totals.seconds = 0;
    Count inactive = 0;
    Count states = 0;
    for (const AnatomySection& section : sections) {
        const std::int64_t repeats = section.repeats();
        for (const AnatomyStage& stage : section.stages) {
            totals.parameters = sum_of({totals.parameters, product_of({repeats, stage.parameters})});
            inactive = sum_of({inactive, product_of({repeats, stage.inactive_parameters})});
            totals.cache_bytes_per_token =
                sum_of({totals.cache_bytes_per_token, product_of({repeats, stage.cache_bytes_per_token})});
            states = sum_of({states, product_of({repeats, stage.state_bytes})});
            if (!stage.operations) totals.operations.reset();
            if (totals.operations) *totals.operations += real(repeats) * *stage.operations;
            if (totals.seconds) *totals.seconds += real(repeats) * stage.seconds.value_or(0);
        }
    }
    totals.state_bytes = *states;
    if (totals.parameters) totals.active_parameters = *totals.parameters - *inactive;
    return totals;
}

const AnatomyStage* Anatomy::find(const std::string& id) const {
    const std::size_t mark = id.find('#');
    const std::string name = id.substr(0, mark);
    int place = 1;  // of the section among those that have the stage
    for (const AnatomySection& section : sections) {
        for (const AnatomyStage& stage : section.stages) {
            if (stage.id != name) continue;
            if (mark == std::string::npos || id.substr(mark + 1) == std::to_string(place)) return &stage;
            ++place;
        }
    }
    return nullptr;
}

}  // namespace ropelab
