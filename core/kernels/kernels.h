#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/cuda/bfloat16.h"

// The element-wise work of a training step on the CPU, several passes fused into one. No LibTorch here: plain arrays
// and a range of rows, so that whoever calls decides how rows go to threads. No result depends on that split: a row's
// numbers come from that row, and sums over rows are made in blocks of `block_rows`, then block after block.

namespace ropelab {
class RandomStream;
}

namespace ropelab::kernels {

using cuda::Bfloat16;

/// The level of processor that the loaded library is for, as GCC and glibc name it: x86-64-v4 with AVX-512, x86-64-v3
/// with AVX2; "any processor".
std::string_view level();

/// Rows that a sum over rows takes together.
constexpr std::int64_t block_rows = 64;
constexpr std::int64_t blocks_of(std::int64_t rows) {
    return (rows + block_rows - 1) / block_rows;
}

/// Which numbers a dropout drops: number r·columns + c of step `step` of the stream for row r and column c. Without a
/// stream nothing is dropped.
struct DropoutNumbers {
    const RandomStream* stream = nullptr;
    double rate = 0;
    std::uint64_t step = 0;
};

/// Residual and normalisation: sum = x + dropout(branch); normed = (sum − mean)/deviation · weight + bias, with
/// `centred` false the root mean square in the deviation's place and no mean. `branch` and `bias` may be null; without
/// a branch `sum` is not written. Arrays of rows × columns; mean and inverse deviation one a row. What goes between
/// products may be bfloat16: nothing else is rounded.
template <typename Branch, typename Out>
struct NormForward {
    std::int64_t columns;
    bool centred = true;
    const float* x;
    const Branch* branch;
    const float* weight;
    const float* bias;
    DropoutNumbers dropout;
    float* mask;  // with a stream: receives what the branch was multiplied by, for the backward pass
    float* sum;
    Out* normed;
    float* mean;
    float* inverse;
};
/// Blocks of rows [first, last) of `rows`.
template <typename Branch, typename Out>
void norm_forward(const NormForward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// Its gradients. `of_sum` (may be null) arrives over the residual path; `of_x` receives the gradient of the sum, and
/// `of_branch` (null without a branch) the same after dropout. `of_weight` and `of_bias` (may be null): one row of
/// columns a block, to be added up by the caller.
template <typename Branch, typename Out>
struct NormBackward {
    std::int64_t columns;
    bool centred = true;
    const float* sum;
    const float* mean;
    const float* inverse;
    const float* weight;
    const float* of_sum;
    const Out* of_normed;
    const float* mask;  // of the forward pass; null where nothing was dropped
    float* of_x;
    Branch* of_branch;
    float* of_weight;
    float* of_bias;
};
template <typename Branch, typename Out>
void norm_backward(const NormBackward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// out = the sum of `rows` rows, row after row.
void sum_rows(const float* parts, std::int64_t rows, std::int64_t columns, float* out);

/// The tables of one run: time × head_dim/2, canonical pairing. Null for a run without rotation.
struct RotaryTable {
    const float* cosine = nullptr;
    const float* sine = nullptr;
};
/// Turns `count` heads that stand side by side in place (F1) by head_dim/2 angles; direction −1 turns back.
void turn_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine, const float* sine,
                float direction);

/// Causal attention of one run, with the rotation of queries and keys (F1), in float32 whatever T is. `qkv`:
/// (sequences·time, heads + 2·key_value_heads, head_dim), queries, then keys, then values; each head of keys and values
/// serves heads/key_value_heads heads of queries that stand side by side. `slopes`: ALiBi's, one per query head (F25),
/// or null. `window`: the tokens that a query attends to, itself included; 0 for all before it. Row
/// (sequence·heads + head)·time + query of the attention weights is what dropout counts, with `time` columns. No scores
/// are stored: the backward pass computes them again.
template <typename T>
struct CausalAttention {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    const T* qkv;
    RotaryTable table;
    const float* slopes = nullptr;
    std::int64_t window = 0;
    DropoutNumbers dropout;
};
/// Groups [first, last), sequence·key_value_heads + head of keys, into `mixed`: (sequences·time, heads, head_dim).
template <typename T>
void attend(const CausalAttention<T>& args, T* mixed, std::int64_t first, std::int64_t last);
/// Its gradient, which lies as `qkv` does.
template <typename T>
void attend_backward(const CausalAttention<T>& args, const T* of_mixed, T* of_qkv, std::int64_t first,
                     std::int64_t last);

/// One row's softmax of `count` scores times scale, in place.
void softmax(float* scores, std::int64_t count, float scale);

/// out[r] = Σ matrix[r, i]·x[i] of rows [first, last).
void dot_rows(const float* matrix, const float* x, std::int64_t columns, float* out, std::int64_t first,
              std::int64_t last);

/// A vector as products with bfloat16 rows want it: numbers of even and of odd place apart, since 32 bits of a row hold
/// one of each. What is left over 32 stands in `rest`.
struct PairedVector {
    PairedVector(const float* x, std::int64_t count);
    std::int64_t paired() const { return columns / 32 * 32; }

    std::int64_t columns;
    std::vector<float> even, odd, rest;
};
/// The same with bfloat16 numbers, given as the upper halves of floats.
void dot_rows(const std::uint16_t* matrix, const PairedVector& x, float* out, std::int64_t first, std::int64_t last);

/// out[i] = Σ weights[r]·rows[r, i].
void sum_weighted_rows(const float* rows, const float* weights, std::int64_t count, std::int64_t columns, float* out);

/// GELU, x·Φ(x), in float32 to 2e-7 of the larger of 1 and |x|; `out` may be x.
template <typename T>
void gelu(const T* x, T* out, std::int64_t count);
/// of_x = gradient · (Φ(x) + x·φ(x)).
template <typename T>
void gelu_backward(const T* x, const T* gradient, T* of_x, std::int64_t count);

/// SwiGLU: SiLU(gate)·factor; `out` may be gate.
template <typename T>
void swiglu(const T* gate, const T* factor, T* out, std::int64_t count);
template <typename T>
void swiglu_backward(const T* gate, const T* factor, const T* gradient, T* of_gate, T* of_factor, std::int64_t count);

/// −log softmax at the target, and log Σ exp, of rows [first, last) of logits.
void cross_entropy(const float* logits, const std::int64_t* targets, std::int64_t columns, float* losses,
                   float* log_sums, std::int64_t first, std::int64_t last);
/// (softmax − one at the target) · scale.
void cross_entropy_backward(const float* logits, const std::int64_t* targets, const float* log_sums,
                            std::int64_t columns, float scale, float* gradient, std::int64_t first, std::int64_t last);

/// Σ values² in double.
double sum_of_squares(const float* values, std::int64_t count);

/// One AdamW step (Loshchilov and Hutter 2019) on `count` numbers, the gradient scaled by `scale` before. `working`
/// receives the new weights rounded to bfloat16, as the upper halves of floats; null: nothing does.
struct AdamW {
    double rate;
    double beta1;
    double beta2;
    double epsilon;
    double decay;
    double correction1;  // 1 − beta1^step
    double correction2;
};
void adamw(float* weights, const float* gradient, float* first_moment, float* second_moment, std::int64_t count,
           float scale, const AdamW& settings, std::uint16_t* working = nullptr);

/// Rows of a table: out[r] = table[tokens[r]].
void gather_rows(const float* table, const std::int64_t* tokens, std::int64_t columns, float* out, std::int64_t first,
                 std::int64_t last);
/// The gradient of the table's columns [first, last): of_table[tokens[r]] += gradient[r], row after row.
void scatter_rows(const float* gradient, const std::int64_t* tokens, std::int64_t rows, std::int64_t columns,
                  float* of_table, std::int64_t first, std::int64_t last);

}  // namespace ropelab::kernels
