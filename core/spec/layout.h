#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// One parameter of a run: its name, its shape and its place in the flat array of all parameters of the run.
struct Parameter {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0;  // index of its first element in the flat array
    std::int64_t size = 0;    // number of elements: product of the shape
    /// Standard deviation of its normal initialization. 0 means that all elements start at 0. For a vector,
    /// 1 means that all elements start at 1 (weights of norms).
    double deviation = 0;
};

/// Parameters of a decoder in the order in which they are stored in memory: first matrices, to which AdamW applies
/// weight decay, then vectors. With vocabulary size V, width C, context length T, head dimension D, hidden width H and
/// Q = (heads + 2·key_value_heads)·D they are:
///
///     embedding.weight (V, C)   positions.weight (T, C)   head.weight (V, C), unless tied
///     distance_bias.weight (heads, distance_buckets) with position = t5 or rope+bias
///     content_bias.weight, distance_query.weight (heads, D) with position = transformer-xl
///     layers.N.attention.qkv.weight (Q, C)   layers.N.attention.output.weight (C, C)
///     layers.N.attention.relative_keys.weight, .relative_values.weight (relative_clip + 1, D) with position = shaw
///     layers.N.attention.relative.weight (key_value_heads·D, C) with position = transformer-xl
///     layers.N.attention.contextual.weight (cope_positions, D) with position = cope, which start at 0
///     layers.N.mlp.up.weight (H, C), in llama blocks mlp.gate_up.weight (2H, C)   layers.N.mlp.down.weight (C, H)
///     layers.N.attention_norm, layers.N.mlp_norm, final_norm: .weight (C); .bias (C) if spec.bias, not for RMSNorm
///     layers.N.attention.query_norm.weight, .key_norm.weight (D) with qk_norm = head; with qk_norm = projection
///         (heads·D) and (key_value_heads·D)
///     .bias of each matrix in the layers if spec.bias
///
/// If theta is trained or follows a schedule, "rotary.shift" comes last. It starts at 0 and is added to log theta, of
/// shape (1), (layers) or (layers, heads), or to the logarithm of each frequency, of shape (layers, D/2).
///
/// The rows of qkv are the queries, then the keys, then the values, each head by head in the canonical pairing
/// (core/rope/rotation.h). The rows of gate_up are the gate (the input of SiLU), then the factor that it multiplies.
struct Layout {
    std::vector<Parameter> parameters;
    std::int64_t matrices = 0;  // number of matrix elements, which have weight decay
    std::int64_t vectors = 0;   // number of vector elements, without "rotary.shift"
    std::int64_t total = 0;     // number of parameters of one run

    /// Returns the parameter with the given name. Throws std::out_of_range if there is none.
    const Parameter& at(const std::string& name) const;
    /// Returns whether there is a parameter with the given name.
    bool contains(const std::string& name) const;
};

/// Returns the parameters of a run. The initialization is that of nanoGPT: standard deviation 0.02, and
/// 0.02/√(2·layers) for the projections into the residual stream.
Layout layout_of(const RunSpec& spec, int vocabulary);

/// Returns the number of parameters without token and position embeddings (among them the learned biases and vectors of
/// distances), output head and "rotary.shift". Scaling laws call it N (Kaplan et al. 2020). It does not depend on the
/// vocabulary.
std::int64_t non_embedding_parameters(const RunSpec& spec);

}  // namespace ropelab
