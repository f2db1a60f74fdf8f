#include "core/interop/tensor_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/data/json_text.h"
#include "core/interop/embedded_tables.h"

namespace ropelab {

namespace {

using nlohmann::json;

const json& families() {
    static const json table = parse_bounded(embedded::tensor_names).at("families");
    return table;
}

SourceNames names_of(const json& value) {
    if (value.is_object()) return {{value.at("by_head").get<std::string>()}, true};
    if (value.is_string()) return {{value.get<std::string>()}, false};
    return {value.get<std::vector<std::string>>(), false};
}

TensorNames family(const std::string& name) {
    const json& row = families().at(name);
    TensorNames result;
    if (row.contains("like")) result = family(row.at("like").get<std::string>());
    result.family = name;
    result.prefix = row.value("prefix", result.prefix);
    result.layer = row.value("layer", result.layer);
    result.are_transposed = row.value("transposed", result.are_transposed);
    result.unused = row.value("unused", result.unused);
    for (const auto& [tensor, names] : row.at("tensors").items()) result.names[tensor] = names_of(names);
    return result;
}

}  // namespace

std::optional<TensorNames> hf_tensor_names(std::string_view model_type) {
    for (const auto& [name, row] : families().items()) {
        const json& types = row.at("types");
        if (std::find(types.begin(), types.end(), model_type) != types.end()) return family(name);
    }
    return std::nullopt;
}

const TensorNames& gguf_tensor_names() {
    static const TensorNames names = family("gguf");
    return names;
}

}  // namespace ropelab
