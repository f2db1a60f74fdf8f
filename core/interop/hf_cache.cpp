#include <algorithm>
#include <cmath>

#include "core/interop/hf_reader.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr std::int64_t max_layers = 10000;
constexpr std::int64_t max_heads = 65536;

std::vector<std::string> repeated(std::int64_t layers, const auto& type_of) {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < layers; ++i) result.emplace_back(type_of(i));
    return result;
}

// A sliding window, or chunks (Llama 4).
bool is_local(const std::string& type) {
    return type == "sliding_attention" || type == "chunked_attention" || type == "local_attention";
}
bool has_kv_cache(const std::string& type) {
    return is_local(type) || type == "full_attention" || type == "attention";
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

}  // namespace

int head_dim_of(HfReader& reader) {
    if (const auto rope = reader.find({"qk_rope_head_dim"})) {
        // Multi-head latent attention: a head has unrotated and rotated channels.
        if (const auto plain = reader.count({"qk_nope_head_dim"}, 0, 4096)) {
            const auto rotated = reader.count({"qk_rope_head_dim"}, 0, 4096);
            if (*plain + *rotated > 0) return static_cast<int>(*plain + *rotated);  // 0: not latent after all
        }
    }
    if (const auto head_dim =
            reader.count({"head_dim", "attention_head_dim", "attn_head_dim", "kv_channels", "d_kv"}, 1, 4096))
        return static_cast<int>(*head_dim);
    const auto width = reader.count({"hidden_size", "n_embd", "n_embed", "d_model"}, 1, 1 << 24);
    const auto heads = reader.count({"num_attention_heads", "n_head", "n_heads", "num_heads"}, 1, max_heads);
    if (!width || !heads)
        throw BadInput("The config has neither head_dim nor both hidden_size and num_attention_heads.");
    reader.note("head_dim", std::to_string(*width / *heads), HfOrigin::derived);
    return static_cast<int>(std::min<std::int64_t>(*width / *heads, 1 << 24));
}

std::vector<std::string> layer_types_of(const json& config, const json& defaults, std::int64_t layers) {
    std::vector<HfValue> unused;
    HfReader reader({&config}, defaults, unused);
    if (const auto given = reader.find_in_file({"layer_types"})) {
        const bool words = given->value->is_array() && given->value->size() <= max_layers &&
                           std::all_of(given->value->begin(), given->value->end(),
                                       [](const json& entry) { return entry.is_string(); });
        if (!words) throw BadInput("The layer_types of the config must be a list of words.");
        return given->value->get<std::vector<std::string>>();
    }
    const auto every = [&](const char* key, const char* others) -> std::vector<std::string> {
        const std::int64_t period = reader.count({key}, 1, max_layers).value();
        return repeated(layers, [&](std::int64_t i) { return (i + 1) % period == 0 ? "full_attention" : others; });
    };
    if (reader.find({"full_attention_interval"})) return every("full_attention_interval", "linear_attention");
    if (reader.find({"attention_chunk_size"}) && reader.find({"no_rope_layer_interval"}))
        return every("no_rope_layer_interval", "chunked_attention");
    if (reader.find({"local_attention"}) && reader.find({"global_attn_every_n_layers"})) {
        const std::int64_t period = reader.count({"global_attn_every_n_layers"}, 1, max_layers).value();
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
    const std::int64_t first = reader.count({"max_window_layers"}, 0, max_layers).value_or(0);
    return repeated(layers, [&](std::int64_t i) { return i >= first ? "sliding_attention" : "full_attention"; });
}

void read_cache(const json& config, const json& defaults, HfModel& model) {
    std::vector<const json*> objects = {&config};
    const auto attention = config.find("attn_config");
    if (attention != config.end() && attention->is_object()) objects.push_back(&*attention);
    HfReader reader(objects, defaults, model.values);
    const auto layers = reader.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 1, max_layers);
    if (!layers) return;
    std::vector<std::string> types = layer_types_of(config, defaults, *layers);
    for (HfRotary& rotary : model.rotary) {
        rotary.layers = rotary.layer_type.empty() ? *layers : std::count(types.begin(), types.end(), rotary.layer_type);
    }
    std::vector<std::string> all = types;
    all.resize(static_cast<std::size_t>(*layers), all.empty() ? "" : all.back());
    const std::vector<bool> rotating = rotating_layers(config, defaults, model.model_type, all);
    if (const auto without = std::count(rotating.begin(), rotating.end(), false); without > 0) {
        model.remarks.emplace_back(std::to_string(without) + " of the " + std::to_string(*layers) +
                                   " layers have no rotary embedding; the frequencies are those of the others.");
    }
    if (reader.flag({"encoder"}).value_or(false)) {
        model.remarks.emplace_back("An encoder has no KV cache.");
        return;
    }
    const auto heads = reader.count({"num_attention_heads", "n_head", "n_heads", "num_heads"}, 1, max_heads);
    if (!heads) return;

    CacheShape shape;
    shape.heads = *heads;
    shape.head_dim = model.rotary.back().setup.head_dim;
    shape.layers = *layers;
    if (const auto shared = reader.count({"num_kv_shared_layers"}, 0, *layers - 1); shared && *shared > 0) {
        // The last layers use the keys and values of earlier ones (Gemma 3n).
        shape.layers -= *shared;
        if (!types.empty()) types.resize(types.size() - std::min<std::size_t>(types.size(), *shared));
        model.remarks.emplace_back("The last " + std::to_string(*shared) +
                                   " layers share the KV cache of earlier layers (num_kv_shared_layers).");
    }
    if (!types.empty()) {
        shape.layers = std::count_if(types.begin(), types.end(), has_kv_cache);
        const auto without = static_cast<std::int64_t>(types.size()) - shape.layers;
        if (without > 0)
            model.remarks.emplace_back(std::to_string(without) + " of the " + std::to_string(types.size()) +
                                       " layers have no KV cache, because they do not use softmax attention.");
    }
    // In older Falcon models all heads share one key and value; newer ones give the number of key and value heads.
    const bool multi_query = reader.find({"multi_query"}) && reader.flag({"multi_query"}).value_or(false) &&
                             !reader.flag({"new_decoder_architecture"}).value_or(false);
    const auto kv_heads = reader.count(
        {"num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv", "kv_n_heads"}, 1, max_heads);
    shape.kv_heads = kv_heads.value_or(multi_query ? 1 : *heads);
    if (!kv_heads) reader.note("num_key_value_heads", std::to_string(shape.kv_heads), HfOrigin::library_default);

    model.kind = shape.kv_heads == *heads ? KvCache::multi_head
                 : shape.kv_heads == 1    ? KvCache::multi_query
                                          : KvCache::grouped;
    const auto local = std::count_if(types.begin(), types.end(), is_local);
    const auto sliding = window_of(reader);
    const auto window = sliding ? sliding : reader.count({"attention_chunk_size"}, 1, 1 << 30);
    if (local > 0 && window) {
        shape.window = *window;
        shape.global_layers = shape.layers - local;
        if (*window < model.context) model.kind = KvCache::sliding;
    }
    if (reader.find({"global_head_dim"}) || reader.find({"num_global_key_value_heads"}))
        model.remarks.emplace_back(
            "The global layers have other heads than the local ones; the size of the KV cache is computed with the "
            "heads of the local layers.");
    const bool is_latent = !reader.find({"use_mla"}) || reader.flag({"use_mla"}) != false;
    if (const auto latent = is_latent ? reader.count({"kv_lora_rank"}, 1, 1 << 20) : std::nullopt) {
        model.kind = KvCache::latent;
        shape.latent_dim = *latent;
        shape.latent_rope_dim = model.rotary.front().rotary_dim;
    }
    // The size of the cache in bytes, with 8 bytes per number, must fit into 64 bits.
    const double tokens = 2.0 * static_cast<double>(model.context) * static_cast<double>(shape.layers);
    const double per_token =
        static_cast<double>(shape.head_dim) * static_cast<double>(std::max(shape.kv_heads, shape.heads)) +
        static_cast<double>(shape.latent_dim + shape.latent_rope_dim);
    if (tokens * per_token * 8 > 9e18)
        throw BadInput("The KV cache of the config with " + std::to_string(shape.layers) + " layers and " +
                       std::to_string(shape.kv_heads) + " key and value heads would be larger than 9·10^18 bytes.");
    model.cache = shape;
}

}  // namespace ropelab
