#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/interop/config/hf_model.h"

namespace ropelab {

struct HfFound {
    const nlohmann::json* value = nullptr;
    std::string key;
    HfOrigin origin = HfOrigin::file;
};

/// Searches the objects of a config in order, then the library defaults. A null means that the value is absent; keys
/// that the class of the model ignores are not found. Values returned are recorded in `values`. The objects must
/// outlive the reader.
class HfReader {
 public:
    HfReader(std::vector<const nlohmann::json*> objects, const nlohmann::json& defaults, std::vector<HfValue>& values,
             std::string layer_type = "")
        : objects_(std::move(objects)), defaults_(&defaults), values_(&values), layer_type_(std::move(layer_type)) {}

    /// The first value with one of the names, in the file or else in the defaults; nullopt if there is none.
    std::optional<HfFound> find(std::initializer_list<const char*> names) const;
    std::optional<HfFound> find_in_file(std::initializer_list<const char*> names) const;

    /// Throws BadInput unless the value is a number from `low` to `high`; recorded under the first name, as below, or
    /// as `recorded`.
    std::optional<double> number(std::initializer_list<const char*> names, double low, double high,
                                 const char* recorded = nullptr);
    /// Throws BadInput unless the value is a whole number from `low` to `high`.
    std::optional<std::int64_t> count(std::initializer_list<const char*> names, std::int64_t low, std::int64_t high);
    std::optional<bool> flag(std::initializer_list<const char*> names);
    std::optional<std::string> word(std::initializer_list<const char*> names);
    /// Records the length of the list. Throws BadInput unless the numbers are finite.
    std::optional<std::vector<double>> numbers(std::initializer_list<const char*> names);

    void note(const std::string& name, const std::string& text, HfOrigin origin);
    /// By the class of transformers (read_by_these_alone in resources/models/library_defaults.json).
    bool is_ignored(const std::string& name) const;

 private:
    void note(const std::string& name, const std::string& text, const HfFound& found);
    void record(HfValue value);

    std::vector<const nlohmann::json*> objects_;
    const nlohmann::json* defaults_;
    std::vector<HfValue>* values_;
    std::string layer_type_;
};

inline constexpr std::int64_t most_hf_layers = 10000;
inline constexpr std::int64_t most_hf_heads = 65536;
inline constexpr std::int64_t widest_hf_head = 4096;
inline constexpr std::int64_t widest_hf_model = 1 << 20;

/// In files of multi-modal models it is one or two levels deeper.
const nlohmann::json& text_model(const nlohmann::json& config);
nlohmann::json& text_model(nlohmann::json& config);
/// The config, and its attn_config, in which DBRX and MPT have the settings of attention.
std::vector<const nlohmann::json*> objects_of(const nlohmann::json& config);
/// For error messages, at most 40 characters; "a list" or "an object".
std::string excerpt(const nlohmann::json& value);

/// From transformers, or the code of the model; empty for an unknown type.
const nlohmann::json& library_defaults(const std::string& model_type);
/// Of a type without rotary embeddings, unless the config has keys of them: "alibi" or "learned"; "" if the program
/// does not know the layers of such models. nullopt for other types.
std::optional<std::string> unrotated_position(const std::string& model_type);
/// always: with rotary keys or without. by_condition: a value, without which the library does not rotate, is missing.
enum class HfUnrotated { no, always, by_condition };
/// Whatever other rotary keys there are.
HfUnrotated is_unrotated_by_type(const nlohmann::json& config, const std::string& model_type);
/// The config is one of a class of transformers that computes its frequencies from the keys of all models there.
bool has_library_class(const nlohmann::json& config, const std::string& model_type);
/// In a list of model types, or of keys, in the table of library defaults, which explains its lists.
bool is_listed(const char* list, const std::string& name);
/// The name by which the class reads a key beside rope_parameters; "" if it reads it inside of them only.
std::string rotary_name(const std::string& model_type, const char* key);
/// Layer types for which the class has a rotary embedding each, and the name of the theta of each ("": none); empty for
/// types without such layers.
const nlohmann::json& rotary_of_layers(const std::string& model_type);

// In the following functions, `config` is the object with the settings of the text model.

void read_shape(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
std::vector<HfRotary> read_rotary(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
/// Also the number of layers of each rotary embedding.
void read_cache(HfModel& model);
/// A sliding window, or chunks (Llama 4).
bool is_local_attention(const std::string& layer_type);
/// Softmax attention over the text: not linear attention, state spaces, convolutions or images.
bool attends(const std::string& layer_type);
/// SmolLM 3 and Llama 4 list the layers (1: with RoPE) or have an interval whose last layer is without; in other models
/// only layers with a sliding window have it. Throws BadInput if the list does not have a value per layer.
std::vector<bool> rotating_layers(const nlohmann::json& config, const nlohmann::json& defaults,
                                  const std::string& model_type, const std::vector<std::string>& types);

/// In the form of transformers 5.
struct HfLayerSet {
    std::string type = {};  // layer type; "" if all layers have the same parameters
    nlohmann::json parameters = nlohmann::json::object();
    nlohmann::json library = nlohmann::json::object();  // values that are not in `parameters`
    std::string theta_name = "rope_theta";  // of the config, if `parameters` and `library` have no theta; "": none
    bool local_theta = false;               // true if theta has another name for this type (Gemma 3, ModernBERT)
};

/// As the class of transformers reads them. Throws BadInput as hf_layer_sets does.
std::vector<HfLayerSet> class_layer_sets(const nlohmann::json& config, const nlohmann::json& defaults,
                                         const HfModel& model);
/// Full_attention first. The parameters come from rope_parameters (flat or nested), rope_scaling or the older keys of
/// models with two layer types. Throws BadInput if one of these values is not an object.
std::vector<HfLayerSet> hf_layer_sets(const nlohmann::json& config, const nlohmann::json& defaults);

void name_unknown_keys(const nlohmann::json& config, const std::vector<HfLayerSet>& sets, HfModel& model);
/// A remark on values that the class does not use, although other programs may.
void name_ignored_keys(const nlohmann::json& config, HfModel& model);

}  // namespace ropelab
