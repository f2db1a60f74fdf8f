#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/config/hf_reader.h"
#include "core/plan/stage.h"

namespace ropelab {

namespace {

using nlohmann::json;

std::vector<std::string> repeated(std::int64_t layers, const auto& type_of) {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < layers; ++i) result.emplace_back(type_of(i));
    return result;
}

const json& whole_numbers(const std::string& key, const json& list) {
    const bool is_list = list.is_array() && std::all_of(list.begin(), list.end(),
                                                        [](const json& entry) { return entry.is_number_integer(); });
    if (!is_list) throw BadInput("The " + key + " of the config.json must be a list of whole numbers.");
    return list;
}

constexpr std::initializer_list<const char*> window_keys = {"sliding_window", "attention_window_size",
                                                            "sliding_window_size"};

// Most model types of the library do not read use_sliding_window; those that do have a default of it.
std::optional<std::int64_t> window_of(HfReader& reader, const json& defaults) {
    const auto found = reader.find(window_keys);
    const auto is_off = [](const json& value) {
        return value == false || (value.is_number() && value.get<double>() <= 0);
    };
    const bool is_list_of_none =
        found && found->value->is_array() && std::all_of(found->value->begin(), found->value->end(), is_off);
    if (!found || is_list_of_none || is_off(*found->value)) return std::nullopt;
    const bool is_read = defaults.empty() || defaults.contains("use_sliding_window");
    if (is_read && reader.flag({"use_sliding_window"}) == false) return std::nullopt;
    return reader.count(window_keys, 1, 1 << 30);
}

std::optional<std::int64_t> width_of(HfReader& reader) {
    return reader.count({"hidden_size", "n_embd", "n_embed", "d_model", "dim", "model_dim"}, 1, widest_hf_model);
}

std::optional<std::int64_t> heads_of(HfReader& reader) {
    // OpenELM: a number per layer; the largest is that of the model.
    const auto list = reader.find_in_file({"num_query_heads"});
    if (list && list->value->is_array() && !whole_numbers(list->key, *list->value).empty())
        return std::clamp<std::int64_t>(*std::max_element(list->value->begin(), list->value->end()), 1, most_hf_heads);
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

// Lists that have a number per layer.
struct NumberedTypes {
    const char* key;
    std::array<const char*, 2> types;  // of 0, and of other numbers
};
constexpr std::array<NumberedTypes, 4> numbered_lists = {{
    {"attn_type_list", {"linear_attention", "full_attention"}},                 // MiniMax M1
    {"hybrid_layer_pattern", {"full_attention", "sliding_attention"}},          // MiMo V2
    {"compress_ratios", {"sliding_attention", "compressed_sparse_attention"}},  // DeepSeek V4
    {"sparse_attention_freq", {"full_attention", "minimax_m3_sparse"}},
}};

// Lists of the numbers of those layers that have softmax attention; empty if the config has none.
std::vector<std::string> numbered_types(HfReader& reader, std::int64_t layers) {
    const auto linear = reader.find_in_file({"linear_attn_config"});  // Kimi Linear, which counts from 1
    const json* numbers = nullptr;
    std::int64_t first = 0;
    for (const auto& [key, types] : numbered_lists) {
        const auto list = reader.find_in_file({key});
        if (!list) continue;
        if (std::ssize(whole_numbers(key, *list->value)) < layers)
            throw BadInput("The " + std::string(key) + " of the config.json must have a number per layer.");
        return repeated(layers, [&](std::int64_t i) {
            const auto number = (*list->value)[static_cast<std::size_t>(i)].get<std::int64_t>();
            return number >= 128 ? "heavily_compressed_attention" : types[number != 0 ? 1 : 0];
        });
    }
    if (const auto found = reader.find_in_file({"attn_layer_indices", "full_attn_idxs"}))
        numbers = &whole_numbers(found->key, *found->value);
    if (linear && linear->value->is_object() && linear->value->contains("full_attn_layers")) {
        numbers = &whole_numbers("full_attn_layers", linear->value->at("full_attn_layers"));
        first = 1;
    }
    if (const auto found = reader.find_in_file({"cross_attention_layers"})) {  // attend to images (Llama 3.2 Vision)
        whole_numbers(found->key, *found->value);
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

std::vector<std::string> layer_types_of(const json& config, const json& defaults, const std::string& model_type,
                                        std::int64_t layers) {
    std::vector<HfValue> unused;
    const auto sparse = config.find("sparse_attention_config");  // MiniMax M3
    std::vector<const json*> objects = {&config};
    if (sparse != config.end() && sparse->is_object()) objects.push_back(&*sparse);
    HfReader reader(objects, defaults, unused);
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
    const bool has_window = window_of(reader, defaults).has_value();
    if (has_window && model_type == "smollm3") {  // its layers without rotation, unless layer_types says another thing
        const std::vector<std::string> all(static_cast<std::size_t>(layers));
        const std::vector<bool> rotates = rotating_layers(config, defaults, model_type, all);
        const bool slides = reader.flag({"use_sliding_window"}).value_or(false);
        return repeated(layers, [&](std::int64_t i) {
            return slides && !rotates[static_cast<std::size_t>(i)] ? "sliding_attention" : "full_attention";
        });
    }
    if (has_window && reader.find_in_file({"global_attn_every_n_layers"}))
        return every("global_attn_every_n_layers", "sliding_attention");
    const auto found = defaults.find("layer_types_period");
    if (found != defaults.end() && !reader.find_in_file({"sliding_window_pattern"})) {
        const auto period = found->get<std::vector<std::string>>();
        auto types =
            repeated(layers, [&](std::int64_t i) { return period[static_cast<std::size_t>(i) % period.size()]; });
        const auto first = defaults.value("layer_types_first", std::vector<std::string>());
        std::copy_n(first.begin(), std::min(first.size(), types.size()), types.begin());
        if (defaults.contains("last_layer_type")) types.back() = defaults.at("last_layer_type");
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
    const bool is_read = defaults.empty() || defaults.contains("max_window_layers");
    const std::int64_t first =
        is_read ? reader.count({"max_window_layers"}, 0, most_hf_layers).value_or(0) : std::int64_t{0};
    const bool alternates = defaults.contains("even_layers_slide");  // Qwen2-MoE, below max_window_layers
    return repeated(layers, [&](std::int64_t i) {
        return (alternates ? i % 2 == 0 && i < first : i >= first) ? "sliding_attention" : "full_attention";
    });
}

// All heads share one key and value, unless the config gives the number of key and value heads (GPT-BigCode, older
// Falcon models, MPT).
bool is_multi_query(HfReader& reader) {
    if (reader.find({"multi_query"}) && reader.flag({"multi_query"}).value_or(false))
        return !reader.flag({"new_decoder_architecture"}).value_or(false);
    const auto type = reader.find_in_file({"attn_type"});
    return type && *type->value == "multiquery_attention";
}

constexpr std::initializer_list<const char*> kv_head_keys = {"num_key_value_heads",   "num_kv_heads", "n_kv_heads",
                                                             "multi_query_group_num", "n_head_kv",    "kv_n_heads",
                                                             "num_attention_groups"};

// Per layer, from the lists of those model types whose layers have different numbers; 0: a layer without attention.
std::vector<Count> listed_kv_heads(HfReader& reader, std::int64_t heads, std::int64_t layers) {
    std::vector<Count> result;
    const auto add = [&](const json& value) {
        if (!value.is_number_integer()) return result.push_back(std::nullopt);
        const auto count = value.get<std::int64_t>();
        if (count < 0 || count > most_hf_heads)
            throw BadInput("The config.json has a layer with " + std::to_string(count) +
                           " key and value heads, but it can have 0 to " + std::to_string(most_hf_heads) + ".");
        result.emplace_back(count);
    };
    for (const char* key : {"num_key_value_heads_per_layer", "num_key_value_heads", "num_kv_heads"}) {
        const auto list = reader.find_in_file({key});
        if (!list || !list->value->is_array()) continue;
        for (const json& each : *list->value) add(each);
        break;
    }
    if (const auto blocks = reader.find_in_file({"block_configs"}); blocks && blocks->value->is_array()) {
        for (const json& block : *blocks->value) {  // Nemotron-NAS
            const json attention = block.is_object() ? block.value("attention", json()) : json();
            const bool is_object = attention.is_object();
            const bool has_none = is_object && (attention.value("no_op", json()) == true ||
                                                attention.value("replace_with_linear", json()) == true);
            const json group = is_object ? attention.value("n_heads_in_group", json()) : json();
            const bool is_group = group.is_number_integer() && group > 0;
            add(has_none ? json(0) : is_group ? json(heads / group.get<std::int64_t>()) : json());
        }
    }
    result.resize(static_cast<std::size_t>(layers));
    return result;
}

// If layers differ, the largest number is that of the model; `by_layer` has those of the layers.
std::int64_t kv_heads_of(HfReader& reader, const json& defaults, std::int64_t heads,
                         const std::vector<Count>& by_layer) {
    Count most;
    for (const Count& layer : by_layer) most = std::max(most, layer);
    if (most) return std::max<std::int64_t>(*most, 1);
    // The code of Falcon and of GPT-BigCode does not read their number then, and transformers writes that of all heads.
    const bool is_read_by_library = defaults.contains("multi_query");
    if ((is_read_by_library || reader.find_in_file({"new_decoder_architecture"})) && is_multi_query(reader)) return 1;
    if (reader.find({"multi_query_attention"}) && reader.flag({"multi_query_attention"}) == false) return heads;
    if (const auto given = reader.count(kv_head_keys, 1, most_hf_heads)) return *given;
    const std::int64_t usual = is_multi_query(reader) ? 1 : heads;
    reader.note("num_key_value_heads", std::to_string(usual), HfOrigin::library_default);
    return usual;
}

// Reads what differs between layers. A layer's own settings are in per_layer_config, by its number or its type.
class LayerReader {
 public:
    LayerReader(const json& config, const json& defaults, const HfShape& shape, std::vector<HfValue>& values)
        : objects_(objects_of(config)),
          defaults_(defaults),
          shape_(shape),
          values_(values),
          model_(objects_, defaults, values) {
        kv_heads_ = listed_kv_heads(model_, *shape.heads, std::ssize(shape.layers));
        const Count value_dim = shape.latent_width ? Count() : model_.count({"v_head_dim"}, 0, widest_hf_head);
        if (value_dim.value_or(0) > 0) value_dim_ = value_dim;  // 0: no latent attention
        const auto own = model_.find_in_file({"per_layer_config"});
        if (!own || !own->value->is_object()) return;
        for (const auto& [name, settings] : own->value->items()) {
            const std::size_t zeros = std::min(name.find_first_not_of('0'), name.size() - 1);  // "05"
            if (settings.is_object()) own_[name.substr(zeros)] = &settings;
        }
    }

    /// Its type is known.
    void read(std::int64_t i, HfLayer& result) {
        const std::string& type = result.type;
        if (!attends(type)) return;
        std::vector<const json*> objects;
        for (const std::string& name : {std::to_string(i), type}) {
            if (const auto found = own_.find(name); found != own_.end()) objects.push_back(found->second);
        }
        const auto kind = model_.find_in_file({"attention_other_setting"});  // Step 3.5
        if (kind && kind->value->is_object() && kind->value->value("attention_type", json()) == type)
            objects.push_back(kind->value);
        HfReader own(objects, empty_, unused_);
        const auto of_layer = [&](std::initializer_list<const char*> own_keys, const char* of_local,
                                  const char* of_others, std::int64_t high) {
            const auto given = own.count(own_keys, 1, high);
            const char* other = is_local_attention(type) ? of_local : of_others;
            return given || !other ? given : model_.count({other}, 1, high);
        };
        const bool has_global_heads = model_.flag({"attention_k_eq_v"}).value_or(true);
        Count kv_heads = kv_heads_[static_cast<std::size_t>(i)];
        if (!kv_heads) {
            kv_heads = of_layer(kv_head_keys, "swa_num_key_value_heads",
                                has_global_heads ? "num_global_key_value_heads" : nullptr, most_hf_heads);
        }
        result.kv_heads = kv_heads.value_or(*shape_.kv_heads);
        if (result.kv_heads == 0) return;
        result.head_dim =
            of_layer({"head_dim"}, "swa_head_dim", "global_head_dim", widest_hf_head).value_or(shape_.head_dim);
        const Count value_dim = of_layer({"v_head_dim"}, "swa_v_head_dim", nullptr, widest_hf_head);
        result.value_dim = value_dim ? *value_dim : value_dim_.value_or(result.head_dim);
        const auto ratio = compression(i, type);
        if (ratio || is_local_attention(type)) {
            objects.insert(objects.end(), objects_.begin(), objects_.end());
            HfReader both(objects, defaults_, values_);
            result.window = window_of(both, defaults_);
            if (!result.window) result.window = both.count({"attention_chunk_size"}, 1, 1 << 30);
            // ModernBERT: half of it before a token, where a decoder has all of its window.
            const auto around = result.window ? std::nullopt : both.count({"local_attention"}, 2, 1 << 30);
            if (around) result.window = *around / 2;
        }
        const Count own_latent = own.count({"kv_lora_rank"}, 1, widest_hf_model);
        const Count latent = own_latent ? own_latent : shape_.latent_width;
        const bool keys_are_values = model_.flag({"keys_are_values"}).value_or(false);
        const std::int64_t numbers = latent            ? *latent + shape_.latent_rotary_dim.value_or(0)
                                     : keys_are_values ? result.head_dim
                                                       : result.kv_heads * (result.head_dim + result.value_dim);
        if (has_own_cache(i)) {
            result.caches.push_back({.layers = times(i), .numbers = numbers, .window = result.window.value_or(0)});
            if (ratio) result.caches.push_back({.layers = times(i), .numbers = numbers, .tokens_per_entry = *ratio});
        }
        if (const auto index = index_width(i, type)) {
            result.caches.push_back(
                {.layers = times(i), .numbers = *index, .tokens_per_entry = ratio.value_or(1), .is_index = true});
        }
    }

 private:
    // Element `i` of a list of the file; null without one.
    json of_list(const char* key, std::int64_t i) const {
        const auto list = model_.find_in_file({key});
        const bool has = list && list->value->is_array() && i < std::ssize(*list->value);
        return has ? list->value->at(static_cast<std::size_t>(i)) : json();
    }

    // Layers that attend twice (LongCat Flash), or that tokens pass several times (Ouro, Dory), have several caches.
    std::int64_t times(std::int64_t i) {
        const auto count = [&](std::initializer_list<const char*> names, std::int64_t otherwise, std::int64_t low = 1) {
            return model_.count(names, low, most_hf_layers).value_or(otherwise);
        };
        const std::int64_t first = count({"loop_layer_index_start", "n_input_layers"}, 0, 0);
        const std::int64_t end =
            count({"loop_layer_index_end"}, std::ssize(shape_.layers) - count({"n_output_layers"}, 0, 0), 0);
        const bool is_one = model_.word({"recurrent_kv_cache_mode"}) == "last_loop";
        const bool is_repeated = i >= first && i < end && !is_one;
        return count({"total_ut_steps", "caches_per_layer"}, 1) *
               (is_repeated ? count({"loop_num_passes", "n_recurrent_loops"}, 1) : 1);
    }

    bool has_own_cache(std::int64_t i) {
        if (const json source = of_list("kv_source_layers", i); !source.is_null()) return source == i;
        const std::int64_t shared = model_.count({"num_kv_shared_layers"}, 0, std::ssize(shape_.layers)).value_or(0);
        const std::int64_t share = model_.count({"cla_share_factor"}, 1, most_hf_layers).value_or(1);
        return i < std::ssize(shape_.layers) - shared && (!model_.flag({"use_cla"}).value_or(false) || i % share == 0);
    }

    // Tokens per entry of the compressed part of a cache; nullopt: it has none.
    Count compression(std::int64_t i, const std::string& type) const {
        if (type != "compressed_sparse_attention" && type != "heavily_compressed_attention") return std::nullopt;
        json ratio = of_list("compress_ratios", i);
        const auto rates = model_.find({"compress_rates"});
        if (ratio.is_null() && rates && rates->value->is_object()) ratio = rates->value->value(type, json());
        if (!ratio.is_number_integer() || ratio < 1 || ratio > (1 << 20))
            throw BadInput("The config.json compresses the KV cache of layer " + std::to_string(i) + " by " +
                           excerpt(ratio) + ", but the ratio must be a whole number of tokens from 1 to 1048576.");
        return ratio.get<std::int64_t>();
    }

    Count index_width(std::int64_t i, const std::string& type) {
        const bool is_sparse = type.empty() || type == "indexed_attention" || type == "compressed_sparse_attention" ||
                               type == "minimax_m3_sparse";
        if (!is_sparse || of_list("indexer_types", i) == "shared") return std::nullopt;
        return model_.count({"index_head_dim", "indexer_head_dim"}, 1, widest_hf_head);
    }

    std::vector<const json*> objects_;
    const json& defaults_;
    const json empty_ = json::object();
    const HfShape& shape_;
    std::vector<HfValue>& values_;
    std::vector<HfValue> unused_;
    HfReader model_;
    std::vector<Count> kv_heads_;
    Count value_dim_;
    std::map<std::string, const json*> own_;
};

}  // namespace

bool attends(const std::string& layer_type) {
    static constexpr std::array others = {
        "linear_attention", "mamba",  "mamba2",      "recurrent", "conv", "mlp", "moe",
        "cross_attention",  "linear", "no_attention"};
    return std::find(others.begin(), others.end(), layer_type) == others.end();
}

bool is_local_attention(const std::string& layer_type) {
    return layer_type == "sliding_attention" || layer_type == "chunked_attention" || layer_type == "local_attention" ||
           layer_type == "hybrid_sliding" || layer_type == "reference_sliding_attention";
}

void read_shape(const json& config, const json& defaults, HfModel& model) {
    HfReader reader(objects_of(config), defaults, model.values);
    HfShape& shape = model.shape;
    shape.head_dim = head_dim_of(reader, shape);
    std::vector<HfValue> unused;  // the width is a value of the anatomy only, unless the head dimension follows from it
    HfReader silent(objects_of(config), defaults, unused);
    shape.width = width_of(silent);
    const Count count = reader.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers",
                                      "decoder_num_hidden_layers", "num_transformer_layers"},
                                     1, most_hf_layers);
    shape.heads = heads_of(reader);
    shape.is_encoder = reader.flag({"encoder"}).value_or(false);
    if (shape.heads && !shape.is_encoder) {
        const auto by_layer = listed_kv_heads(silent, *shape.heads, count.value_or(0));
        shape.kv_heads = kv_heads_of(reader, defaults, *shape.heads, by_layer);
    }
    if (reader.flag({"use_mla"}).value_or(true))
        shape.latent_width = reader.count({"kv_lora_rank"}, 1, widest_hf_model);
    if (shape.latent_width) shape.latent_value_dim = silent.count({"v_head_dim"}, 0, widest_hf_head);
    if (!count) return;
    shape.layers.resize(static_cast<std::size_t>(*count));
    std::vector<std::string> types = layer_types_of(config, defaults, model.model_type, *count);
    types.resize(shape.layers.size(), types.empty() ? "" : types.back());
    std::vector<bool> rotates(types.size(), false);
    if (model.position == HfPosition::rotary) rotates = rotating_layers(config, defaults, model.model_type, types);
    for (std::size_t i = 0; i < types.size(); ++i) {
        shape.layers[i].type = types[i];
        shape.layers[i].rotates = rotates[i];
    }
    if (!shape.kv_heads) return;
    LayerReader reading(config, defaults, shape, model.values);
    for (std::int64_t i = 0; i < *count; ++i) reading.read(i, shape.layers[static_cast<std::size_t>(i)]);
}

void read_cache(HfModel& model) {
    const HfShape& sizes = model.shape;
    if (sizes.layers.empty()) return;
    for (HfRotary& rotary : model.rotary) {
        rotary.layers = std::ranges::count_if(sizes.layers, [&](const HfLayer& layer) {
            return rotary.layer_type.empty() || layer.type == rotary.layer_type;
        });
    }
    const auto without =
        std::ranges::count_if(sizes.layers, [](const HfLayer& layer) { return !layer.rotates && attends(layer.type); });
    if (without > 0 && model.position == HfPosition::rotary) {
        model.remarks.emplace_back(
            std::to_string(without) + " of the " + std::to_string(sizes.layers.size()) +
            " layers have no rotary embedding; the frequencies shown are those of the other layers.");
    }
    if (sizes.is_encoder) {
        model.remarks.emplace_back("An encoder has no KV cache.");
        return;
    }
    if (!sizes.kv_heads) return;

    AttentionSizes usual = {.kind = kind_of_heads(*sizes.heads, *sizes.kv_heads),
                            .layers = 0,
                            .heads = *sizes.heads,
                            .kv_heads = *sizes.kv_heads,
                            .head_dim = sizes.head_dim};
    std::set<std::string> others;
    std::int64_t uncached = 0, borrowed = 0, repeated = 0, indexed = 0, compressed = 0, unequal = 0;
    const HfLayer* first = nullptr;
    double numbers = static_cast<double>(sizes.layers.size()) * static_cast<double>(sizes.head_dim) *
                     static_cast<double>(std::max(usual.kv_heads, usual.heads)) * 2;
    bool has_windows = false;
    for (const HfLayer& layer : sizes.layers) {
        if (layer.kv_heads == 0) {
            ++uncached;
            others.insert(attends(layer.type) ? "no attention" : layer.type);
            continue;
        }
        if (!first) first = &layer;
        unequal += layer.kv_heads != first->kv_heads || layer.head_dim != first->head_dim ? 1 : 0;
        for (const CachedLayers& cache : layer.caches) {
            numbers += static_cast<double>(cache.layers) * static_cast<double>(cache.numbers);
            has_windows = has_windows || cache.window > 0;
            (cache.is_index ? indexed : compressed) += cache.is_index || cache.tokens_per_entry > 1 ? 1 : 0;
        }
        if (layer.caches.empty() || layer.caches.front().is_index) {
            ++borrowed;
            continue;
        }
        const CachedLayers& cache = layer.caches.front();
        usual.layers += cache.layers;
        repeated += cache.layers > 1 ? 1 : 0;
        if (cache.window > 0) usual.window = cache.window;
        if (cache.window == 0) usual.global_layers += cache.layers;
    }
    if (usual.global_layers == usual.layers) usual.global_layers = 0;  // no layer has a window
    const auto remark = [&](std::int64_t count, const std::string& text) {
        if (count > 0)
            model.remarks.push_back("Layers that " + text + ": " + std::to_string(count) + " of " +
                                    std::to_string(sizes.layers.size()) + ".");
    };
    remark(uncached,
           "have no KV cache of the text, because they do not use softmax attention over it (" + joined(others) + ")");
    remark(borrowed, "use the KV cache of another layer");
    remark(repeated,
           "have several KV caches, because each token passes through the layer, or attends in it, several times");
    remark(compressed, "compress their KV cache (apart from the last tokens, each entry represents several tokens)");
    if (unequal > 0)
        model.remarks.emplace_back(
            "The layers differ in the number or the width of their key and value heads; the size of the KV cache is "
            "the sum over the layers.");
    remark(
        indexed,
        "also keep the keys of an indexer (index_head_dim channels per token), which the size of the KV cache does not "
        "contain");
    if (has_windows && usual.window < model.context) usual.kind = KvCache::sliding;
    if (sizes.latent_width) {
        usual.kind = KvCache::latent;
        usual.latent_dim = *sizes.latent_width;
        usual.latent_rope_dim = sizes.latent_rotary_dim.value_or(0);
        // Of the keys and values that all heads would store without the latent vector.
        usual.value_dim = sizes.latent_value_dim.value_or(0);
    }
    // The size of the cache in bytes, with 8 bytes per number, must fit into 64 bits.
    if (static_cast<double>(model.context) * numbers * 8 > 9e18)
        throw BadInput("The KV cache of the config.json with " + std::to_string(usual.layers) + " layers and " +
                       std::to_string(usual.kv_heads) + " key and value heads would be larger than 9·10^18 bytes.");
    model.sizes = usual;
}

}  // namespace ropelab
