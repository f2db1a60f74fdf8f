#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace ropelab {

/// KV cache of one sequence (one run, batch size 1): keys after rotation and values of the last tokens. Each layer has
/// a ring buffer of `capacity` slots, which is allocated once. The token at position p is stored in slot p modulo
/// capacity.
class KeyValueCache {
 public:
    /// Keys and values of one layer in the cache.
    struct Layer {
        torch::Tensor keys;    // (key_value_heads, capacity, head_dim); undefined before the first token
        torch::Tensor values;  // (key_value_heads, capacity, head_dim); undefined before the first token
    };

    /// Creates an empty cache. `capacity`: largest number of tokens that a token attends to.
    KeyValueCache(std::int64_t layers, std::int64_t capacity);

    /// Assigns slots to the tokens at these positions, (time) int64 on the device. Call this once per forward pass,
    /// before its layers store anything. Of more than `capacity` tokens only the last ones get slots.
    void assign_slots(const torch::Tensor& positions);
    /// Stores keys and values of the tokens of the last assign_slots in one layer: (time, key_value_heads, head_dim)
    /// each.
    void store(std::int64_t layer, const torch::Tensor& keys, const torch::Tensor& values);
    // Assigns a slot to one token on the CPU.
    void assign_slot(std::int64_t position);
    /// Stores key and value of one token on the CPU in one layer, (heads, head_dim) float32 each.
    void store(std::int64_t layer, const float* key, const float* value, std::int64_t heads, std::int64_t head_dim);

    /// Returns the number of tokens that have been assigned slots since the cache was created.
    std::int64_t tokens() const { return tokens_; }
    /// Returns the number of slots of the cache.
    std::int64_t capacity() const { return capacity_; }
    /// Returns the positions of the current forward pass, (time) int64.
    const torch::Tensor& newest() const { return newest_; }
    /// Returns the position of the token in each slot, (capacity) int64; −1 for an empty slot.
    const torch::Tensor& positions() const { return positions_; }
    /// Returns the keys and values of one layer.
    const Layer& layer(std::int64_t index) const { return layers_[static_cast<std::size_t>(index)]; }

 private:
    Layer& layer_of(std::int64_t index, std::int64_t heads, std::int64_t head_dim, const torch::TensorOptions& options);

    std::int64_t capacity_;
    std::int64_t tokens_ = 0;
    torch::Tensor positions_;
    torch::Tensor newest_;
    torch::Tensor slots_;  // slots of the current forward pass: (min(time, capacity)) int64
    std::vector<Layer> layers_;
};

}  // namespace ropelab
