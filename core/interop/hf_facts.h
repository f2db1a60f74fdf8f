#pragma once

#include <string>
#include <vector>

#include "core/interop/hf_config.h"
#include "core/interop/hf_decoders.h"
#include "core/plan/stage.h"

// What a config.json says of a model besides its rotary embeddings, from which hf_plan() makes a plan.

namespace ropelab {

/// By the symbols of the anatomy.
struct HfSizes {
    std::int64_t T = 0;  // context
    std::int64_t h = 0;  // heads
    std::int64_t kv = 0;
    std::int64_t D = 0;  // channels per head; in latent attention, those without rotation
    Count C, H, V, layers;
    // Latent attention: widths of the latent vectors, rotary channels, channels of a value.
    bool has_query_latent = false;
    Count L, L_q, R, D_v;
    // Mixtures of experts: experts, experts per token, hidden width of an expert and of the shared ones together.
    Count E, k, H_e, H_s;
    // Linear attention: heads and channels of keys and of values, tokens of the convolution.
    Count h_k, h_v, D_k, D_u, kernel;
};

struct HfLayer {
    std::string type;  // "full_attention", "sliding_attention", "linear_attention", …; "" if all layers are equal
    bool has_experts = false;
    bool has_attention_norm = true;
    bool rotates = true;

    bool operator==(const HfLayer&) const = default;
};

struct HfHeads {
    std::int64_t h;
    std::int64_t kv;
    std::int64_t D;
    bool shares_values = false;  // the values are the keys before their norm and rotation
};

struct HfFacts {
    HfModel model;
    std::optional<HfDecoder> decoder;
    HfSizes n;
    std::int64_t encoder_window = 0;  // tokens of local attention in an encoder, half of them on each side
    bool is_latent = false;
    std::optional<HfHeads> global_heads;  // of the layers with full attention, if they differ
    bool has_unknown_global_heads = false;
    std::string activation;     // "silu"; "" if the config does not name it
    std::string expert_choice;  // formula of the gates of the experts
    bool has_router_bias = false;
    std::int64_t predicted_tokens = 0;  // further tokens that layers beyond `layers` predict
    std::vector<HfLayer> layers;        // empty if the config does not define their number

    /// nullopt if the heads are unknown.
    std::optional<HfHeads> heads(const HfLayer& layer) const;
    bool has_window(const HfLayer& layer) const;
    /// Mean number of keys that a token attends to.
    double keys(const HfLayer& layer) const;
};
/// Throws BadInput as read_hf_config does, and if a size is out of range.
HfFacts hf_facts(const nlohmann::json& config);

}  // namespace ropelab
