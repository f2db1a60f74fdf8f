#include <algorithm>

#include "core/data/json_text.h"
#include "core/interop/config/hf_facts.h"
#include "core/interop/embedded_tables.h"

namespace ropelab {

NLOHMANN_JSON_SERIALIZE_ENUM(HfNorm, {{HfNorm::rms, "rms"},
                                      {HfNorm::layer, "layer"},
                                      {HfNorm::layer_without_bias, "layer_without_bias"},
                                      {HfNorm::plain_layer, "plain_layer"}})
NLOHMANN_JSON_SERIALIZE_ENUM(HfQkNorm, {{HfQkNorm::none, "none"},
                                        {HfQkNorm::head, "head"},
                                        {HfQkNorm::projection, "projection"},
                                        {HfQkNorm::rotated_heads, "rotated_heads"}})
NLOHMANN_JSON_SERIALIZE_ENUM(HfExperts, {{HfExperts::none, "none"},
                                         {HfExperts::all_layers, "all_layers"},
                                         {HfExperts::sparse_steps, "sparse_steps"},
                                         {HfExperts::interleaved, "interleaved"},
                                         {HfExperts::after_dense, "after_dense"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HfDecoder, norm, norms, normalizes_outputs, gated, qkv_bias,
                                                output_bias, mlp_bias, head_bias, tied, bias_key, bias_of_output,
                                                mlp_bias_key, qk_norm, qk_norm_key, parallel, quadruple_mlp, halved_mlp,
                                                experts, sigmoid_router, router_bias, gates_shared_expert, expert_bias,
                                                gates_attention, has_sinks, normalizes_embedding, zero_centred_norms,
                                                scales_embedding, attention_scale, multiplies_logits, unused_positions,
                                                is_masked)

namespace {

bool flag_or(HfReader& reader, const std::string& name, bool otherwise) {
    return name.empty() ? otherwise : reader.flag({name.c_str()}).value_or(otherwise);
}

bool has_other_parts(std::string_view type, const HfDecoder& decoder, HfReader& reader) {
    for (const char* name : {"qk_layernorm", "use_qk_norm", "qk_ln", "enable_moe_block", "use_double_wide_mlp",
                             "add_bias_linear", "norm_bias", "classifier_bias", "add_cross_attention",
                             "apply_residual_connection_post_layernorm", "attention_out_bias"}) {
        const bool is_known = decoder.qk_norm != HfQkNorm::none && std::string_view(name) == "use_qk_norm";
        if (!is_known && flag_or(reader, name, false)) return true;
    }
    if (!flag_or(reader, "rmsnorm", true) || (type == "afmoe" && flag_or(reader, "attention_bias", false))) return true;
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
    if (!type.starts_with("gemma4")) return false;
    // Without this key, transformers adds embeddings to every layer.
    const std::int64_t usual = type == "gemma4_text" ? 256 : 0;
    const bool has_layer_inputs = reader.count({"hidden_size_per_layer_input"}, 0, widest_hf_model).value_or(usual) > 0;
    return has_layer_inputs || reader.count({"num_kv_shared_layers"}, 0, most_hf_layers).value_or(0) > 0;
}

}  // namespace

std::optional<HfDecoder> hf_decoder(std::string_view type, HfReader& reader) {
    static const nlohmann::json types = parse_bounded(embedded::decoders).at("types");
    auto known = types.find(type);
    if (known != types.end() && known->is_string()) known = types.find(known->get<std::string>());
    if (known == types.end()) return std::nullopt;
    std::optional<HfDecoder> decoder = known->get<HfDecoder>();
    if (has_other_parts(type, *decoder, reader)) return std::nullopt;
    if (!decoder->bias_key.empty() && reader.find({decoder->bias_key.c_str()})) {
        decoder->qkv_bias = flag_or(reader, decoder->bias_key, decoder->qkv_bias);
        if (decoder->bias_of_output) decoder->output_bias = decoder->qkv_bias;
    }
    decoder->mlp_bias = flag_or(reader, decoder->mlp_bias_key, decoder->mlp_bias);
    decoder->tied = flag_or(reader, "tie_word_embeddings", decoder->tied);
    if (decoder->is_masked) decoder->head_bias = flag_or(reader, "decoder_bias", true);
    decoder->head_bias = flag_or(reader, type == "ernie4_5_moe" ? "use_bias" : "lm_head_bias", decoder->head_bias);
    if (!flag_or(reader, decoder->qk_norm_key, true)) decoder->qk_norm = HfQkNorm::none;
    if (flag_or(reader, "use_post_norm", type == "hyperclovax")) decoder->norms = 4;
    if (type == "nanogpt" && !decoder->mlp_bias) decoder->norm = HfNorm::layer_without_bias;
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
