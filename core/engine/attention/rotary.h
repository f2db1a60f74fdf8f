#pragma once

#include <torch/torch.h>

#include <functional>
#include <span>
#include <vector>

#include "core/engine/operations/parameters.h"
#include "core/plan/model_plan.h"

namespace ropelab {

/// (runs, 1, time, 1, head_dim/2) float32, in the pairing `half`; (runs, 1, time, heads, head_dim/2) if each head has
/// its own theta. A pair that is not rotated has cos 1 and sin 0. Undefined if no run rotates.
struct RotaryTables {
    torch::Tensor cosine;
    torch::Tensor sine;

    bool defined() const { return cosine.defined(); }
    /// All heads share fixed angles, which fused operations require.
    bool plain() const { return !defined() || (cosine.size(3) == 1 && !cosine.requires_grad()); }
    RotaryTables narrow(std::int64_t first, std::int64_t count) const;
    RotaryTables select(const torch::Tensor& positions) const;
};

/// Layers in which the same runs rotate share their tables.
struct LayerTables {
    std::vector<RotaryTables> layers;

    const RotaryTables& at(std::int64_t layer) const { return layers[static_cast<std::size_t>(layer)]; }
    /// 0 if nothing rotates.
    std::int64_t positions() const;
    LayerTables narrow(std::int64_t first, std::int64_t count) const;
    LayerTables select(const torch::Tensor& positions) const;
};

/// Positions 0 … positions − 1; one plan per run. Pairs and layers that a run does not rotate have frequency 0. If
/// theta changes during training, its current value comes from `weights`; if theta is trained, the tables carry
/// gradients to its shift.
LayerTables layer_tables(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                         const Parameters* weights = nullptr);

/// Frequencies of one layer, from which its tables are computed.
struct LayerFrequencies {
    torch::Tensor radians;  // per position, (runs, 1 or heads, head_dim/2) float64; 0 for a pair that is not rotated;
                            // undefined if no run rotates
    torch::Tensor factors;  // of cos and sin, of the same shape; undefined if all are 1
    /// FoPE's coefficients (formula 62) of cos and sin, (runs, head_dim/2, head_dim/2) float64: what the frequency of
    /// the first pair adds to the second one; undefined without FoPE.
    torch::Tensor cosine_mix = {};
    torch::Tensor sine_mix = {};
};

/// Source of rotary tables for forward passes. With Rotary::stores_tables they are computed once. Without it cos and
/// sin are computed from stored frequencies at every call and for every layer. Both give the same numbers.
class TableSource {
 public:
    TableSource() = default;
    /// As layer_tables, without gradients.
    TableSource(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                const Parameters* weights = nullptr);

    /// Positions first … first + count − 1, which stored tables must include.
    LayerTables at(std::int64_t first, std::int64_t count) const;
    /// Positions on the device, (count) int64.
    LayerTables at(const torch::Tensor& positions) const;
    /// True if there are stored ones, and they end before `position`.
    bool ends_before(std::int64_t position) const;
    /// Undefined without stored tables.
    const LayerTables& cached() const { return cached_; }

 private:
    /// Computes the tables for every layer separately, positions included, as a program without a cache does.
    LayerTables computed(const std::function<torch::Tensor()>& positions) const;

    LayerTables cached_;
    Rotary::Rounding rounding_ = Rotary::Rounding::none;
    std::vector<LayerFrequencies> layers_;  // frequencies without a cache
    torch::Device device_ = torch::kCPU;
};

/// ln ζ/scale_base of each pair (formula 42), (runs, head_dim/2) float64, by layer; 0 for pairs that a run does not
/// rotate.
std::vector<torch::Tensor> xpos_decays(std::span<const ModelPlan> runs, torch::Device device);

/// Multiplies pairs of x, (runs, batch, time, heads, head_dim), by the decay to the power of `exponents`, (time). The
/// result is float32, or float64 for such an x.
torch::Tensor decayed(const torch::Tensor& x, const torch::Tensor& decay, const torch::Tensor& exponents);

/// Formula 1; x: (runs, batch, time, heads, head_dim). Tables that require gradients get theirs.
torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables);

}  // namespace ropelab
