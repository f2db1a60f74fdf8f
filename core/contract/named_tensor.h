#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropelab {

/// Float32, row-major. Engine and checkpoints store weights and optimizer states in this form.
struct NamedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;  // as many numbers as the product of the shape

    bool operator==(const NamedTensor&) const = default;
};

}  // namespace ropelab
