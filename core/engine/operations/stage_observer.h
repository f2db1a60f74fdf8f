#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <initializer_list>

namespace ropelab {

/// Stages come in the order in which the decoder computes them. Their ids of stages are those of AnatomyStage
/// (core/plan/anatomy.h); the layer is −1 outside the layers.
class StageObserver {
 public:
    virtual ~StageObserver() = default;
    /// Everything since the previous call belongs to a part of this stage.
    virtual void computed(const char* stage, std::int64_t layer) = 0;
    /// The operations of `within` also compute this stage.
    virtual void contained(const char* stage, std::int64_t layer, const char* within, std::int64_t within_layer) = 0;
    /// If true, attention runs operation by operation on the reference backend, so that scores and weights exist.
    virtual bool wants_outputs() const { return false; }
    /// (runs, batch·time, n), (runs, batch, time, heads, n), (batch, heads, n, m) for a matrix per head, or (n, m) for
    /// numbers that do not depend on the tokens. Called only if wants_outputs().
    virtual void output(const char* /*stage*/, std::int64_t /*layer*/, const torch::Tensor& /*numbers*/) {}
};

/// Without an observer, all functions do nothing.
struct StageMarks {
    StageObserver* observer = nullptr;
    std::int64_t layer = -1;

    bool wants_outputs() const { return observer && observer->wants_outputs(); }
    /// A part of `stage` was computed; the same operations computed the stages `others`.
    void computed(const char* stage, std::initializer_list<const char*> others = {}) const {
        if (!observer) return;
        observer->computed(stage, layer);
        for (const char* other : others) observer->contained(other, layer, stage, layer);
    }
    void computed(const char* stage, const torch::Tensor& numbers) const {
        computed(stage);
        output(stage, numbers);
    }
    void output(const char* stage, const torch::Tensor& numbers) const {
        if (wants_outputs()) observer->output(stage, layer, numbers);
    }
};

}  // namespace ropelab
