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
          V(vocabulary),
          L(spec.latent_channels()),
          R(spec.rotary_head_dim()),
          E(spec.experts),
          k(spec.experts_per_token),
          M(spec.position == Position::shaw   ? spec.relative_clip + 1
            : spec.position == Position::cope ? spec.cope_positions
                                              : spec.distance_buckets) {}
    std::int64_t B, T, C, h, kv, D, H, V, L, R, E, k;
    std::int64_t M;  // learned vectors or numbers of distances or positions
};

// One layer whose stages are listed.
struct LayerPlace {
    std::int64_t index;
    LayerAttention attention;
    bool has_experts;

    bool equals(const LayerPlace& other) const {
        return attention == other.attention && has_experts == other.has_experts;
    }
};

// Returns the symbol of a branch's input: the normalized residual stream, or with norms after the branches the stream.
std::string branch_input(const RunSpec& spec) {
    return spec.norm_position == NormPosition::post ? "X" : "H";
}

// Returns "name = input·matrix^⊤", with a bias if the model has biases.
std::string product_formula(const RunSpec& spec, const std::string& name, const std::string& input,
                            const std::string& index, bool can_have_bias = true) {
    std::string formula = name;
    formula += " = ";
    formula += input;
    formula += "·W_" + index + "^⊤";
    if (spec.bias && can_have_bias) formula += " + b_" + index;
    return formula;
}

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

// Returns how the encoding of a model changes queries and keys; "" if it does not.
std::string rotation_kind(const RunSpec& spec) {
    if (!spec.rotates()) return "";
    const std::string name = spec.position == Position::xpos ? "xPos, " : "RoPE, ";
    return name + (spec.frequencies == "auto" ? fraction_text(spec.fraction, spec.rotary_head_dim())
                                              : std::string("listed frequencies"));
}

void add_rotation(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    if (!spec.rotates()) return;
    const bool is_mla = spec.attention == AttentionKind::mla;
    AnatomyStage stage = {.id = "attention.rotation",
                          .name = is_mla ? "Rotation of the rotary channels" : "Rotation of queries and keys",
                          .kind = rotation_kind(spec),
                          .symbols = is_mla ? "(B, h, T, D_r)" : "(B, h, T, D)",
                          .shape = {n.B, n.h, n.T, is_mla ? n.R : n.D},
                          .formula = "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n",
                          .settings = {"position", "theta", "fraction", "frequencies"}};
    if (is_mla) {
        stage.formula = "q^R_m ← R(m·g)·q^R_m,  k^R_n ← R(n·g)·k^R_n";
        stage.settings.emplace_back("rotary_channels");
    }
    if (spec.position == Position::xpos) {
        stage.formula = "q_m ← ζ^{(m − c)/s} ⊙ R(m·g)·q_m,  k_n ← ζ^{−(n − c)/s} ⊙ R(n·g)·k_n";
        stage.settings.emplace_back("xpos_scale_base");
    }
    section.add(std::move(stage));
}

// Adds the heads' queries, keys and values with what changes them before the scores: normalization and rotation.
void add_heads(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "attention.qkv",
                 .name = "Queries, keys, values",
                 .symbols = "(B, T, (h + 2h_kv)·D)",
                 .shape = {n.B, n.T, (n.h + 2 * n.kv) * n.D},
                 .formula = product_formula(spec, "[Q K V]", branch_input(spec), "qkv"),
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
}

// Adds queries, keys and values of multi-head latent attention (formula 44).
void add_latent_heads(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "attention.query",
                 .name = "Queries",
                 .kind = "with rotary channels",
                 .symbols = "(B, T, h·(D + D_r))",
                 .shape = {n.B, n.T, n.h * (n.D + n.R)},
                 .formula = product_formula(spec, "[Q Q^R]", branch_input(spec), "q"),
                 .settings = {"attention", "width", "heads", "rotary_channels", "bias"}},
                {"attention.query.weight", "attention.query.bias"});
    AnatomyStage latent = {.id = "attention.latent",
                           .name = "Latent vector and rotary key",
                           .symbols = "(B, T, L + D_r)",
                           .shape = {n.B, n.T, n.L + n.R},
                           .formula = product_formula(spec, "[c k^R]", branch_input(spec), "c"),
                           .settings = {"attention", "latent_width", "rotary_channels", "bias", "operations"}};
    if (spec.operations != Operations::eager) {
        const CacheShape layer = {.layers = 1, .latent_dim = n.L, .latent_rope_dim = n.R};
        latent.cache_bytes = kv_cache_bytes(layer, KvCache::latent, 1, cached_number_bytes);
    }
    section.add(std::move(latent), {"attention.latent.weight", "attention.latent.bias"});
    section.add({.id = "attention.latent_norm",
                 .name = "Norm of the latent vector",
                 .kind = "RMSNorm",
                 .symbols = "(B, T, L)",
                 .shape = {n.B, n.T, n.L},
                 .formula = "c ← c/√(mean(c^2) + ε) ⊙ γ",
                 .settings = {"attention", "latent_width"}},
                {"attention.latent_norm.weight"});
    section.add({.id = "attention.key_value",
                 .name = "Keys and values",
                 .kind = "from the latent vector",
                 .symbols = "2 × (B, h, T, D)",
                 .shape = {2, n.B, n.h, n.T, n.D},
                 .formula = product_formula(spec, "[K V]", "c", "kv", false),
                 .settings = {"attention", "heads", "latent_width"}},
                {"attention.key_value.weight"});
}

// Adds the products of queries and learned vectors of distances that the scores contain (formulas 39, 41 and 43).
void add_relative_keys(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    const double C = real(n.C);
    if (spec.position == Position::shaw) {
        section.add({.id = "attention.relative_keys",
                     .name = "Relative positions of keys",
                     .kind = "Shaw",
                     .symbols = "(B, h, T, M)",
                     .shape = {n.B, n.h, n.T, n.M},
                     .operations = 2.0 * C * real(n.M),
                     .formula = "P_{m,Δ} = q_m·a^K_{min(Δ, M − 1)},  Δ = m − n",
                     .settings = {"position", "relative_clip"}},
                    {"attention.relative_keys.weight"}, false);
    }
    if (spec.position == Position::transformer_xl) {
        section.add({.id = "attention.relative",
                     .name = "Keys of distances",
                     .kind = "Transformer-XL, once per batch",
                     .symbols = "(T, h_kv·D)",
                     .shape = {n.T, n.kv * n.D},
                     .operations = 2.0 * C * real(n.kv * n.D) / real(spec.sequences_per_pass()),
                     .formula = "k^R_Δ = R_Δ·W_R^⊤",
                     .settings = {"position", "key_value_heads", "batch", "micro_batch"}},
                    {"attention.relative.weight"}, false);
        section.add({.id = "attention.relative_keys",
                     .name = "Relative positions of keys",
                     .kind = "Transformer-XL",
                     .symbols = "(B, h, T, T)",
                     .shape = {n.B, n.h, n.T, n.T},
                     .operations = 2.0 * C * real(n.T),
                     .formula = "P_{m,Δ} = (q_m + v)·k^R_Δ,  Δ = m − n",
                     .settings = {"position", "context"}});
    }
    if (spec.position == Position::cope) {
        section.add({.id = "attention.relative_keys",
                     .name = "Contextual positions",
                     .kind = "CoPE",
                     .symbols = "(B, h, T, M)",
                     .shape = {n.B, n.h, n.T, n.M},
                     .operations = 2.0 * C * real(n.M),
                     .formula = "P_mi = q_m·e_i,  p_n = min(Σ_{j=n…m} σ(q_m·k_j/√D), M − 1)",
                     .settings = {"position", "cope_positions"}},
                    {"attention.contextual.weight"}, false);
    }
}

std::string score_formula(const RunSpec& spec, const LayerPlace& layer) {
    std::string formula = "S_mn = q_m·k_n/√D";
    if (spec.attention == AttentionKind::mla) formula = "S_mn = (q_m·k_n + q^R_m·k^R_n)/√(D + D_r)";
    if (spec.position == Position::alibi) formula += " − slope_h·(m − n)";
    if (spec.position == Position::shaw) formula = "S_mn = (q_m·k_n + P_{m,Δ})/√D";
    if (spec.position == Position::transformer_xl) formula = "S_mn = ((q_m + u)·k_n + P_{m,Δ})/√D";
    if (spec.position == Position::cope) formula += " + P_m interpolated at p_n";
    if (spec.has_distance_bias()) formula += " + b_h(m − n)";
    formula += " for n ≤ m, else −∞";
    if (layer.attention == LayerAttention::window) formula += "; −∞ too for m − n ≥ W";
    return formula;
}

std::string score_kind(const RunSpec& spec, const LayerPlace& layer) {
    std::string kind;
    const auto add = [&](const char* word) { kind += (kind.empty() ? "" : ", ") + std::string(word); };
    if (spec.position == Position::alibi) add("ALiBi");
    if (spec.position == Position::shaw) add("Shaw");
    if (spec.position == Position::transformer_xl) add("Transformer-XL");
    if (spec.position == Position::cope) add("CoPE");
    if (spec.has_distance_bias()) add("T5 bias");
    if (layer.attention == LayerAttention::window) add("sliding window");
    return kind;
}

void add_attention_output(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    section.add({.id = "attention.output",
                 .name = "Attention output",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = product_formula(spec, "Y", "[O_1 … O_h]", "o"),
                 .settings = {"width", "bias"}},
                {"attention.output.weight", "attention.output.bias"});
}

void add_gate(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n, const std::string& kind,
              const std::string& function, const std::string& setting) {
    const std::string bias = spec.bias ? " + b_g" : "";
    section.add({.id = "attention.gate",
                 .name = "Gate",
                 .kind = kind,
                 .symbols = "(B, T, h·D)",
                 .shape = {n.B, n.T, n.h * n.D},
                 .formula = "O ← O ⊙ " + function + "(" + branch_input(spec) + "·W_g^⊤" + bias + ")",
                 .settings = {setting, "bias"}},
                {"attention.gate.weight", "attention.gate.bias"});
}

// Adds attention with weights: to the whole context or to a sliding window.
void add_softmax_attention(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n,
                           const LayerPlace& layer) {
    if (spec.attention == AttentionKind::mla) {
        add_latent_heads(section, spec, n);
    } else {
        add_heads(section, spec, n);
    }
    add_rotation(section, spec, n);
    add_relative_keys(section, spec, n);
    const double keys = attended_keys(spec, layer.index);
    section.add({.id = "attention.scores",
                 .name = "Attention scores",
                 .kind = score_kind(spec, layer),
                 .symbols = "(B, h, T, T)",
                 .shape = {n.B, n.h, n.T, n.T},
                 .operations = 2.0 * keys * real(n.h * spec.query_dim()),
                 .formula = score_formula(spec, layer),
                 .settings = {"heads", "context", "position", "attention_window", "attention_layers"}});
    section.add({.id = "attention.weights",
                 .name = "Attention weights",
                 .kind = spec.attention_sinks ? "with a sink" : "",
                 .symbols = "(B, h, T, T)",
                 .shape = {n.B, n.h, n.T, n.T},
                 .formula = spec.attention_sinks ? "A_mn = exp(S_mn)/(exp(s_h) + Σ_j exp(S_mj))" : "A = softmax(S)",
                 .settings = {"heads", "context", "attention_sinks"}},
                {"attention.sinks"});
    section.add({.id = "attention.values",
                 .name = "Weighted values",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .operations = 2.0 * keys * real(n.C),
                 .formula = "O = A·V",
                 .settings = {"heads", "context", "attention_window", "attention_layers"}});
    if (spec.position == Position::shaw) {
        section.add({.id = "attention.relative_values",
                     .name = "Relative positions of values",
                     .kind = "Shaw",
                     .symbols = "(B, h, T, D)",
                     .shape = {n.B, n.h, n.T, n.D},
                     .operations = 2.0 * real(n.C) * real(n.M),
                     .formula = "O_m ← O_m + Σ_n A_mn·a^V_{min(m − n, M − 1)}",
                     .settings = {"position", "relative_clip"}},
                    {"attention.relative_values.weight"}, false);
    }
    if (spec.attention == AttentionKind::gated) add_gate(section, spec, n, "sigmoid", "σ", "attention");
    add_attention_output(section, spec, n);
}

// Adds a gated DeltaNet (formula 46), whose state replaces keys, values and attention weights.
void add_delta_net(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    const double state = real(n.C) * real(n.D);  // numbers of all heads
    section.add({.id = "attention.qkv",
                 .name = "Queries, keys, values",
                 .symbols = "(B, T, 3h·D)",
                 .shape = {n.B, n.T, 3 * n.h * n.D},
                 .formula = product_formula(spec, "[Q K V]", branch_input(spec), "qkv"),
                 .settings = {"attention_layers", "width", "heads", "bias"}},
                {"attention.qkv.weight", "attention.qkv.bias"});
    section.add({.id = "attention.qk_norm",
                 .name = "Norm of queries and keys",
                 .kind = "length 1",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .formula = "q ← q/‖q‖,  k ← k/‖k‖",
                 .settings = {"attention_layers"}});
    section.add({.id = "attention.rates",
                 .name = "Rates of forgetting and writing",
                 .symbols = "2 × (B, h, T)",
                 .shape = {2, n.B, n.h, n.T},
                 .formula = "α_t = exp(−exp(A)·softplus(W_α·x_t + b)),  β_t = σ(W_β·x_t)",
                 .settings = {"attention_layers", "heads"}},
                {"attention.rates.weight", "attention.log_decay", "attention.decay_shift"});
    AnatomyStage kept = {.id = "attention.state",
                         .name = "State",
                         .kind = "gated DeltaNet",
                         .symbols = "(B, h, D, D)",
                         .shape = {n.B, n.h, n.D, n.D},
                         .operations = 5.0 * state,
                         .formula = "S_t = α_t·S_{t−1}·(I − β_t·k_t·k_t^⊤) + β_t·v_t·k_t^⊤",
                         .settings = {"attention_layers", "heads", "operations"}};
    if (spec.operations != Operations::eager) kept.state_bytes = n.h * n.D * n.D * cached_number_bytes;
    section.add(std::move(kept));
    section.add({.id = "attention.values",
                 .name = "Output of the state",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .operations = 2.0 * state,
                 .formula = "o_t = S_t·q_t",
                 .settings = {"attention_layers", "heads"}});
    section.add({.id = "attention.head_norm",
                 .name = "Norm of each head's output",
                 .kind = "RMSNorm",
                 .symbols = "(B, h, T, D)",
                 .shape = {n.B, n.h, n.T, n.D},
                 .formula = "o ← o/√(mean(o^2) + ε) ⊙ γ",
                 .settings = {"attention_layers"}},
                {"attention.head_norm.weight"});
    add_gate(section, spec, n, "SiLU", "SiLU", "attention_layers");
    add_attention_output(section, spec, n);
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
                 .shape = {n.B, n.T, spec.up_rows()},
                 .formula = product_formula(spec, gated ? "[G U]" : "U", branch_input(spec), gated ? "gu" : "up"),
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
                 .formula = product_formula(spec, "Y", "Z", "down"),
                 .settings = {"mlp_width", "bias"}},
                {"mlp.down.weight", "mlp.down.bias"});
}

// Adds a matrix of each expert, of `rows` × `columns` numbers. A token is multiplied by those of its experts.
void add_expert_matrix(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n, AnatomyStage stage,
                       const std::string& tensor, std::int64_t rows, std::int64_t columns) {
    stage.kind = std::to_string(n.k) + " of " + std::to_string(n.E) + " experts per token";
    stage.operations = 2.0 * real(n.k) * real(rows) * real(columns);
    stage.inactive_parameters = (n.E - n.k) * (rows * columns + (spec.bias ? rows : 0));
    section.add(std::move(stage), {tensor + ".weight", tensor + ".bias"}, false);
}

// Adds a mixture of experts (formulas 48 and 49).
void add_experts(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    const bool gated = spec.gates_feed_forward();
    const std::string input = branch_input(spec);
    const ActivationWords activation = activation_words(spec.feed_forward_kind());
    section.add(
        {.id = "mlp.router",
         .name = "Router",
         .kind = spec.expert_noise ? "with noise in training" : "",
         .symbols = "(B, T, E)",
         .shape = {n.B, n.T, n.E},
         .formula = "r = " + input + "·W_r^⊤" + (spec.expert_noise ? " + ε ⊙ softplus(" + input + "·W_n^⊤)" : ""),
         .settings = {"experts", "expert_noise"}},
        {"mlp.router.weight", "mlp.router_noise.weight"});
    section.add({.id = "mlp.gates",
                 .name = "Gates of the experts",
                 .symbols = "(B, T, k)",
                 .shape = {n.B, n.T, n.k},
                 .formula = n.k == 1 ? "g = max(softmax(r))" : "g = softmax(r_i of the k largest)",
                 .settings = {"experts_per_token"}});
    const std::string of_expert = gated ? "[G U]_i" : "U_i";
    add_expert_matrix(section, spec, n,
                      {.id = "mlp.up",
                       .name = "Experts up",
                       .symbols = gated ? "(B, T, k, 2H)" : "(B, T, k, H)",
                       .shape = {n.B, n.T, n.k, spec.up_rows()},
                       .formula = product_formula(spec, of_expert, input, gated ? "{gu,i}" : "{up,i}"),
                       .settings = {"experts", "experts_per_token", "feed_forward", "mlp_width", "bias"}},
                      gated ? "mlp.experts.gate_up" : "mlp.experts.up", spec.up_rows(), n.C);
    section.add({.id = "mlp.activation",
                 .name = "Activation",
                 .kind = activation.name,
                 .symbols = "(B, T, k, H)",
                 .shape = {n.B, n.T, n.k, n.H},
                 .formula = activation.formula,
                 .settings = {"block", "feed_forward", "mlp_width", "experts_per_token"}});
    add_expert_matrix(section, spec, n,
                      {.id = "mlp.down",
                       .name = "Experts down",
                       .symbols = "(B, T, k, C)",
                       .shape = {n.B, n.T, n.k, n.C},
                       .formula = product_formula(spec, "Y_i", "Z_i", "{down,i}"),
                       .settings = {"experts", "experts_per_token", "mlp_width", "bias"}},
                      "mlp.experts.down", n.C, n.H);
    section.add({.id = "mlp.mixture",
                 .name = "Weighted experts",
                 .symbols = "(B, T, C)",
                 .shape = {n.B, n.T, n.C},
                 .formula = "Y = Σ_i g_i·Y_i",
                 .settings = {"experts_per_token"}});
}

std::vector<AnatomyStage> layer_stages(const RunSpec& spec, const Layout& layout, const ShapeNumbers& n,
                                       const LayerPlace& layer) {
    SectionBuilder section(layout, layer_prefix(layer.index));
    const bool parallel = spec.block == Block::pythia;
    const bool post = spec.norm_position == NormPosition::post;
    const bool sandwich = spec.norm_position == NormPosition::sandwich;
    const std::string stream = spec.deepnorm ? "X ← α·X + " : "X ← X + ";
    const auto add_sum = [&](const std::string& id, const std::string& added) {
        section.add({.id = id,
                     .name = "Residual sum",
                     .kind = parallel        ? "parallel"
                             : spec.deepnorm ? "DeepNet"
                                             : "",
                     .symbols = "(B, T, C)",
                     .shape = {n.B, n.T, n.C},
                     .formula = stream + added + (spec.deepnorm ? ",  α = (2·layers)^{1/4}" : ""),
                     .settings = {"block", "deepnorm"}});
    };
    // Norms before, on the output of, or after the sum with a branch.
    const auto add_inner_norm = [&](const std::string& branch, const std::string& name) {
        if (!post)
            add_norm(section, spec, n, {.id = branch + "_norm", .name = "Norm before " + name}, branch + "_norm");
    };
    const auto add_output_norm = [&](const std::string& branch, const std::string& name) {
        const std::string id = branch + "_output_norm";
        if (sandwich) add_norm(section, spec, n, {.id = id, .name = "Norm of the output of " + name}, id, "Y", "Y");
    };
    const auto add_outer_norm = [&](const std::string& branch, const std::string& name) {
        if (!post) return;
        add_norm(section, spec, n, {.id = branch + "_post_norm", .name = "Norm after " + name}, branch + "_norm", "X",
                 "X");
    };
    add_inner_norm("attention", "attention");
    if (layer.attention == LayerAttention::delta_net) {
        add_delta_net(section, spec, n);
    } else {
        add_softmax_attention(section, spec, n, layer);
    }
    add_output_norm("attention", "attention");
    if (!parallel) add_sum("attention.sum", "Y");
    add_outer_norm("attention", "attention");
    add_inner_norm("mlp", "MLP");
    if (layer.has_experts) {
        add_experts(section, spec, n);
    } else {
        add_feed_forward(section, spec, n);
    }
    add_output_norm("mlp", "MLP");
    add_sum("mlp.sum", parallel ? "Y_attention + Y_MLP" : "Y");
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
    AnatomyStage head = {.id = "head",
                         .name = "Output head",
                         .kind = spec.tied_head ? "tied to the embedding" : "",
                         .symbols = "(B, T, V)",
                         .shape = {n.B, n.T, n.V},
                         .formula = "logits = " + input + (spec.tied_head ? "·E^⊤" : "·W_head^⊤"),
                         .settings = {"tied_head", "tokenizer", "vocabulary_size"}};
    if (spec.tied_head) head.operations = 2.0 * real(n.V) * real(n.C);
    section.add(std::move(head), {"head.weight"});
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
    if (spec.attention_window > 0) {
        remarks.push_back("In layers with a sliding window, the KV cache stores the last " +
                          std::to_string(spec.attention_window) + " tokens only.");
    }
    if (totals.state_bytes > 0) {
        remarks.push_back("The states of the gated DeltaNets have " + std::to_string(totals.state_bytes) +
                          " bytes per sequence in all layers together, whatever the number of tokens.");
    }
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
