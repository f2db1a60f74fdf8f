#include "core/model/attention/cache.h"

#include <algorithm>

namespace ropelab {

KeyValueCache::KeyValueCache(std::int64_t layers, std::int64_t capacity)
    : capacity_(capacity), layers_(static_cast<std::size_t>(layers)) {}

void KeyValueCache::assign_slots(const torch::Tensor& positions) {
    if (!positions_.defined()) positions_ = torch::full({capacity_}, -1, positions.options());
    newest_ = positions;
    const std::int64_t stored = std::min(positions.size(0), capacity_);
    const torch::Tensor last = positions.narrow(0, positions.size(0) - stored, stored);
    slots_ = last.remainder(capacity_);
    positions_.index_copy_(0, slots_, last);
    tokens_ += positions.size(0);
}

void KeyValueCache::assign_slot(std::int64_t position) {
    if (tokens_ == 0) {
        positions_ = torch::full({capacity_}, -1, torch::kInt64);
        newest_ = torch::zeros({1}, torch::kInt64);
    }
    *newest_.data_ptr<std::int64_t>() = position;
    positions_.data_ptr<std::int64_t>()[position % capacity_] = position;
    ++tokens_;
}

KeyValueCache::Layer& KeyValueCache::layer_of(std::int64_t index, std::int64_t heads, std::int64_t head_dim,
                                              const torch::TensorOptions& options) {
    Layer& layer = layers_[static_cast<std::size_t>(index)];
    if (!layer.keys.defined()) {
        layer.keys = torch::zeros({heads, capacity_, head_dim}, options);
        layer.values = torch::zeros_like(layer.keys);
    }
    return layer;
}

void KeyValueCache::store(std::int64_t index, const float* key, const float* value, std::int64_t heads,
                          std::int64_t head_dim) {
    Layer& layer = layer_of(index, heads, head_dim, torch::kFloat32);
    const std::int64_t slot = *newest_.data_ptr<std::int64_t>() % capacity_;
    for (std::int64_t head = 0; head < heads; ++head) {
        const std::int64_t to = (head * capacity_ + slot) * head_dim;
        std::copy_n(key + head * head_dim, head_dim, layer.keys.data_ptr<float>() + to);
        std::copy_n(value + head * head_dim, head_dim, layer.values.data_ptr<float>() + to);
    }
}

void KeyValueCache::store(std::int64_t index, const torch::Tensor& keys, const torch::Tensor& values) {
    Layer& layer = layer_of(index, keys.size(1), keys.size(2), keys.options());
    const std::int64_t stored = slots_.size(0);
    const auto last = [&](const torch::Tensor& tokens) {
        return tokens.narrow(0, tokens.size(0) - stored, stored).transpose(0, 1);
    };
    layer.keys.index_copy_(1, slots_, last(keys));
    layer.values.index_copy_(1, slots_, last(values));
}

}  // namespace ropelab
