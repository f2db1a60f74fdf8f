#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/engine/attention/cache.h"
#include "core/engine/attention/position.h"
#include "core/engine/model/decoder.h"
#include "core/engine/operations/parameters.h"
#include "core/kernels/kernels.h"
#include "core/plan/model_plan.h"

namespace ropelab {

/// The decoder's arithmetic on the CPU with a KV cache, as products of matrices and few vectors: one per stream, which
/// is a text that begins as the others do and has a KV cache of its own. For one stream, memory bandwidth limits them.
/// The number of streams does not change a bit of any stream's logits. With bfloat16, both factors of products and the
/// caches are rounded, and everything else is float32. With int8, the weights of products are int8 rows, and the caches
/// are bfloat16.
class TokenDecoder {
 public:
    /// One run's weights (runs = 1) on the CPU, which must not change. Requires token_kernels_support(plan)
    /// (core/plan/kernels.h).
    TokenDecoder(const ModelPlan& plan, const Parameters& weights, Precision precision);

    /// (vocabulary), after the first tokens of a text, (1, 1, time) int64, which `decoder` computes together.
    torch::Tensor begin(const Decoder& decoder, const torch::Tensor& tokens);
    /// The text so far begins `count` streams. Only of a decoder with one stream.
    TokenDecoder with_streams(std::int64_t count) const;
    /// (streams, vocabulary), for the next token of each stream, all at this position; valid until the next call.
    /// They attend to the newest `context` tokens of their stream, themselves included. Learned positions end with the
    /// context.
    torch::Tensor next(std::span<const std::int32_t> tokens, std::int64_t position);
    /// (vocabulary), of the only stream.
    torch::Tensor next(std::int32_t token, std::int64_t position) { return next({&token, 1}, position)[0]; }

    std::int64_t streams() const { return std::ssize(caches_); }
    /// Of all streams.
    std::int64_t cache_bytes() const;
    /// That each token reads, whatever the number of streams.
    std::int64_t weight_bytes() const;

 private:
    struct Matrix {
        std::int64_t rows;
        std::int64_t columns;
        const float* numbers;         // null if only rounded numbers are in memory
        const std::uint16_t* halves;  // bfloat16 numbers, or null
        kernels::ByteRows bytes;      // int8 rows, or null
        const float* bias;            // null without a bias
    };
    struct Norm {
        bool centred;
        float epsilon;
        std::int64_t columns;
        const float* weight;
        const float* bias;
    };
    /// Parts of a layer that the kernels support, and their parameters.
    struct Layer {
        Softmax attention;
        Mlp mlp;
        bool is_parallel;
        Norm attention_norm, mlp_norm;
        Norm query_norm, key_norm;  // without weights if there is no qk_norm
        Matrix qkv, output, up, down;
    };
    using Vector = std::vector<float>;

    void make_terms(std::int64_t positions);
    void use_terms(const PositionTerms& terms);
    /// Computes the terms first if `terms_` lacks the position.
    std::int64_t row_of(std::int64_t position);
    const float* vector(const std::string& name) const;
    Matrix matrix(const std::string& name) const;
    /// LayerNorm or RMSNorm.
    Norm norm(const std::string& name, const NormPart& part = {.kind = NormPart::Kind::rms}) const;
    void reserve(std::int64_t streams);
    /// matrix·x + bias of each stream, whose numbers in `x` are `stride` after those of the stream before; 0: as many
    /// as the matrix has columns. Each thread calls `finish(first, last)` for its part of the numbers of each stream.
    template <typename Finish>
    void multiply(const Matrix& matrix, const Vector& x, Vector& out, Finish finish, std::int64_t stride = 0) const;
    void multiply(const Matrix& matrix, const Vector& x, Vector& out, std::int64_t stride = 0) const;
    void normalize(const Norm& norm, float* rows, std::int64_t count) const;
    /// Normalized stream to normed_, after `branch` was added to it (unless null).
    void normalize_stream(const Norm& norm, const Vector* branch);
    void embed(std::int32_t token, std::int64_t position, std::int64_t row, float* to) const;
    /// `row`: row of the position terms.
    void attend(std::int64_t layer, std::int64_t row);
    void feed_forward(const Layer& layer);

    ModelPlan plan_;
    std::int64_t width_;
    Precision precision_;
    bool stores_tables_;
    Parameters weights_;
    torch::Tensor learned_positions_;  // (T, C), or undefined
    std::vector<Layer> layers_;
    Norm final_norm_ = {};
    Matrix embedding_ = {};
    Matrix head_ = {};
    PositionSource source_;
    std::vector<LayerTerms> terms_;  // terms per layer, for the positions needed so far or for the newest position only
    torch::Tensor embeddings_;       // sinusoidal embeddings of the same positions; undefined without them
    std::vector<KeyValueCache> caches_;  // of the streams

    Vector stream_, normed_, qkv_, mixed_, wide_, attended_, fed_, logits_;  // numbers of one stream after the other
};

}  // namespace ropelab
