#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

struct KnownModel {
    std::string name;          // "Llama 3 8B", unique
    std::string family;        // "Llama"
    std::string source;        // source of the settings
    std::string shape_source;  // source of the settings that count its parameters; "" if it is the same
    std::optional<std::int64_t> published_parameters;  // published number of parameters
    std::string published_in;                          // source of this number
    nlohmann::json config;  // settings of its config.json on rotary embeddings, KV cache and parameters
};

/// A list of objects with the members of KnownModel; shape_source and published_parameters are optional. Throws
/// BadInput if an object lacks a member or two models have the same name; the message names the model.
std::vector<KnownModel> read_model_table(std::string_view json);

/// From resources/models/models.json, which is compiled into the program.
const std::vector<KnownModel>& model_table();
/// Case, spaces and hyphens do not matter. Throws BadInput if there is none; the message names the most similar one.
const KnownModel& known_model(std::string_view name);

}  // namespace ropelab
