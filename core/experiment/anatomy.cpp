#include "core/experiment/anatomy.h"

#include <algorithm>
#include <utility>

#include "core/experiment/step_cost.h"
#include "core/rope/memory.h"
#include "core/spec/error.h"
#include "core/spec/layout.h"

namespace ropelab {

namespace {

constexpr int cached_number_bytes = 4;

double real(std::int64_t count) {
    return static_cast<double>(count);
}

std::string layer_prefix(std::int64_t layer) {
    return "layers." + std::to_string(layer) + ".";
}

// Builds the stages of one section from a run's layout. Every parameter of the section belongs to one stage.
class SectionBuilder {
 public:
    // The parameters with this prefix, such as "layers.0.", are those of the section; "" for those outside the layers.
    SectionBuilder(const Layout& layout, std::string prefix) : layout_(layout), prefix_(std::move(prefix)) {
        for (const Parameter& parameter : layout.parameters) {
            const bool in_layer = parameter.name.starts_with("layers.");
            if (prefix_.empty() ? !in_layer : parameter.name.starts_with(prefix_)) {
                unclaimed_.push_back(parameter.name.substr(prefix_.size()));
            }
        }
    }

    // Adds a stage. Of the tensors, those that the model has are its parameters; a product with each matrix counts as
    // operations.
    AnatomyStage& add(AnatomyStage stage, const std::vector<std::string>& tensors = {}, bool multiplies = true) {
        for (const std::string& name : tensors) {
            if (!layout_.contains(prefix_ + name)) continue;
            const Parameter& parameter = layout_.at(prefix_ + name);
            *stage.parameters += parameter.size;
            if (multiplies && parameter.shape.size() > 1) *stage.operations += 2.0 * real(parameter.size);
            stage.tensors.push_back(name);
            std::erase(unclaimed_, name);
        }
        return stages_.emplace_back(std::move(stage));
    }

    // Returns the stages. Parameters that none of them claimed are a stage of their own, so that the sums are complete.
    std::vector<AnatomyStage> finish() {
        if (!unclaimed_.empty()) {
            const std::vector<std::string> rest = unclaimed_;
            add({.id = "other", .name = "Other parameters"}, rest);
        }
        return std::move(stages_);
    }

    // Leaves parameters to another section with the same prefix.
    void leave(const std::string& name) { std::erase(unclaimed_, name); }

 private:
    const Layout& layout_;
    std::string prefix_;
    std::vector<std::string> unclaimed_;
    std::vector<AnatomyStage> stages_;
};

// The sizes that the shapes of stages consist of.
struct ShapeNumbers {
    explicit ShapeNumbers(const RunSpec& spec, std::int64_t vocabulary)
        : B(spec.batch),
          T(spec.context),
          C(spec.width),
          h(spec.heads),
          kv(spec.kv_heads()),
          D(spec.head_dim()),
          H(spec.hidden_width()),
          V(vocabulary) {}
    std::int64_t B, T, C, h, kv, D, H, V;
};

std::string norm_kind(const RunSpec& spec) {
    switch (spec.norm_kind()) {
        case NormKind::rms:
            return "RMSNorm";
        case NormKind::zero_centred_rms:
            return "zero-centered RMSNorm";
        case NormKind::dyt:
            return "Dynamic Tanh";
        default:
            return "LayerNorm";
    }
}

std::string norm_formula(const RunSpec& spec) {
    const NormKind kind = spec.norm_kind();
    if (kind == NormKind::rms) return "H = X/√(mean(X^2) + ε) ⊙ γ";
    if (kind == NormKind::zero_centred_rms) return "H = X/√(mean(X^2) + ε) ⊙ (1 + γ)";
    if (kind == NormKind::dyt) return std::string("H = tanh(α·X) ⊙ γ") + (spec.bias ? " + β" : "");
    return std::string("H = (X − mean(X))/√(var(X) + ε) ⊙ γ") + (spec.bias ? " + β" : "");
}

void add_norm(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n, const std::string& id,
              const std::string& name) {
    section.add({.id = id,
                 .name = name,
                 .kind = norm_kind(spec),
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = norm_formula(spec),
                 .settings = {"block", "norm", "bias"}},
                {id + ".weight", id + ".bias", id + ".scale"});
}

void add_embeddings(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "tokens",
                 .name = "Tokens",
                 .symbols = "(B, T)",
                 .shape = {n.B, n.T},
                 .formula = "x_t ∈ {0, …, V − 1}",
                 .settings = {"batch", "context", "tokenizer"}});
    section.add({.id = "embedding",
                 .name = "Token embedding",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = "X_t = E[x_t]",
                 .settings = {"width", "tokenizer"}},
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
                     .formula = "X_t ← X_t + PE(t)",
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
}

// Adds the heads' queries, keys and values with what changes them before the scores: normalization and rotation.
void add_heads(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "attention.qkv",
                 .name = "Queries, keys, values",
                 .symbols = "(B, T, (h + 2h_kv)·D)",
                 .shape = {n.B, n.T, (n.h + 2 * n.kv) * n.D},
                 .formula = std::string("[Q K V] = H·W_qkv^⊤") + (spec.bias ? " + b_qkv" : ""),
                 .settings = {"width", "heads", "key_value_heads", "bias"}},
                {"attention.qkv.weight", "attention.qkv.bias"});
    section.add({.id = "attention.queries",
                 .name = "Query heads",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .formula = "Q → Q_1, …, Q_h",
                 .settings = {"heads"}});
    const std::int64_t group = n.kv == 0 ? 1 : n.h / n.kv;
    AnatomyStage keys = {.id = "attention.keys",
                         .name = "Key and value heads",
                         .kind = n.kv == n.h ? "multi-head"
                                 : n.kv == 1 ? "multi-query"
                                             : "grouped, " + std::to_string(group) + " queries per key",
                         .symbols = "2 × (B, h_kv, T, D)",
                         .shape = {2, n.B, n.kv, n.T, n.D},
                         .formula = "K → K_1, …, K_{h_kv},  V → V_1, …, V_{h_kv}",
                         .settings = {"key_value_heads", "operations"}};
    if (spec.operations != Operations::eager) {
        const CacheShape layer = {.layers = 1, .heads = n.h, .kv_heads = n.kv, .head_dim = n.D};
        keys.cache_bytes = kv_cache_bytes(layer, KvCache::grouped, 1, cached_number_bytes);
    }
    section.add(std::move(keys));
    if (spec.qk_norm != QkNorm::none) {
        section.add({.id = "attention.qk_norm",
                     .name = "Norm of queries and keys",
                     .kind = spec.qk_norm == QkNorm::head ? "per head" : "all heads together",
                     .symbols = "(B, h, T, D)",
                     .shape = {n.B, n.h, n.T, n.D},
                     .formula = "q ← q/√(mean(q^2) + ε) ⊙ γ_q,  k ← k/√(mean(k^2) + ε) ⊙ γ_k",
                     .settings = {"qk_norm"}},
                    {"attention.query_norm.weight", "attention.key_norm.weight"});
    }
    if (spec.rotates()) {
        section.add({.id = "attention.rotation",
                     .name = "Rotation of queries and keys",
                     .kind = "RoPE, " + fraction_text(spec.fraction, spec.head_dim()),
                     .symbols = "(B, h, T, D)",
                     .shape = {n.B, n.h, n.T, n.D},
                     .formula = "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n",
                     .settings = {"position", "theta", "fraction"}});
    }
}

std::string score_formula(const RunSpec& spec) {
    std::string formula = "S_mn = q_m·k_n/√D";
    if (spec.position == Position::alibi) formula += " − slope_h·(m − n)";
    formula += " for n ≤ m, else −∞";
    if (spec.attention_window > 0) formula += "; −∞ too for m − n ≥ W";
    return formula;
}

void add_attention(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    add_heads(section, spec, n);
    const double products = 2.0 * attended_keys(spec) * real(n.C);
    section.add({.id = "attention.scores",
                 .name = "Attention scores",
                 .kind = spec.position == Position::alibi ? "ALiBi"
                         : spec.attention_window > 0      ? "sliding window"
                                                          : "",
                 .symbols = "(B, h, T, T)",
                 .shape = {n.B, n.h, n.T, n.T},
                 .operations = products,
                 .formula = score_formula(spec),
                 .settings = {"heads", "context", "position", "attention_window"}});
    section.add({.id = "attention.weights",
                 .name = "Attention weights",
                 .symbols = "(B, h, T, T)",
                 .shape = {n.B, n.h, n.T, n.T},
                 .formula = "A = softmax(S)",
                 .settings = {"heads", "context"}});
    section.add({.id = "attention.values",
                 .name = "Weighted values",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .operations = products,
                 .formula = "O = A·V",
                 .settings = {"heads", "context", "attention_window"}});
    section.add({.id = "attention.output",
                 .name = "Attention output",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = std::string("Y = [O_1 … O_h]·W_o^⊤") + (spec.bias ? " + b_o" : ""),
                 .settings = {"width", "bias"}},
                {"attention.output.weight", "attention.output.bias"});
}

// The name of an activation and the formula of its output Z.
struct ActivationWords {
    const char* name;
    const char* formula;
};

ActivationWords activation_words(FeedForward kind) {
    switch (kind) {
        case FeedForward::relu:
            return {"ReLU", "Z = ReLU(U)"};
        case FeedForward::relu2:
            return {"squared ReLU", "Z = ReLU(U)^2"};
        case FeedForward::swish:
            return {"Swish", "Z = SiLU(U)"};
        case FeedForward::glu:
            return {"GLU", "Z = σ(G) ⊙ U"};
        case FeedForward::bilinear:
            return {"bilinear", "Z = G ⊙ U"};
        case FeedForward::reglu:
            return {"ReGLU", "Z = ReLU(G) ⊙ U"};
        case FeedForward::geglu:
            return {"GEGLU", "Z = GELU(G) ⊙ U"};
        case FeedForward::swiglu:
            return {"SwiGLU", "Z = SiLU(G) ⊙ U"};
        default:
            return {"GELU", "Z = GELU(U)"};
    }
}

void add_feed_forward(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    const bool gated = spec.gates_feed_forward();
    const ActivationWords activation = activation_words(spec.feed_forward_kind());
    const std::string up = gated ? "mlp.gate_up" : "mlp.up";
    section.add({.id = "mlp.up",
                 .name = "MLP up",
                 .kind = gated ? "gate and factor" : "",
                 .symbols = gated ? "(B, T, 2H)" : "(B, T, H)",
                 .shape = {n.B, n.T, gated ? 2 * n.H : n.H},
                 .formula = std::string(gated ? "[G U] = H·W_gu^⊤" : "U = H·W_up^⊤") + (spec.bias ? " + b_up" : ""),
                 .settings = {"block", "feed_forward", "mlp_width", "bias"}},
                {up + ".weight", up + ".bias"});
    section.add({.id = "mlp.activation",
                 .name = "Activation",
                 .kind = activation.name,
                 .symbols = "(B, T, H)",
                 .shape = {n.B, n.T, n.H},
                 .formula = activation.formula,
                 .settings = {"block", "feed_forward", "mlp_width"}});
    section.add({.id = "mlp.down",
                 .name = "MLP down",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = std::string("Y = Z·W_down^⊤") + (spec.bias ? " + b_down" : ""),
                 .settings = {"mlp_width", "bias"}},
                {"mlp.down.weight", "mlp.down.bias"});
}

std::vector<AnatomyStage> layer_stages(const RunSpec& spec, const Layout& layout, const ShapeNumbers& n,
                                       std::int64_t layer) {
    SectionBuilder section(layout, layer_prefix(layer));
    const bool parallel = spec.block == Block::pythia;
    const auto add_sum = [&](const std::string& id, const std::string& formula) {
        section.add({.id = id,
                     .name = "Residual sum",
                     .kind = parallel ? "parallel" : "",
                     .symbols = "(B, T, C)",
                     .shape = {n.B, n.T, n.C},
                     .formula = formula,
                     .settings = {"block"}});
    };
    add_norm(section, spec, n, "attention_norm", "Norm before attention");
    add_attention(section, spec, n);
    if (!parallel) add_sum("attention.sum", "X ← X + Y");
    add_norm(section, spec, n, "mlp_norm", "Norm before MLP");
    add_feed_forward(section, spec, n);
    add_sum("mlp.sum", parallel ? "X ← X + Y_attention + Y_MLP" : "X ← X + Y");
    return section.finish();
}

// Returns what distinguishes the parameters of layers: their names without the index, and their shapes.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> layer_shapes(const Layout& layout, std::int64_t layer) {
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> result;
    const std::string prefix = layer_prefix(layer);
    for (const Parameter& parameter : layout.parameters) {
        if (parameter.name.starts_with(prefix)) {
            result.emplace_back(parameter.name.substr(prefix.size()), parameter.shape);
        }
    }
    return result;
}

// Returns one section per kind of layer.
std::vector<AnatomySection> layer_sections(const RunSpec& spec, const Layout& layout, const ShapeNumbers& n) {
    std::vector<AnatomySection> sections;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const auto shapes = layer_shapes(layout, layer);
        const auto same = std::find_if(sections.begin(), sections.end(), [&](const AnatomySection& section) {
            return layer_shapes(layout, section.layers.front()) == shapes;
        });
        if (same != sections.end()) {
            same->layers.push_back(layer);
        } else {
            sections.push_back({"Layer", {layer}, layer_stages(spec, layout, n, layer)});
        }
    }
    return sections;
}

void add_head(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    add_norm(section, spec, n, "final_norm", "Final norm");
    AnatomyStage head = {.id = "head",
                         .name = "Output head",
                         .kind = spec.tied_head ? "tied to the embedding" : "",
                         .symbols = "(B, T, V)",
                         .shape = {n.B, n.T, n.V},
                         .formula = spec.tied_head ? "logits = H·E^⊤" : "logits = H·W_head^⊤",
                         .settings = {"tied_head", "tokenizer"}};
    if (spec.tied_head) head.operations = 2.0 * real(n.V) * real(n.C);
    section.add(std::move(head), {"head.weight"});
}

// Throws BadInput for models with parts that have no stages here.
void require_listed(const RunSpec& spec) {
    const auto refuse = [](const std::string& part, const std::string& setting) {
        throw BadInput("The stages of a model cannot be listed with " + part + "; set " + setting + ".");
    };
    if (spec.attention != AttentionKind::mha) refuse("latent or gated attention", "attention to mha");
    if (spec.attention_layers != "auto") refuse("layers of different attention", "attention_layers to auto");
    if (spec.attention_sinks) refuse("attention sinks", "attention_sinks to false");
    if (spec.experts > 0) refuse("experts", "experts to 0");
    if (spec.norm_position != NormPosition::pre) refuse("norms after a branch", "norm_position to pre");
    if (!spec.has_fused_encoding()) {
        refuse("a learned relative position encoding or a decay",
               "position to none, learned, rope, learned+rope, sinusoidal or alibi");
    }
}

}  // namespace

std::string AnatomyStage::shape_text() const {
    if (shape.empty()) return "unknown";
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
    return text;
}

AnatomyTotals Anatomy::totals() const {
    AnatomyTotals totals = {0, 0.0, 0};
    for (const AnatomySection& section : sections) {
        const std::int64_t repeats = section.repeats();
        for (const AnatomyStage& stage : section.stages) {
            if (!stage.parameters) totals.parameters.reset();
            if (!stage.operations) totals.operations.reset();
            if (!stage.cache_bytes) totals.cache_bytes.reset();
            if (totals.parameters) *totals.parameters += repeats * stage.parameters.value_or(0);
            if (totals.operations) *totals.operations += real(repeats) * stage.operations.value_or(0);
            if (totals.cache_bytes) *totals.cache_bytes += repeats * stage.cache_bytes.value_or(0);
        }
    }
    return totals;
}

const AnatomyStage* Anatomy::find(const std::string& id) const {
    for (const AnatomySection& section : sections) {
        for (const AnatomyStage& stage : section.stages) {
            if (stage.id == id) return &stage;
        }
    }
    return nullptr;
}

Anatomy anatomy_of(const RunSpec& spec, std::int64_t vocabulary) {
    check(spec);
    require_listed(spec);
    const Layout layout = layout_of(spec, static_cast<int>(vocabulary));
    const ShapeNumbers n(spec, vocabulary);
    Anatomy anatomy;
    anatomy.sizes = {{"B", "sequences per batch", n.B},
                     {"T", "tokens per sequence", n.T},
                     {"C", "width", n.C},
                     {"h", "heads", n.h},
                     {"h_kv", "key and value heads", n.kv},
                     {"D", "channels per head", n.D},
                     {"H", "hidden width of the MLP", n.H},
                     {"V", "vocabulary", n.V}};
    SectionBuilder front(layout, "");
    SectionBuilder back(layout, "");
    for (const char* name : {"final_norm.weight", "final_norm.bias", "final_norm.scale", "head.weight"})
        front.leave(name);
    add_embeddings(front, spec, n);
    anatomy.sections.push_back({"", {}, front.finish()});
    for (AnatomySection& section : layer_sections(spec, layout, n)) anatomy.sections.push_back(std::move(section));
    for (const Parameter& parameter : layout.parameters) {
        const bool is_last = parameter.name.starts_with("final_norm.") || parameter.name == "head.weight";
        if (!is_last) back.leave(parameter.name);
    }
    add_head(back, spec, n);
    anatomy.sections.push_back({"", {}, back.finish()});
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
