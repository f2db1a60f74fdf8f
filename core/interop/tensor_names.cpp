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

const TensorNames& gguf_tensor_names(bool is_fused) {
    static const TensorNames separate = family("gguf");
    static const TensorNames fused = family("gguf_fused");
    return is_fused ? fused : separate;
}

std::int64_t columns_of(const Parameter& parameter) {
    return parameter.size / std::max<std::int64_t>(parameter.shape.front(), 1);
}

std::vector<std::int64_t> shape_in_file(const Parameter& parameter, const SourceRows& part) {
    if (parameter.shape.size() == 1) return {part.file_rows};
    const std::int64_t columns = columns_of(parameter);
    if (parameter.source.is_transposed) return {columns, part.file_rows};
    return {part.file_rows, columns};
}

}  // namespace ropelab
