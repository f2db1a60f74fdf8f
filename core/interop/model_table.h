#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// A model whose settings are published.
struct KnownModel {
    std::string name;       // "Llama 3 8B", unique
    std::string family;     // "Llama"
    std::string source;     // where the settings were read
    nlohmann::json config;  // the keys of its config.json that speak of rotary embeddings and caches
};

/// Reads a table as in resources/models/models.json: a list of objects with those four. Throws BadInput, naming the
/// model, for one that lacks something or a name that comes twice.
std::vector<KnownModel> read_model_table(std::string_view json);

/// The table that is compiled in.
const std::vector<KnownModel>& model_table();
/// One of its models by name, in any case and with or without spaces and hyphens. Throws BadInput, naming the nearest.
const KnownModel& known_model(std::string_view name);

}  // namespace ropelab
