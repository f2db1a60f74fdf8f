#include "core/plan/anatomy.h"

#include <algorithm>
#include <utility>

#include "core/plan/anatomy_stages.h"
#include "core/plan/anatomy_words.h"
#include "core/plan/step_cost.h"
#include "core/rope/memory.h"
#include "core/spec/layout.h"

namespace ropelab {

using namespace stages;

namespace {

std::string norm_kind(const RunSpec& spec) {
    switch (spec.norm_kind()) {
        case NormKind::rms:
            return "RMSNorm";
        case NormKind::zero_centred_rms:
            return "zero-centered RMSNorm";
        case NormKind::dyt:
            return "Dynamic Tanh";
        case NormKind::layer:
        case NormKind::automatic:
            break;
    }
    return "LayerNorm";
}

std::string norm_formula(const RunSpec& spec, const std::string& to, const std::string& from) {
    const NormKind kind = spec.norm_kind();
    const std::string bias = spec.bias ? " + β" : "";
    const std::string begin = to + " = ";
    if (kind == NormKind::dyt) return begin + "tanh(α·" + from + ") ⊙ γ" + bias;
    if (kind == NormKind::rms) return begin + from + "/√(mean(" + from + "^2) + ε) ⊙ γ";
    if (kind == NormKind::zero_centred_rms) return begin + from + "/√(mean(" + from + "^2) + ε) ⊙ (1 + γ)";
    return begin + "(" + from + " − mean(" + from + "))/√(var(" + from + ") + ε) ⊙ γ" + bias;
}

// Adds a norm that changes `from` to `to`. `tensors` is the name of its parameters without their last part.
void add_norm(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n, AnatomyStage stage,
              const std::string& tensors, const std::string& to = "H", const std::string& from = "X") {
    stage.kind = norm_kind(spec);
    stage.symbols = "(B, T, C)";
    stage.shape = {n.B, n.T, n.C};
    stage.formula = norm_formula(spec, to, from);
    stage.settings = {"block", "norm", "norm_position", "bias"};
    section.add(std::move(stage), {tensors + ".weight", tensors + ".bias", tensors + ".scale"});
}

// Adds what all layers know of distances: learned biases, or embeddings of the distances.
void add_distances(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    if (spec.has_distance_bias()) {
        section.add({.id = "distances",
                     .name = "Bias by distance",
                     .kind = "T5",
                     .symbols = "(h, M)",
                     .shape = {n.h, n.M},
                     .formula = "b_h(m − n) = B[h, bucket(m − n)]",
                     .settings = {"position", "distance_buckets", "largest_distance"}},
                    {"distance_bias.weight"}, false);
    }
    if (spec.position == Position::transformer_xl) {
        section.add({.id = "distances",
                     .name = "Embedding of distances",
                     .kind = "Transformer-XL, with the biases u and v",
                     .symbols = "(T, C)",
                     .shape = {n.T, n.C},
                     .formula = "R_Δ = PE(Δ),  Δ = m − n",
                     .settings = {"position"}},
                    {"content_bias.weight", "distance_query.weight"}, false);
    }
}

void add_embeddings(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "tokens",
                 .name = "Tokens",
                 .symbols = "(B, T)",
                 .shape = {n.B, n.T},
                 .formula = "x_t ∈ {0, …, V − 1}",
                 .settings = {"batch", "context", "tokenizer", "vocabulary_size"}});
    section.add({.id = "embedding",
                 .name = "Token embedding",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = "X_t = E[x_t]",
                 .settings = {"width", "tokenizer", "vocabulary_size"}},
                {"embedding.weight"}, false);
    if (spec.learns_positions()) {
        section.add({.id = "positions",
                     .name = "Position embedding",
                     .kind = "learned",
                     .symbols = "(B, T, C)",
                     .shape = {n.B, n.T, n.C},
                     .formula = "X_t ← X_t + P[t]",
                     .settings = {"position", "context"}},
                    {"positions.weight"}, false);
    }
    if (spec.position == Position::sinusoidal) {
        section.add({.id = "positions",
                     .name = "Position embedding",
                     .kind = "sinusoidal",
                     .symbols = "(B, T, C)",
                     .shape = {n.B, n.T, n.C},
                     .formula = "X_t ← √C·X_t + PE(t)",
                     .settings = {"position"}});
    }
    if (spec.theta_varies()) {
        section.add({.id = "frequencies",
                     .name = "RoPE frequencies",
                     .kind = spec.theta_training == ThetaTraining::fixed ? "scheduled" : "trained",
                     .symbols = "(d_r/2)",
                     .formula = spec.theta_training == ThetaTraining::free ? "g_i = exp(s_i)·θ^{−2i/d_r}"
                                                                           : "g_i = (exp(s)·θ)^{−2i/d_r}",
                     .settings = {"theta_training", "theta_schedule"}},
                    {"rotary.shift"}, false);
    }
    add_distances(section, spec, n);
}

std::vector<AnatomyStage> layer_stages(const RunSpec& spec, const Layout& layout, const ShapeNumbers& n,
                                       const LayerPlace& layer) {
    SectionBuilder section(layout, layer_prefix(layer.index));
    const bool parallel = spec.block == Block::pythia;
    const bool post = spec.norm_position == NormPosition::post;
    const bool sandwich = spec.norm_position == NormPosition::sandwich;
    const auto add_sum = [&](const std::string& branch) {
        AnatomyStage sum = residual_sum(branch, parallel);
        sum.shape = {n.B, n.T, n.C};
        sum.settings = {"block", "deepnorm"};
        if (spec.deepnorm) {
            sum.kind = "DeepNet";
            sum.formula = "X ← α·X + Y,  α = (2·layers)^{1/4}";
        }
        section.add(std::move(sum));
    };
    // Norms before, on the output of, or after the sum with a branch.
    const auto add_inner_norm = [&](const NormWords& said) {
        if (!post) add_norm(section, spec, n, {.id = said.id, .name = said.name}, said.id);
    };
    const auto add_output_norm = [&](const NormWords& said) {
        if (sandwich) add_norm(section, spec, n, {.id = said.id, .name = said.name}, said.id, "Y", "Y");
    };
    const auto add_outer_norm = [&](const std::string& branch, const std::string& name) {
        if (!post) return;
        add_norm(section, spec, n, {.id = branch + "_post_norm", .name = "Norm after " + name}, branch + "_norm", "X",
                 "X");
    };
    add_inner_norm(words::attention_norm);
    if (layer.attention == LayerAttention::delta_net) {
        add_delta_net(section, spec, n);
    } else {
        add_softmax_attention(section, spec, n, layer);
    }
    add_output_norm(words::attention_output_norm);
    if (!parallel) add_sum("attention");
    add_outer_norm("attention", "attention");
    add_inner_norm(words::mlp_norm);
    if (layer.has_experts) {
        add_experts(section, spec, n);
    } else {
        add_feed_forward(section, spec, n);
    }
    add_output_norm(words::mlp_output_norm);
    add_sum("mlp");
    add_outer_norm("mlp", "MLP");
    return section.finish();
}

// Returns layers in ascending order as text: "0–2, 4–6". Beyond four runs of layers, the others are "…".
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

// Returns what distinguishes the layers of a section from others: "gated DeltaNet, experts".
std::string layer_kind(const RunSpec& spec, const LayerPlace& layer) {
    std::string text = "whole context";
    if (layer.attention == LayerAttention::window) text = "sliding window";
    if (layer.attention == LayerAttention::delta_net) text = "gated DeltaNet";
    if (spec.experts > 0) text += layer.has_experts ? ", experts" : ", dense MLP";
    return text;
}

// Returns one section per kind of layer.
std::vector<AnatomySection> layer_sections(const RunSpec& spec, const Layout& layout, const ShapeNumbers& n) {
    const std::vector<LayerAttention> attentions = attention_of_layers(spec);
    std::vector<LayerPlace> kinds;
    std::vector<AnatomySection> sections;
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerPlace layer{i, attentions.at(static_cast<std::size_t>(i)), spec.has_experts(i)};
        const auto same =
            std::find_if(kinds.begin(), kinds.end(), [&](const LayerPlace& kind) { return kind.equals(layer); });
        if (same != kinds.end()) {
            sections[static_cast<std::size_t>(same - kinds.begin())].layers.push_back(i);
        } else {
            kinds.push_back(layer);
            sections.push_back({"Layer", {i}, layer_stages(spec, layout, n, layer)});
        }
    }
    for (std::size_t i = 0; sections.size() > 1 && i < sections.size(); ++i) {
        sections[i].title = (sections[i].layers.size() > 1 ? "Layers " : "Layer ") + layers_text(sections[i].layers) +
                            ": " + layer_kind(spec, kinds[i]);
    }
    return sections;
}

void add_head(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    if (spec.norm_position != NormPosition::post) {
        add_norm(section, spec, n, {.id = "final_norm", .name = "Final norm"}, "final_norm");
    }
    const std::string input = branch_input(spec);
    AnatomyStage head = {
        .id = "head",
        .name = "Output head",
        .kind = spec.tied_head ? "tied to the embedding" : "",
        .symbols = "(B, T, V)",
        .shape = {n.B, n.T, n.V},
        .formula = "logits = " + input + (spec.tied_head ? "·E^⊤" : "·W_head^⊤") + (spec.head_bias ? " + β_head" : ""),
        .settings = {"tied_head", "head_bias", "tokenizer", "vocabulary_size"}};
    if (spec.tied_head) head.operations = 2.0 * real(n.V) * real(n.C);
    section.add(std::move(head), {"head.weight", "head.bias"});
}

std::vector<AnatomySize> anatomy_sizes(const RunSpec& spec, const ShapeNumbers& n) {
    std::vector<AnatomySize> sizes = {
        {"B", "sequences per batch", n.B},
        {"T", "tokens per sequence", n.T},
        {"C", "width", n.C},
        {"h", "heads", n.h},
        {"h_kv", "key and value heads", n.kv},
        {"D", "channels per head", n.D},
        {"H", spec.experts > 0 ? "hidden width of the MLP or of an expert" : "hidden width of the MLP", n.H},
        {"V", "vocabulary", n.V}};
    if (spec.attention == AttentionKind::mla) {
        sizes.push_back({"L", "width of the latent vector", n.L});
        sizes.push_back({"D_r", "rotary channels per head", n.R});
    }
    if (spec.attention_window > 0) sizes.push_back({"W", "tokens of the sliding window", spec.attention_window});
    if (spec.experts > 0) {
        sizes.push_back({"E", "experts", n.E});
        sizes.push_back({"k", "experts per token", n.k});
    }
    if (spec.has_distance_bias()) sizes.push_back({"M", "buckets of distances", n.M});
    if (spec.position == Position::shaw) sizes.push_back({"M", "distances with vectors of their own", n.M});
    if (spec.position == Position::cope) sizes.push_back({"M", "embeddings of positions", n.M});
    return sizes;
}

// Returns sentences on the cache that numbers per token cannot say.
std::vector<std::string> cache_remarks(const RunSpec& spec, const AnatomyTotals& totals) {
    std::vector<std::string> remarks;
    if (spec.operations == Operations::eager) return remarks;
    if (spec.attention_window > 0) remarks.push_back(window_remark(spec.attention_window));
    if (totals.state_bytes > 0) remarks.push_back(state_remark(totals.state_bytes));
    return remarks;
}

}  // namespace

std::string AnatomyStage::shape_text() const {
    if (shape.empty()) return "unknown";
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
    return text;
}

AnatomyTotals Anatomy::totals() const {
    AnatomyTotals totals = {.parameters = 0, .active_parameters = {}, .operations = 0.0, .cache_bytes = 0};
    if (!times.empty()) totals.seconds = 0;
    std::int64_t inactive = 0;
    for (const AnatomySection& section : sections) {
        const std::int64_t repeats = section.repeats();
        for (const AnatomyStage& stage : section.stages) {
            if (!stage.parameters) totals.parameters.reset();
            if (!stage.operations) totals.operations.reset();
            if (!stage.cache_bytes) totals.cache_bytes.reset();
            if (totals.parameters) *totals.parameters += repeats * stage.parameters.value_or(0);
            inactive += repeats * stage.inactive_parameters;
            totals.state_bytes += repeats * stage.state_bytes;
            if (totals.operations) *totals.operations += real(repeats) * stage.operations.value_or(0);
            if (totals.cache_bytes) *totals.cache_bytes += repeats * stage.cache_bytes.value_or(0);
            if (totals.seconds) *totals.seconds += real(repeats) * stage.seconds.value_or(0);
        }
    }
    if (totals.parameters) totals.active_parameters = *totals.parameters - inactive;
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

Anatomy anatomy_of(const RunSpec& spec, std::int64_t vocabulary) {
    check(spec);
    const Layout layout = layout_of(spec, static_cast<int>(vocabulary));
    const ShapeNumbers n(spec, vocabulary);
    Anatomy anatomy;
    anatomy.sizes = anatomy_sizes(spec, n);
    SectionBuilder front(layout, "");
    SectionBuilder back(layout, "");
    for (const char* name : {"final_norm.weight", "final_norm.bias", "final_norm.scale", "head.weight", "head.bias"})
        front.leave(name);
    add_embeddings(front, spec, n);
    anatomy.sections.push_back({"", {}, front.finish()});
    for (AnatomySection& section : layer_sections(spec, layout, n)) anatomy.sections.push_back(std::move(section));
    for (const Parameter& parameter : layout.parameters) {
        const bool is_last = parameter.name.starts_with("final_norm.") || parameter.name.starts_with("head.");
        if (!is_last) back.leave(parameter.name);
    }
    add_head(back, spec, n);
    anatomy.sections.push_back({"", {}, back.finish()});
    anatomy.remarks = cache_remarks(spec, anatomy.totals());
    return anatomy;
}

RunSpec traditional_model(RunSpec spec) {
    const RunSpec defaults;
    spec.block = Block::gpt2;
    spec.position = Position::learned;
    spec.key_value_heads = 0;
    spec.feed_forward = FeedForward::automatic;
    spec.mlp_width = 0;
    spec.experts = 0;
    spec.qk_norm = QkNorm::none;
    spec.norm = NormKind::automatic;
    spec.norm_position = NormPosition::pre;
    spec.deepnorm = false;
    spec.bias = true;
    spec.tied_head = true;
    spec.head_bias = false;
    spec.attention = AttentionKind::mha;
    spec.latent_width = 0;
    spec.rotary_channels = 0;
    spec.attention_layers = defaults.attention_layers;
    spec.attention_sinks = false;
    spec.attention_window = 0;
    spec.frequencies = defaults.frequencies;
    spec.pairs = "all";
    spec.rotated_layers = "all";
    spec.theta_training = ThetaTraining::fixed;
    spec.theta_schedule = ThetaSchedule::constant;
    return spec;
}

RunSpec modern_model(RunSpec spec) {
    spec = traditional_model(spec);
    spec.block = Block::llama;
    spec.position = Position::rope;
    spec.key_value_heads = spec.heads % 4 == 0 ? spec.heads / 4 : spec.heads % 2 == 0 ? spec.heads / 2 : 0;
    spec.bias = false;
    spec.tied_head = false;
    return spec;
}

}  // namespace ropelab
