#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

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

}  // namespace ropelab
