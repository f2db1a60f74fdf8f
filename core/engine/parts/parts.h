#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

#include "core/engine/attention/attention.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/parts/routing.h"
#include "core/plan/model_plan.h"

// The forward pass of each part of a layer's plan (core/plan/parts), which the decoder visits: a part without one does
// not compile. All tensors have a leading runs dimension.

namespace ropelab {

/// A layer in a forward pass, for its parts.
struct LayerPass {
    const Parameters& weights;
    const PositionTerms& positions;
    const Dropout& dropout;
    ExpertRecord* experts = nullptr;  // receives what layers with experts do; may be null
    Precision precision = Precision::float32;
    std::int64_t batch = 1;
    AttentionUse use = {};

    /// "layers.0.attention"
    std::string name(const std::string& part) const { return "layers." + std::to_string(use.layer) + "." + part; }
    /// Undefined if the model does not have it.
    torch::Tensor weight(const std::string& part) const { return weights.get(name(part)); }
    /// Parameters::linear with the matrix of a part, whose name is that of the stage. It also computes `others`.
    torch::Tensor linear(const torch::Tensor& x, const char* part,
                         std::initializer_list<const char*> others = {}) const {
        const torch::Tensor rows = weights.linear(x, name(part), precision);
        use.stages.computed(part, others);
        use.stages.output(part, rows);
        return rows;
    }
    LayerTerms terms(const Scores& scores) const { return positions.layer(use.layer, scores, weights); }
};

/// Causal attention without its output projection. x: (runs, batch·time, C) → (runs, batch·time, heads·head_dim), in
/// the type of the products or float32. With a cache that is not empty, it requires one token.
torch::Tensor forward(const Softmax& part, const torch::Tensor& x, const LayerPass& pass);
/// Formula 44. A cache stores the latent vector and the rotated key. While generating token by token, the product with
/// the latent vector is moved to the query and the output, so that keys and values of earlier tokens are never
/// computed. A hook receives queries and keys with head_dim + rotary channels, rotary pairs first, and tables for all
/// pairs.
torch::Tensor forward(const Latent& part, const torch::Tensor& x, const LayerPass& pass);
/// Formula 46, a linear attention whose state has a fixed size. Sequences are computed in chunks: within a chunk all
/// tokens in parallel, by one triangular system per head; from chunk to chunk the state. The short convolution that
/// Yang et al. 2024 put before queries, keys and values is left out.
torch::Tensor forward(const DeltaNet& part, const torch::Tensor& x, const LayerPass& pass);

/// Feed-forward networks: (runs, n, C) → (runs, n, C).
torch::Tensor forward(const Mlp& part, const torch::Tensor& x, const LayerPass& pass);
/// Formulas 49 to 51. With the seeds of a training step, `dropout` gives the seeds and the step of the router's random
/// numbers; without seeds there is neither noise nor a random second expert nor a capacity, so that a token's output
/// does not depend on other tokens.
torch::Tensor forward(const Experts& part, const torch::Tensor& x, const LayerPass& pass);

/// Formula 48, in the type of x. x: (runs, n, rows), in gated networks the gate first → (runs, n, hidden width). A
/// run's numbers do not depend on the other runs.
torch::Tensor activated(FeedForward kind, const torch::Tensor& x);

/// A branch's output that is not yet part of the residual stream; undefined values for none.
struct Branch {
    torch::Tensor values = {};
    Dropout dropout = {};
    std::string place = {};  // of the dropout
};
/// sum = x + dropout(branch) and normed = the norm of the sum as formulas 52 and 53 define it, with the weights `name`.
/// LayerNorm and RMSNorm are the fused operations of residual_norm; Dynamic Tanh uses LibTorch's operations in float32.
NormalizedResidual forward(const NormPart& part, const torch::Tensor& x, const Branch& branch,
                           const Parameters& weights, const std::string& name,
                           torch::ScalarType type = torch::kFloat32);

}  // namespace ropelab
