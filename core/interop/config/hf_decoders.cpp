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

const nlohmann::json& decoders() {
    static const nlohmann::json table = parse_bounded(embedded::decoders);
    return table;
}

// "norm_bias to true", for the first key with another value than the usual one in the table; "" if there is none.
std::string unusual(const char* table, const char* type, HfReader& reader, std::string_view known = "") {
    const nlohmann::json keys = decoders().at(table).value(type, nlohmann::json::object());
    for (const auto& [key, usual] : keys.items()) {
        const auto found = reader.find({key.c_str()});
        if (!found || key == known) continue;
        if (usual.is_boolean()) reader.flag({key.c_str()});  // throws for another kind of value
        if (*found->value != usual) return key + " to " + excerpt(*found->value);
    }
    return "";
}

std::string other_part(const std::string& type, const HfDecoder& decoder, HfReader& reader) {
    const char* known = decoder.qk_norm != HfQkNorm::none ? "use_qk_norm" : "";
    for (const char* of : {"", type.c_str()}) {
        if (const std::string part = unusual("other_parts", of, reader, known); !part.empty()) return part;
    }
    const auto sets = [&](const char* key, std::int64_t usual) {
        const std::int64_t value = reader.count({key}, 0, widest_hf_model).value_or(usual);
        return value != usual ? std::string(key) + " to " + std::to_string(value) : "";
    };
    if (type == "opt" && reader.find({"hidden_size"})) {
        return sets("word_embed_proj_dim", *reader.count({"hidden_size"}, 0, widest_hf_model));
    }
    if (!type.starts_with("gemma4")) return "";
    // Without this key, transformers adds embeddings to every layer.
    if (type == "gemma4_text" && !reader.find({"hidden_size_per_layer_input"}))
        return "hidden_size_per_layer_input to 256, by the default of its class";
    const std::string inputs = sets("hidden_size_per_layer_input", 0);
    return inputs.empty() ? sets("num_kv_shared_layers", 0) : inputs;
}

}  // namespace

std::optional<HfDecoder> hf_decoder(const std::string& type, HfReader& reader, std::string& unknown) {
    const nlohmann::json& types = decoders().at("types");
    auto known = types.find(type);
    if (known != types.end() && known->is_string()) known = types.find(known->get<std::string>());
    if (known == types.end()) return std::nullopt;
    std::optional<HfDecoder> decoder = known->get<HfDecoder>();
    unknown = other_part(type, *decoder, reader);
    if (!unknown.empty()) return std::nullopt;
    for (const char* of : {"", type.c_str()}) {
        if (unknown.empty()) unknown = unusual("other_masks", of, reader);
    }
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
