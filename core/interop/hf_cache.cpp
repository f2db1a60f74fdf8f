#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "core/interop/hf_reader.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

using nlohmann::json;

std::vector<std::string> repeated(std::int64_t layers, const auto& type_of) {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < layers; ++i) result.emplace_back(type_of(i));
    return result;
}

std::optional<std::int64_t> window_of(HfReader& reader) {
    const auto found = reader.find({"sliding_window", "attention_window_size"});
    const auto is_off = [](const json& value) {
        return value == false || (value.is_number() && value.get<double>() <= 0);
    };
    const bool is_list_of_none =
        found && found->value->is_array() && std::all_of(found->value->begin(), found->value->end(), is_off);
    if (!found || is_list_of_none || is_off(*found->value)) return std::nullopt;
    return reader.count({"sliding_window", "attention_window_size"}, 1, 1 << 30);
}

std::optional<std::int64_t> width_of(HfReader& reader) {
    return reader.count({"hidden_size", "n_embd", "n_embed", "d_model", "dim"}, 1, widest_hf_model);
}

std::optional<std::int64_t> heads_of(HfReader& reader) {
    return reader.count({"num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_num_attention_heads"}, 1,
                        most_hf_heads);
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

// Lists that name the kind of each layer, or of each layer of a repeated group; empty if the config has none.
std::vector<std::string> listed_types(HfReader& reader, std::int64_t layers) {
    for (const char* name : {"layer_types", "layers_block_type", "block_types"}) {
        const auto given = reader.find_in_file({name});
        if (!given) continue;
        const bool words = given->value->is_array() && !given->value->empty() &&
                           given->value->size() <= most_hf_layers &&
                           std::all_of(given->value->begin(), given->value->end(),
                                       [](const json& entry) { return entry.is_string(); });
        if (!words) throw BadInput("The " + std::string(name) + " of the config.json must be a list of words.");
        const auto types = given->value->get<std::vector<std::string>>();
        if (std::string_view(name) == "layer_types") return types;
        const bool local = reader.find({"attention_window_size"}).has_value();  // RecurrentGemma
        return repeated(layers, [&](std::int64_t i) {
            const std::string& type = types[static_cast<std::size_t>(i) % types.size()];
            return local && type == "attention" ? "sliding_attention" : type;
        });
    }
    const auto pattern = reader.find_in_file({"hybrid_override_pattern"});  // Nemotron-H: "M-M*-"
    if (!pattern || !pattern->value->is_string()) return {};
    std::vector<std::string> types;
    for (const char letter : pattern->value->get<std::string>()) {
        if (letter != '|') types.emplace_back(letter == '*' ? "full_attention" : letter == 'M' ? "mamba" : "mlp");
    }
    return types;
}

// Lists of the numbers of those layers that have softmax attention; empty if the config has none.
std::vector<std::string> numbered_types(HfReader& reader, std::int64_t layers) {
    const auto linear = reader.find_in_file({"linear_attn_config"});  // Kimi Linear, which counts from 1
    const json* numbers = nullptr;
    std::int64_t first = 0;
    if (const auto found = reader.find_in_file({"attn_layer_indices", "full_attn_idxs"})) numbers = found->value;
    if (linear && linear->value->is_object() && linear->value->contains("full_attn_layers")) {
        numbers = &linear->value->at("full_attn_layers");
        first = 1;
    }
    if (const auto found = reader.find_in_file({"cross_attention_layers"})) {  // attend to images (Llama 3.2 Vision)
        return repeated(layers, [&](std::int64_t i) {
            const bool is_listed = std::find(found->value->begin(), found->value->end(), i) != found->value->end();
            return is_listed ? "cross_attention" : "full_attention";
        });
    }
    if (!numbers) return {};
    return repeated(layers, [&](std::int64_t i) {
        const bool is_listed = std::find(numbers->begin(), numbers->end(), i + first) != numbers->end();
        return is_listed ? "full_attention" : "linear_attention";
    });
}

std::vector<std::string> layer_types_of(const json& config, const json& defaults, std::int64_t layers) {
    std::vector<HfValue> unused;
    HfReader reader({&config}, defaults, unused);
    if (auto types = listed_types(reader, layers); !types.empty()) return types;
    if (auto types = numbered_types(reader, layers); !types.empty()) return types;
    const auto every = [&](const char* key, const char* others) -> std::vector<std::string> {
        const std::int64_t period = reader.count({key}, 1, most_hf_layers).value();
        return repeated(layers, [&](std::int64_t i) { return (i + 1) % period == 0 ? "full_attention" : others; });
    };
    for (const char* key : {"full_attention_interval", "layer_group_size"}) {
        if (reader.find({key})) return every(key, "linear_attention");
    }
    if (reader.find({"attn_layer_period"})) {  // Jamba
        const std::int64_t period = reader.count({"attn_layer_period"}, 1, most_hf_layers).value();
        const std::int64_t offset = reader.count({"attn_layer_offset"}, 0, most_hf_layers).value_or(0);
        return repeated(layers, [&](std::int64_t i) { return i % period == offset ? "full_attention" : "mamba"; });
    }
    if (reader.find({"attention_chunk_size"}) && reader.find({"no_rope_layer_interval"}))
        return every("no_rope_layer_interval", "chunked_attention");
    if (reader.find({"local_attention"}) && reader.find({"global_attn_every_n_layers"})) {
        const std::int64_t period = reader.count({"global_attn_every_n_layers"}, 1, most_hf_layers).value();
        return repeated(layers,
                        [&](std::int64_t i) { return i % period == 0 ? "full_attention" : "sliding_attention"; });
    }
    const bool has_window = window_of(reader) && reader.flag({"use_sliding_window"}) != false;
    if (has_window && reader.find_in_file({"global_attn_every_n_layers"}))
        return every("global_attn_every_n_layers", "sliding_attention");
    const auto found = defaults.find("layer_types_period");
    if (found != defaults.end() && !reader.find_in_file({"sliding_window_pattern"})) {
        const auto period = found->get<std::vector<std::string>>();
        auto types =
            repeated(layers, [&](std::int64_t i) { return period[static_cast<std::size_t>(i) % period.size()]; });
        if (!has_window)
            std::replace(types.begin(), types.end(), std::string("sliding_attention"), std::string("full_attention"));
        return types;
    }
    if (!has_window) return {};
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

// The size of the cache is that of the layers with the most heads.
std::optional<std::int64_t> kv_heads_by_layer(HfReader& reader, std::int64_t heads) {
    std::optional<std::int64_t> most;
    if (const auto list = reader.find_in_file({"num_key_value_heads_per_layer"}); list && list->value->is_array()) {
        for (const json& each : *list->value) {
            if (each.is_number_integer()) most = std::max(most.value_or(1), each.get<std::int64_t>());
        }
    } else if (const auto blocks = reader.find_in_file({"block_configs"}); blocks && blocks->value->is_array()) {
        for (const json& block : *blocks->value) {  // Nemotron-NAS
            const json group =
                block.is_object() ? block.value("/attention/n_heads_in_group"_json_pointer, json()) : json();
            if (group.is_number_integer() && group > 0)
                most = std::max(most.value_or(1), heads / group.get<std::int64_t>());
        }
    }
    if (most && (*most < 1 || *most > most_hf_heads))
        throw BadInput("The config.json has a layer with " + std::to_string(*most) +
                       " key and value heads, but it can "
                       "have 1 to " +
                       std::to_string(most_hf_heads) + ".");
    return most;
}

std::int64_t kv_heads_of(HfReader& reader, std::int64_t heads) {
    if (const auto most = kv_heads_by_layer(reader, heads)) return *most;
    // Falcon's code does not read their number then, and transformers writes that of all heads.
    if (reader.find_in_file({"new_decoder_architecture"}) && is_multi_query(reader)) return 1;
    const auto given = reader.count(
        {"num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv", "kv_n_heads", "n_kv_heads"}, 1,
        most_hf_heads);
    if (given) return *given;
    const std::int64_t usual = is_multi_query(reader) ? 1 : heads;
    reader.note("num_key_value_heads", std::to_string(usual), HfOrigin::library_default);
    return usual;
}

}  // namespace

bool attends(const std::string& layer_type) {
    static constexpr std::array others = {
        "linear_attention", "mamba",  "mamba2",      "recurrent", "conv", "mlp", "moe",
        "cross_attention",  "linear", "no_attention"};
    return std::find(others.begin(), others.end(), layer_type) == others.end();
}

bool is_local_attention(const std::string& layer_type) {
    return layer_type == "sliding_attention" || layer_type == "chunked_attention" || layer_type == "local_attention" ||
           layer_type == "hybrid_sliding";
}

void read_shape(const json& config, const json& defaults, HfModel& model) {
    HfReader reader(objects_of(config), defaults, model.values);
    HfShape& shape = model.shape;
    shape.head_dim = head_dim_of(reader, shape);
    std::vector<HfValue> unused;  // the width is a value of the anatomy only, unless the head dimension follows from it
    HfReader silent(objects_of(config), defaults, unused);
    shape.width = width_of(silent);
    shape.layers = reader.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_num_hidden_layers"},
                                1, most_hf_layers);
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
    std::int64_t without = 0;
    for (std::size_t i = 0; i < sizes.rotates.size(); ++i) {
        without += !sizes.rotates[i] && (i >= types.size() || attends(types[i])) ? 1 : 0;
    }
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
        shape.layers = std::count_if(types.begin(), types.end(), attends);
        std::set<std::string> others;
        std::copy_if(types.begin(), types.end(), std::inserter(others, others.end()),
                     [](const std::string& type) { return !attends(type); });
        const auto uncached = static_cast<std::int64_t>(types.size()) - shape.layers;
        if (uncached > 0)
            model.remarks.emplace_back(std::to_string(uncached) + " of the " + std::to_string(types.size()) +
                                       " layers have no KV cache of the text, because they do not use softmax "
                                       "attention over it (" +
                                       joined(others) + ").");
        if (const auto indexed = std::count(types.begin(), types.end(), "indexed_attention"); indexed > 0)
            model.remarks.emplace_back(std::to_string(indexed) +
                                       " layers keep the keys of an indexer besides the KV cache (index_head_dim "
                                       "channels per token); they are not counted.");
    }
    // Layers that attend twice (LongCat Flash), or are passed several times (Ouro), have a cache for each time.
    const std::int64_t times = reader.count({"total_ut_steps", "caches_per_layer"}, 1, most_hf_layers).value_or(1);
    if (times > 1) {
        shape.layers *= times;
        for (std::int64_t i = 1; i < times; ++i)
            types.insert(types.end(), sizes.layer_types.begin(), sizes.layer_types.end());
        model.remarks.emplace_back("Each layer has " + std::to_string(times) + " KV caches.");
    }
    if (const auto share = reader.count({"cla_share_factor"}, 1, most_hf_layers);
        share && *share > 1 && reader.flag({"use_cla"}).value_or(false)) {
        shape.layers = (shape.layers + *share - 1) / *share;
        model.remarks.emplace_back("Groups of " + std::to_string(*share) +
                                   " layers share a KV cache (cla_share_factor).");
    }
    if (reader.find_in_file({"num_key_value_heads_per_layer", "block_configs"})) {
        model.remarks.emplace_back(
            "The layers have different numbers of key and value heads. The size of the KV cache "
            "is computed with the largest number in every layer with attention.");
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
        shape.latent_rope_dim = model.rotary.empty() ? 0 : model.shape.latent_rotary_dim.value_or(0);
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
