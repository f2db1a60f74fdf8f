#include "core/interop/config/hf_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/data/text_source.h"
#include "core/interop/config/hf_reader.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr std::size_t max_bytes = std::size_t{4} << 20;

// nanoGPT, whose models have learned positions; other programs with such keys name those of their rotation too.
bool is_nanogpt(const json& config) {
    const auto is_rotary = [](const auto& item) {
        return item.key().find("rope") != std::string::npos || item.key().find("rotary") != std::string::npos;
    };
    return config.contains("block_size") && config.contains("n_embd") && !config.contains("model_type") &&
           std::none_of(config.items().begin(), config.items().end(), is_rotary);
}

std::string model_type_of(const json& config) {
    if (is_nanogpt(config)) return "nanogpt";
    const auto found = config.find("model_type");
    if (found == config.end() || found->is_null()) return "";
    if (!found->is_string())
        throw BadInput("The model_type of the config.json is " + excerpt(*found) + ", but it must be a word.");
    return found->get<std::string>();
}

// In the config, or for MPT in its attn_config.
json value_in(const json& config, const char* name) {
    for (const json* object : objects_of(config)) {
        if (object->contains(name)) return object->at(name);
    }
    return nullptr;
}

bool has_rotary_keys(const json& config) {
    return value_in(config, "rope") == true || config.value("position_embedding_type", json()) == "rotary" ||
           config.contains("rotary_emb_base") || config.contains("rope_theta") || config.contains("rope_parameters") ||
           config.contains("rotary_dim") || config.contains("rope_scaling");
}

[[noreturn]] void refuse_without_rotary(const std::string& model_type) {
    throw BadInput("The config.json belongs to a model without rotary embeddings (" + excerpt(json(model_type)) +
                   "); choose a model with rotary embeddings, such as llama or gpt_neox.");
}

// Throws BadInput for a model without rotary embeddings whose layers the program does not know.
HfPosition position_of(const json& config, const std::string& type) {
    const auto by_type = has_rotary_keys(config) ? std::nullopt : unrotated_position(type);
    if (by_type && by_type->empty()) refuse_without_rotary(type);
    const json alibi = value_in(config, "alibi");
    // The Baichuan models of 40 heads and width 5,120 have ALiBi, those of width 4,096 RoPE, under one model_type.
    const bool is_baichuan_13b = type == "baichuan" && config.value("hidden_size", json()) == 5120;
    if (alibi == true || is_baichuan_13b) return HfPosition::alibi;
    // The word decides for some models, whatever else the config has.
    const json word = config.value("position_embedding_type", json());
    const HfUnrotated unrotated = is_unrotated_by_type(config, type);
    if (word == "nope" || word == "none" || unrotated == HfUnrotated::always) return HfPosition::none;
    const bool is_of_other_kind = word == "absolute" || word == "alibi" || word == "learned";
    const bool has_neither = alibi == false && by_type == "alibi";
    if (is_of_other_kind || has_neither || value_in(config, "rope") == false || unrotated != HfUnrotated::no)
        refuse_without_rotary(type);
    if (library_defaults(type).empty() &&
        (is_listed("two_dimensional", type) || value_in(config, "rope_type") == "axial")) {
        throw BadInput("The config.json belongs to a model of images (" + excerpt(json(type)) +
                       "), whose rotary embedding rotates by row and column; choose the config of a text model.");
    }
    if (config.value("use_rope", json()) == false) return HfPosition::none;
    if (!by_type) return HfPosition::rotary;
    return by_type == "alibi" ? HfPosition::alibi : HfPosition::learned;
}

void refuse_other_files(const json& file) {
    struct Kind {
        const char* key;
        const char* words;
    };
    static constexpr std::array kinds = {
        Kind{"weight_map", "the index of a model's files of weights"},
        Kind{"log_history", "the state of a training run (trainer_state.json)"},
        Kind{"added_tokens_decoder", "the settings of a tokenizer (tokenizer_config.json)"},
        Kind{"pre_tokenizer", "a tokenizer (tokenizer.json)"},
        Kind{"image_processor_type", "the settings of an image processor"},
        Kind{"feature_extractor_type", "the settings of a feature extractor"}};
    for (const Kind& kind : kinds) {
        if (file.contains(kind.key) && !file.contains("model_type"))
            throw BadInput("The file is " + std::string(kind.words) +
                           ", not the config of a model; choose the config.json of the model.");
    }
}

// On properties of the whole model.
void add_remarks(const json& config, HfModel& model) {
    const auto has = [&](std::string_view part) {
        return std::any_of(config.items().begin(), config.items().end(), [&](const auto& item) {
            return item.key().find(part) != std::string::npos && !item.value().is_null();
        });
    };
    const bool is_known = model.model_type.empty() || !library_defaults(model.model_type).empty();
    if (model.position == HfPosition::rotary && !is_known && !has("rope") && !has("rotary")) {
        model.remarks.push_back(
            "The config.json has no key of rotary embeddings, and the program does not know the "
            "model type " +
            excerpt(json(model.model_type)) +
            ": that the model rotates its queries and keys, with θ = 10000, is assumed.");
    }
    if (config.value("use_dynamic_ntk", json()) == true) {
        model.remarks.emplace_back(
            "In texts longer than seq_length, the model has a larger θ (use_dynamic_ntk); the "
            "frequencies shown are those of shorter texts.");
    }
    if (config.value("per_layer_config", json()).is_object()) {
        model.remarks.emplace_back(
            "Some layers have settings of their own (per_layer_config); of these, the program "
            "reads the head dimension of layers with full attention.");
    }
}

std::int64_t context_of(HfReader& reader) {
    const auto context = reader.count({"max_position_embeddings", "n_positions", "seq_length", "max_seq_len",
                                       "max_sequence_length", "model_max_length", "n_ctx", "block_size"},
                                      1, 1 << 30);
    if (context) return *context;
    reader.note("max_position_embeddings", "2048", HfOrigin::assumed);
    return 2048;
}

}  // namespace

const json& text_model(const json& config) {
    const json* found = &config;
    for (int level = 0; level < 4; ++level) {
        const json* inner = nullptr;
        for (const char* name : {"text_config", "model_args", "llm_config", "language_config", "thinker_config",
                                 "vlm_config", "language_model", "text_model", "text_cfg", "llm", "decoder",
                                 "decoder_config", "global_config", "encoder"}) {
            const auto entry = found->find(name);
            if (!inner && entry != found->end() && entry->is_object() && !entry->empty()) inner = &*entry;
        }
        if (!inner) break;
        found = inner;
    }
    return *found;
}

json& text_model(json& config) {
    return const_cast<json&>(text_model(std::as_const(config)));
}

const HfRotary* HfModel::find_rotary(std::string_view layer_type) const {
    for (const HfRotary& entry : rotary) {
        if (entry.layer_type == layer_type || entry.layer_type.empty()) return &entry;
    }
    return rotary.empty() || !layer_type.empty() ? nullptr : &rotary.front();
}

const HfRotary& HfModel::of(std::string_view layer_type) const {
    if (rotary.empty()) refuse_without_rotary(model_type);
    if (layer_type.empty()) return rotary.front();
    for (const HfRotary& entry : rotary) {
        if (entry.layer_type == layer_type) return entry;
    }
    // A model with one embedding for all layers uses it for full attention too.
    if (rotary.size() == 1 && rotary.front().layer_type.empty() && layer_type == "full_attention")
        return rotary.front();
    std::string names;
    for (const HfRotary& entry : rotary) names += (names.empty() ? "" : " and ") + entry.layer_type;
    throw BadInput("The config.json has no layer type \"" + std::string(layer_type) + "\"; " +
                   (names.empty() ? "all its layers have the same rotary embedding." : "it has " + names + "."));
}

HfModel read_hf_config(const json& whole) {
    if (!whole.is_object()) throw BadInput("The config.json of a model must be a JSON object.");
    refuse_other_files(whole);
    if (whole.contains("peft_type"))
        throw BadInput("The file is the config of an adapter (PEFT); choose the config.json of its base model" +
                       (whole.contains("base_model_name_or_path")
                            ? ", " + excerpt(whole.at("base_model_name_or_path")) + "."
                            : "."));
    HfModel model;
    const json& config = text_model(whole);
    model.model_type = model_type_of(config);
    model.position = position_of(config, model.model_type);
    const json& defaults = library_defaults(model.model_type);
    add_remarks(config, model);
    HfReader reader({&config}, defaults, model.values);
    model.context = context_of(reader);
    read_shape(config, defaults, model);
    // Such models have few layers with attention; without their list, the size of the cache is unknown.
    if (is_unrotated_by_type(config, model.model_type) == HfUnrotated::always &&
        (model.shape.layers.empty() || model.shape.layers.front().type.empty()))
        refuse_without_rotary(model.model_type);
    if (model.position == HfPosition::rotary) {
        model.rotary = read_rotary(config, defaults, model);
        if (model.rotary.empty()) throw BadInput("The rope_parameters of the config.json name no layer type.");
    }
    read_cache(model);
    return model;
}

namespace {

// The first line that has more than a comment begins with a name and a colon.
bool is_yaml(std::string_view text) {
    while (text.starts_with("#") || text.starts_with("\n") || text.starts_with("\r"))
        text.remove_prefix(std::min(text.size(), text.find('\n', text.starts_with("#") ? 1 : 0) + 1));
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    const std::string_view rest = text.substr(std::min(end, text.size()));
    const bool is_entry = end > 0 && (rest.starts_with(": ") || rest.starts_with(":\n") || rest.starts_with(":\r"));
    return is_entry || text.starts_with("---\n") || text.starts_with("---\r");
}

void check_is_text(std::string_view text, const std::string& name) {
    const char* choose = "; choose the config.json of the model.";
    if (text.starts_with("GGUF")) throw BadInput(name + " is a GGUF file, which holds weights" + choose);
    if (text.starts_with("PK\x03\x04"))
        throw BadInput(name + " is a zip archive, such as a checkpoint of PyTorch" + choose);
    // The length of the header, which is JSON, comes first.
    if (text.size() > 8 && text[8] == '{' && text.substr(4, 4) == std::string_view("\0\0\0\0", 4))
        throw BadInput(name + " is a safetensors file, which holds weights" + choose);
    if (const std::string format = other_format(text); !format.empty()) throw BadInput(name + " " + format);
    if (text.starts_with("<")) throw BadInput(name + " is a web page or XML, not JSON; download the file itself.");
    if (is_yaml(text)) throw BadInput(name + " is YAML, not JSON" + choose);
}

// Python writes NaN, Infinity and -Infinity, which JSON lacks. Quoted, an unused key does not matter.
std::string with_quoted_constants(std::string_view text) {
    std::string result;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size();) {
        std::string_view constant;
        for (const std::string_view name : {"NaN", "Infinity", "-Infinity"}) {
            if (!in_string && text.substr(i).starts_with(name)) constant = name;
        }
        if (!constant.empty()) {
            result += '"' + std::string(constant) + '"';
            i += constant.size();
            continue;
        }
        if (text[i] == '"') in_string = !in_string;
        if (in_string && text[i] == '\\' && i + 1 < text.size()) result += text[i++];
        result += text[i++];
    }
    return result;
}

}  // namespace

json parse_model_config(std::string_view text, const std::string& name) {
    check_is_text(text, name);
    if (text.size() > max_bytes)
        throw BadInput(name + " has more than 4 MiB; the config.json of a model has a few kilobytes.");
    try {
        return parse_bounded(with_quoted_constants(text));
    } catch (const json::parse_error& error) {
        throw BadInput(name + " is not JSON: " + trouble_of(error) + ".");
    } catch (const json::exception&) {  // a number out of range
        throw BadInput(name + " has a number that is too large.");
    }
}

json load_model_config(const std::filesystem::path& named) {
    if (named == "-") {
        std::string text(max_bytes + 1, '\0');
        std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::cin.gcount()));
        return parse_model_config(text, "Standard input");
    }
    // The folder of a model stands for its config.json.
    std::error_code error;
    const auto file = std::filesystem::is_directory(named, error) ? named / "config.json" : named;
    if (std::filesystem::is_regular_file(file, error)) {  // weights, which are large, are named before they are read
        std::string head(64, '\0');
        std::ifstream stream(file, std::ios::binary);
        stream.read(head.data(), static_cast<std::streamsize>(head.size()));
        head.resize(static_cast<std::size_t>(stream.gcount()));
        check_is_text(head, "The file " + file.string());
    }
    return parse_model_config(read_regular_file(file, max_bytes), "The file " + file.string());
}

}  // namespace ropelab
