#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/parameters.h"
#include "core/model/rotary.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// A model that reads one symbol after another on the CPU and keeps the keys and values of those before: the decoder's
/// arithmetic (core/model/decoder.h) as products of matrices with one vector, which take as long as reading the
/// weights. With precision bfloat16 the matrices are rounded, vectors stay float32.
class TokenDecoder {
 public:
    /// Of one run's weights (runs = 1) on the CPU, which are copied.
    TokenDecoder(const RunSpec& spec, const Parameters& weights, Precision precision);

    /// Logits after `token` at `position`: (vocabulary). It sees the newest `context` symbols, itself
    /// included. Learned positions need a position below the context.
    torch::Tensor read(std::int32_t token, std::int64_t position);

 private:
    struct Matrix {
        torch::Tensor numbers;  // (rows, columns)
        torch::Tensor bias;     // (rows) or undefined
    };
    struct Norm {
        torch::Tensor weight;
        torch::Tensor bias;
    };
    struct Layer {
        Norm attention_norm, mlp_norm;
        Norm query_norm, key_norm;  // undefined without qk_norm
        Matrix qkv, output, up, down;
        // (key_value_heads, context, head_dim); the entry of the symbol read as number n is n modulo context.
        torch::Tensor keys, values;
    };

    static Matrix matrix(const Parameters& weights, const std::string& name, Precision precision);
    static Norm norm(const Parameters& weights, const std::string& name);
    static torch::Tensor product(const Matrix& matrix, const torch::Tensor& x);
    static torch::Tensor normed(const Norm& norm, const torch::Tensor& rows, bool centred);
    torch::Tensor attention(Layer& layer, const RotaryTables& tables, const torch::Tensor& x, std::int64_t position);
    torch::Tensor mlp(const Layer& layer, const torch::Tensor& x) const;

    RunSpec spec_;
    torch::Tensor embedding_;  // (vocabulary, C)
    torch::Tensor positions_;  // (context, C) or undefined
    std::vector<Layer> layers_;
    Norm final_norm_;
    Matrix head_;
    LayerTables tables_;  // as many positions as were needed so far
    std::int64_t length_ = 0;
};

}  // namespace ropelab
