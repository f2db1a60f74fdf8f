#include <algorithm>

#include "core/interop/hf_reader.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using nlohmann::json;

std::vector<std::string> repeated(std::int64_t layers, const auto& type_of) {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < layers; ++i) result.emplace_back(type_of(i));
    return result;
}

bool has_kv_cache(const std::string& type) {
    return is_local_attention(type) || type == "full_attention" || type == "attention";
}

std::optional<std::int64_t> window_of(HfReader& reader) {
    const auto found = reader.find({"sliding_window"});
    const auto is_off = [](const json& value) {
        return value == false || (value.is_number() && value.get<double>() <= 0);
    };
    const bool is_list_of_none =
        found && found->value->is_array() && std::all_of(found->value->begin(), found->value->end(), is_off);
    if (!found || is_list_of_none || is_off(*found->value)) return std::nullopt;
    return reader.count({"sliding_window"}, 1, 1 << 30);
}

std::optional<std::int64_t> width_of(HfReader& reader) {
    return reader.count({"hidden_size", "n_embd", "n_embed", "d_model"}, 1, widest_hf_model);
}

std::optional<std::int64_t> heads_of(HfReader& reader) {
    return reader.count({"num_attention_heads", "n_head", "n_heads", "num_heads"}, 1, most_hf_heads);
}

int head_dim_of(HfReader& reader, HfShape& shape) {
    // Multi-head latent attention: a head has unrotated and rotated channels. If both are 0, it is not latent.
    const auto rotated = reader.count({"qk_rope_head_dim"}, 0, widest_hf_head);
    const auto plain = rotated ? reader.count({"qk_nope_head_dim"}, 0, widest_hf_head) : std::nullopt;
    if (rotated && *rotated + plain.value_or(1) > 0) shape.latent_rotary_dim = rotated;
    if (plain && *plain + *rotated > 0) return static_cast<int>(*plain + *rotated);
    if (const auto head_dim =
            reader.count({"head_dim", "attention_head_dim", "attn_head_dim", "kv_channels", "d_kv"}, 1, widest_hf_head))
        return static_cast<int>(*head_dim);
    const auto width = width_of(reader);
    const auto heads = heads_of(reader);
    if (!width || !heads)
        throw BadInput(
            "The config.json must define head_dim, or both hidden_size and num_attention_heads, but it defines "
            "neither.");
    const std::int64_t head_dim = *width / *heads;
    if (head_dim < 1 || head_dim > widest_hf_head) {
        throw BadInput("The config.json has " + std::to_string(*heads) + " heads for a hidden_size of " +
                       std::to_string(*width) + ", but a head must have 1 to " + std::to_string(widest_hf_head) +
                       " channels.");
    }
    reader.note("head_dim", std::to_string(head_dim), HfOrigin::derived);
    return static_cast<int>(head_dim);
}

std::vector<std::string> layer_types_of(const json& config, const json& defaults, std::int64_t layers) {
    std::vector<HfValue> unused;
    HfReader reader({&config}, defaults, unused);
    if (const auto given = reader.find_in_file({"layer_types"})) {
        const bool words = given->value->is_array() && given->value->size() <= most_hf_layers &&
                           std::all_of(given->value->begin(), given->value->end(),
                                       [](const json& entry) { return entry.is_string(); });
        if (!words) throw BadInput("The layer_types of the config.json must be a list of words.");
        return given->value->get<std::vector<std::string>>();
    }
    const auto every = [&](const char* key, const char* others) -> std::vector<std::string> {
        const std::int64_t period = reader.count({key}, 1, most_hf_layers).value();
        return repeated(layers, [&](std::int64_t i) { return (i + 1) % period == 0 ? "full_attention" : others; });
    };
    if (reader.find({"full_attention_interval"})) return every("full_attention_interval", "linear_attention");
    if (reader.find({"attention_chunk_size"}) && reader.find({"no_rope_layer_interval"}))
        return every("no_rope_layer_interval", "chunked_attention");
    if (reader.find({"local_attention"}) && reader.find({"global_attn_every_n_layers"})) {
        const std::int64_t period = reader.count({"global_attn_every_n_layers"}, 1, most_hf_layers).value();
        return repeated(layers,
                        [&](std::int64_t i) { return i % period == 0 ? "full_attention" : "sliding_attention"; });
    }
    if (!window_of(reader) || reader.flag({"use_sliding_window"}) == false) return {};
    if (const auto pattern = reader.find({"sliding_window_pattern"})) {
        if (!pattern->value->is_string()) return every("sliding_window_pattern", "sliding_attention");
        const std::string letters = pattern->value->get<std::string>();  // EXAONE 4: "LLLG"
        if (letters.empty()) return {};
        return repeated(layers, [&](std::int64_t i) {
            return letters[static_cast<std::size_t>(i) % letters.size()] == 'L' ? "sliding_attention"
                                                                                : "full_attention";
        });
    }
    const std::int64_t first = reader.count({"max_window_layers"}, 0, most_hf_layers).value_or(0);
    return repeated(layers, [&](std::int64_t i) { return i >= first ? "sliding_attention" : "full_attention"; });
}

// All heads share one key and value, unless the config gives the number of key and value heads (GPT-BigCode, older
// Falcon models, MPT).
bool is_multi_query(HfReader& reader) {
    if (reader.find({"multi_query"}) && reader.flag({"multi_query"}).value_or(false))
        return !reader.flag({"new_decoder_architecture"}).value_or(false);
    const auto type = reader.find_in_file({"attn_type"});
    return type && *type->value == "multiquery_attention";
}

std::int64_t kv_heads_of(HfReader& reader, std::int64_t heads) {
    if (const auto given =
            reader.count({"num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv", "kv_n_heads"}, 1,
                         most_hf_heads))
        return *given;
    const std::int64_t usual = is_multi_query(reader) ? 1 : heads;
    reader.note("num_key_value_heads", std::to_string(usual), HfOrigin::library_default);
    return usual;
}

}  // namespace

bool is_local_attention(const std::string& layer_type) {
    return layer_type == "sliding_attention" || layer_type == "chunked_attention" || layer_type == "local_attention";
}

void read_shape(const json& config, const json& defaults, HfModel& model) {
    HfReader reader(objects_of(config), defaults, model.values);
    HfShape& shape = model.shape;
    shape.head_dim = head_dim_of(reader, shape);
    std::vector<HfValue> unused;  // the width is a value of the anatomy only, unless the head dimension follows from it
    HfReader silent(objects_of(config), defaults, unused);
    shape.width = width_of(silent);
    shape.layers = reader.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 1, most_hf_layers);
    shape.heads = heads_of(reader);
    shape.is_encoder = reader.flag({"encoder"}).value_or(false);
    if (shape.heads && !shape.is_encoder) shape.kv_heads = kv_heads_of(reader, *shape.heads);
    if (reader.flag({"use_mla"}).value_or(true))
        shape.latent_width = reader.count({"kv_lora_rank"}, 1, widest_hf_model);
    if (!shape.layers) return;
    shape.layer_types = layer_types_of(config, defaults, *shape.layers);
    std::vector<std::string> all = shape.layer_types;
    all.resize(static_cast<std::size_t>(*shape.layers), all.empty() ? "" : all.back());
    shape.rotates = model.position == HfPosition::rotary ? rotating_layers(config, defaults, model.model_type, all)
                                                         : std::vector<bool>(all.size(), false);
}

void read_cache(const json& config, const json& defaults, HfModel& model) {
    const HfShape& sizes = model.shape;
    if (!sizes.layers) return;
    HfReader reader(objects_of(config), defaults, model.values);
    std::vector<std::string> types = sizes.layer_types;
    for (HfRotary& rotary : model.rotary) {
        rotary.layers =
            rotary.layer_type.empty() ? *sizes.layers : std::count(types.begin(), types.end(), rotary.layer_type);
    }
    const auto without = std::count(sizes.rotates.begin(), sizes.rotates.end(), false);
    if (without > 0 && model.position == HfPosition::rotary) {
        model.remarks.emplace_back(
            std::to_string(without) + " of the " + std::to_string(*sizes.layers) +
            " layers have no rotary embedding; the frequencies shown are those of the other layers.");
    }
    if (sizes.is_encoder) {
        model.remarks.emplace_back("An encoder has no KV cache.");
        return;
    }
    if (!sizes.kv_heads) return;

    CacheShape shape;
    shape.heads = *sizes.heads;
    shape.kv_heads = *sizes.kv_heads;
    shape.head_dim = sizes.head_dim;
    shape.layers = *sizes.layers;
    if (const auto shared = reader.count({"num_kv_shared_layers"}, 0, *sizes.layers - 1); shared && *shared > 0) {
        // The last layers use the keys and values of earlier ones (Gemma 3n).
        shape.layers -= *shared;
        if (!types.empty()) types.resize(types.size() - std::min<std::size_t>(types.size(), *shared));
        model.remarks.emplace_back("The last " + std::to_string(*shared) +
                                   " layers share the KV cache of earlier layers (num_kv_shared_layers).");
    }
    if (!types.empty()) {
        shape.layers = std::count_if(types.begin(), types.end(), has_kv_cache);
        const auto uncached = static_cast<std::int64_t>(types.size()) - shape.layers;
        if (uncached > 0)
            model.remarks.emplace_back(std::to_string(uncached) + " of the " + std::to_string(types.size()) +
                                       " layers have no KV cache, because they do not use softmax attention.");
    }
    model.kind = shape.kv_heads == shape.heads ? KvCache::multi_head
                 : shape.kv_heads == 1         ? KvCache::multi_query
                                               : KvCache::grouped;
    const auto local = std::count_if(types.begin(), types.end(), is_local_attention);
    const auto sliding = window_of(reader);
    const auto window = sliding ? sliding : reader.count({"attention_chunk_size"}, 1, 1 << 30);
    if (local > 0 && window) {
        shape.window = *window;
        shape.global_layers = shape.layers - local;
        if (*window < model.context) model.kind = KvCache::sliding;
    }
    if (reader.find({"global_head_dim"}) || reader.find({"num_global_key_value_heads"}))
        model.remarks.emplace_back(
            "Layers with global attention have another number or width of key and value heads than layers with local "
            "attention. The size of the KV cache is approximate: it is computed with the heads of the local layers.");
    if (sizes.latent_width) {
        model.kind = KvCache::latent;
        shape.latent_dim = *sizes.latent_width;
        shape.latent_rope_dim = model.rotary.empty() ? 0 : model.rotary.front().rotary_dim;
    }
    // The size of the cache in bytes, with 8 bytes per number, must fit into 64 bits.
    const double tokens = 2.0 * static_cast<double>(model.context) * static_cast<double>(shape.layers);
    const double per_token =
        static_cast<double>(shape.head_dim) * static_cast<double>(std::max(shape.kv_heads, shape.heads)) +
        static_cast<double>(shape.latent_dim + shape.latent_rope_dim);
    if (tokens * per_token * 8 > 9e18)
        throw BadInput("The KV cache of the config.json with " + std::to_string(shape.layers) + " layers and " +
                       std::to_string(shape.kv_heads) + " key and value heads would be larger than 9·10^18 bytes.");
    model.cache = shape;
}

}  // namespace ropelab
