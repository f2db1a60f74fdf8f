#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/plan/anatomy_words.h"
#include "core/interop/hf_config.h"
#include "core/interop/hf_decoders.h"

// Parts of hf_anatomy() (core/interop/hf_anatomy.h): the sizes of a model, and the stages of attention and of
// feed-forward networks.

namespace ropelab {

/// A number of a model; nullopt where the config does not define it.
using HfCount = std::optional<std::int64_t>;

/// Returns the product of the counts; nullopt if one of them is unknown.
HfCount product_of(std::initializer_list<HfCount> factors);
/// Returns the sum of the counts; nullopt if one of them is unknown.
HfCount sum_of(std::initializer_list<HfCount> terms);

/// Sizes of a model.
struct HfSizes {
    std::int64_t T = 0;  // context
    std::int64_t h = 0;  // heads
    std::int64_t kv = 0;
    std::int64_t D = 0;  // channels per head; in latent attention, those without rotation
    HfCount C, H, V, layers;
    // Latent attention: widths of the latent vectors, rotary channels, channels of a value.
    bool has_query_latent = false;
    HfCount L, L_q, R, D_v;
    // Mixtures of experts: experts, experts per token, hidden width of an expert and of the shared ones together.
    HfCount E, k, H_e, H_s;
    // Linear attention: heads and channels of keys and of values, tokens of the convolution.
    HfCount h_k, h_v, D_k, D_u, kernel;
};

/// What distinguishes the stages of a layer from those of others.
struct HfLayer {
    std::string type;  // "full_attention", "sliding_attention", "linear_attention", …; "" if all layers are equal
    bool has_experts = false;
    bool has_attention_norm = true;
    bool rotates = true;  // false in layers without RoPE of models that have it in others

    bool operator==(const HfLayer&) const = default;
};

/// Heads of softmax attention in a layer.
struct HfHeads {
    std::int64_t h;
    std::int64_t kv;
    std::int64_t D;
    bool shares_values = false;  // the values are the keys before their norm and rotation
};

/// A model, its sizes, and what its type defines.
struct HfFacts {
    HfModel model;
    std::optional<HfDecoder> decoder;
    HfSizes n;
    bool is_encoder = false;
    std::int64_t encoder_window = 0;  // tokens of local attention in an encoder, half of them on each side
    bool is_latent = false;
    std::optional<HfHeads> global_heads;  // of the layers with full attention, if they differ
    bool has_unknown_global_heads = false;
    std::string activation;     // "silu"; "" if the config does not name it
    std::string expert_choice;  // formula of the gates of the experts
    bool has_router_bias = false;
    std::int64_t predicted_tokens = 0;  // further tokens that layers beyond `layers` predict
    std::vector<HfLayer> layers;        // empty if the config does not define their number

    /// Returns the heads of a layer with softmax attention; nullopt if they are unknown.
    std::optional<HfHeads> heads(const HfLayer& layer) const;
    /// Returns whether tokens of this layer of a decoder attend to fewer tokens than the context has.
    bool has_window(const HfLayer& layer) const;
    /// Returns the symbol of the input of a layer's attention: "H", or "X" if no norm precedes it.
    const char* attention_input(const HfLayer& layer) const;
    /// Returns the symbol of the input of the feed-forward networks: "H", or "X" if no norm precedes them.
    const char* mlp_input() const;
    /// Returns the mean number of keys that a token of this layer attends to.
    double keys(const HfLayer& layer) const;
};
/// Reads the parsed config.json of a model. Throws BadInput as read_hf_config does, and if a size is out of range.
HfFacts hf_facts(const nlohmann::json& config);

/// Returns a stage; its shape is unknown if an extent is.
AnatomyStage hf_stage(const std::string& id, const std::string& name, const std::string& symbols,
                      std::initializer_list<HfCount> shape, const std::string& formula);
/// Gives a stage the shape, unless an extent is unknown.
void shape_stage(AnatomyStage& stage, std::initializer_list<HfCount> shape);
/// Gives a stage the parameters and operations of a matrix and of its bias; unknown if an extent is.
void set_matrix(AnatomyStage& stage, HfCount rows, HfCount columns, bool has_bias);

/// Adds the stages of a layer's attention, after its norm, up to the attention output.
void add_hf_attention(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer);
/// Adds the stages of a layer's feed-forward network, dense or a mixture of experts.
void add_hf_feed_forward(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer);

}  // namespace ropelab
