#include "core/plan/sources.h"

#include <stdexcept>

#include "core/base/error.h"

namespace ropelab {

namespace {

std::vector<TensorPart> parts_of(const Tensor& tensor) {
    if (!tensor.parts.empty()) return tensor.parts;
    return {{"", tensor.shape.front()}};
}

}  // namespace

TensorSource source_of(const Tensor& tensor, const TensorNames& names, std::int64_t layer) {
    const std::size_t dot = tensor.name.rfind('.');
    const std::string kind = tensor.name.substr(dot);
    const auto found = names.names.find(tensor.name.substr(0, dot));
    const std::vector<TensorPart> parts = parts_of(tensor);
    const bool is_known =
        found != names.names.end() && (found->second.parts.size() == 1 || found->second.parts.size() == parts.size());
    if (!is_known || tensor.shape.size() > 2) {
        throw BadInput("The weights of this model cannot be read, because the program does not know where files of \"" +
                       names.family + "\" models have " + (layer < 0 ? "" : "a layer's ") + tensor.name + ".");
    }
    std::string before = layer < 0 ? "" : names.layer;
    if (const std::size_t place = before.find("{}"); place != std::string::npos)
        before.replace(place, 2, std::to_string(layer));
    const auto& [file_names, is_by_head] = found->second;
    const bool is_one = file_names.size() == 1;
    std::int64_t all_rows = 0;
    for (const TensorPart& part : parts) all_rows += part.rows.value();
    TensorSource source;
    source.is_transposed = names.are_transposed && layer >= 0 && tensor.shape.size() == 2;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TensorPart& part = parts[i];
        SourceRows rows = {.name = before + file_names[is_one ? 0 : i] + kind,
                           .file_rows = is_one ? all_rows : *part.rows,
                           .rows = *part.rows,
                           .head_rows = part.head_rows.value_or(*part.rows),
                           .first = is_one ? first : 0,
                           .order = part.order};
        if (!rows.order.empty() && std::ssize(rows.order) != rows.head_rows)
            throw std::logic_error("The order of the rows of " + tensor.name + " is not that of a head.");
        rows.stride = rows.head_rows;
        if (is_by_head) {
            rows.stride *= std::ssize(parts);
            first += rows.head_rows;
        } else {
            first += rows.rows;
        }
        source.parts.push_back(std::move(rows));
    }
    return source;
}

}  // namespace ropelab
