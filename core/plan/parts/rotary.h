#pragma once

#include <optional>
#include <string>

#include "core/plan/parts/relative.h"
#include "core/plan/stage.h"

namespace ropelab {

struct Rotary {
    std::string words = "RoPE";  // "RoPE, 25 %"
    bool has_decay = false;      // xPos (formula 42), whose decay multiplies queries and keys separately

    AnatomyStage stage(const PlanSizes& sizes, const Heads& heads) const;
    /// For latent attention: separate from the heads' own channels.
    AnatomyStage stage_of_channels(const PlanSizes& sizes, Count heads, Count channels) const;
    double kept_per_score() const { return has_decay ? 2.0 : 0.0; }
    bool is_fused() const { return !has_decay; }
    bool operator==(const Rotary&) const = default;
};

}  // namespace ropelab
