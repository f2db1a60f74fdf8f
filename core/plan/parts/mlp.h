#pragma once

#include <string>

#include "core/plan/stage.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Feed-forward network of a layer: two matrices, or three if it is gated.
struct Mlp {
    Count width;
    Activation activation;
    bool has_bias = false;
    /// Beginning of the ids and names of stages: a shared expert has others.
    std::string id = "mlp.";
    std::string name = "MLP";
    std::string symbol = "F";

    /// "up", or in gated networks "gate_up", whose rows are the gate, then the factor that it multiplies.
    std::string first_matrix() const { return activation.is_gated ? "gate_up" : "up"; }
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
    bool weighs_inputs = false;  // the gate multiplies the input of an expert, not its output (Llama 4)
    /// In training: the capacity of an expert in even shares of the tokens (0: no limit), and of the second choice.
    double capacity = 0;
    SecondExpert second = SecondExpert::always;

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    double kept(const PlanSizes& sizes) const;
    bool operator==(const Experts&) const = default;
};

}  // namespace ropelab
