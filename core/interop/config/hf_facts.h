#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/interop/config/hf_reader.h"
#include "core/plan/parts/relative.h"
#include "core/plan/stage.h"

// What a config.json says of a model, from which hf_plan() makes a plan.

namespace ropelab {

enum class HfNorm {
    rms,
    layer,               // LayerNorm with weights and a bias
    layer_without_bias,  // LayerNorm with weights
    plain_layer,         // LayerNorm without parameters
};

enum class HfQkNorm {
    none,
    head,
    projection,
    rotated_heads,  // without weights, and only in layers with RoPE (Llama 4)
};

/// How a model type names its experts, and which layers have them.
enum class HfExperts {
    none,
    all_layers,    // as wide as intermediate_size (Mixtral, gpt-oss)
    sparse_steps,  // in every decoder_sparse_step-th layer except mlp_only_layers (Qwen)
    interleaved,   // num_local_experts and one shared expert as wide, in every interleave_moe_layer_step-th layer; a
                   // dense layer is intermediate_size_mlp wide (Llama 4)
    after_dense,   // n_routed_experts and n_shared_experts, after first_k_dense_replace dense layers (DeepSeek)
};

/// A row of resources/models/decoders.json.
struct HfDecoder {
    HfNorm norm = HfNorm::rms;
    int norms = 2;                    // norms of the residual stream or of the outputs of branches, per layer
    bool normalizes_outputs = false;  // with 2 norms: they normalize the outputs of the branches
    bool gated = true;                // the MLP has a gate
    bool qkv_bias = false;            // without bias_key in the config
    bool output_bias = false;
    bool mlp_bias = false;  // without mlp_bias_key in the config
    bool head_bias = false;
    bool tied = false;           // without tie_word_embeddings in the config
    std::string bias_key = {};   // name of the flag of the biases of attention
    bool bias_of_output = true;  // the flag is that of the attention output too
    std::string mlp_bias_key = {};
    HfQkNorm qk_norm = HfQkNorm::none;
    std::string qk_norm_key = {};  // name of the flag of this norm
    bool parallel = false;
    bool quadruple_mlp = false;  // without a width in the config, the MLP is 4·C wide
    bool halved_mlp = false;     // the config gives the width of both factors of the gated MLP together
    HfExperts experts = HfExperts::none;
    bool sigmoid_router = false;  // of DeepSeek-V3
    bool router_bias = false;     // is a parameter, and not only a buffer
    bool gates_shared_expert = false;
    bool expert_bias = false;  // of the experts and of the router
    bool gates_attention = false;
    bool has_sinks = false;
    bool normalizes_embedding = false;
    bool zero_centred_norms = false;  // RMSNorm's factor is 1 + w
    bool scales_embedding = false;    // by √C
    double attention_scale = 0;       // of products of queries and keys; 0: 1/√D
    bool multiplies_logits = false;   // logits_scaling multiplies them; else it divides them
    int unused_positions = 0;         // rows of the table of learned positions that no token of the context has
    bool is_masked = false;           // encoder of masked tokens: first layer without norm, larger head
};

/// With biases and ties of the config; nullopt for an unknown type, and for parts that the row does not describe.
/// `unknown` becomes the setting of such a part, or of a mask that the plan does not have: "norm_bias to true".
std::optional<HfDecoder> hf_decoder(const std::string& type, HfReader& reader, std::string& unknown);

/// By the symbols of the anatomy.
struct HfSizes {
    std::int64_t T = 0;  // context
    std::int64_t h = 0;  // heads
    std::int64_t kv = 0;
    std::int64_t D = 0;  // channels per head; in latent attention, those without rotation
    Count C, H, V;
    // Latent attention: widths of the latent vectors, rotary channels, channels of a value.
    bool has_query_latent = false;
    Count L, L_q, R, D_v;
    // Mixtures of experts: experts, experts per token, hidden width of an expert and of the shared ones together.
    Count E, k, H_e, H_s;
    // Linear attention: heads and channels of keys and of values, tokens of the convolution.
    Count h_k, h_v, D_k, D_u, kernel;
};

struct HfFacts {
    HfModel model;
    std::optional<HfDecoder> decoder;
    std::string unknown;  // setting that the plan does not have: "norm_bias to true"; "" if there is none
    HfSizes n;
    std::int64_t encoder_window = 0;  // tokens of local attention in an encoder, half of them on each side
    bool is_latent = false;
    bool shares_values = false;  // values are keys in layers with full attention (Gemma 4)
    std::string activation;      // "silu"; "" if neither the config nor the library names it
    std::optional<double> norm_epsilon;
    double embedding_factor = 1.0;
    double branch_factor = 1.0;  // of a branch that is added to the stream
    double logit_factor = 1.0;
    double logit_cap = 0;  // 0: none, as in OutputHead and Scores
    double score_cap = 0;
    std::optional<double> score_scale = {};  // of products of queries and keys; nullopt: 1/√D
    bool divides_by_layer = false;           // these products, by the number of the layer from 1 (GPT-2)
    std::string expert_choice;               // formula of the gates of the experts
    bool has_router_bias = false;
    std::int64_t predicted_tokens = 0;  // further tokens that layers beyond `layers` predict
    std::vector<HfLayer> layers;        // empty if the config does not define their number
    std::int64_t tokens = 0;            // of the sequences, on which some scalings depend; 0: those of the context

    /// nullopt if the heads are unknown.
    std::optional<Heads> heads(const HfLayer& layer) const;
    bool has_window(const HfLayer& layer) const;
    /// Mean number of keys that a token attends to.
    double keys(const HfLayer& layer) const;
};
/// Throws BadInput as read_hf_config does, and if a size is out of range.
HfFacts hf_facts(const nlohmann::json& config);

}  // namespace ropelab
