#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// One layer's cos and sin of a cohort: (runs, 1, time, 1, head_dim/2), float32, in the canonical pairing; a pair that
/// does not turn has cos 1 and sin 0. Undefined where no run of the cohort rotates.
struct RotaryTables {
    torch::Tensor cosine;
    torch::Tensor sine;

    bool defined() const { return cosine.defined(); }
    /// Positions first … first + count − 1.
    RotaryTables narrow(std::int64_t first, std::int64_t count) const;
};

/// Every layer's tables; layers in which the same runs rotate share them.
struct LayerTables {
    std::vector<RotaryTables> layers;

    const RotaryTables& at(std::int64_t layer) const { return layers[static_cast<std::size_t>(layer)]; }
    /// 0 where nothing rotates.
    std::int64_t positions() const;
    LayerTables narrow(std::int64_t first, std::int64_t count) const;
};

/// Tables for positions 0 … positions − 1. Where a run does not rotate a layer, or a pair, it gets frequency 0.
LayerTables layer_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device);

/// Turns x: (runs, batch, time, heads, head_dim) by the tables (F1). Its gradient is the rotation by the opposite
/// angle.
torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables);

}  // namespace ropelab
