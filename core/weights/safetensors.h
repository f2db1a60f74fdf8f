#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/weights/stored_tensor.h"

namespace ropelab {

struct TensorFile {
    std::vector<NamedTensor> tensors;  // sorted by name
    std::map<std::string, std::string> metadata;
};

/// Atomic (see write_output). Tensors are sorted by name and the header is padded, so equal content gives identical
/// files. Throws BadInput or WriteError if the file cannot be written.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

struct SafetensorsHeader {
    std::vector<StoredTensor> tensors;  // in the order of their data
    std::map<std::string, std::string> metadata;
};
/// Throws BadInput in the same cases as read_safetensors.
SafetensorsHeader read_safetensors_header(const WeightFile& file);

/// float16 and bfloat16 become float32. Throws BadInput, with the reason, for a missing, truncated or invalid file:
/// wrong header size, offsets or shapes, or unsupported types.
TensorFile read_safetensors(const std::filesystem::path& path);
/// Throws BadInput in the same cases as read_safetensors.
std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path);

}  // namespace ropelab
