#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "core/contract/engine.h"
#include "core/engine/model/decoder.h"

namespace ropelab {

/// A cohort of one run with its rotary tables.
struct KnownMeans;

class TorchModel : public Model {
 public:
    /// `row`: flat weights, (total), which must not change later.
    TorchModel(const ModelPlan& plan, Layout layout, const torch::Tensor& row, Precision precision);
    /// Of one run.
    TorchModel(const ModelPlan& plan, Parameters weights, Precision precision);

    std::vector<float> logits(std::span<const std::int32_t> tokens) override;
    std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const Generation& options) override;
    std::vector<std::vector<std::int32_t>> generate_streams(std::span<const std::int32_t> prompt,
                                                            const Generation& options, std::int64_t count) override;
    std::int64_t cache_bytes() const override { return cache_bytes_; }
    double whole_loss(std::span<const std::int32_t> tokens) override;
    ProbeResult probe(const ProbeRequest& request) override;
    StageTimes stage_times(const StageTimesRequest& request) override;
    ProbeArray stage_output(std::span<const std::int32_t> tokens, const StagePlace& stage) override;
    std::unique_ptr<TokenPredictor> predictor() override;

 private:
    class GrowingText;
    class Predictor;

    torch::Tensor tokens_tensor(std::span<const std::int32_t> tokens) const;
    std::vector<std::vector<std::int32_t>> generated(std::span<const std::int32_t> prompt, const Generation& options,
                                                     std::int64_t count);
    bool has_token_kernels() const;
    /// (vocabulary). `tokens` start at position 0.
    torch::Tensor last_logits(std::span<const std::int32_t> tokens) const;
    /// Throws BadInput if the prompt or the options do not fit the model.
    void check_generation(std::span<const std::int32_t> prompt, const Generation& options) const;
    PositionSource terms_of(std::int64_t positions) const;

    const ModelPlan& plan() const { return decoder_.plan(); }

    Decoder decoder_;
    Parameters weights_;
    Precision precision_;
    PositionSource terms_;  // terms of the context's positions
    std::int64_t cache_bytes_ = 0;
    std::shared_ptr<const KnownMeans> known_means_;
};

/// Throws BadInput for a token outside 0 … vocabulary − 1; −1 is allowed too if targets may be unknown.
void check_tokens(const Layout& layout, std::span<const std::int32_t> tokens, bool may_be_unknown = false);

struct TokenBatch {
    torch::Tensor x;  // (runs, sequences, context) int64
    torch::Tensor y;  // (runs, sequences·context) int64: the token after each one
};
/// `count` sequences from the `first` one on; `starts` has one list per run.
TokenBatch token_batch(const TokenText& tokens, const std::vector<std::vector<std::int64_t>>& starts,
                       std::int64_t first, std::int64_t count, std::int64_t context, torch::Device device);

/// Runs that are evaluated as one batch.
struct EvaluatedRuns {
    const Parameters& weights;
    const PositionSource& terms;
};
/// Each core computes pieces of a text that fit into its cache, so that runs need no common batch.
bool is_evaluated_in_pieces(const Decoder& decoder, const Parameters& weights);
/// Without gradients, of all runs of the batches in order. Sequences of `context` tokens begin at `starts`, one list
/// per run. Empty if cancelled.
std::vector<double> mean_losses(const Decoder& decoder, std::span<const EvaluatedRuns> batches, Precision precision,
                                const TokenText& tokens, std::int64_t context,
                                const std::vector<std::vector<std::int64_t>>& starts,
                                const std::function<bool()>& cancelled = {});

/// Start of every non-overlapping sequence of the context's length, in order.
std::vector<std::int64_t> whole_windows(std::size_t tokens, std::int64_t context);

}  // namespace ropelab
