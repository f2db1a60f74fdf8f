#pragma once

#include <span>
#include <string>

#include "core/settings/choices.h"

namespace ropelab {

/// Activation of the feed-forward network (formula 48). `automatic` is that of the block: SwiGLU for llama blocks, else
/// GELU.
enum class FeedForward {
    automatic,
    relu,
    gelu,
    swish,
    glu,
    bilinear,
    reglu,
    geglu,
    swiglu,
    relu2,
    mish,
    gelu_tanh,
    geglu_tanh
};

/// All that is known of an activation: a row of the table in activation.cpp. Its forward pass is `activated`
/// (core/engine/parts/mlp.cpp).
struct Activation {
    FeedForward kind = FeedForward::automatic;  // `automatic` if it has no row
    std::string name = "GELU";                  // "SwiGLU"
    std::string formula = "Z = GELU(U)";        // of its output
    bool is_gated = false;  // two projections are multiplied, so that the network has three matrices
    double kept = 0;        // numbers per hidden channel that the backward pass keeps besides its inputs and output;
                            // −1: only the output, from which the gradient is computed
    double working = 0;     // temporary numbers per hidden channel in the backward pass besides GELU's, as
                            // tests/bench/memory_variants measures them
    bool is_fused = false;  // whether the kernels of the CPU compute it
    double in_forward = 0;  // numbers per hidden channel that the forward pass has besides those kept
    bool is_known = true;   // false for a model whose networks are unknown

    /// As `kept`; the fused kernel of a gated network computes the activated gate again.
    double kept_by_libtorch() const { return is_fused && is_gated ? 1.0 : kept; }
    bool operator==(const Activation&) const = default;
};
/// `automatic` is GELU.
const Activation& activation_of(FeedForward kind);
struct ActivationRow {
    ChoiceOf<FeedForward> choice;  // its title is the name of the activation
    Activation activation;
};
std::span<const ActivationRow> activations();

}  // namespace ropelab
