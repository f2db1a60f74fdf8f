#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string>

#include "core/model/decoder.h"
#include "core/model/repeated_work.h"

namespace ropelab {

/// A model that processes one token after another by the decoder's own operations, with the keys and values of those
/// before in a cache that is allocated once. On a device with graphs a token is one graph after the first few;
/// elsewhere each operation is started by itself.
class CachedDecoder {
 public:
    /// Of one run's weights (runs = 1), which are its caller's and stay where they are. `terms` has every position that
    /// is going to be processed.
    CachedDecoder(const RunSpec& spec, const Decoder& decoder, const Parameters& weights, PositionSource terms,
                  Precision precision);

    /// Logits after the last of these tokens, which start at position 0: (vocabulary). To be called once, first.
    torch::Tensor begin(const torch::Tensor& tokens);
    /// Logits after one more token: (vocabulary). Valid until the next call.
    torch::Tensor next(std::int32_t token, std::int64_t position);

    /// Whether a token is started as a graph by now, and why not where that failed; empty where it was not tried.
    bool captured() const { return work_.captured(); }
    const std::string& failure() const { return work_.failure(); }

 private:
    void run(const std::function<void()>& work) const;

    const Decoder& decoder_;
    const Parameters& weights_;
    PositionSource terms_;
    Precision precision_;
    const CudaGraphs* graphs_;
    KeyValueCache cache_;
    torch::Tensor token_;     // (1, 1, 1) int64
    torch::Tensor position_;  // (1) int64
    torch::Tensor logits_;    // (vocabulary)
    RepeatedWork work_;
};

}  // namespace ropelab
