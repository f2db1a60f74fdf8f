#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/anatomy.h"

// The words of stages that models of settings (core/experiment) and Hugging Face models (core/interop) share.

namespace ropelab::stages {

/// What a stage is called and how its output is written.
struct StageWords {
    const char* id;
    const char* name;
    const char* kind;
    const char* symbols;
    const char* formula;
};

/// Returns a stage with these words; without a shape, its numbers are unknown.
inline AnatomyStage stage_with(const StageWords& words, std::vector<std::int64_t> shape = {},
                               std::vector<std::string> settings = {}) {
    AnatomyStage stage;
    stage.id = words.id;
    stage.name = words.name;
    stage.kind = words.kind;
    stage.symbols = words.symbols;
    stage.shape = std::move(shape);
    stage.formula = words.formula;
    stage.settings = std::move(settings);
    return stage;
}

/// Returns the variant of a matrix that each expert has: "2 of 8 experts per token".
inline std::string experts_per_token_text(std::int64_t used, std::int64_t experts) {
    return std::to_string(used) + " of " + std::to_string(experts) + " experts per token";
}

/// Returns the gate of attention, a function of a product with `input`. `bias` is " + b_g" or "".
inline AnatomyStage gate_stage(const std::string& kind, const std::string& function, const std::string& input,
                               const std::string& bias) {
    AnatomyStage stage;
    stage.id = "attention.gate";
    stage.name = "Gate";
    stage.kind = kind;
    stage.symbols = "(B, T, h·D)";
    stage.formula = "O ← O ⊙ " + function + "(" + input + "·W_g^⊤" + bias + ")";
    return stage;
}

/// Id and name of a norm of the residual stream or of the output of a branch.
struct NormWords {
    const char* id;
    const char* name;
};

/// Returns the sum of the residual stream and the output of a branch, "attention" or "mlp". If the branches are
/// parallel, "mlp" adds both outputs. The formula is that of the pure sum.
inline AnatomyStage residual_sum(const std::string& branch, bool parallel) {
    AnatomyStage stage;
    stage.id = branch + ".sum";
    stage.name = "Residual sum";
    stage.kind = parallel ? "parallel" : "";
    stage.symbols = "(B, T, C)";
    stage.formula = parallel ? "X ← X + Y_attention + Y_MLP" : "X ← X + Y";
    return stage;
}

/// Returns a sentence on layers with a sliding window or with chunked attention, whose cache per token does not grow
/// with the whole context.
inline std::string window_remark(std::int64_t window, bool is_chunked = false) {
    return std::string("In layers with ") + (is_chunked ? "chunked attention" : "a sliding window") +
           ", the KV cache stores the last " + std::to_string(window) +
           " tokens only, so bytes per token times a longer context overestimate the cache.";
}

/// Returns the sentence on states, which the KV cache per token does not contain.
inline std::string state_remark(std::int64_t bytes) {
    return "The states of the gated DeltaNets have " + std::to_string(bytes) +
           " bytes per sequence in all layers together, whatever the number of tokens.";
}

namespace words {

inline constexpr NormWords attention_norm = {"attention_norm", "Norm before attention"};
inline constexpr NormWords attention_output_norm = {"attention_output_norm", "Norm of the output of attention"};
inline constexpr NormWords mlp_norm = {"mlp_norm", "Norm before MLP"};
inline constexpr NormWords mlp_output_norm = {"mlp_output_norm", "Norm of the output of MLP"};

inline constexpr StageWords key_heads = {"attention.keys", "Key and value heads", "", "2 × (B, h_kv, T, D)",
                                         "K → K_1, …, K_{h_kv},  V → V_1, …, V_{h_kv}"};
inline constexpr StageWords qk_norm = {"attention.qk_norm", "Norm of queries and keys", "", "(B, h, T, D)",
                                       "q ← q/√(mean(q^2) + ε) ⊙ γ_q,  k ← k/√(mean(k^2) + ε) ⊙ γ_k"};
inline constexpr StageWords rotation = {"attention.rotation", "Rotation of queries and keys", "", "(B, h, T, D)",
                                        "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n"};
inline constexpr StageWords weights = {"attention.weights", "Attention weights", "", "(B, h, T, T)", "A = softmax(S)"};
inline constexpr StageWords weights_with_sink = {"attention.weights", "Attention weights", "with a sink",
                                                 "(B, h, T, T)", "A_mn = exp(S_mn)/(exp(s_h) + Σ_j exp(S_mj))"};
inline constexpr StageWords values = {"attention.values", "Weighted values", "", "(B, h, T, D)", "O = A·V"};

// Multi-head latent attention.
inline constexpr StageWords latent_norm = {"attention.latent_norm", "Norm of the latent vector", "RMSNorm", "(B, T, L)",
                                           "c ← c/√(mean(c^2) + ε) ⊙ γ"};
inline constexpr StageWords rotary_channels = {"attention.rotation", "Rotation of the rotary channels", "",
                                               "(B, h, T, D_r)", "q^R_m ← R(m·g)·q^R_m,  k^R_n ← R(n·g)·k^R_n"};
inline constexpr const char* latent_scores = "S_mn = (q_m·k_n + q^R_m·k^R_n)/√(D + D_r)";

// Gated DeltaNet.
inline constexpr StageWords unit_norm = {"attention.qk_norm", "Norm of queries and keys", "length 1", "(B, h, T, D)",
                                         "q ← q/‖q‖,  k ← k/‖k‖"};
inline constexpr StageWords rates = {"attention.rates", "Rates of forgetting and writing", "", "2 × (B, h, T)",
                                     "α_t = exp(−exp(A)·softplus(W_α·x_t + b)),  β_t = σ(W_β·x_t)"};
inline constexpr StageWords state = {"attention.state", "State", "gated DeltaNet", "(B, h, D, D)",
                                     "S_t = α_t·S_{t−1}·(I − β_t·k_t·k_t^⊤) + β_t·v_t·k_t^⊤"};
inline constexpr StageWords state_output = {"attention.values", "Output of the state", "", "(B, h, T, D)",
                                            "o_t = S_t·q_t"};
inline constexpr StageWords head_norm = {"attention.head_norm", "Norm of each head's output", "RMSNorm", "(B, h, T, D)",
                                         "o ← o/√(mean(o^2) + ε) ⊙ γ"};
/// Operations per number of the state, at each token: the product with the key, the decay, and the sum of the outer
/// product; and the product with the query.
inline constexpr double operations_of_state = 5.0;
inline constexpr double operations_of_state_output = 2.0;

// Mixtures of experts.
inline constexpr StageWords mixture = {"mlp.mixture", "Weighted experts", "", "(B, T, C)", "Y = Σ_i g_i·Y_i"};

}  // namespace words

}  // namespace ropelab::stages
