#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace ropelab {

/// Keys (after rotation) and values of the last tokens of one sequence (one run, batch 1): in each layer a ring of
/// `capacity` places, allocated once. The token at position p lies at place p modulo capacity.
class KeyValueCache {
 public:
    struct Layer {
        torch::Tensor keys;    // (key_value_heads, capacity, head_dim); undefined before the first token
        torch::Tensor values;  // the same
    };

    /// `capacity`: the tokens that a token attends to at most.
    KeyValueCache(std::int64_t layers, std::int64_t capacity);

    /// Once per forward pass, before its layers store anything: the tokens at these positions, (time) int64 on the
    /// device, get places. Of more than `capacity` tokens only the last ones do.
    void take_places(const torch::Tensor& positions);
    /// Stores those tokens' keys and values of one layer: (time, key_value_heads, head_dim) each.
    void store(std::int64_t layer, const torch::Tensor& keys, const torch::Tensor& values);
    // Both for one token on the CPU, on plain numbers: `key` and `value` are (heads, head_dim) float32.
    void take_place(std::int64_t position);
    void store(std::int64_t layer, const float* key, const float* value, std::int64_t heads, std::int64_t head_dim);

    /// Tokens that went through take_places so far.
    std::int64_t tokens() const { return tokens_; }
    std::int64_t capacity() const { return capacity_; }
    /// The positions of the present forward pass, (time) int64.
    const torch::Tensor& newest() const { return newest_; }
    /// The position of the token in each place, (capacity) int64; −1 where a place is empty.
    const torch::Tensor& positions() const { return positions_; }
    const Layer& layer(std::int64_t index) const { return layers_[static_cast<std::size_t>(index)]; }

 private:
    Layer& layer_of(std::int64_t index, std::int64_t heads, std::int64_t head_dim, const torch::TensorOptions& options);

    std::int64_t capacity_;
    std::int64_t tokens_ = 0;
    torch::Tensor positions_;
    torch::Tensor newest_;
    torch::Tensor places_;  // of the present forward pass: (min(time, capacity)) int64
    std::vector<Layer> layers_;
};

}  // namespace ropelab
