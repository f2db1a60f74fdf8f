#include "core/plan/parts/delta_net.h"

#include <cmath>

namespace ropelab {

namespace {

constexpr int convolution_number_bytes = 2;
constexpr double chunk = 32;  // tokens of a chunk of core/engine/parts/delta_net.cpp

// exp(log_decay) grows evenly from 1 for the first head to 16 for the last one.
std::vector<double> initial_log_decay(std::int64_t heads) {
    std::vector<double> result;
    for (std::int64_t head = 0; head < heads; ++head) {
        const double place = heads > 1 ? static_cast<double>(head) / static_cast<double>(heads - 1) : 0.0;
        result.push_back(std::log(1.0 + 15.0 * place));
    }
    return result;
}

}  // namespace

Stages DeltaNet::stages(const PlanSizes& n, const std::string& input) const {
    const std::string k = has_own_sizes ? "h_k" : "h";
    const std::string v = has_own_sizes ? "h_v" : "h";
    const std::string d_k = has_own_sizes ? "D_k" : "D";
    const std::string d_v = has_own_sizes ? "D_v" : "D";
    const Count keys = product_of({h_k, D_k});
    const Count values = product_of({h_v, D_v});
    const Count channels = sum_of({keys, keys, values});
    const std::string channel_symbols = has_own_sizes ? "(B, T, 2h_k·D_k + h_v·D_v)" : "(B, T, 3h·D)";
    Stages result;
    AnatomyStage qkv = {
        .id = "attention.qkv",
        .name = "Queries, keys, values",
        .symbols = channel_symbols,
        .shape = extents({n.B, n.T, channels}),
        .formula = product_formula("[Q K V]", input, "qkv", has_bias),
        .settings = {"attention_layers", "width", "heads", "bias"},
        .tensors = linear_tensors("attention.qkv", channels, n.C, n.matrix_deviation(n.C, n.C), has_bias)};
    if (n.deepnorm != 1.0) {
        qkv.tensors.front().last_rows = values.value_or(0);
        qkv.tensors.front().last_factor = n.deepnorm;
    }
    result.push_back(std::move(qkv));
    if (has_convolution) {
        result.push_back({.id = "attention.convolution",
                          .name = "Short convolution",
                          .kind = kernel ? std::to_string(*kernel) + " tokens of each channel" : "",
                          .symbols = channel_symbols,
                          .shape = extents({n.B, n.T, channels}),
                          .formula = "x_t ← SiLU(Σ_j w_j ⊙ x_{t−j})",
                          .tensors = {{.name = "attention.convolution.weight", .shape = {channels, kernel}}},
                          .state_bytes = product_of({channels, kernel, convolution_number_bytes}).value_or(0)});
    }
    result.push_back({.id = "attention.qk_norm",
                      .name = "Norm of queries and keys",
                      .kind = "length 1",
                      .symbols = "(B, " + k + ", T, " + d_k + ")",
                      .shape = extents({n.B, h_k, n.T, D_k}),
                      .formula = "q ← q/‖q‖,  k ← k/‖k‖",
                      .settings = {"attention_layers"}});
    const auto decay = [&](const char* name, double start) {
        return Tensor{.name = name, .shape = {h_v}, .place = storage::decay, .deviation = start};
    };
    AnatomyStage rates = {.id = "attention.rates",
                          .name = "Decay rate and write strength",
                          .symbols = "2 × (B, " + v + ", T)",
                          .shape = extents({2, n.B, h_v, n.T}),
                          .formula = "α_t = exp(−exp(A)·softplus(W_α·x_t + b)),  β_t = σ(W_β·x_t)",
                          .settings = {"attention_layers", "heads"},
                          .tensors = {{.name = "attention.rates.weight",
                                       .shape = {product_of({2, h_v}), n.C},
                                       .place = storage::rates,
                                       .deviation = n.matrix_deviation(n.C, h_v)},
                                      decay("attention.log_decay", 0.0),
                                      decay("attention.decay_shift", std::log(std::expm1(0.01)))}};
    rates.tensors[1].initial = initial_log_decay(has_own_sizes ? 0 : h_v.value_or(0));
    result.push_back(std::move(rates));
    // At each token, the state is multiplied by the key, decays, and takes the outer product: 2 + 1 + 2 operations per
    // number; then it is multiplied by the query. Chunks need fewer passes over memory, but not fewer operations.
    const Count numbers = product_of({h_v, D_k, D_v});
    const auto per_number = [&](double operations) {
        return numbers ? std::optional(operations * real(numbers)) : std::nullopt;
    };
    result.push_back({.id = "attention.state",
                      .name = "State",
                      .kind = "gated DeltaNet",
                      .symbols = "(B, " + v + ", " + d_k + ", " + d_v + ")",
                      .shape = extents({n.B, h_v, D_k, D_v}),
                      .formula = "S_t = α_t·S_{t−1}·(I − β_t·k_t·k_t^⊤) + β_t·v_t·k_t^⊤",
                      .settings = {"attention_layers", "heads", "operations"},
                      .operations = per_number(5.0),
                      .state_bytes = product_of({numbers, n.state_number_bytes}).value_or(0)});
    result.push_back({.id = "attention.values",
                      .name = "Output of the state",
                      .symbols = "(B, " + v + ", T, " + d_v + ")",
                      .shape = extents({n.B, h_v, n.T, D_v}),
                      .formula = "o_t = S_t·q_t",
                      .settings = {"attention_layers", "heads"},
                      .operations = per_number(2.0)});
    result.push_back(
        {.id = "attention.head_norm",
         .name = "Norm of each head's output",
         .kind = "RMSNorm",
         .symbols = "(B, " + v + ", T, " + d_v + ")",
         .shape = extents({n.B, h_v, n.T, D_v}),
         .formula = "o ← o/√(mean(o^2) + ε) ⊙ γ",
         .settings = {"attention_layers"},
         .tensors = {
             {.name = "attention.head_norm.weight", .shape = {D_v}, .place = storage::head_norm, .deviation = 1.0}}});
    result.push_back(attention_gate(n, "SiLU", "SiLU", input, "(B, T, " + v + "·" + d_v + ")", values, has_bias,
                                    "attention_layers"));
    result.push_back(attention_output(n, values, has_output_bias));
    return result;
}

double DeltaNet::kept(const PlanSizes& n, const TrainingWork& work) const {
    const double C = real(n.C);
    // Queries, keys and values; normalized queries and keys, decayed copies, solutions of the systems, normalized and
    // gated outputs, which were measured together; three matrices per chunk and the states between chunks.
    return work.product_size * 3.0 * C + 24.0 * C + 3.0 * chunk * real(h_v) + C * real(D_v) / chunk;
}

}  // namespace ropelab
