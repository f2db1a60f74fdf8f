#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/interop/hf_config.h"

namespace ropelab {

/// A value that was found, and who says it.
struct HfFound {
    const nlohmann::json* value = nullptr;
    std::string key;
    HfOrigin origin = HfOrigin::file;
};

/// Looks values up in a config's objects, first to last, then among the library's defaults; a null counts as absent.
/// What it reads it also writes down in `values`. All objects must outlive it.
class HfReader {
 public:
    HfReader(std::vector<const nlohmann::json*> objects, const nlohmann::json& defaults, std::vector<HfValue>& values,
             std::string layer_type = "")
        : objects_(std::move(objects)), defaults_(&defaults), values_(&values), layer_type_(std::move(layer_type)) {}

    /// Any of the names, those of the file first.
    std::optional<HfFound> find(std::initializer_list<const char*> names) const;
    std::optional<HfFound> find_in_file(std::initializer_list<const char*> names) const;

    /// The value of any of the names, written down under the first. Throws BadInput unless it is a number, or whole,
    /// within the limits.
    std::optional<double> number(std::initializer_list<const char*> names, double low, double high);
    std::optional<std::int64_t> count(std::initializer_list<const char*> names, std::int64_t low, std::int64_t high);
    std::optional<bool> flag(std::initializer_list<const char*> names);
    std::optional<std::string> word(std::initializer_list<const char*> names);
    std::optional<std::vector<double>> numbers(std::initializer_list<const char*> names);

    /// Writes down a value that was not read.
    void note(const std::string& name, const std::string& text, HfOrigin origin);

 private:
    void note(const std::string& name, const std::string& text, const HfFound& found);
    void write(HfValue value);  // unless it stands there already

    std::vector<const nlohmann::json*> objects_;
    const nlohmann::json* defaults_;
    std::vector<HfValue>* values_;
    std::string layer_type_;
};

/// A value for a message: at most 40 characters of it.
std::string excerpt(const nlohmann::json& value);

/// What the library takes for a model type where its file is silent; an empty object for one that is not known.
const nlohmann::json& library_defaults(const std::string& model_type);
/// Whether models of that type have no rotary embedding.
bool has_no_rotary(const std::string& model_type);

/// The parts of read_hf_config; `config` is the object that holds the text model's keys.
std::vector<HfRotary> read_rotary(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
void read_cache(const nlohmann::json& config, const nlohmann::json& defaults, HfModel& model);
/// The type of every layer, by Hugging Face's names; empty where the file does not tell.
std::vector<std::string> layer_types_of(const nlohmann::json& config, const nlohmann::json& defaults,
                                        std::int64_t layers);
/// Head dimension of a config (and where it says it), without what single layer types change.
int head_dim_of(HfReader& reader);

}  // namespace ropelab
