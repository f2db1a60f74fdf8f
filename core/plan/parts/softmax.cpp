#include "core/plan/parts/softmax.h"

#include <utility>

namespace ropelab {

namespace {

std::string sharing_of(const Heads& heads) {
    if (!heads.h || !heads.kv) return "unknown";
    if (heads.kv == heads.h) return "multi-head";
    if (heads.kv == 1) return "multi-query";
    return "shared by " + std::to_string(*heads.h / *heads.kv) + " query heads";
}

}  // namespace

Count Scores::cached_numbers(Count own) const {
    if (!caches) return own;
    Count total = 0;
    for (const CachedLayers& cache : *caches) {
        total = cache.tokens_per_entry > 1 ? std::nullopt : sum_of({total, product_of({cache.layers, cache.numbers})});
    }
    return total;
}

AnatomyStage attention_gate(const PlanSizes& sizes, const std::string& kind, const std::string& function,
                            const std::string& input, const std::string& symbols, Count rows, bool has_bias,
                            const std::string& setting) {
    return {
        .id = "attention.gate",
        .name = "Gate",
        .kind = kind,
        .symbols = symbols,
        .shape = extents({sizes.B, sizes.T, rows}),
        .formula = "O ← O ⊙ " + function + "(" + input + "·W_g^⊤" + (has_bias ? " + b_g" : "") + ")",
        .settings = {setting, "bias"},
        .tensors = linear_tensors("attention.gate", rows, sizes.C, sizes.matrix_deviation(sizes.C, rows), has_bias)};
}

AnatomyStage attention_output(const PlanSizes& sizes, Count columns, bool has_bias) {
    return {.id = "attention.output",
            .name = "Attention output",
            .symbols = "(B, T, C)",
            .shape = extents({sizes.B, sizes.T, sizes.C}),
            .formula = product_formula("Y", "[O_1 … O_h]", "o", has_bias),
            .settings = {"width", "bias"},
            .tensors = linear_tensors("attention.output", sizes.C, columns, sizes.output_deviation(sizes.C, sizes.C),
                                      has_bias, storage::attention_output)};
}

void Scores::add(Stages& stages, const PlanSizes& sizes, const Heads& heads, Count channels, Count value_channels,
                 const std::string& score) const {
    RelativeFacts encoding = facts_of(relative, sizes, heads, score);
    for (AnatomyStage& stage : encoding.keys) stages.push_back(std::move(stage));
    std::string kind = encoding.name;
    std::string formula = encoding.score;
    if (factor != 1.0) formula += ",  S ← " + factor_text(factor) + "S";
    if (soft_cap > 0) formula += ",  " + soft_cap_text("S", soft_cap);
    if (sizes.decoder) formula += " for n ≤ m, else −∞";
    if (window) {
        kind += (kind.empty() ? "" : ", ") + window_name;
        if (window_name == "sliding window") formula += "; −∞ too for m − n ≥ W";
    }
    const auto operations = [&](Count width) {
        return heads.h && width ? std::optional(2.0 * keys * real(heads.h) * real(width)) : std::nullopt;
    };
    stages.push_back({.id = "attention.scores",
                      .name = "Attention scores",
                      .kind = kind,
                      .symbols = "(B, h, T, T)",
                      .shape = extents({sizes.B, heads.h, sizes.T, sizes.T}),
                      .formula = formula,
                      .settings = {"heads", "context", "position", "attention_window", "attention_layers"},
                      .operations = operations(channels)});
    stages.push_back({.id = "attention.weights",
                      .name = "Attention weights",
                      .kind = has_sinks ? "with a sink" : "",
                      .symbols = "(B, h, T, T)",
                      .shape = extents({sizes.B, heads.h, sizes.T, sizes.T}),
                      .formula = has_sinks ? "A_mn = exp(S_mn)/(exp(s_h) + Σ_j exp(S_mj))" : "A = softmax(S)",
                      .settings = {"heads", "context", "attention_sinks"}});
    if (has_sinks) {
        stages.back().tensors = {{.name = "attention.sinks", .shape = {heads.h}, .place = storage::sinks}};
    }
    stages.push_back({.id = "attention.values",
                      .name = "Weighted values",
                      .symbols = "(B, h, T, D)",
                      .shape = extents({sizes.B, heads.h, sizes.T, value_channels}),
                      .formula = "O = A·V",
                      .settings = {"heads", "context", "attention_window", "attention_layers"},
                      .operations = operations(value_channels)});
    for (AnatomyStage& stage : encoding.values) stages.push_back(std::move(stage));
}

Stages Softmax::stages(const PlanSizes& n, const std::string& input) const {
    const auto& [h, kv, D] = heads;
    Stages result;
    const std::vector<std::int64_t> order = rotary ? rotary->order_of_channels() : std::vector<std::int64_t>();
    const Count rows = product_of({sum_of({h, kv, shares_values ? 0 : kv}), D});
    AnatomyStage qkv = {.id = "attention.qkv",
                        .name = "Queries, keys, values",
                        .symbols = shares_values ? "(B, T, (h + h_kv)·D)" : "(B, T, (h + 2h_kv)·D)",
                        .shape = extents({n.B, n.T, rows}),
                        .formula = shares_values ? product_formula("[Q K]", input, "qk", false) + ",  V = K" +
                                                       (has_bias ? " + b_qkv" : "")
                                                 : product_formula("[Q K V]", input, "qkv", has_bias),
                        .settings = {"width", "heads", "key_value_heads", "bias"},
                        // Queries, keys and values are matrices (C, C) each, also where heads share keys and values.
                        .tensors = linear_tensors("attention.qkv", rows, n.C, n.matrix_deviation(n.C, n.C), has_bias)};
    for (Tensor& tensor : qkv.tensors) {
        tensor.parts = {{"query", product_of({h, D}), D, order}, {"key", product_of({kv, D}), D, order}};
        if (!shares_values) tensor.parts.push_back({"value", product_of({kv, D}), D});
    }
    if (n.deepnorm != 1.0) {
        qkv.tensors.front().last_rows = product_of({kv, D}).value_or(0);
        qkv.tensors.front().last_factor = n.deepnorm;
    }
    result.push_back(std::move(qkv));
    result.push_back({.id = "attention.queries",
                      .name = "Query heads",
                      .symbols = "(B, h, T, D)",
                      .shape = extents({n.B, h, n.T, D}),
                      .formula = "Q → Q_1, …, Q_h",
                      .settings = {"heads"}});
    result.push_back({.id = "attention.keys",
                      .name = "Key and value heads",
                      .kind = sharing_of(heads),
                      .symbols = "2 × (B, h_kv, T, D)",
                      .shape = extents({2, n.B, kv, n.T, D}),
                      .formula = "K → K_1, …, K_{h_kv},  V → V_1, …, V_{h_kv}",
                      .settings = {"key_value_heads", "operations"},
                      .cache_bytes_per_token = n.cache_of(scores.cached_numbers(key_value_numbers()))});
    if (qk_norm != QkNorm::none) {
        const bool whole = qk_norm == QkNorm::projection;
        const bool is_centred_on_zero = head_norm.kind == NormPart::Kind::zero_centred_rms;
        const auto weight = [&](const char* name, Count its_heads) {
            const Count channels = whole ? product_of({its_heads, D}) : D;
            return Tensor{.name = name,
                          .shape = {channels},
                          .place = storage::query_key_norm,
                          .deviation = is_centred_on_zero ? 0.0 : 1.0,
                          .parts = {{"", channels, D, order}}};
        };
        const auto normalized = [&](const std::string& x) {
            const std::string weight = !head_norm.has_weight ? ""
                                       : is_centred_on_zero  ? " ⊙ (1 + γ_" + x + ")"
                                                             : " ⊙ γ_" + x;
            return x + " ← " + x + "/√(mean(" + x + "^2) + ε)" + weight;
        };
        AnatomyStage norm = {.id = "attention.qk_norm",
                             .name = "Norm of queries and keys",
                             .kind = whole ? "all heads together" : "per head",
                             .symbols = "(B, h, T, D)",
                             .shape = extents({n.B, h, n.T, D}),
                             .formula = normalized("q") + ",  " + normalized("k"),
                             .settings = {"qk_norm"}};
        if (head_norm.has_weight) {
            norm.tensors = {weight("attention.query_norm.weight", h), weight("attention.key_norm.weight", kv)};
        }
        result.push_back(std::move(norm));
    }
    if (!shifted_channels.empty()) {
        const auto own = product_of({kv, D, n.state_number_bytes});
        result.push_back({.id = "attention.key_offset",
                          .name = "Key offset",
                          .kind = "channels that do not rotate",
                          .symbols = "(B, h_kv, T, D)",
                          .shape = extents({n.B, kv, n.T, D}),
                          .formula = "k_t ← k_{t−1} in the channels that do not rotate, for t ≥ 1",
                          .settings = {"key_offset", "fraction"},
                          .state_bytes = own.value_or(0)});
    }
    if (rotary && rotary->is_applied) {
        // A norm without weights follows the rotation (Llama 4).
        const bool is_before_norm = qk_norm != QkNorm::none && !head_norm.has_weight;
        result.insert(is_before_norm ? result.end() - 1 : result.end(), rotary->stage(n, heads));
    }
    scores.add(result, n, heads, D, D, "S_mn = q_m·k_n/√D");
    const Count columns = product_of({h, D});
    if (is_gated) {
        result.push_back(attention_gate(n, "sigmoid", "σ", input, "(B, T, h·D)", columns, has_bias, "attention"));
    }
    result.push_back(attention_output(n, columns, has_output_bias));
    return result;
}

double more_stepwise(const Heads& heads, bool normalizes, const TrainingWork& work) {
    if (work.is_fused) return 0;
    const bool grouped = heads.kv != heads.h;
    return (grouped || normalizes || work.theta_varies ? 1.0 : 0.0) + (grouped ? 1.0 : 0.0);
}

double kept_by_scores(const PlanSizes& n, const Heads& heads, bool normalizes, const Scores& scores,
                      const std::optional<Rotary>& rotary, const TrainingWork& work) {
    const bool rounded = work.product_size < 1.0;
    const double qkv = real(sum_of({heads.h, heads.kv, heads.kv})) * real(heads.D);
    const double C = real(n.C);
    if (!work.is_fused) {
        const double probabilities = real(heads.h) * static_cast<double>(n.T);
        const double dropped = work.drops ? 3.0 * probabilities : rounded ? C : 0.0;
        const double relative =
            facts_of(scores.relative, n, heads, "").kept_per_score + (rotary ? rotary->kept_per_score() : 0.0);
        return 3.0 * C + more_stepwise(heads, normalizes, work) * C + dropped + relative * probabilities;
    }
    // Transformer-XL adds a bias to all queries, in copies that were measured as one.
    const double copies = std::holds_alternative<TransformerXl>(scores.relative) ? 2.0 : 1.0;
    if (normalizes) return qkv * copies + real(sum_of({heads.h, heads.kv})) * real(heads.D);
    return work.product_size * qkv * copies;
}

double Softmax::kept(const PlanSizes& n, const TrainingWork& work) const {
    const double C = real(n.C);
    double numbers = kept_by_scores(n, heads, qk_norm != QkNorm::none, scores, rotary, work);
    if (is_gated) numbers += 3.0 * C;
    // Rotated queries and keys, probabilities and their logits.
    if (scores.has_sinks && !work.is_fused) numbers += 2.0 * C + 2.0 * real(heads.h) * static_cast<double>(n.T);
    return numbers;
}

}  // namespace ropelab
