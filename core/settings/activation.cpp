#include "core/settings/activation.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ropelab {

namespace {

struct Row {
    std::string_view word;
    Activation activation;
};

// The gradient of ReLU needs only its result; GLU, ReGLU and GEGLU keep the activated gate too, and GEGLU the gate as a
// matrix of its own.
const auto& rows() {
    static const auto table = std::to_array<Row>({
        {"relu",
         {.kind = FeedForward::relu,
          .name = "ReLU",
          .formula = "Z = ReLU(U)",
          .kept = -1,
          .working = 1.5,
          .in_forward = 1}},
        {"gelu", {.kind = FeedForward::gelu, .name = "GELU", .formula = "Z = GELU(U)", .is_fused = true}},
        {"swish", {.kind = FeedForward::swish, .name = "Swish", .formula = "Z = SiLU(U)"}},
        {"glu", {.kind = FeedForward::glu, .name = "GLU", .formula = "Z = σ(G) ⊙ U", .is_gated = true, .kept = 1}},
        {"bilinear", {.kind = FeedForward::bilinear, .name = "bilinear", .formula = "Z = G ⊙ U", .is_gated = true}},
        {"reglu",
         {.kind = FeedForward::reglu, .name = "ReGLU", .formula = "Z = ReLU(G) ⊙ U", .is_gated = true, .kept = 1}},
        {"geglu",
         {.kind = FeedForward::geglu, .name = "GEGLU", .formula = "Z = GELU(G) ⊙ U", .is_gated = true, .kept = 2}},
        {"swiglu",
         {.kind = FeedForward::swiglu,
          .name = "SwiGLU",
          .formula = "Z = SiLU(G) ⊙ U",
          .is_gated = true,
          .working = 1.5,
          .is_fused = true}},
        {"relu2",
         {.kind = FeedForward::relu2,
          .name = "squared ReLU",
          .formula = "Z = ReLU(U)^2",
          .working = 1.5,
          .in_forward = 1}},
        {"mish", {.kind = FeedForward::mish, .name = "Mish", .formula = "Z = U ⊙ tanh(softplus(U))"}},
    });
    return table;
}

}  // namespace

const Activation& activation_of(FeedForward kind) {
    const FeedForward value = kind == FeedForward::automatic ? FeedForward::gelu : kind;
    const auto row =
        std::find_if(rows().begin(), rows().end(), [&](const Row& each) { return each.activation.kind == value; });
    if (row == rows().end()) {
        throw std::logic_error("An activation function is missing in the table of activation functions.");
    }
    return row->activation;
}

std::vector<std::pair<std::string_view, FeedForward>> activation_words() {
    std::vector<std::pair<std::string_view, FeedForward>> words = {{"auto", FeedForward::automatic}};
    for (const Row& row : rows()) words.emplace_back(row.word, row.activation.kind);
    return words;
}

}  // namespace ropelab
