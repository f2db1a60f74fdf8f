#include "core/plan/parts/norm.h"

namespace ropelab {

namespace {

constexpr double dyt_scale = 0.5;  // initial α of Dynamic Tanh (Zhu et al. 2025)

std::string kind_text(const NormPart& norm) {
    switch (norm.kind) {
        case NormPart::Kind::layer:
            return norm.has_weight ? "LayerNorm" : "LayerNorm without parameters";
        case NormPart::Kind::rms:
            return "RMSNorm";
        case NormPart::Kind::zero_centred_rms:
            return "zero-centered RMSNorm";
        case NormPart::Kind::dyt:
            return "Dynamic Tanh";
        case NormPart::Kind::unknown:
            break;
    }
    return "unknown";
}

std::string formula_of(const NormPart& norm, const std::string& to, const std::string& from) {
    const std::string begin = to + " = ";
    const std::string bias = norm.has_bias ? " + β" : "";
    switch (norm.kind) {
        case NormPart::Kind::layer:
            return begin + "(" + from + " − mean(" + from + "))/√(var(" + from + ") + ε)" +
                   (norm.has_weight ? " ⊙ γ" + bias : "");
        case NormPart::Kind::rms:
            return begin + from + "/√(mean(" + from + "^2) + ε) ⊙ γ";
        case NormPart::Kind::zero_centred_rms:
            return begin + from + "/√(mean(" + from + "^2) + ε) ⊙ (1 + γ)";
        case NormPart::Kind::dyt:
            return begin + "tanh(α·" + from + ") ⊙ γ" + bias;
        case NormPart::Kind::unknown:
            break;
    }
    return "unknown";
}

}  // namespace

AnatomyStage NormPart::stage(const PlanSizes& sizes, const std::string& id, const std::string& name,
                             const std::string& tensors, const std::string& to, const std::string& from,
                             int place) const {
    AnatomyStage stage = {.id = id,
                          .name = name,
                          .kind = kind_text(*this),
                          .symbols = "(B, T, C)",
                          .shape = extents({sizes.B, sizes.T, sizes.C}),
                          .formula = formula_of(*this, to, from),
                          .settings = {"block", "norm", "norm_position", "bias"}};
    const bool is_zero_centred = kind == Kind::zero_centred_rms;
    if (kind == Kind::unknown) stage.parameters.reset();
    if (has_weight && kind != Kind::unknown) {
        stage.tensors.push_back({.name = tensors + ".weight",
                                 .shape = {sizes.C},
                                 .place = place,
                                 .deviation = is_zero_centred ? 0.0 : 1.0,
                                 .decays = is_zero_centred});
    }
    if (has_bias) stage.tensors.push_back({.name = tensors + ".bias", .shape = {sizes.C}, .place = place});
    if (kind == Kind::dyt) {
        stage.tensors.push_back({.name = tensors + ".scale", .shape = {1}, .place = place, .deviation = dyt_scale});
    }
    return stage;
}

}  // namespace ropelab
