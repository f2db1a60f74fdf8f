#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/parts/norm.h"
#include "core/plan/parts/relative.h"
#include "core/plan/parts/rotary.h"
#include "core/plan/stage.h"
#include "core/rope/memory.h"

namespace ropelab {

/// Decides what attention keeps for the backward pass.
struct TrainingWork {
    double product_size = 1.0;  // of numbers of products, in float32 numbers: 0.5 with bfloat16
    bool drops = false;
    bool is_fused = true;  // attention is one operation (core/plan/kernels.h)
    bool theta_varies = false;
};

/// Scores, weights and weighted values, which softmax and latent attention share.
struct Scores {
    Relative relative = PlainScores();
    bool has_sinks = false;
    double factor = 1.0;  // of the products of queries and keys, besides 1/√D
    double soft_cap = 0;  // c of c·tanh(S/c), before the mask; 0: none
    Count window = {};    // tokens of a sliding window; nullopt: none
    std::string window_name = "sliding window";
    double keys = 0;  // mean number of keys that a token attends to
    /// Those of a published model, whose layers may share, repeat or compress them; nullopt: one, of the heads or of
    /// the latent vector.
    std::optional<std::vector<CachedLayers>> caches = {};

    /// Per token, where one cache would have `own`; nullopt for a compressed one.
    Count cached_numbers(Count own) const;

    /// From the scores to the weighted values. `score` is the formula of a product.
    void add(Stages& stages, const PlanSizes& sizes, const Heads& heads, Count channels, Count value_channels,
             const std::string& score) const;
    bool operator==(const Scores&) const = default;
};
/// Formula 45, a function of a product with the layer's input.
AnatomyStage attention_gate(const PlanSizes& sizes, const std::string& kind, const std::string& function,
                            const std::string& input, const std::string& symbols, Count rows, bool has_bias,
                            const std::string& setting);
/// Projection of the heads' outputs, `columns` numbers, into the residual stream.
AnatomyStage attention_output(const PlanSizes& sizes, Count columns, bool has_bias);

struct Softmax {
    Heads heads = {};
    bool shares_values = false;  // the values are the keys before their norm and rotation
    bool has_bias = false;
    bool has_output_bias = false;
    enum class QkNorm { none, head, projection } qk_norm = QkNorm::none;
    NormPart head_norm = {.kind = NormPart::Kind::rms};  // of queries and of keys, unless qk_norm is none
    bool is_gated = false;
    std::optional<Rotary> rotary = {};
    /// Formula 66: channels of each head in which a key is that of the previous token, in the canonical pairing; empty
    /// for none.
    std::vector<bool> shifted_channels = {};
    Scores scores = {};

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    /// In the KV cache, per token.
    Count key_value_numbers() const { return product_of({2, heads.kv, heads.D}); }
    /// Numbers per token for the backward pass, counted in float32, as measured.
    double kept(const PlanSizes& sizes, const TrainingWork& work) const;
    bool operator==(const Softmax&) const = default;
};

/// Per token, for queries, keys, values and probabilities, counted in float32.
double kept_by_scores(const PlanSizes& sizes, const Heads& heads, bool normalizes, const Scores& scores,
                      const std::optional<Rotary>& rotary, const TrainingWork& work);
/// Per token and layer besides q, k and v, in multiples of the width, as measured: one if q and k are rotated or
/// normalized separately, one more if keys and values are repeated for grouped queries.
double more_stepwise(const Heads& heads, bool normalizes, const TrainingWork& work);

}  // namespace ropelab
