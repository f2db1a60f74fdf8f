#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/interop/hf_config.h"

namespace ropelab {

/// Value that was found in a config, with its key and source.
struct HfFound {
    const nlohmann::json* value = nullptr;
    std::string key;
    HfOrigin origin = HfOrigin::file;
};

/// Finds values in the objects of a config, in their order, and then in the library defaults. A null means that the
/// value is absent. The reader records every value that it returns in `values`. All objects must outlive the reader.
class HfReader {
 public:
    HfReader(std::vector<const nlohmann::json*> objects, const nlohmann::json& defaults, std::vector<HfValue>& values,
             std::string layer_type = "")
        : objects_(std::move(objects)), defaults_(&defaults), values_(&values), layer_type_(std::move(layer_type)) {}

    /// Returns the first value with one of the names, in the file or else in the library defaults; nullopt if there is
    /// none.
    std::optional<HfFound> find(std::initializer_list<const char*> names) const;
    /// Returns the first value with one of the names in the file; nullopt if there is none.
    std::optional<HfFound> find_in_file(std::initializer_list<const char*> names) const;

    /// Returns the first value with one of the names as a number, and records it under the first name; nullopt if there
    /// is none. Throws BadInput unless the value is a number from `low` to `high`.
    std::optional<double> number(std::initializer_list<const char*> names, double low, double high);
    /// Returns the first value with one of the names as a whole number, and records it under the first name; nullopt if
    /// there is none. Throws BadInput unless the value is a whole number from `low` to `high`.
    std::optional<std::int64_t> count(std::initializer_list<const char*> names, std::int64_t low, std::int64_t high);
    /// Returns the first value with one of the names as a boolean, and records it under the first name; nullopt if
    /// there is none. Throws BadInput unless the value is true or false.
    std::optional<bool> flag(std::initializer_list<const char*> names);
    /// Returns the first value with one of the names as a string, and records it under the first name; nullopt if there
    /// is none. Throws BadInput unless the value is a string.
    std::optional<std::string> word(std::initializer_list<const char*> names);
    /// Returns the first value with one of the names as a list of numbers, and records its length under the first name;
    /// nullopt if there is none. Throws BadInput unless the value is a list of finite numbers.
    std::optional<std::vector<double>> numbers(std::initializer_list<const char*> names);

    /// Records a value that does not come from the objects or the library defaults.
    void note(const std::string& name, const std::string& text, HfOrigin origin);

 private:
    void note(const std::string& name, const std::string& text, const HfFound& found);
    /// Adds a value to the recorded values unless it is among them already.
    void record(HfValue value);

    std::vector<const nlohmann::json*> objects_;
    const nlohmann::json* defaults_;
    std::vector<HfValue>* values_;
    std::string layer_type_;
};

/// Returns the object with the settings of the text model. In files of multi-modal models it is one or two levels
/// deeper.
const nlohmann::json& text_model(const nlohmann::json& config);
/// Formats a JSON value for an error message with at most 40 characters. A list becomes "a list", an object "an
/// object".
std::string excerpt(const nlohmann::json& value);

/// Returns the defaults of Hugging Face transformers, or of the code of the model, for a model type. They apply to
/// values that a config.json does not have. Returns an empty object for an unknown model type.
const nlohmann::json& library_defaults(const std::string& model_type);
/// Returns whether models of this type have no rotary embedding unless their config has keys of one.
bool has_no_rotary(const std::string& model_type);
/// Returns whether the config of a model type lacks the value without which its library does not rotate, whatever other
/// rotary keys it has.
bool is_unrotated_by_type(const nlohmann::json& config, const std::string& model_type);

/// Imports the rotary embeddings of all layer types. `config` is the object with the settings of the text model.
std::vector<HfRotary> read_rotary(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
/// Imports the dimensions of the KV cache and the number of layers of each type. `config` is the object with the
/// settings of the text model.
void read_cache(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
/// Returns the type of every layer by its name in Hugging Face transformers; empty if the file does not define it.
std::vector<std::string> layer_types_of(const nlohmann::json& config, const nlohmann::json& defaults,
                                        std::int64_t layers);
/// Returns for each layer type in `types` whether the layer has RoPE. SmolLM 3 and Llama 4 list the layers (1: with
/// RoPE) or have an interval whose last layer is without; in other models only layers with a sliding window have it.
/// Throws BadInput if the list does not have a value per layer.
std::vector<bool> rotating_layers(const nlohmann::json& config, const nlohmann::json& defaults,
                                  const std::string& model_type, const std::vector<std::string>& types);
/// Returns the head dimension of a config and records it. Layer types with another head dimension are ignored.
int head_dim_of(HfReader& reader);

}  // namespace ropelab
