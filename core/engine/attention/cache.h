#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "core/plan/model_plan.h"

namespace ropelab {

/// Rotated keys and values of the last tokens of one sequence. Each layer has a ring buffer, allocated once: the token
/// at position p is in slot p modulo the layer's capacity. Multi-head latent attention stores its rotated key and its
/// latent vector as key and value of one head; a gated DeltaNet stores its state and nothing per token.
class KeyValueCache {
 public:
    struct Layer {
        torch::Tensor keys;    // (key_value_heads, capacity, channels); undefined before the first token
        torch::Tensor values;  // (key_value_heads, capacity, channels); undefined before the first token
        // Undefined before the first token. Of a gated DeltaNet: (heads, head_dim, head_dim); of a layer with a key
        // offset: the last token's key before offset and rotation, (key_value_heads, head_dim).
        torch::Tensor state;
    };

    /// `capacity`: largest number of tokens that a token attends to.
    KeyValueCache(std::int64_t layers, std::int64_t capacity);
    /// Capacities are LayerPlan::visible_tokens. `rounded`: to bfloat16, which attend_one_on_cpu reads.
    explicit KeyValueCache(const ModelPlan& plan, bool rounded = false);

    /// With memory of its own.
    KeyValueCache clone() const;

    /// (time) int64 on the device. Call once per pass, before its layers store. Only the last `capacity` tokens get
    /// slots.
    void assign_slots(const torch::Tensor& positions);
    /// For the tokens of the last assign_slots: (time, key_value_heads, channels) each.
    void store(std::int64_t layer, const torch::Tensor& keys, const torch::Tensor& values);
    /// Layer::state.
    void store_state(std::int64_t layer, const torch::Tensor& state);
    /// (width): the embedding of the last token, which token smear adds to the next one.
    void store_embedding(const torch::Tensor& embedding);
    const torch::Tensor& embedding() const { return embedding_; }
    void assign_slot(std::int64_t position);
    /// One token on the CPU, (heads, head_dim) float32 each.
    void store(std::int64_t layer, const float* key, const float* value, std::int64_t heads, std::int64_t head_dim);

    std::int64_t tokens() const { return tokens_; }
    /// 0 for a gated DeltaNet.
    std::int64_t capacity(std::int64_t layer) const { return ring_of(layer).capacity; }
    /// Positions of the current forward pass, (time) int64.
    const torch::Tensor& newest() const { return newest_; }
    /// Position of the token in each slot, (capacity) int64; −1 for an empty slot.
    const torch::Tensor& positions(std::int64_t layer) const { return ring_of(layer).positions; }
    const Layer& layer(std::int64_t index) const { return layers_[static_cast<std::size_t>(index)]; }
    /// Includes empty slots.
    std::int64_t bytes() const;

 private:
    // Slots of all layers of one capacity.
    struct Ring {
        std::int64_t capacity = 0;
        torch::Tensor positions = {};
        torch::Tensor slots = {};  // slots of the current forward pass: (min(time, capacity)) int64
    };

    const Ring& ring_of(std::int64_t layer) const { return rings_[ring_of_layer_[static_cast<std::size_t>(layer)]]; }
    Layer& layer_of(std::int64_t index, c10::IntArrayRef key_shape, c10::IntArrayRef value_shape,
                    const torch::TensorOptions& options);
    void add_layer(std::int64_t capacity);

    bool rounded_ = false;
    std::int64_t tokens_ = 0;
    torch::Tensor newest_;
    torch::Tensor embedding_;
    std::vector<Ring> rings_;
    std::vector<std::size_t> ring_of_layer_;
    std::vector<Layer> layers_;
};

}  // namespace ropelab
