#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <initializer_list>

namespace ropelab {

/// Observes the stages of a forward pass, in the order in which the decoder computes them. The ids of stages are those
/// of AnatomyStage (core/plan/anatomy.h); the layer is −1 outside the layers.
class StageObserver {
 public:
    virtual ~StageObserver() = default;
    /// Called after the decoder computed a part of a stage: everything since the previous call belongs to it.
    virtual void computed(const char* stage, std::int64_t layer) = 0;
    /// Called if the operations of another stage also compute this stage.
    virtual void contained(const char* stage, std::int64_t layer, const char* within, std::int64_t within_layer) = 0;
    /// Returns whether outputs of stages are requested. Attention then runs operation by operation on the reference
    /// backend, so that scores and weights exist.
    virtual bool wants_outputs() const { return false; }
    /// Receives the output of a stage: (runs, batch·time, n), (runs, batch, time, heads, n), (batch, heads, n, m) for a
    /// matrix per head, or (n, m) for numbers that do not depend on the tokens. Called only if wants_outputs().
    virtual void output(const char* /*stage*/, std::int64_t /*layer*/, const torch::Tensor& /*numbers*/) {}
};

/// Reports the stages of one layer, or of those outside the layers, to an observer. Without an observer, all functions
/// do nothing.
struct StageMarks {
    StageObserver* observer = nullptr;
    std::int64_t layer = -1;

    /// Returns whether outputs are requested.
    bool wants_outputs() const { return observer && observer->wants_outputs(); }
    /// Reports that a part of `stage` was computed; the same operations computed the stages `others`.
    void computed(const char* stage, std::initializer_list<const char*> others = {}) const {
        if (!observer) return;
        observer->computed(stage, layer);
        for (const char* other : others) observer->contained(other, layer, stage, layer);
    }
    /// Reports that a stage was computed, with its output.
    void computed(const char* stage, const torch::Tensor& numbers) const {
        computed(stage);
        output(stage, numbers);
    }
    /// Reports the output of a stage.
    void output(const char* stage, const torch::Tensor& numbers) const {
        if (wants_outputs()) observer->output(stage, layer, numbers);
    }
};

}  // namespace ropelab
