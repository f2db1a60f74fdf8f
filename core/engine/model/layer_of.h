#pragma once

#include <cstdint>
#include <string>

#include "core/plan/layout.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Layer of decoders of single tokens. `norm` and `matrix` create members by Layout's names; the caller adds the cache.
template <typename Layer, typename NormOf, typename MatrixOf>
Layer layer_of(const RunSpec& spec, std::int64_t index, NormOf norm, MatrixOf matrix) {
    const std::string name = "layers." + std::to_string(index);
    Layer layer;
    layer.attention_norm = norm(name + ".attention_norm");
    layer.mlp_norm = norm(name + ".mlp_norm");
    layer.query_norm = norm(name + ".attention.query_norm");
    layer.key_norm = norm(name + ".attention.key_norm");
    layer.qkv = matrix(name + ".attention.qkv");
    layer.output = matrix(name + ".attention.output");
    layer.up = matrix(up_name(spec, index));
    layer.down = matrix(down_name(spec, index));
    return layer;
}

}  // namespace ropelab
