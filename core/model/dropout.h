#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ropelab {

/// The dropout of one training step of a cohort. A run's masks depend on its seed, the step and the place, never on its
/// mates. A default-made one drops nothing (evaluation, generation).
class Dropout {
 public:
    Dropout() = default;
    /// One seed a run.
    Dropout(double rate, std::vector<std::int64_t> seeds, std::int64_t step)
        : rate_(rate), seeds_(std::move(seeds)), step_(step) {}

    bool active() const { return rate_ > 0; }
    double rate() const { return rate_; }
    std::int64_t step() const { return step_; }
    const std::vector<std::int64_t>& seeds() const { return seeds_; }
    /// x: (runs, …). Multiplies by a mask of 0 and 1/(1 − rate); `place` names where ("layers.0.mlp").
    torch::Tensor operator()(const torch::Tensor& x, const std::string& place) const;

 private:
    double rate_ = 0;
    std::vector<std::int64_t> seeds_;
    std::int64_t step_ = 0;
};

}  // namespace ropelab
