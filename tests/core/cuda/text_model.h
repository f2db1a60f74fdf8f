#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <vector>

#include "core/cuda/cuda_kernels.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {

/// Of a model that writes texts.
struct Shape {
    std::int64_t layers = 2;
    std::int64_t width = 16;
    std::int64_t heads = 2;
    std::int64_t key_value_heads = 2;
    std::int64_t hidden = 64;
    std::int64_t context = 8;
    std::int64_t symbols = 7;
    Type type = Type::float32;
    Activation activation = Activation::gelu;
    bool centred = true;
    bool beside = false;
    bool learned_positions = false;
    bool turns = true;
    bool bias = false;
    bool head_norms = false;
};

/// A model without pattern, a text and what it has read of it.
class Writer {
 public:
    Writer(const Shape& shape, std::vector<std::int32_t> prompt, std::int64_t count, double temperature)
        : shape_(shape), prompt_(static_cast<std::int64_t>(prompt.size())), count_(count) {
        const std::int64_t head_dim = shape.width / shape.heads;
        const std::int64_t positions = prompt_ + count;
        args_.layers = shape.layers;
        args_.width = shape.width;
        args_.hidden = shape.hidden;
        args_.heads = shape.heads;
        args_.key_value_heads = shape.key_value_heads;
        args_.type = shape.type;
        args_.centred = shape.centred;
        args_.beside = shape.beside;
        args_.activation = shape.activation;
        args_.table = numbers(shape.symbols * shape.width);
        if (shape.learned_positions) args_.positions = numbers(positions * shape.width);
        norm(args_.final_norm, args_.final_norm_bias);
        args_.head = matrix(shape.symbols, shape.width);
        args_.x = numbers(shape.width);
        args_.qkv = numbers(qkv_rows());
        args_.raised = numbers(shape.hidden);
        args_.attended = attended_parts(head_dim, shape.context);
        args_.attended.numbers = numbers(shape.heads * args_.attended.parts * (head_dim + 2));
        std::vector<float> cosine, sine;
        for (std::int64_t i = 0; i < positions * head_dim / 2; ++i) {
            const auto pair = static_cast<double>(i % (head_dim / 2)) / static_cast<double>(head_dim / 2);
            const double angle = static_cast<double>(i / (head_dim / 2)) * std::pow(100.0, -pair);
            cosine.push_back(static_cast<float>(std::cos(angle)));
            sine.push_back(static_cast<float>(std::sin(angle)));
        }
        const float* on_device_cosine = keep(cosine);
        const float* on_device_sine = keep(sine);
        for (std::int64_t index = 0; index < shape.layers; ++index) {
            TextLayer& layer = args_.layer[index];
            norm(layer.attention_norm, layer.attention_norm_bias);
            norm(layer.mlp_norm, layer.mlp_norm_bias);
            if (shape.head_norms) {
                layer.query_norm = numbers(head_dim);
                layer.key_norm = numbers(head_dim);
            }
            layer.qkv = matrix(qkv_rows(), shape.width);
            layer.output = matrix(shape.width, shape.width);
            layer.up = matrix(up_rows(), shape.width);
            layer.down = matrix(shape.width, shape.hidden);
            if (shape.bias) {
                layer.qkv_bias = numbers(qkv_rows());
                layer.output_bias = numbers(shape.width);
                layer.up_bias = numbers(up_rows());
                layer.down_bias = numbers(shape.width);
            }
            // In the second layer nothing turns.
            if (shape.turns && index != 1) {
                layer.cosine = on_device_cosine;
                layer.sine = on_device_sine;
            }
            layer.keys = numbers(shape.key_value_heads * shape.context * head_dim);
            layer.values = numbers(shape.key_value_heads * shape.context * head_dim);
        }
        prompt.resize(static_cast<std::size_t>(positions));
        text_ = std::make_unique<OnDevice<std::int32_t>>(prompt);
        position_ = std::make_unique<OnDevice<std::int64_t>>(std::vector<std::int64_t>{0});
        arrived_ = std::make_unique<OnDevice<unsigned>>(std::vector<unsigned>{0});
        args_.arrived = arrived_->data();
        args_.sample = {shape.symbols, numbers(shape.symbols), temperature,      5, stream_key(3, "sample"),
                        prompt_,       text_->data(),          position_->data()};
    }

    const WriteText& args() const { return args_; }

    /// Symbols first … last − 1 are read.
    void step_by_step(std::int64_t first, std::int64_t last) const {
        const Kernels& kernels = *ropelab_cuda_kernels();
        for (std::int64_t i = first; i < last; ++i) {
            check(kernels.read_symbol(
                {shape_.width, args_.table, args_.positions, text_->data(), position_->data(), args_.x}, nullptr));
            for (std::int64_t index = 0; index < shape_.layers; ++index) layer(kernels, args_.layer[index]);
            check(kernels.vector_product(
                product(shape_.symbols, shape_.width, args_.head, args_.head_bias, args_.x, args_.final_norm,
                        args_.final_norm_bias, Activation::none, const_cast<float*>(args_.sample.logits)),
                nullptr));
            check(kernels.sample_symbol(args_.sample, nullptr));
        }
    }
    /// The same in pieces of at most `piece` symbols; what the ring shows of them.
    std::vector<std::int32_t> at_once(std::int64_t first, std::int64_t last, std::int64_t piece) {
        const Kernels& kernels = *ropelab_cuda_kernels();
        TextRing ring{};
        check(kernels.make_ring(ring));
        args_.ring = ring.device;
        std::vector<std::int32_t> shown;
        for (args_.first = first; args_.first < last; args_.first += args_.count) {
            args_.count = std::min(piece, last - args_.first);
            check(kernels.write_text(args_, kernels.text_blocks(args_), nullptr));
            for (bool done = false; !done;) check(kernels.is_done(nullptr, done));
            for (std::int64_t i = std::max(prompt_, args_.first + 1); i <= args_.first + args_.count; ++i) {
                const std::uint64_t place = ring.host[i % ring_places];
                EXPECT_EQ(static_cast<std::int64_t>(place >> 32), i);
                shown.push_back(static_cast<std::int32_t>(place));
            }
        }
        check(kernels.free_ring(ring));
        return shown;
    }
    std::vector<std::int32_t> text() const { return text_->host(); }
    std::int64_t end() const { return prompt_ + count_ - 1; }
    unsigned arrived() const { return arrived_->host().front(); }
    std::vector<float> logits() const {
        std::vector<float> result(static_cast<std::size_t>(shape_.symbols));
        device_copy(result.data(), args_.sample.logits, result.size() * sizeof(float));
        return result;
    }

 private:
    static void check(int error) { ASSERT_EQ(error, 0) << error_text(error); }

    std::int64_t qkv_rows() const {
        return (shape_.heads + 2 * shape_.key_value_heads) * (shape_.width / shape_.heads);
    }
    std::int64_t up_rows() const { return (shape_.activation == Activation::swiglu ? 2 : 1) * shape_.hidden; }

    float* keep(const std::vector<float>& values) {
        numbers_.emplace_back(values);
        return numbers_.back().data();
    }
    float* numbers(std::int64_t count) { return keep(some_numbers(static_cast<std::size_t>(count), ++seed_)); }
    void norm(const float*& weight, const float*& bias) {
        weight = numbers(shape_.width);
        bias = shape_.centred ? numbers(shape_.width) : nullptr;
    }
    const void* matrix(std::int64_t rows, std::int64_t columns) {
        auto values = some_numbers(static_cast<std::size_t>(rows * columns), ++seed_);
        for (float& value : values) value *= 3.0F / std::sqrt(static_cast<float>(columns));
        if (shape_.type == Type::float32) return keep(values);
        halves_.emplace_back(rounded(values));
        return halves_.back().data();
    }

    VectorProduct product(std::int64_t rows, std::int64_t columns, const void* weights, const float* bias,
                          const float* x, const float* norm_weight, const float* norm_bias, Activation activation,
                          float* y) const {
        return {.rows = rows,
                .columns = columns,
                .type = shape_.type,
                .matrix = weights,
                .bias = bias,
                .x = x,
                .norm_weight = norm_weight,
                .norm_bias = norm_bias,
                .centred = shape_.centred,
                .activation = activation,
                .adds = false,
                .y = y};
    }
    void layer(const Kernels& kernels, const TextLayer& of) const {
        check(kernels.vector_product(product(qkv_rows(), shape_.width, of.qkv, of.qkv_bias, args_.x, of.attention_norm,
                                             of.attention_norm_bias, Activation::none, args_.qkv),
                                     nullptr));
        check(kernels.attend_cached({shape_.heads, shape_.key_value_heads, args_.qkv, of.query_norm, of.key_norm,
                                     of.cosine, of.sine, position_->data(), of.keys, of.values, args_.attended},
                                    nullptr));
        const VectorProduct up = product(shape_.hidden, shape_.width, of.up, of.up_bias, args_.x, of.mlp_norm,
                                         of.mlp_norm_bias, shape_.activation, args_.raised);
        if (shape_.beside) check(kernels.vector_product(up, nullptr));
        VectorProduct output = product(shape_.width, shape_.width, of.output, of.output_bias, nullptr, nullptr, nullptr,
                                       Activation::none, args_.x);
        output.adds = true;
        output.attended = args_.attended;
        output.position = position_->data();
        check(kernels.vector_product(output, nullptr));
        if (!shape_.beside) check(kernels.vector_product(up, nullptr));
        VectorProduct down = product(shape_.width, shape_.hidden, of.down, of.down_bias, args_.raised, nullptr, nullptr,
                                     Activation::none, args_.x);
        down.adds = true;
        check(kernels.vector_product(down, nullptr));
    }

    Shape shape_;
    std::int64_t prompt_;
    std::int64_t count_;
    std::uint32_t seed_ = 0;
    std::deque<OnDevice<float>> numbers_;
    std::deque<OnDevice<Bfloat16>> halves_;
    std::unique_ptr<OnDevice<std::int32_t>> text_;
    std::unique_ptr<OnDevice<std::int64_t>> position_;
    std::unique_ptr<OnDevice<unsigned>> arrived_;
    WriteText args_{};
};

}  // namespace ropelab::cuda
