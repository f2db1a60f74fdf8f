#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/plan/sources.h"
#include "core/settings/run_spec.h"

namespace ropelab {

struct Parameter {
    std::string name;
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0;  // index of its first element in the flat array
    std::int64_t size = 0;    // number of elements: product of the shape
    /// Normal initialization; 0: all start at 0. All elements of a vector start at it, such as 1 for norms.
    double deviation = 0;
    /// Rows at the end of a matrix whose initial numbers are multiplied by `last_factor` (values in qkv).
    std::int64_t last_rows = 0;
    double last_factor = 1;
    /// They replace the initialization by `deviation`; mostly empty.
    std::vector<double> initial = {};
    bool embeds = false;  // as Tensor::embeds
    /// Where files of weights have it; without parts if the plan names no tensors of files.
    TensorSource source = {};
};

/// Parameters of a decoder in the order in which they are stored in memory: first matrices, to which weight decay
/// applies, then vectors. With vocabulary size V, width C, context length T, head dimension D, hidden width H and
/// Q = (heads + 2·key_value_heads)·D they are:
///
///     embedding.weight (V, C)   positions.weight (T, C)   head.weight (V, C), unless tied
///     distance_bias.weight (heads, distance_buckets) with position = t5 or rope+bias
///     content_bias.weight, distance_query.weight (heads, D) with position = transformer-xl
///     layers.N.attention.qkv.weight (Q, C)   layers.N.attention.output.weight (C, C)
///     layers.N.attention.relative_keys.weight, .relative_values.weight (relative_clip + 1, D) with position = shaw
///     layers.N.attention.relative.weight (key_value_heads·D, C) with position = transformer-xl
///     layers.N.attention.contextual.weight (cope_positions, D) with position = cope, which start at 0
///     (a gated DeltaNet layer has none of these three)
///     layers.N.mlp.up.weight (H, C), in gated networks mlp.gate_up.weight (2H, C)   layers.N.mlp.down.weight (C, H)
///     in layers with E experts instead: layers.N.mlp.router.weight (E, C), with expert_noise also
///         mlp.router_noise.weight (E, C); mlp.experts.up.weight (E, H, C) or .gate_up.weight (E, 2H, C);
///         mlp.experts.down.weight (E, C, H)
///     layers.N.attention_norm, layers.N.mlp_norm, final_norm: .weight (C); .bias (C) if spec.bias, not for RMSNorm;
///         with norm = dyt also .scale (1), the factor α inside tanh. With norm_position = post there is no final_norm.
///         With sandwich there are also layers.N.attention_output_norm and layers.N.mlp_output_norm. With norm =
///         zero-centered-rmsnorm the weights start at 0, are added to 1, and come last among the numbers with weight
///         decay.
///     layers.N.attention.query_norm.weight, .key_norm.weight (D) with qk_norm = head; with qk_norm = projection
///         (heads·D) and (key_value_heads·D)
///     layers.N.attention.sinks (heads) with attention_sinks, starting at 0
///     distance_kernel.log_r1, .log_r2 (heads) with position = kerple, before the vectors of the layers
///     head.bias (V) with head_bias
///     .bias of each matrix in the layers if spec.bias, except key_value, rates and routers; for experts (E, rows)
///
/// With attention = gated, a layer also has attention.gate.weight (heads·D, C). With attention = mla it has, instead of
/// qkv and with latent width L and R rotary channels, attention.query.weight (heads·(D + R), C),
/// attention.latent.weight (L + R, C) (the latent vector, then the rotary key), attention.key_value.weight (2·heads·D,
/// L) (all keys, then all values) and attention.latent_norm.weight (L). Of the D + R channels of a query, those that
/// RoPE can rotate are the first R/2 of each half.
///
/// A gated DeltaNet layer has attention.qkv.weight (3·heads·D, C), attention.gate.weight (heads·D, C),
/// attention.rates.weight (2·heads, C) (the inputs of α, then of β), attention.output.weight,
/// attention.head_norm.weight (D), and attention.log_decay and attention.decay_shift (heads): exp(log_decay) starts at
/// 1 for the first head and grows evenly to 16 for the last one; decay_shift starts where softplus is 0.01.
///
/// If theta is trained or follows a schedule, "rotary.shift" comes last. It starts at 0 and is added to log theta, of
/// shape (1), (layers) or (layers, heads), or to the logarithm of each frequency, of shape (layers, D/2).
///
/// The rows of qkv are the queries, then the keys, then the values, each head by head in the canonical pairing
/// (core/rope/rotation.h). The rows of gate_up are the gate (the input of the activation), then the factor that it
/// multiplies.
struct Layout {
    std::vector<Parameter> parameters;
    /// They have weight decay: matrices, and the weights of zero-centered norms.
    std::int64_t matrices = 0;
    std::int64_t vectors = 0;  // number of the other vector elements, without "rotary.shift"
    std::int64_t total = 0;    // number of parameters of one run

    /// Throws std::out_of_range if there is none.
    const Parameter& at(const std::string& name) const;
    bool contains(const std::string& name) const;
};

/// Initialized as in nanoGPT: 0.02, and 0.02/√(2·layers) for projections into the residual stream. With xavier the
/// matrices of the layers have √(2/(inputs + outputs)), where queries, keys and values of qkv are matrices (C, C) each,
/// keys and values of key_value (heads·D, L), the two halves of rates (heads, C), and gate and up (H, C); embeddings
/// and head keep 0.02. DeepNet's scaling (formula 54) multiplies the initial weights of values, attention output and
/// MLP by (8·layers)^−¼. Routers have spec.router_deviation.
Layout layout_of(const RunSpec& spec, int vocabulary);
/// Sizes must be known. Throws BadInput if the plan names the tensors of files, but not all that the model has.
Layout layout_of(const ModelPlan& plan);

/// Matrices of the layers, each expert's separately, but not tables of learned distances, which are embeddings.
bool trains_with_muon(const Layout& layout, const Parameter& parameter);

/// Without token and position embeddings (among them the learned biases and vectors of distances), output head and
/// "rotary.shift". N of scaling laws (Kaplan et al. 2020), which does not depend on the vocabulary.
std::int64_t non_embedding_parameters(const RunSpec& spec);

}  // namespace ropelab
