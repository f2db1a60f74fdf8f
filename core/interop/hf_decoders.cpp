#include "core/interop/hf_facts.h"

#include <algorithm>
#include <array>

namespace ropelab {

namespace {

constexpr const char* attention_flag = "attention_bias";

// From src/transformers/models/*/modeling_*.py of transformers 5.23.0; kimi_k2, phi-msft, qwen, chatglm, internlm2 and
// minicpm from the models' own code, as python/mlc_llm/model/* of MLC LLM has it.
constexpr std::array<HfDecoder, 38> hf_decoders = {{
    {.type = "llama", .bias_key = attention_flag, .mlp_bias_key = "mlp_bias"},
    {.type = "llama4_text",
     .bias_key = attention_flag,
     .qk_norm = HfQkNorm::rotated_heads,
     .experts = HfExperts::interleaved},
    {.type = "mistral"},
    {.type = "mixtral", .experts = HfExperts::all_layers},
    {.type = "minicpm", .tied = true, .bias_key = attention_flag},
    {.type = "internlm2", .bias_key = "bias"},
    {.type = "qwen", .qkv_bias = true, .halved_mlp = true},
    {.type = "qwen2", .qkv_bias = true},
    {.type = "qwen2_moe", .qkv_bias = true, .experts = HfExperts::sparse_steps, .gates_shared_expert = true},
    {.type = "qwen3", .bias_key = attention_flag, .qk_norm = HfQkNorm::head},
    {.type = "qwen3_moe", .bias_key = attention_flag, .qk_norm = HfQkNorm::head, .experts = HfExperts::sparse_steps},
    {.type = "qwen3_next",
     .bias_key = attention_flag,
     .qk_norm = HfQkNorm::head,
     .experts = HfExperts::sparse_steps,
     .gates_shared_expert = true,
     .gates_attention = true},
    {.type = "gemma", .tied = true, .bias_key = attention_flag},
    {.type = "gemma2", .norms = 4, .tied = true, .bias_key = attention_flag},
    {.type = "gemma3_text", .norms = 4, .tied = true, .bias_key = attention_flag, .qk_norm = HfQkNorm::head},
    {.type = "gemma4_text", .norms = 4, .tied = true, .bias_key = attention_flag, .qk_norm = HfQkNorm::head},
    {.type = "phi3"},
    {.type = "olmo", .norm = HfNorm::plain_layer, .bias_key = attention_flag},
    {.type = "olmo2", .normalizes_outputs = true, .bias_key = attention_flag, .qk_norm = HfQkNorm::projection},
    {.type = "olmo3", .normalizes_outputs = true, .bias_key = attention_flag, .qk_norm = HfQkNorm::projection},
    {.type = "deepseek_v2", .bias_key = attention_flag, .mlp_bias_key = "mlp_bias", .experts = HfExperts::after_dense},
    {.type = "deepseek_v3", .bias_key = attention_flag, .experts = HfExperts::after_dense},
    {.type = "kimi_k2", .bias_key = attention_flag, .experts = HfExperts::after_dense},
    {.type = "gpt_oss",
     .qkv_bias = true,
     .output_bias = true,
     .bias_key = attention_flag,
     .experts = HfExperts::all_layers,
     .expert_bias = true,
     .has_sinks = true},
    {.type = "chatglm", .qkv_bias = true, .bias_key = "add_qkv_bias", .bias_of_output = false},
    {.type = "stablelm", .norm = HfNorm::layer, .bias_key = "use_qkv_bias", .bias_of_output = false},
    {.type = "cohere",
     .norm = HfNorm::layer_without_bias,
     .norms = 1,
     .tied = true,
     .bias_key = attention_flag,
     .parallel = true},
    {.type = "cohere2",
     .norm = HfNorm::layer_without_bias,
     .norms = 1,
     .tied = true,
     .bias_key = attention_flag,
     .parallel = true},
    {.type = "nemotron", .norm = HfNorm::layer, .gated = false, .bias_key = attention_flag, .mlp_bias_key = "mlp_bias"},
    {.type = "falcon",
     .norm = HfNorm::layer,
     .norms = 1,
     .gated = false,
     .tied = true,
     .bias_key = "bias",
     .mlp_bias_key = "bias",
     .parallel = true,
     .quadruple_mlp = true},
    {.type = "gpt_neox",
     .norm = HfNorm::layer,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .bias_key = attention_flag,
     .parallel = true},
    {.type = "gptj",
     .norm = HfNorm::layer,
     .norms = 1,
     .gated = false,
     .mlp_bias = true,
     .head_bias = true,
     .parallel = true,
     .quadruple_mlp = true},
    {.type = "gpt2",
     .norm = HfNorm::layer,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .tied = true,
     .quadruple_mlp = true},
    {.type = "gpt_bigcode",
     .norm = HfNorm::layer,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .tied = true,
     .quadruple_mlp = true},
    {.type = "opt",
     .norm = HfNorm::layer,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .tied = true,
     .bias_key = "enable_bias",
     .mlp_bias_key = "enable_bias",
     .unused_positions = 2},
    {.type = "bloom",
     .norm = HfNorm::layer,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .tied = true,
     .quadruple_mlp = true,
     .normalizes_embedding = true},
    {.type = "mpt", .norm = HfNorm::layer_without_bias, .gated = false, .tied = true, .quadruple_mlp = true},
    {.type = "modernbert",
     .norm = HfNorm::layer_without_bias,
     .head_bias = true,
     .tied = true,
     .bias_key = attention_flag,
     .mlp_bias_key = "mlp_bias",
     .normalizes_embedding = true,
     .is_masked = true},
}};

constexpr HfDecoder phi_decoder = {.type = "phi",
                                   .norm = HfNorm::layer,
                                   .norms = 1,
                                   .gated = false,
                                   .qkv_bias = true,
                                   .output_bias = true,
                                   .mlp_bias = true,
                                   .head_bias = true,
                                   .parallel = true,
                                   .quadruple_mlp = true};

std::optional<HfDecoder> decoder_named(std::string_view type) {
    if (type == "phi" || type == "phi-msft") return phi_decoder;
    const auto known =
        std::find_if(hf_decoders.begin(), hf_decoders.end(), [&](const HfDecoder& each) { return each.type == type; });
    return known == hf_decoders.end() ? std::nullopt : std::optional(*known);
}

bool flag_or(HfReader& reader, const char* name, bool otherwise) {
    return reader.find({name}) ? reader.flag({name}).value_or(otherwise) : otherwise;
}

bool has_other_parts(std::string_view type, HfReader& reader) {
    for (const char* name :
         {"qk_layernorm", "use_qk_norm", "qk_ln", "enable_moe_block", "use_double_wide_mlp", "add_bias_linear",
          "norm_bias", "classifier_bias", "add_cross_attention", "apply_residual_connection_post_layernorm"}) {
        const bool is_known = type == "llama4_text" && std::string_view(name) == "use_qk_norm";
        if (!is_known && flag_or(reader, name, false)) return true;
    }
    if (!flag_or(reader, "rmsnorm", true)) return true;
    const auto differs = [&](const char* name, const nlohmann::json& usual) {
        const auto found = reader.find_in_file({name});
        return found && *found->value != usual;
    };
    if (type == "mpt") {
        return differs("no_bias", true) || differs("expansion_ratio", 4) ||
               differs("norm_type", "low_precision_layernorm");
    }
    if (type == "opt") {
        const auto width = reader.find({"hidden_size"});
        return differs("do_layer_norm_before", true) || differs("layer_norm_elementwise_affine", true) ||
               differs("_remove_final_layer_norm", false) || (width && differs("word_embed_proj_dim", *width->value));
    }
    if (type != "gemma4_text") return false;
    // Without this key, transformers adds embeddings to every layer.
    const bool has_layer_inputs = reader.count({"hidden_size_per_layer_input"}, 0, widest_hf_model).value_or(256) > 0;
    return has_layer_inputs || reader.count({"num_kv_shared_layers"}, 0, most_hf_layers).value_or(0) > 0;
}

}  // namespace

std::optional<HfDecoder> hf_decoder(std::string_view type, HfReader& reader) {
    std::optional<HfDecoder> decoder = decoder_named(type);
    if (!decoder || has_other_parts(type, reader)) return std::nullopt;
    if (decoder->bias_key && reader.find({decoder->bias_key})) {
        decoder->qkv_bias = flag_or(reader, decoder->bias_key, decoder->qkv_bias);
        if (decoder->bias_of_output) decoder->output_bias = decoder->qkv_bias;
    }
    if (decoder->mlp_bias_key) decoder->mlp_bias = flag_or(reader, decoder->mlp_bias_key, decoder->mlp_bias);
    decoder->tied = flag_or(reader, "tie_word_embeddings", decoder->tied);
    if (decoder->is_masked) decoder->head_bias = flag_or(reader, "decoder_bias", true);
    if (type == "llama4_text" && !flag_or(reader, "use_qk_norm", true)) decoder->qk_norm = HfQkNorm::none;
    if (type == "gpt_neox") decoder->parallel = flag_or(reader, "use_parallel_residual", true);
    if (type == "stablelm" && flag_or(reader, "use_parallel_residual", false)) {
        decoder->parallel = true;
        decoder->norms = 1;
    }
    if (type == "falcon") {
        decoder->parallel = flag_or(reader, "parallel_attn", true);
        // The newer decoder has a norm of attention and a norm of the MLP, as has one whose branches follow each other.
        if (!decoder->parallel) decoder->norms = 2;
        if (decoder->parallel && flag_or(reader, "new_decoder_architecture", false)) {
            decoder->norms = static_cast<int>(reader.count({"num_ln_in_parallel_attn"}, 1, 2).value_or(2));
        }
    }
    return decoder;
}

}  // namespace ropelab
