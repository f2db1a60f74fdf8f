#include "core/plan/parts/rotary.h"

namespace ropelab {

AnatomyStage Rotary::stage(const PlanSizes& sizes, const Heads& heads) const {
    AnatomyStage stage = {.id = "attention.rotation",
                          .name = "Rotation of queries and keys",
                          .kind = words,
                          .symbols = "(B, h, T, D)",
                          .shape = extents({sizes.B, heads.h, sizes.T, heads.D}),
                          .formula = "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n",
                          .settings = {"position", "theta", "fraction", "frequencies"}};
    if (has_decay) {
        stage.formula = "q_m ← ζ^{(m − c)/s} ⊙ R(m·g)·q_m,  k_n ← ζ^{−(n − c)/s} ⊙ R(n·g)·k_n";
        stage.settings.emplace_back("xpos_scale_base");
    }
    return stage;
}

AnatomyStage Rotary::stage_of_channels(const PlanSizes& sizes, Count heads, Count channels) const {
    return {.id = "attention.rotation",
            .name = "Rotation of the rotary channels",
            .kind = words,
            .symbols = "(B, h, T, D_r)",
            .shape = extents({sizes.B, heads, sizes.T, channels}),
            .formula = "q^R_m ← R(m·g)·q^R_m,  k^R_n ← R(n·g)·k^R_n",
            .settings = {"position", "theta", "fraction", "frequencies", "rotary_channels"}};
}

}  // namespace ropelab
