#pragma once

#include <torch/torch.h>

#include <functional>
#include <span>
#include <vector>

#include "core/model/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// One layer's cos and sin of a cohort: (runs, 1, time, 1, head_dim/2), float32, in the canonical pairing; (runs, 1,
/// time, heads, head_dim/2) where each head has a theta of its own. A pair that does not turn has cos 1 and sin 0.
/// Undefined where no run of the cohort rotates.
struct RotaryTables {
    torch::Tensor cosine;
    torch::Tensor sine;

    bool defined() const { return cosine.defined(); }
    /// Whether all heads turn alike and by fixed angles, as fused operations want it.
    bool plain() const { return !defined() || (cosine.size(3) == 1 && !cosine.requires_grad()); }
    /// Positions first … first + count − 1.
    RotaryTables narrow(std::int64_t first, std::int64_t count) const;
    /// The positions in a tensor, (count) int64.
    RotaryTables select(const torch::Tensor& positions) const;
};

/// Every layer's tables; layers in which the same runs rotate share them.
struct LayerTables {
    std::vector<RotaryTables> layers;

    const RotaryTables& at(std::int64_t layer) const { return layers[static_cast<std::size_t>(layer)]; }
    /// 0 where nothing rotates.
    std::int64_t positions() const;
    LayerTables narrow(std::int64_t first, std::int64_t count) const;
    LayerTables select(const torch::Tensor& positions) const;
};

/// What a probe changes in the tables of a trained model.
struct TableChanges {
    /// Applied by `frequencies`; `positions` is the current length.
    Scaling scaling = {};
    /// Pairs that get frequency 0.
    std::vector<std::int64_t> stopped_pairs = {};
};

/// Tables for positions 0 … positions − 1. Where a run does not rotate a layer, or a pair, it gets frequency 0. Where
/// theta moves, `weights` tell where it stands, and the tables carry gradients to its shift if it is trained. Throws
/// BadInput for a scaling where theta moved.
LayerTables layer_tables(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                         const TableChanges& changes = {}, const Parameters* weights = nullptr);

/// Where forward calls take their tables from: runs with `rope_cache` read tables that are made once; for others cos
/// and sin are computed at every call, in every layer anew, from frequencies that are kept. The numbers are the same.
class TableSource {
 public:
    TableSource() = default;
    /// As layer_tables, without gradients.
    TableSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                const TableChanges& changes = {}, const Parameters* weights = nullptr);

    /// For positions first … first + count − 1, which stored tables must have.
    LayerTables at(std::int64_t first, std::int64_t count) const;
    /// For the positions in a tensor of the device, (count) int64.
    LayerTables at(const torch::Tensor& positions) const;
    /// Whether tables are kept, and end before `position`.
    bool ends_before(std::int64_t position) const;
    /// Undefined where none are kept.
    const LayerTables& kept() const { return kept_; }

 private:
    // Of one layer, (runs, 1 or heads, head_dim/2) in float64. Undefined where no run rotates.
    struct LayerFrequencies {
        torch::Tensor radians;  // a position; 0 where a pair does not turn
        torch::Tensor factors;  // of cos and sin; undefined where all are 1
    };

    /// Each layer anew, the positions too, as a plain program does it.
    LayerTables computed(const std::function<torch::Tensor()>& positions) const;

    LayerTables kept_;
    std::vector<LayerFrequencies> layers_;  // of what is computed
    torch::Device device_ = torch::kCPU;
};

/// Turns x: (runs, batch, time, heads, head_dim) by the tables (F1). Its gradient is the rotation by the opposite
/// angle; tables that want gradients get theirs.
torch::Tensor apply_rotation(const torch::Tensor& x, const RotaryTables& tables);

}  // namespace ropelab
