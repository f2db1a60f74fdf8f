#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernels/kernels.h"
#include "core/model/attention/cache.h"
#include "core/model/attention/position.h"
#include "core/model/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// A model that reads one symbol after another on the CPU and keeps the keys and values of those before: the decoder's
/// arithmetic (core/model/decoder.h) as products of matrices with one vector, which take as long as reading the
/// weights. With precision bfloat16 the matrices are rounded, vectors stay float32.
class TokenDecoder {
 public:
    /// Of one run's weights (runs = 1) on the CPU, which are copied.
    TokenDecoder(const RunSpec& spec, const Parameters& weights, Precision precision);

    /// Logits after `token` at `position`: (vocabulary). It sees the newest `context` symbols, itself included. Learned
    /// positions need a position below the context.
    torch::Tensor read(std::int32_t token, std::int64_t position);

 private:
    struct Matrix {
        std::int64_t rows;
        std::int64_t columns;
        const float* numbers;
        const std::uint16_t* halves;  // of bfloat16; null where float32 is asked for
        const float* bias;            // null where there is none
    };
    struct Norm {
        std::int64_t columns;
        const float* weight;
        const float* bias;
    };
    struct Layer {
        Norm attention_norm, mlp_norm;
        Norm query_norm, key_norm;  // without weights where there is no qk_norm
        Matrix qkv, output, up, down;
    };
    using Vector = std::vector<float>;

    void make_terms(std::int64_t positions);
    void use_terms(const PositionTerms& terms);
    /// The row of `position` in `terms_`, which include it afterwards.
    std::int64_t row_of(std::int64_t position);
    const float* vector(const std::string& name) const;
    Matrix matrix(const std::string& name) const;
    Norm norm(const std::string& name) const;
    /// out = matrix·x + bias; `finish(first, last)` follows for the rows of each thread.
    template <typename Finish>
    void multiply(const Matrix& matrix, const Vector& x, Vector& out, Finish finish) const;
    void multiply(const Matrix& matrix, const Vector& x, Vector& out) const;
    void normalise(const Norm& norm, float* rows, std::int64_t count, bool centred) const;
    /// normed_ = the norm of the stream, after `branch` was added to it (unless null).
    void normalise_stream(const Norm& norm, const Vector* branch);
    /// The token's embedding, with what is added for its position.
    void embed(std::int32_t token, std::int64_t position, std::int64_t row);
    /// row: of the terms.
    void attend(std::int64_t layer, std::int64_t row);
    void feed_forward(const Layer& layer);

    RunSpec spec_;
    Parameters weights_;
    torch::Tensor numbers_;  // all weights, (total) float32
    torch::Tensor halves_;   // the same rounded to bfloat16, or undefined
    std::vector<Layer> layers_;
    PositionSource source_;
    std::vector<LayerTerms> terms_;  // of each layer, for as many positions as were needed so far; or the newest alone
    torch::Tensor embeddings_;       // sinusoidal, of the same positions; undefined without them
    KeyValueCache cache_;

    // A token's vectors on their way through the layers.
    Vector stream_, normed_, qkv_, logits_, mixed_, wide_, attended_, fed_;
};

}  // namespace ropelab
