#pragma once

#include <optional>
#include <string_view>

#include "core/interop/hf_reader.h"

namespace ropelab {

enum class HfNorm {
    rms,
    layer,               // LayerNorm with weights and a bias
    layer_without_bias,  // LayerNorm with weights
    plain_layer,         // LayerNorm without parameters
};

enum class HfQkNorm { none, head, projection };

/// How a model type names its experts, and which layers have them.
enum class HfExperts {
    none,
    all_layers,    // num_local_experts, as wide as intermediate_size (Mixtral, gpt-oss)
    sparse_steps,  // num_experts, in every decoder_sparse_step-th layer except mlp_only_layers (Qwen)
    after_dense,   // n_routed_experts and n_shared_experts, after first_k_dense_replace dense layers (DeepSeek)
};

struct HfDecoder {
    std::string_view type;
    HfNorm norm = HfNorm::rms;
    int norms = 2;                    // norms of the residual stream or of the outputs of branches, per layer
    bool normalizes_outputs = false;  // with 2 norms: they normalize the outputs of the branches
    bool gated = true;                // the MLP has a gate
    bool qkv_bias = false;            // without bias_key in the config
    bool output_bias = false;
    bool mlp_bias = false;  // without mlp_bias_key in the config
    bool head_bias = false;
    bool tied = false;               // without tie_word_embeddings in the config
    const char* bias_key = nullptr;  // name of the flag of the biases of attention
    bool bias_of_output = true;      // the flag is that of the attention output too
    const char* mlp_bias_key = nullptr;
    HfQkNorm qk_norm = HfQkNorm::none;
    bool parallel = false;
    bool quadruple_mlp = false;  // without a width in the config, the MLP is 4·C wide
    bool halved_mlp = false;     // the config gives the width of both factors of the gated MLP together
    HfExperts experts = HfExperts::none;
    bool gates_shared_expert = false;
    bool expert_bias = false;  // of the experts and of the router
    bool gates_attention = false;
    bool has_sinks = false;
    bool normalizes_embedding = false;
    int unused_positions = 0;  // rows of the table of learned positions that no token of the context has
    bool is_masked = false;    // encoder of masked tokens: first layer without norm, larger head
};

/// With biases and ties of the config; nullopt for an unknown type, and for parts that the table does not describe.
std::optional<HfDecoder> hf_decoder(std::string_view type, HfReader& reader);

}  // namespace ropelab
