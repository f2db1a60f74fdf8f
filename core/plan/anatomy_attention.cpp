#include "core/plan/anatomy_stages.h"
#include "core/plan/anatomy_words.h"
#include "core/plan/step_cost.h"
#include "core/rope/memory.h"

namespace ropelab::stages {

namespace {

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
    AnatomyStage stage =
        stage_with(is_mla ? words::rotary_channels : words::rotation, {n.B, n.h, n.T, is_mla ? n.R : n.D},
                   {"position", "theta", "fraction", "frequencies"});
    stage.kind = rotation_kind(spec);
    if (is_mla) stage.settings.emplace_back("rotary_channels");
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
    AnatomyStage keys = stage_with(words::key_heads, {2, n.B, n.kv, n.T, n.D}, {"key_value_heads", "operations"});
    keys.kind = n.kv == n.h ? "multi-head"
                : n.kv == 1 ? "multi-query"
                            : "grouped, " + std::to_string(group) + " queries per key";
    if (spec.operations != Operations::eager) {
        const CacheShape layer = {.layers = 1, .heads = n.h, .kv_heads = n.kv, .head_dim = n.D};
        keys.cache_bytes = kv_cache_bytes(layer, KvCache::grouped, 1, cached_number_bytes);
    }
    section.add(std::move(keys));
    if (spec.qk_norm != QkNorm::none) {
        AnatomyStage norm = stage_with(words::qk_norm, {n.B, n.h, n.T, n.D}, {"qk_norm"});
        norm.kind = spec.qk_norm == QkNorm::head ? "per head" : "all heads together";
        section.add(std::move(norm), {"attention.query_norm.weight", "attention.key_norm.weight"});
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
    section.add(stage_with(words::latent_norm, {n.B, n.T, n.L}, {"attention", "latent_width"}),
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
    if (spec.attention == AttentionKind::mla) formula = words::latent_scores;
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
    AnatomyStage gate = gate_stage(kind, function, branch_input(spec), spec.bias ? " + b_g" : "");
    gate.shape = {n.B, n.T, n.h * n.D};
    gate.settings = {setting, "bias"};
    section.add(std::move(gate), {"attention.gate.weight", "attention.gate.bias"});
}

}  // namespace

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
    section.add(stage_with(spec.attention_sinks ? words::weights_with_sink : words::weights, {n.B, n.h, n.T, n.T},
                           {"heads", "context", "attention_sinks"}),
                {"attention.sinks"});
    AnatomyStage values =
        stage_with(words::values, {n.B, n.h, n.T, n.D}, {"heads", "context", "attention_window", "attention_layers"});
    values.operations = 2.0 * keys * real(n.C);
    section.add(std::move(values));
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

void add_delta_net(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n) {
    const double state = real(n.C) * real(n.D);  // numbers of all heads
    section.add({.id = "attention.qkv",
                 .name = "Queries, keys, values",
                 .symbols = "(B, T, 3h·D)",
                 .shape = {n.B, n.T, 3 * n.h * n.D},
                 .formula = product_formula(spec, "[Q K V]", branch_input(spec), "qkv"),
                 .settings = {"attention_layers", "width", "heads", "bias"}},
                {"attention.qkv.weight", "attention.qkv.bias"});
    section.add(stage_with(words::unit_norm, {n.B, n.h, n.T, n.D}, {"attention_layers"}));
    section.add(stage_with(words::rates, {2, n.B, n.h, n.T}, {"attention_layers", "heads"}),
                {"attention.rates.weight", "attention.log_decay", "attention.decay_shift"});
    AnatomyStage kept = stage_with(words::state, {n.B, n.h, n.D, n.D}, {"attention_layers", "heads", "operations"});
    kept.operations = words::operations_of_state * state;
    if (spec.operations != Operations::eager) kept.state_bytes = n.h * n.D * n.D * cached_number_bytes;
    section.add(std::move(kept));
    AnatomyStage output = stage_with(words::state_output, {n.B, n.h, n.T, n.D}, {"attention_layers", "heads"});
    output.operations = words::operations_of_state_output * state;
    section.add(std::move(output));
    section.add(stage_with(words::head_norm, {n.B, n.h, n.T, n.D}, {"attention_layers"}),
                {"attention.head_norm.weight"});
    add_gate(section, spec, n, "SiLU", "SiLU", "attention_layers");
    add_attention_output(section, spec, n);
}

}  // namespace ropelab::stages
