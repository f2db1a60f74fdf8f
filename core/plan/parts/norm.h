#pragma once

#include <optional>
#include <string>

#include "core/plan/stage.h"

namespace ropelab {

struct NormPart {
    enum class Kind { layer, rms, zero_centred_rms, dyt, unknown };
    Kind kind = Kind::layer;
    std::optional<double> epsilon = {};  // of this norm, added to the mean square; nullopt: usual_epsilon
    bool has_weight = true;
    bool has_bias = false;  // of LayerNorm and Dynamic Tanh

    /// Of nanoGPT and GPT-NeoX, and of Llama's RMSNorm.
    static constexpr double usual_epsilon(bool is_centred) { return is_centred ? 1e-5 : 1e-6; }
    double epsilon_used() const { return epsilon.value_or(usual_epsilon(kind == Kind::layer)); }

    /// `tensors`: name of the parameters without their last part. Zero-centered weights start at 0 and decay.
    AnatomyStage stage(const PlanSizes& sizes, const std::string& id, const std::string& name,
                       const std::string& tensors, const std::string& to = "H", const std::string& from = "X",
                       int place = storage::norm) const;
    /// Rows of the width per token for the backward pass, besides the normalized row: the scaled stream and its tanh.
    double kept_rows() const { return kind == Kind::dyt ? 2.0 : 0.0; }
    /// Bytes per token with LibTorch's operations: input, output before the weights, and statistics. Dynamic Tanh keeps
    /// its result per run and for all runs.
    double kept_bytes_by_libtorch(double C) const { return kind == Kind::dyt ? 12.0 * C : 8.0 * C + 8.0; }
    /// The result has the precision of matrix products.
    bool is_rounded() const { return kind != Kind::dyt; }
    bool operator==(const NormPart&) const = default;
};

}  // namespace ropelab
