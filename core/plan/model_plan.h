#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/plan/anatomy.h"
#include "core/plan/parts/delta_net.h"
#include "core/plan/parts/embedding.h"
#include "core/plan/parts/latent.h"
#include "core/plan/parts/mlp.h"
#include "core/plan/parts/norm.h"
#include "core/plan/parts/relative.h"
#include "core/plan/parts/rotary.h"
#include "core/plan/parts/softmax.h"
#include "core/plan/sources.h"
#include "core/plan/stage.h"

namespace ropelab {

// A RunSpec (plan_of) or a config of Hugging Face (hf_plan, core/interop) resolves to a plan, once. Each part answers
// everything about itself in one file of core/plan/parts: its stages with their tensors, operations and cache, and what
// its backward pass keeps. The layout of parameters, costs, memory, the KV cache and the anatomy are folds over the
// plan. A variant of a part is an alternative of a std::variant, so that a missing case does not compile.

using AttentionPart = std::variant<Softmax, Latent, DeltaNet>;
using FeedForwardPart = std::variant<Mlp, Experts>;

/// Norms of the stream before a branch, of its output before that is added, and of the stream after that.
struct BranchNorms {
    std::optional<NormPart> before = {};
    std::optional<NormPart> output = {};
    std::optional<NormPart> after = {};

    /// The one whose result or, after the sum, whose stream the branch processes.
    const std::optional<NormPart>& of_input() const { return before ? before : after; }
    bool operator==(const BranchNorms&) const = default;
};

/// Layers that compare equal are one section of the anatomy.
struct LayerPlan {
    std::string words;  // what distinguishes it from other layers: "gated DeltaNet, experts"
    BranchNorms attention_norms = {};
    AttentionPart attention = {};
    BranchNorms feed_forward_norms = {};
    FeedForwardPart feed_forward = {};
    bool is_parallel = false;         // attention and feed-forward have one input and one sum
    bool is_order_known = true;       // else one sum adds both branches
    double stream_factor = 1.0;       // of the stream where a branch is added: DeepNet (formula 54)
    double branch_factor = 1.0;       // of the branch that is added (Granite)
    std::int64_t visible_tokens = 0;  // the most tokens of the cache; 0: a state instead

    Stages stages(const PlanSizes& sizes) const;
    /// Null for a layer without attention scores.
    const Scores* scores() const;
    Scores* scores() { return const_cast<Scores*>(std::as_const(*this).scores()); }
    /// Null for a layer that does not rotate.
    const Rotary* rotary() const;
    Rotary* rotary() { return const_cast<Rotary*>(std::as_const(*this).rotary()); }
    std::int64_t heads() const;           // 0 if unknown
    std::int64_t query_channels() const;  // of each head, those that rotate included; 0 if unknown
    /// Of keys and values or latent vectors; none where a layer has a state. nullopt if a size is unknown.
    std::optional<std::vector<CachedLayers>> caches() const;
    bool operator==(const LayerPlan&) const = default;
};

struct ModelPlan {
    PlanSizes sizes;
    Embedding embedding = {};
    Stages shared = {};  // after the embedding: what all layers share
    std::vector<LayerPlan> layers = {};
    Stages before_head = {};  // after the final norm, besides the head
    OutputHead head = {};
    std::vector<AnatomySize> symbols = {};
    std::vector<std::string> remarks = {};
    bool names_settings = true;  // whether its stages are set by settings of runs
    bool is_eager = false;       // each operation alone, without a KV cache and own kernels
    /// Of files of weights; nullopt for a run, and for a model type whose names the program does not know.
    std::optional<TensorNames> tensor_names = {};

    /// Of the layers with scores, which have equal ones; null if there are none.
    const Scores* scores() const;
    /// The first one of the layers; null if nothing rotates.
    const Rotary* rotary() const;
    /// Of all layers. nullopt if a size is unknown.
    std::optional<std::vector<CachedLayers>> caches() const;
    bool theta_varies() const { return rotary() && rotary()->shift != Rotary::Shift::none; }
    bool has_relative_positions() const;
    /// Rotary::change in every layer.
    ModelPlan changed(const Scaling& scaling, std::int64_t length, std::span<const std::int64_t> frozen = {}) const;

    Stages front() const;  // before the layers
    Stages back() const;   // after the layers
    /// Floating-point, of a forward pass per token; nullopt if a part is unknown.
    std::optional<double> operations() const;
    /// Sections before, in and after the layers. Equal layers are one section.
    Anatomy anatomy() const;
};

ModelPlan plan_of(const RunSpec& spec, std::int64_t vocabulary);
/// Of each run.
std::vector<ModelPlan> plans_of(std::span<const RunSpec> runs, std::int64_t vocabulary);

}  // namespace ropelab
