#include "core/spec/activation.h"

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
const std::array<Row, 10>& rows() {
    static const std::array<Row, 10> table = {{
        {"relu", {FeedForward::relu, "ReLU", "Z = ReLU(U)", false, -1.0, 1.5, false, 1.0}},
        {"gelu", {FeedForward::gelu, "GELU", "Z = GELU(U)", false, 0.0, 0.0, true}},
        {"swish", {FeedForward::swish, "Swish", "Z = SiLU(U)"}},
        {"glu", {FeedForward::glu, "GLU", "Z = σ(G) ⊙ U", true, 1.0}},
        {"bilinear", {FeedForward::bilinear, "bilinear", "Z = G ⊙ U", true}},
        {"reglu", {FeedForward::reglu, "ReGLU", "Z = ReLU(G) ⊙ U", true, 1.0}},
        {"geglu", {FeedForward::geglu, "GEGLU", "Z = GELU(G) ⊙ U", true, 2.0}},
        {"swiglu", {FeedForward::swiglu, "SwiGLU", "Z = SiLU(G) ⊙ U", true, 0.0, 1.5, true}},
        {"relu2", {FeedForward::relu2, "squared ReLU", "Z = ReLU(U)^2", false, 0.0, 1.5, false, 1.0}},
        {"mish", {FeedForward::mish, "Mish", "Z = U ⊙ tanh(softplus(U))"}},
    }};
    return table;
}

}  // namespace

const Activation& activation_of(FeedForward kind) {
    const FeedForward value = kind == FeedForward::automatic ? FeedForward::gelu : kind;
    const auto row =
        std::find_if(rows().begin(), rows().end(), [&](const Row& each) { return each.activation.kind == value; });
    if (row == rows().end()) throw std::logic_error("An activation has no row in its table.");
    return row->activation;
}

std::vector<std::pair<std::string_view, FeedForward>> activation_words() {
    std::vector<std::pair<std::string_view, FeedForward>> words = {{"auto", FeedForward::automatic}};
    for (const Row& row : rows()) words.emplace_back(row.word, row.activation.kind);
    return words;
}

}  // namespace ropelab
