#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/layout.h"
#include "core/plan/sources.h"

namespace ropelab {

/// How files of a model type of Hugging Face name their tensors; nullopt for a type whose names are not in the table.
std::optional<TensorNames> hf_tensor_names(std::string_view model_type);
/// How GGUF files name them. `is_fused`: queries, keys and values are one tensor.
const TensorNames& gguf_tensor_names(bool is_fused);

/// Numbers of a row.
std::int64_t columns_of(const Parameter& parameter);
/// Of the tensor in a file that has the part of the parameter.
std::vector<std::int64_t> shape_in_file(const Parameter& parameter, const SourceRows& part);

}  // namespace ropelab
