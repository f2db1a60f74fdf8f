#include "core/plan/parts/latent.h"

namespace ropelab {

namespace {

AnatomyStage latent_norm(const PlanSizes& n, const std::string& id, const std::string& name, const std::string& symbols,
                         Count width) {
    return {.id = id,
            .name = name,
            .kind = "RMSNorm",
            .symbols = symbols,
            .shape = extents({n.B, n.T, width}),
            .formula = "c ← c/√(mean(c^2) + ε) ⊙ γ",
            .settings = {"attention", "latent_width"},
            .tensors = {{.name = id + ".weight", .shape = {width}, .place = storage::head_norm, .deviation = 1.0}}};
}

}  // namespace

Stages Latent::stages(const PlanSizes& n, const std::string& input) const {
    Stages result;
    const Count channels = sum_of({D, R});
    const Count value = has_other_values ? D_v : D;
    if (has_query_latent) {
        result.push_back({.id = "attention.query_latent",
                          .name = "Latent vector of the queries",
                          .symbols = "(B, T, L_q)",
                          .shape = extents({n.B, n.T, L_q}),
                          .formula = product_formula("c^Q", input, "{cq}", has_bias),
                          .tensors = linear_tensors("attention.query_latent", L_q, n.C, 0, has_bias)});
        result.push_back(
            latent_norm(n, "attention.query_norm", "Norm of the queries' latent vector", "(B, T, L_q)", L_q));
    }
    const Count queries = product_of({h, channels});
    result.push_back({.id = "attention.query",
                      .name = "Queries",
                      .kind = "with rotary channels",
                      .symbols = "(B, T, h·(D + D_r))",
                      .shape = extents({n.B, n.T, queries}),
                      .formula = product_formula("[Q Q^R]", has_query_latent ? "c^Q" : input, "q", has_query_bias),
                      .settings = {"attention", "width", "heads", "rotary_channels", "bias"},
                      .tensors = linear_tensors("attention.query", queries, has_query_latent ? L_q : n.C,
                                                n.matrix_deviation(n.C, queries), has_query_bias)});
    const Count latent = latent_numbers();
    result.push_back(
        {.id = "attention.latent",
         .name = "Latent vector and rotary key",
         .symbols = "(B, T, L + D_r)",
         .shape = extents({n.B, n.T, latent}),
         .formula = product_formula("[c k^R]", input, "c", has_bias),
         .settings = {"attention", "latent_width", "rotary_channels", "bias", "operations"},
         .tensors = linear_tensors("attention.latent", latent, n.C, n.matrix_deviation(n.C, latent), has_bias),
         .cache_bytes_per_token = n.cache_of(scores.cached_numbers(latent_numbers()))});
    result.push_back(latent_norm(n, "attention.latent_norm", "Norm of the latent vector", "(B, T, L)", L));
    const Count rows = product_of({h, sum_of({D, value})});
    AnatomyStage key_value = {
        .id = "attention.key_value",
        .name = "Keys and values",
        .kind = "from the latent vector",
        .symbols = has_other_values ? "(B, T, h·(D + D_v))" : "2 × (B, h, T, D)",
        .shape = has_other_values ? extents({n.B, n.T, rows}) : extents({2, n.B, h, n.T, D}),
        .formula = product_formula("[K V]", "c", "kv", false),
        .settings = {"attention", "heads", "latent_width"},
        // Keys and values are a matrix each.
        .tensors = linear_tensors("attention.key_value", rows, L, n.matrix_deviation(L, product_of({h, D})), false)};
    if (n.deepnorm != 1.0) {
        key_value.tensors.front().last_rows = product_of({h, value}).value_or(0);
        key_value.tensors.front().last_factor = n.deepnorm;
    }
    result.push_back(std::move(key_value));
    if (rotary && rotary->is_applied) result.push_back(rotary->stage_of_channels(n, h, R));
    scores.add(result, n, {h, h, D}, channels, value, "S_mn = (q_m·k_n + q^R_m·k^R_n)/√(D + D_r)");
    result.push_back(attention_output(n, product_of({h, value}), has_output_bias));
    return result;
}

double Latent::kept(const PlanSizes& n, const TrainingWork& work) const {
    const double heads = real(h);
    // As measured.
    if (work.is_fused) return work.product_size * (6.0 * heads * real(sum_of({D, R})) + real(L)) + 2.0 * real(L);
    double numbers = kept_by_scores(n, {h, h, D}, false, scores, rotary, work);
    numbers += 2.0 * (heads * real(sum_of({D, R})) + real(L));
    if (scores.has_sinks) numbers += 2.0 * real(n.C);
    return numbers + 2.0 * heads * static_cast<double>(n.T);
}

}  // namespace ropelab
