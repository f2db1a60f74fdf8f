#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropelab {

/// A float32 tensor in row-major order, by name: how weights and optimizer state cross the engine's border and lie in
/// checkpoints.
struct NamedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;  // as many as the shape's product

    bool operator==(const NamedTensor&) const = default;
};

}  // namespace ropelab
