#pragma once

#include <string>

#include "core/plan/stage.h"

namespace ropelab {

/// Normalization of the residual stream or of the output of a branch.
struct NormPart {
    enum class Kind { layer, rms, zero_centred_rms, dyt, unknown };
    Kind kind = Kind::layer;
    bool has_weight = true;
    bool has_bias = false;  // of LayerNorm and Dynamic Tanh

    /// Returns the stage that computes `to` from `from`. `tensors` is the name of its parameters without their last
    /// part. Zero-centered weights start at 0 and decay.
    AnatomyStage stage(const PlanSizes& sizes, const std::string& id, const std::string& name,
                       const std::string& tensors, const std::string& to = "H", const std::string& from = "X",
                       int place = storage::norm) const;
    /// Returns the rows of the width per token that its backward pass keeps besides the normalized row: the scaled
    /// stream and its tanh.
    double kept_rows() const { return kind == Kind::dyt ? 2.0 : 0.0; }
    bool operator==(const NormPart&) const = default;
};

}  // namespace ropelab
