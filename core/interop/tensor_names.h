#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/plan/sources.h"

namespace ropelab {

/// How files of a model type of Hugging Face name their tensors; nullopt for a type whose names are not in the table.
std::optional<TensorNames> hf_tensor_names(std::string_view model_type);
/// How GGUF files name them.
const TensorNames& gguf_tensor_names();

}  // namespace ropelab
