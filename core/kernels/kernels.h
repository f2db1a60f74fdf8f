#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/kernels/bfloat16.h"

// CPU kernels without LibTorch: the fused element-wise operations of a training step, and attention. They work on plain
// arrays and a range of rows, so that the caller distributes rows over threads. Results do not depend on this
// distribution: each row is computed separately, and sums over rows are computed for blocks of `block_rows` rows and
// then over the blocks in order. `grad_x` denotes the gradient of the loss with respect to x.

namespace ropelab {
class RandomStream;
}

namespace ropelab::kernels {

/// Processor level of the loaded library: "x86-64-v4" (AVX-512), "x86-64-v3" (AVX2) or "any processor".
std::string_view level();

constexpr std::int64_t block_rows = 64;
constexpr std::int64_t blocks_of(std::int64_t rows) {
    return (rows + block_rows - 1) / block_rows;
}

/// Row r, column c uses number first + r·columns + c of step `step`. Without a stream there is no dropout.
struct DropoutNumbers {
    const RandomStream* stream = nullptr;
    double rate = 0;
    std::uint64_t step = 0;
    std::uint64_t first = 0;
};

/// sum = x + dropout(branch); normed = (sum − mean)/deviation · weight + bias (LayerNorm). If `centred` is false, it is
/// RMSNorm: no mean is subtracted, and the root mean square replaces the deviation. `branch` and `bias` may be null;
/// without a branch, `sum` is not written. Arrays are rows × columns; `mean` and `inverse` have one number per row.
/// Inputs and outputs of matrix products (`branch` and `normed`) may be bfloat16; everything else is float32.
template <typename Branch, typename Out>
struct NormForward {
    std::int64_t columns;
    bool centred = true;
    float epsilon;  // added to the mean square
    const float* x;
    const Branch* branch;
    const float* weight;
    const float* bias;
    DropoutNumbers dropout;
    float* mask;  // with dropout: receives the factors of the branch, for the backward pass
    float* sum;
    Out* normed;
    float* mean;
    float* inverse;  // 1/deviation
};
/// For the blocks [first, last) of blocks_of(rows).
template <typename Branch, typename Out>
void norm_forward(const NormForward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// `grad_sum` (may be null) is the gradient from the residual path. `grad_x` receives the gradient of the sum, and
/// `grad_branch` (null without a branch) this gradient times the dropout factors. `grad_weight` and `grad_bias` (may be
/// null) receive one row of `columns` numbers per block; the caller must sum these rows.
template <typename Branch, typename Out>
struct NormBackward {
    std::int64_t columns;
    bool centred = true;
    const float* sum;
    const float* mean;
    const float* inverse;
    const float* weight;
    const float* grad_sum;
    const Out* grad_normalized;
    const float* mask;  // the dropout factors of the forward pass; null without dropout
    float* grad_x;
    Branch* grad_branch;
    float* grad_weight;
    float* grad_bias;
};
/// For the blocks [first, last) of blocks_of(rows).
template <typename Branch, typename Out>
void norm_backward(const NormBackward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// out[c] = Σ parts[r, c], in order.
void sum_rows(const float* parts, std::int64_t rows, std::int64_t columns, float* out);

/// The element in row r and column c is numbers[r·row_stride + c·column_stride].
struct Factor {
    const float* numbers;
    std::int64_t row_stride;
    std::int64_t column_stride;
};
constexpr std::int64_t product_columns = 32;
constexpr std::int64_t product_rows = 192;
/// out[r, c] = Σ_k left[r, k]·right[k, c], where out is contiguous. Sums are computed in order, by multiply-adds where
/// the processor has them, for blocks of `k`, and then over the blocks in order.
struct Product {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t depth;
    Factor left;
    Factor right;
    float* out;

    std::int64_t row_chunks() const { return (rows + product_rows - 1) / product_rows; }
    /// Of product_rows × product_columns numbers.
    std::int64_t parts() const { return row_chunks() * ((columns + product_columns - 1) / product_columns); }
};
/// The parts [first, last). Neighbouring parts share their work on `right`.
void multiply(const Product& product, std::int64_t first, std::int64_t last);

/// Each time × head_dim/2, for pairs of channel i and channel i + head_dim/2; null for a run without RoPE.
struct RotaryTable {
    const float* cosine = nullptr;
    const float* sine = nullptr;
};
/// `count` contiguous heads in place, by head_dim/2 angles (formula 1). A `direction` of 1 rotates, −1 rotates back.
void rotate_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine, const float* sine,
                  float direction);

/// What a relative position encoding adds to attention: entry i belongs to distance i, the last one to all larger
/// distances too; with `by_gates` to position i, between which CoPE interpolates (formula 43). To q·k of query head h
/// are added q·keys[h, i] and bias[h, i], and to the mixed values weight·values[h, i]; each array may be null.
struct RelativeEntries {
    std::int64_t count = 0;
    const float* keys = nullptr;    // (heads, count, head_dim)
    const float* values = nullptr;  // the same
    const float* bias = nullptr;    // (heads, count)
    bool by_gates = false;
};
/// Separately for each sequence: (sequences, …); null where there is no such input.
struct RelativeGradients {
    float* keys = nullptr;
    float* values = nullptr;
    float* bias = nullptr;
    float* sinks = nullptr;  // (sequences, heads)
};

/// One run with RoPE (formula 1 in docs/formulas.md), in float32; if T is Bfloat16, processors with products of its
/// pairs round factors of products. `qkv` is (sequences·time, heads + 2·key_value_heads, head_dim): queries, keys,
/// values. Each key head and value head belongs to heads/key_value_heads consecutive query heads. `slopes` are those of
/// ALiBi, one per query head (formula 25), or null; so are `sinks` (formula 45). `window` is the number of tokens that
/// a query attends to, itself included; 0 means all previous tokens. For dropout, the attention weights form rows
/// (sequence·heads + head)·time + query with `time` columns. Attention scores are not stored; the backward pass
/// recomputes them.
template <typename T>
struct CausalAttention {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    const T* qkv;
    RotaryTable table;
    RotaryTable key_table = table;  // of the keys, where xPos' decay differs (formula 42)
    const float* slopes = nullptr;
    const float* sinks = nullptr;
    RelativeEntries relative = {};
    std::int64_t window = 0;
    DropoutNumbers dropout;
};
/// Group sequence·key_value_heads + k has the query heads of key head k. `mixed`: (sequences·time, heads, head_dim).
template <typename T>
void attend(const CausalAttention<T>& args, T* mixed, std::int64_t first, std::int64_t last);
/// The same numbers for all `groups`, by several threads that all call it with one counter, 0 at first: few groups
/// could not be divided evenly among them.
template <typename T>
void attend_in_turns(const CausalAttention<T>& args, T* mixed, std::int64_t groups, std::atomic<std::int64_t>& next);
/// For the groups [first, last). `grad_mixed` has the shape of `mixed`, `grad_qkv` that of `qkv`.
template <typename T>
void attend_backward(const CausalAttention<T>& args, const T* grad_mixed, T* grad_qkv, std::int64_t first,
                     std::int64_t last, const RelativeGradients& more = {});

/// In place, of `count` scores times `scale`, and of one more logit, whose weight it returns.
float softmax(float* scores, std::int64_t count, float scale, float sink = -std::numeric_limits<float>::infinity());

/// `count` vectors of `columns` numbers, each `stride` numbers after the one before.
struct Vectors {
    const float* numbers;
    std::int64_t columns;
    std::int64_t count = 1;
    std::int64_t stride = 0;
};
/// out[v·out_stride + r] = Σ matrix[r, i]·x[v, i] for rows [first, last). The number of vectors does not change a bit.
void dot_rows(const float* matrix, const Vectors& x, float* out, std::int64_t out_stride, std::int64_t first,
              std::int64_t last);

/// Rounds them to bfloat16 if T is Bfloat16.
template <typename T>
void copy_numbers(const float* from, T* to, std::int64_t count);

/// Vectors rounded to bfloat16, for products with bfloat16 rows. Processors with products of bfloat16 pairs (AVX-512
/// BF16) use `halves`, which end with zeros up to a multiple of 32. On others, elements with even and odd indices are
/// separate, because each 32-bit word of a row contains one of each, and those after the last multiple of 32 are in
/// `rest`.
struct PairedVectors {
    explicit PairedVectors(const Vectors& x);
    /// Elements of a vector in `even` and `odd` together.
    std::int64_t paired() const { return columns / 32 * 32; }
    /// Elements of a vector in `halves`.
    std::int64_t padded() const { return (columns + 31) / 32 * 32; }

    std::int64_t columns;
    std::int64_t count;
    std::vector<std::uint16_t> halves;  // of one vector after the other, as those below
    std::vector<float> even, odd, rest;
};
/// The matrix is bfloat16, the upper 16 bits of floats. Processors differ in the order of the sums.
void dot_rows(const std::uint16_t* matrix, const PairedVectors& x, float* out, std::int64_t out_stride,
              std::int64_t first, std::int64_t last);

/// Rows rounded to int8: a number is (byte − 128)·scale of its row, where |byte − 128| ≤ 127.
struct ByteRows {
    const std::uint8_t* bytes;
    const float* scales;
};
/// The scale is a 127th of the row's largest magnitude; NaN if a number of the row is not finite.
void round_rows(const float* numbers, std::int64_t rows, std::int64_t columns, std::uint8_t* bytes, float* scales);
/// Vectors rounded to whole numbers, 256·high + low, times a scale of each vector, for products with int8 rows. The
/// numbers have 16 bits, fewer where 127·Σ|number| would exceed 32 bits, so that products are exact sums.
struct WholeVectors {
    explicit WholeVectors(const Vectors& x);
    /// Elements of a vector, with zeros at its end.
    std::int64_t padded() const { return (columns + 63) / 64 * 64; }

    std::int64_t columns;
    std::int64_t count;
    std::vector<std::int8_t> high, low;  // of one vector after the other, as those below
    std::vector<std::int16_t> numbers;
    std::vector<float> scales;
    std::vector<std::uint32_t> shifts;  // 128·Σ number, modulo 2^32
};
/// Only the rounding of the vectors, and one rounding of each product, depend on the processor.
void dot_rows(const ByteRows& matrix, const WholeVectors& x, float* out, std::int64_t out_stride, std::int64_t first,
              std::int64_t last);

/// out[i] = Σ weights[r]·rows[r, i].
template <typename T>
void sum_weighted_rows(const T* rows, const float* weights, std::int64_t count, std::int64_t columns, float* out);

/// x·Φ(x) in float32 with an error of at most 2e-7·max(1, |x|). `out` may be equal to `x`.
template <typename T>
void gelu(const T* x, T* out, std::int64_t count);
/// Also stores the derivative Φ(x) + x·φ(x).
void gelu_with_slope(const float* x, float* out, float* slope, std::int64_t count);
/// grad_x = gradient · (Φ(x) + x·φ(x)).
template <typename T>
void gelu_backward(const T* x, const T* gradient, T* grad_x, std::int64_t count);

/// SiLU(gate)·factor. `out` may be equal to `gate`.
template <typename T>
void swiglu(const T* gate, const T* factor, T* out, std::int64_t count);
template <typename T>
void swiglu_backward(const T* gate, const T* factor, const T* gradient, T* grad_gate, T* grad_factor,
                     std::int64_t count);

/// Losses −log softmax at the target, and log Σ exp(logits), for rows [first, last).
void cross_entropy(const float* logits, const std::int64_t* targets, std::int64_t columns, float* losses,
                   float* log_sums, std::int64_t first, std::int64_t last);
/// (softmax − 1 at the target) · scale, for rows [first, last).
void cross_entropy_backward(const float* logits, const std::int64_t* targets, const float* log_sums,
                            std::int64_t columns, float scale, float* gradient, std::int64_t first, std::int64_t last);

/// In double precision.
double sum_of_squares(const float* values, std::int64_t count);

/// Loshchilov and Hutter 2019.
struct AdamW {
    double rate;  // learning rate
    double beta1;
    double beta2;
    double epsilon;
    double decay;        // weight decay
    double correction1;  // 1 − beta1^step
    double correction2;  // 1 − beta2^step
};
/// The gradient is multiplied by `scale`. `working` (may be null) receives the new weights in bfloat16.
void adamw(float* weights, const float* gradient, float* first_moment, float* second_moment, std::int64_t count,
           float scale, const AdamW& settings, std::uint16_t* working = nullptr);

/// out[r] = table[tokens[r]], for r in [first, last).
void gather_rows(const float* table, const std::int64_t* tokens, std::int64_t columns, float* out, std::int64_t first,
                 std::int64_t last);
/// For the columns [first, last): grad_table[tokens[r]] += gradient[r], for all rows in order.
void scatter_rows(const float* gradient, const std::int64_t* tokens, std::int64_t rows, std::int64_t columns,
                  float* grad_table, std::int64_t first, std::int64_t last);

}  // namespace ropelab::kernels
