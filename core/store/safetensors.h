#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/spec/named_tensor.h"

namespace ropelab {

/// A file of named float32 tensors in the safetensors format, with text metadata.
struct TensorFile {
    std::vector<NamedTensor> tensors;  // sorted by name
    std::map<std::string, std::string> metadata;
};

/// Writes atomically: temporary file in the same folder, fsync, rename, fsync of the folder. Names are sorted and the
/// header padded, so equal content gives equal bytes. Throws BadInput where the folder cannot be written.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

/// Reads float32, float16 and bfloat16 tensors (as float32). Throws BadInput, saying what is wrong, for a file that is
/// missing, cut short, or not safetensors: header larger than the file, offsets that overlap or leave the data, shapes
/// that do not match their bytes, unknown types.
TensorFile read_safetensors(const std::filesystem::path& path);
/// Its metadata alone; the tensors stay in the file. Throws as read_safetensors.
std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path);

}  // namespace ropelab
