#include "core/settings/activation.h"

#include <array>

namespace ropelab {

// The gradient of ReLU needs only its result; GLU, ReGLU and GEGLU keep the activated gate too, and GEGLU the gate as a
// matrix of its own.
std::span<const ActivationRow> activations() {
    static const auto rows = [] {
        auto result = std::to_array<ActivationRow>({
            {{"auto", FeedForward::automatic, "",
              "Uses the activation of the block type: SwiGLU for llama, GELU for gpt2 and pythia."},
             {}},
            {{"relu", FeedForward::relu, "ReLU", "Rectified linear unit: max(0, x). Formula 48 of the guide"},
             {.formula = "Z = ReLU(U)", .kept = -1, .working = 1.5, .in_forward = 1}},
            {{"gelu", FeedForward::gelu, "GELU",
              "Gaussian error linear unit: x·Φ(x), as in GPT-2. Formula 48 of the guide"},
             {.formula = "Z = GELU(U)", .is_fused = true}},
            {{"swish", FeedForward::swish, "Swish", "Swish, also called SiLU: x·σ(x). Formula 48 of the guide"},
             {.formula = "Z = SiLU(U)"}},
            {{"glu", FeedForward::glu, "GLU",
              "Gated linear unit: the sigmoid of one projection of the input multiplies another projection. Shazeer "
              "2020; formula 48 of the guide"},
             {.formula = "Z = σ(G) ⊙ U", .is_gated = true, .kept = 1}},
            {{"bilinear", FeedForward::bilinear, "bilinear",
              "Bilinear layer: the product of two projections of the input, without an activation. Shazeer 2020; "
              "formula 48 of the guide"},
             {.formula = "Z = G ⊙ U", .is_gated = true}},
            {{"reglu", FeedForward::reglu, "ReGLU",
              "Gated linear unit with ReLU: the ReLU of one projection of the input multiplies another projection. "
              "Shazeer 2020; formula 48 of the guide"},
             {.formula = "Z = ReLU(G) ⊙ U", .is_gated = true, .kept = 1}},
            {{"geglu", FeedForward::geglu, "GEGLU",
              "Gated linear unit with GELU: the GELU of one projection of the input multiplies another projection. "
              "Shazeer 2020; formula 48 of the guide"},
             {.formula = "Z = GELU(G) ⊙ U", .is_gated = true, .kept = 2}},
            {{"swiglu", FeedForward::swiglu, "SwiGLU",
              "Gated linear unit with Swish, as in Llama: the Swish of one projection of the input multiplies another "
              "projection. Shazeer 2020; formula 48 of the guide"},
             {.formula = "Z = SiLU(G) ⊙ U", .is_gated = true, .working = 1.5, .is_fused = true}},
            {{"relu2", FeedForward::relu2, "squared ReLU",
              "Squared ReLU: max(0, x)². So et al. 2021; formula 48 of the guide", "relu2 is the squared ReLU"},
             {.formula = "Z = ReLU(U)^2", .working = 1.5, .in_forward = 1}},
            {{"mish", FeedForward::mish, "Mish", "Mish: x·tanh(ln(1 + eˣ)). Misra 2019; formula 48 of the guide",
              "mish is x·tanh(softplus(x))"},
             {.formula = "Z = U ⊙ tanh(softplus(U))"}},
            {{"gelu-tanh", FeedForward::gelu_tanh, "GELU (tanh)",
              "GELU with a hyperbolic tangent in place of Φ, as in the published weights of GPT-2: "
              "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). Formula 48 of the guide",
              "gelu-tanh is GELU with a hyperbolic tangent"},
             {.formula = "Z = GELU_tanh(U)"}},
            {{"geglu-tanh", FeedForward::geglu_tanh, "GEGLU (tanh)",
              "Gated linear unit with gelu-tanh, as in Gemma. Formula 48 of the guide",
              "geglu-tanh is geglu with gelu-tanh"},
             {.formula = "Z = GELU_tanh(G) ⊙ U", .is_gated = true, .kept = 2}},
        });
        for (ActivationRow& row : result) {
            row.activation.kind = row.choice.value;
            row.activation.name = row.choice.title;
        }
        return result;
    }();
    return rows;
}

const Activation& activation_of(FeedForward kind) {
    return choice_row(activations(), kind == FeedForward::automatic ? FeedForward::gelu : kind).activation;
}

}  // namespace ropelab
