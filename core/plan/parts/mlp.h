#pragma once

#include <string>

#include "core/plan/stage.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Formula 48; a row of a table. The forward pass is in core/model/feed_forward.cpp.
struct Activation {
    std::string name = "GELU";            // "SwiGLU"
    std::string formula = "Z = GELU(U)";  // of its output
    bool is_gated = false;                // two projections are multiplied
    /// Per hidden channel, for the backward pass, besides inputs and output.
    double kept = 0;
    double working = 0;  // temporary numbers per hidden channel in its backward pass besides those of GELU, as measured
    bool is_fused = false;  // whether the kernels of the CPU compute it
    bool is_known = true;
    bool operator==(const Activation&) const = default;
};

/// `automatic` is GELU.
const Activation& activation_of(FeedForward kind);

struct Mlp {
    Count width;
    Activation activation;
    bool has_bias = false;
    /// Beginning of the ids and names of stages: a shared expert has others.
    std::string id = "mlp.";
    std::string name = "MLP";
    std::string symbol = "H";

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    /// Numbers per token for the backward pass, before and after the activation.
    double kept() const;
    bool operator==(const Mlp&) const = default;
};

/// Formula 49.
struct Experts {
    Count E;                 // experts
    Count k;                 // experts per token
    Mlp expert;              // of which `symbol` and `activation` are those of all experts
    std::string choice;      // formula of the gates
    bool has_noise = false;  // the router has noise in training
    bool has_router_bias = false;
    bool says_router_bias = false;
    std::optional<Mlp> shared = {};
    bool gates_shared = false;

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    double kept(const PlanSizes& sizes) const;
    bool operator==(const Experts&) const = default;
};

}  // namespace ropelab
