#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/weights/stored_tensor.h"

namespace ropelab {

/// A value of the metadata; whole numbers up to 2^53 are exact.
using GgufValue = std::variant<double, bool, std::string, std::vector<double>, std::vector<std::string>>;

/// What a GGUF file says of itself.
struct GgufHeader {
    std::map<std::string, GgufValue> metadata;  // "llama.context_length"
    std::vector<StoredTensor> tensors;          // in the order of their data

    const GgufValue* find(const std::string& key) const;
    /// nullopt if there is none. Throws BadInput, naming the key, for a value of another kind.
    template <typename Value>
    std::optional<Value> get(const std::string& key) const;
};

bool is_gguf(const WeightFile& file);
/// Versions 2 and 3. Throws BadInput, with the reason, for a truncated or invalid file, and for types of numbers that
/// NumberType does not have.
GgufHeader read_gguf_header(const WeightFile& file);

/// A value of the metadata in the type in which it is written.
using GgufEntry = std::variant<std::uint32_t, float, bool, std::string, std::vector<std::int32_t>, std::vector<float>,
                               std::vector<std::string>>;
struct GgufContent {
    std::vector<std::pair<std::string, GgufEntry>> metadata = {};
    std::vector<NamedTensor> tensors = {};
    std::set<std::string> halves = {};  // names of the tensors that are written in F16; the others are in F32
};
/// Version 3. Atomic (see write_output). Throws BadInput or WriteError if the file cannot be written, and BadInput for
/// a number beyond float16 in a tensor of `halves`.
void write_gguf(const std::filesystem::path& path, const GgufContent& content);

}  // namespace ropelab
