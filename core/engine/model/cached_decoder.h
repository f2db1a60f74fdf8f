#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

#include "core/engine/device/accelerator.h"
#include "core/engine/model/decoder.h"

namespace ropelab {

/// One token after another with the decoder's operations and a KV cache, allocated once. On a device with graphs, each
/// token after the first few is one CUDA graph; elsewhere each operation starts separately.
class CachedDecoder {
 public:
    /// One run's weights, which the caller owns and must not move. `terms` must include every position.
    CachedDecoder(const Decoder& decoder, const Parameters& weights, PositionSource terms, Precision precision);

    /// Logits after the last of these tokens, from position 0: (vocabulary). Must be the first call, and only once.
    torch::Tensor begin(const torch::Tensor& tokens);
    /// Logits after one more token: (vocabulary), valid until the next call.
    torch::Tensor next(std::int32_t token, std::int64_t position);

    std::int64_t cache_bytes() const { return cache_.bytes(); }
    bool captured() const { return work_.captured(); }
    /// Empty if no capture failed.
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
