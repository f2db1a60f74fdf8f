#include "core/plan/anatomy_stages.h"
#include "core/plan/anatomy_words.h"

namespace ropelab::stages {

namespace {

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
        case FeedForward::gelu:
        case FeedForward::automatic:
            break;
    }
    return {"GELU", "Z = GELU(U)"};
}

}  // namespace

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

namespace {

// Adds a matrix of each expert, of `rows` × `columns` numbers. A token is multiplied by those of its experts.
void add_expert_matrix(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n, AnatomyStage stage,
                       const std::string& tensor, std::int64_t rows, std::int64_t columns) {
    stage.kind = experts_per_token_text(n.k, n.E);
    stage.operations = 2.0 * real(n.k) * real(rows) * real(columns);
    stage.inactive_parameters = (n.E - n.k) * (rows * columns + (spec.bias ? rows : 0));
    section.add(std::move(stage), {tensor + ".weight", tensor + ".bias"}, false);
}

}  // namespace

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
    section.add(stage_with(words::mixture, {n.B, n.T, n.C}, {"experts_per_token"}));
}

}  // namespace ropelab::stages
