#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/fused_device.h"
#include "core/model/parameters.h"
#include "core/model/rotary.h"
#include "core/spec/engine.h"

namespace ropelab {

/// A model that goes on with a text on a device with kernels: it reads a symbol, keeps its keys and values and draws
/// the next one, all on the device. One kernel writes a piece of the text, which the host reads while it grows; where
/// the device cannot hold that kernel, or it is not asked for, a symbol is one graph of several kernels, or without
/// graphs these kernels. The arithmetic of core/model/token_decoder.h: with precision bfloat16 the matrices are
/// rounded, vectors stay float32. Tests run it on the CPU.
class DeviceReader {
 public:
    /// Whether the weights lie on a device with kernels, and these take the model: fused, with tables of cos and sin,
    /// an even head dimension of 256 at most, at most 1,024 symbols, and a width of 6,144 and a hidden width of 12,288
    /// at most.
    static bool serves(const RunSpec& spec, const Parameters& weights);

    /// Of one run's weights (runs = 1), which are copied. `tables`: on the same device, for every position that is
    /// read.
    DeviceReader(const RunSpec& spec, const Parameters& weights, Precision precision, LayerTables tables);

    struct Text {
        std::vector<std::int32_t> drawn;
        bool stopped = false;        // by how.on_token
        bool in_one_kernel = false;  // else by a graph, or kernel by kernel

        /// The next symbol; false where the text stops there.
        bool take(std::int32_t symbol, const Generation& how);
    };
    /// Goes on from `prompt` (tokens of the vocabulary, at least one) by `count` symbols, drawn as `how` says. A reader
    /// reads one text.
    Text go_on(std::span<const std::int32_t> prompt, std::int64_t count, const Generation& how);

 private:
    struct Matrix {
        torch::Tensor numbers;  // (rows, columns)
        torch::Tensor bias;     // (rows) or undefined
    };
    struct Norm {
        torch::Tensor weight;  // or undefined
        torch::Tensor bias;    // or undefined
    };
    struct Layer {
        Norm attention_norm, mlp_norm, query_norm, key_norm;
        Matrix qkv, output, up, down;
        torch::Tensor keys, values;  // (key_value_heads, context, head_dim)
    };

    void read() const;
    cuda::VectorProduct product(const Matrix& matrix, const torch::Tensor& x, const Norm& norm,
                                cuda::Activation activation, const torch::Tensor& y) const;
    void multiply(const cuda::VectorProduct& args) const;
    void attend(const Layer& layer, const RotaryTables& tables) const;
    cuda::SampleSymbol drawing(const Generation& how, std::int64_t prompt) const;
    cuda::WriteText writing(const Generation& how, std::int64_t prompt) const;
    void write_by_graph(std::int64_t prompt, std::int64_t count, const Generation& how, Text& result);
    /// False where the device does not start it.
    bool write_in_one_kernel(cuda::WriteText args, std::int64_t count, const Generation& how, Text& result) const;
    template <typename Args>
    void start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args, const char* name) const;

    RunSpec spec_;
    DeviceKernels kernels_;
    LayerTables tables_;
    torch::Tensor embedding_;  // (vocabulary, C)
    torch::Tensor positions_;  // (context, C) or undefined
    std::vector<Layer> layers_;
    Norm final_norm_;
    Matrix head_;
    // The vectors on their way, (columns) each.
    torch::Tensor x_, qkv_, wide_, logits_;
    torch::Tensor parts_;  // of an attention, as cuda::AttendedParts has them
    cuda::AttendedParts attended_;
    torch::Tensor text_;      // (prompt + count) int32
    torch::Tensor position_;  // (1) int64
};

}  // namespace ropelab
