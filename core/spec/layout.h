#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// One parameter of a run: its name, its shape and where it lies in the run's flat row.
struct Parameter {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    /// Standard deviation of its normal initialisation; 0 means all zeros, 1 on a vector means all ones (norms).
    double deviation = 0;
};

/// The parameters of a decoder in the order in which they lie in memory: matrices first (AdamW decays them), then
/// vectors. V symbols, C width, T context, D head dimension, Q = (heads + 2·key_value_heads)·D, H hidden width:
///
///     embedding.weight (V, C)   positions.weight (T, C)   head.weight (V, C) where not tied
///     layers.N.attention.qkv.weight (Q, C)   layers.N.attention.output.weight (C, C)
///     layers.N.mlp.up.weight (H, C), in llama blocks mlp.gate_up.weight (2H, C)   layers.N.mlp.down.weight (C, H)
///     layers.N.attention_norm, layers.N.mlp_norm, final_norm: .weight (C); .bias (C) with bias, except RMSNorms
///     layers.N.attention.query_norm.weight, .key_norm.weight (D) with qk_norm; the matrices' .bias with bias
///
/// Where theta moves (core/spec/run_spec.h) "rotary.shift" stands last, from 0: what is added to log theta, (1),
/// (layers) or (layers, heads), or to the logarithm of each frequency, (layers, D/2).
///
/// The rows of qkv are query, key, value, each head by head in the canonical pairing (core/rope/rotation.h); those of
/// gate_up what goes through SiLU, then what it multiplies.
struct Layout {
    std::vector<Parameter> parameters;
    std::int64_t matrices = 0;  // numbers in matrices: the decayed part
    std::int64_t vectors = 0;   // numbers in vectors, "rotary.shift" not counted
    std::int64_t total = 0;     // numbers of one run

    /// Throws std::out_of_range for an unknown name.
    const Parameter& at(const std::string& name) const;
    bool contains(const std::string& name) const;
};

/// nanoGPT's initialisation: 0.02 everywhere, 0.02/√(2·layers) for the projections into the residual stream.
Layout layout_of(const RunSpec& spec, int vocabulary);

}  // namespace ropelab
