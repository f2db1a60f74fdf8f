#include "core/plan/parts/mlp.h"

#include <utility>

namespace ropelab {

namespace {

Count rows_of(const Mlp& mlp) {
    return mlp.activation.is_gated ? product_of({2, mlp.width}) : mlp.width;
}

// A token is multiplied by the matrices of its experts.
AnatomyStage expert_matrix(AnatomyStage stage, const Experts& experts, const std::string& tensor, Count rows,
                           Count columns, double deviation) {
    const auto& [E, k] = std::pair(experts.E, experts.k);
    const Count bias_rows = experts.expert.has_bias ? rows : Count(0);
    stage.tensors = {{.name = tensor + ".weight",
                      .shape = {E, rows, columns},
                      .place = storage::feed_forward,
                      .deviation = deviation,
                      .multiplies = false}};
    if (experts.expert.has_bias) {
        stage.tensors.push_back(
            {.name = tensor + ".bias", .shape = {E, rows}, .place = storage::bias, .multiplies = false});
    }
    const Count used = product_of({k, rows, columns});
    stage.operations = used ? std::optional(2.0 * real(used)) : std::nullopt;
    const Count one = sum_of({product_of({rows, columns}), bias_rows});
    if (!E || !k || !one) return stage;
    stage.kind = std::to_string(*k) + " of " + std::to_string(*E) + " experts per token";
    stage.inactive_parameters = *product_of({*E - *k, *one});
    return stage;
}

}  // namespace

Stages Mlp::stages(const PlanSizes& n, const std::string& input) const {
    const bool gated = activation.is_gated;
    const Count rows = rows_of(*this);
    const auto formula = [&](const std::string& text) { return activation.is_known ? text : "unknown"; };
    const double up = n.deepnorm * n.matrix_deviation(n.C, width);
    std::vector<Tensor> first = linear_tensors(id + first_matrix(), rows, n.C, up, has_bias, storage::feed_forward);
    for (Tensor& tensor : first) {
        if (gated) tensor.parts = {{"gate", width}, {"up", width}};
    }
    return {{.id = id + "up",
             .name = name + " up",
             .kind = gated ? "gate and gated values" : "",
             .symbols = gated ? "(B, T, 2" + symbol + ")" : "(B, T, " + symbol + ")",
             .shape = extents({n.B, n.T, rows}),
             .formula = formula(product_formula(gated ? "[G U]" : "U", input, gated ? "gu" : "up", has_bias)),
             .settings = {"block", "feed_forward", "mlp_width", "bias"},
             .tensors = std::move(first)},
            {.id = id + "activation",
             .name = "Activation",
             .kind = activation.name,
             .symbols = "(B, T, " + symbol + ")",
             .shape = extents({n.B, n.T, width}),
             .formula = formula(activation.formula),
             .settings = {"block", "feed_forward", "mlp_width"}},
            {.id = id + "down",
             .name = name + " down",
             .symbols = "(B, T, C)",
             .shape = extents({n.B, n.T, n.C}),
             .formula = formula(product_formula("Y", "Z", "down", has_bias)),
             .settings = {"mlp_width", "bias"},
             .tensors = linear_tensors(id + "down", n.C, width, n.output_deviation(width, n.C), has_bias,
                                       storage::feed_forward)}};
}

double Mlp::kept() const {
    return real(rows_of(*this)) + (1.0 + activation.kept) * real(width);
}

Stages Experts::stages(const PlanSizes& n, const std::string& input) const {
    const bool gated = expert.activation.is_gated;
    const Count rows = rows_of(expert);
    Stages result;
    AnatomyStage router = {
        .id = "mlp.router",
        .name = "Router",
        .kind = has_noise ? "with noise in training" : "",
        .symbols = "(B, T, E)",
        .shape = extents({n.B, n.T, E}),
        .formula = product_formula("r", input, "r", says_router_bias) +
                   (has_noise ? " + ε ⊙ softplus(" + input + "·W_n^⊤)" : ""),
        .settings = {"experts", "expert_noise"},
        .tensors = linear_tensors("mlp.router", E, n.C, n.router_deviation, has_router_bias, storage::feed_forward)};
    if (has_noise) {
        router.tensors.push_back({.name = "mlp.router_noise.weight",
                                  .shape = {E, n.C},
                                  .place = storage::feed_forward,
                                  .deviation = n.router_deviation});
    }
    result.push_back(std::move(router));
    result.push_back({.id = "mlp.gates",
                      .name = "Gates of the experts",
                      .symbols = "(B, T, k)",
                      .shape = extents({n.B, n.T, k}),
                      .formula = choice,
                      .settings = {"experts_per_token"}});
    const std::string& F = expert.symbol;
    result.push_back(expert_matrix(
        {.id = "mlp.up",
         .name = "Experts up",
         .symbols = gated ? "(B, T, k, 2" + F + ")" : "(B, T, k, " + F + ")",
         .shape = extents({n.B, n.T, k, rows}),
         .formula = product_formula(gated ? "[G U]_i" : "U_i", weighs_inputs ? "(g_i·" + input + ")" : input,
                                    gated ? "{gu,i}" : "{up,i}", expert.has_bias),
         .settings = {"experts", "experts_per_token", "feed_forward", "mlp_width", "bias"}},
        *this, "mlp.experts." + expert.first_matrix(), rows, n.C, n.deepnorm * n.matrix_deviation(n.C, expert.width)));
    result.push_back({.id = "mlp.activation",
                      .name = "Activation",
                      .kind = expert.activation.name,
                      .symbols = "(B, T, k, " + F + ")",
                      .shape = extents({n.B, n.T, k, expert.width}),
                      .formula = expert.activation.formula,
                      .settings = {"block", "feed_forward", "mlp_width", "experts_per_token"}});
    result.push_back(expert_matrix({.id = "mlp.down",
                                    .name = "Experts down",
                                    .symbols = "(B, T, k, C)",
                                    .shape = extents({n.B, n.T, k, n.C}),
                                    .formula = product_formula("Y_i", "Z_i", "{down,i}", expert.has_bias),
                                    .settings = {"experts", "experts_per_token", "mlp_width", "bias"}},
                                   *this, "mlp.experts.down", n.C, expert.width,
                                   n.output_deviation(expert.width, n.C)));
    AnatomyStage mixture = {.id = "mlp.mixture",
                            .name = weighs_inputs ? "Sum of the experts" : "Weighted experts",
                            .symbols = "(B, T, C)",
                            .shape = extents({n.B, n.T, n.C}),
                            .formula = weighs_inputs ? "Y = Σ_i Y_i" : "Y = Σ_i g_i·Y_i",
                            .settings = {"experts_per_token"}};
    if (shared) {
        for (AnatomyStage& stage : shared->stages(n, input)) result.push_back(std::move(stage));
        if (gates_shared) {
            result.push_back({.id = "mlp.shared_gate",
                              .name = "Gate of the shared expert",
                              .symbols = "(B, T, 1)",
                              .shape = extents({n.B, n.T, 1}),
                              .formula = "g_s = σ(" + input + "·w_s)",
                              .tensors = linear_tensors("mlp.shared_gate", 1, n.C, 0, false)});
        }
        mixture.formula += gates_shared ? " + g_s·Y_s" : " + Y_s";
    }
    result.push_back(std::move(mixture));
    return result;
}

double Experts::kept(const PlanSizes& n) const {
    // Each chosen expert's hidden rows, its inputs and outputs and their reordered copies; the router.
    return real(k) * (expert.kept() + 4.0 * real(n.C)) + 4.0 * real(E);
}

}  // namespace ropelab
