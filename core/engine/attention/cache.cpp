#include "core/engine/attention/cache.h"

#include <algorithm>
#include <utility>

#include "core/engine/operations/own_passes.h"

namespace ropelab {

namespace {

// In the same memory, which a CUDA graph requires.
void keep(torch::Tensor& stored, const torch::Tensor& numbers) {
    if (!stored.defined()) stored = torch::zeros_like(numbers);
    stored.copy_(numbers);
}

}  // namespace

KeyValueCache::KeyValueCache(std::int64_t layers, std::int64_t capacity) {
    for (std::int64_t layer = 0; layer < layers; ++layer) add_layer(capacity);
}

KeyValueCache::KeyValueCache(const ModelPlan& plan, bool rounded) : rounded_(rounded) {
    for (const LayerPlan& layer : plan.layers) add_layer(layer.visible_tokens);
}

void KeyValueCache::add_layer(std::int64_t capacity) {
    const auto found =
        std::find_if(rings_.begin(), rings_.end(), [&](const Ring& ring) { return ring.capacity == capacity; });
    ring_of_layer_.push_back(static_cast<std::size_t>(found - rings_.begin()));
    if (found == rings_.end()) rings_.push_back({.capacity = capacity});
    layers_.emplace_back();
}

KeyValueCache KeyValueCache::clone() const {
    KeyValueCache copy = *this;
    const auto own = [](torch::Tensor& numbers) {
        if (numbers.defined()) numbers = numbers.clone();
    };
    own(copy.newest_);
    own(copy.embedding_);
    for (Ring& ring : copy.rings_) {
        own(ring.positions);
        own(ring.slots);
    }
    for (Layer& layer : copy.layers_) {
        own(layer.keys);
        own(layer.values);
        own(layer.state);
    }
    return copy;
}

void KeyValueCache::assign_slots(const torch::Tensor& positions) {
    newest_ = positions;
    for (Ring& ring : rings_) {
        if (ring.capacity == 0) continue;
        if (!ring.positions.defined()) ring.positions = torch::full({ring.capacity}, -1, positions.options());
        const std::int64_t stored = std::min(positions.size(0), ring.capacity);
        const torch::Tensor last = positions.narrow(0, positions.size(0) - stored, stored);
        ring.slots = last.remainder(ring.capacity);
        ring.positions.index_copy_(0, ring.slots, last);
    }
    tokens_ += positions.size(0);
}

void KeyValueCache::assign_slot(std::int64_t position) {
    if (tokens_ == 0) newest_ = torch::zeros({1}, torch::kInt64);
    *newest_.data_ptr<std::int64_t>() = position;
    for (Ring& ring : rings_) {
        if (ring.capacity == 0) continue;
        if (!ring.positions.defined()) ring.positions = torch::full({ring.capacity}, -1, torch::kInt64);
        ring.positions.data_ptr<std::int64_t>()[position % ring.capacity] = position;
    }
    ++tokens_;
}

KeyValueCache::Layer& KeyValueCache::layer_of(std::int64_t index, c10::IntArrayRef key_shape,
                                              c10::IntArrayRef value_shape, const torch::TensorOptions& options) {
    Layer& layer = layers_[static_cast<std::size_t>(index)];
    if (!layer.keys.defined()) {
        const std::int64_t slots = capacity(index);
        const torch::TensorOptions own = rounded_ ? options.dtype(torch::kBFloat16) : options;
        layer.keys = torch::zeros({key_shape[0], slots, key_shape[1]}, own);
        layer.values = torch::zeros({value_shape[0], slots, value_shape[1]}, own);
    }
    return layer;
}

void KeyValueCache::store(std::int64_t index, const float* key, const float* value, std::int64_t heads,
                          std::int64_t head_dim) {
    Layer& layer = layer_of(index, {heads, head_dim}, {heads, head_dim}, torch::kFloat32);
    const std::int64_t slots = capacity(index);
    const std::int64_t slot = *newest_.data_ptr<std::int64_t>() % slots;
    for (const auto& [from, stored] : {std::pair{key, &layer.keys}, std::pair{value, &layer.values}}) {
        with_type(stored->scalar_type(), [&, from = from, stored = stored]<typename T>(T) {
            T* to = numbers<T>(*stored) + slot * head_dim;
            for (std::int64_t head = 0; head < heads; ++head)
                kernels::copy_numbers(from + head * head_dim, to + head * slots * head_dim, head_dim);
        });
    }
}

void KeyValueCache::store(std::int64_t index, const torch::Tensor& keys, const torch::Tensor& values) {
    Layer& layer = layer_of(index, keys.sizes().slice(1), values.sizes().slice(1), keys.options());
    const torch::Tensor& slots = ring_of(index).slots;
    const std::int64_t stored = slots.size(0);
    const auto last = [&](const torch::Tensor& tokens) {
        return tokens.narrow(0, tokens.size(0) - stored, stored).transpose(0, 1);
    };
    layer.keys.index_copy_(1, slots, last(keys).to(layer.keys.scalar_type()));
    layer.values.index_copy_(1, slots, last(values).to(layer.values.scalar_type()));
}

void KeyValueCache::store_state(std::int64_t index, const torch::Tensor& state) {
    keep(layers_[static_cast<std::size_t>(index)].state, state);
}

void KeyValueCache::store_embedding(const torch::Tensor& embedding) {
    keep(embedding_, embedding);
}

std::int64_t KeyValueCache::bytes() const {
    std::int64_t total = embedding_.defined() ? static_cast<std::int64_t>(embedding_.nbytes()) : 0;
    for (const Layer& layer : layers_) {
        for (const torch::Tensor& numbers : {layer.keys, layer.values, layer.state}) {
            if (numbers.defined()) total += static_cast<std::int64_t>(numbers.nbytes());
        }
    }
    return total;
}

}  // namespace ropelab
