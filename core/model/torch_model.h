#pragma once

#include <torch/torch.h>

#include "core/model/decoder.h"
#include "core/spec/engine.h"

namespace ropelab {

/// One trained model on LibTorch: a cohort of one with its rotation tables.
class TorchModel : public Model {
 public:
    /// row: one run's flat weights, (total).
    TorchModel(const RunSpec& spec, Layout layout, const torch::Tensor& row, Precision precision);

    std::vector<float> logits(std::span<const std::int32_t> tokens) override;
    std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const Generation& how) override;
    double whole_loss(std::span<const std::int32_t> tokens) override;
    ProbeResult probe(const ProbeRequest& request) override;

 private:
    torch::Tensor tokens_tensor(std::span<const std::int32_t> tokens) const;
    std::vector<float> computed_logits(std::span<const std::int32_t> tokens) const;
    std::vector<std::int32_t> generated(std::span<const std::int32_t> prompt, const Generation& how) const;
    double computed_whole_loss(std::span<const std::int32_t> tokens) const;
    /// Logits after the last of `tokens`, which start at position 0: (vocabulary).
    torch::Tensor last_logits(std::span<const std::int32_t> tokens) const;
    /// Throws BadInput where the prompt, or how to continue it, does not fit the model.
    void check_generation(std::span<const std::int32_t> prompt, const Generation& how) const;
    PositionSource terms_of(std::int64_t positions) const;

    RunSpec spec_;
    Parameters weights_;
    Decoder decoder_;
    Precision precision_;
    PositionSource terms_;  // of the context's positions
};

/// Mean loss of each run over its windows, without gradients: windows of `context` tokens that start at `starts`.
/// Returns (runs) numbers; empty where `cancelled` said so between batches.
std::vector<double> mean_losses(const Decoder& decoder, const Parameters& weights, const PositionSource& terms,
                                Precision precision, std::span<const std::int32_t> tokens, std::int64_t context,
                                const std::vector<std::vector<std::int64_t>>& starts,
                                const std::function<bool()>& cancelled = {});

/// The start of every non-overlapping window of the context, in order.
std::vector<std::int64_t> whole_windows(std::size_t tokens, std::int64_t context);

}  // namespace ropelab
