#pragma once

#include <string>

#include "core/plan/parts/relative.h"
#include "core/plan/stage.h"

namespace ropelab {

/// Rotation of queries and keys. Its forward pass is in core/engine/attention/rotary.cpp.
struct Rotary {
    /// `decaying` is xPos (formula 42), whose decay multiplies queries and keys separately; `fourier` is FoPE (formula
    /// 62), which changes the tables of cos and sin only.
    enum class Kind { plain, decaying, fourier };
    Kind kind = Kind::plain;
    std::string channels = {};  // which of them rotate: "25 %"; "" if that is not said

    AnatomyStage stage(const PlanSizes& sizes, const Heads& heads) const;
    /// For latent attention: separate from the heads' own channels.
    AnatomyStage stage_of_channels(const PlanSizes& sizes, Count heads, Count channels) const;
    double kept_per_score() const { return kind == Kind::decaying ? 2.0 : 0.0; }
    bool is_fused() const { return kind != Kind::decaying; }
    bool operator==(const Rotary&) const = default;
};

}  // namespace ropelab
