#pragma once

#include <cstdint>
#include <vector>

// The element-wise work of a training step on the CPU, several passes fused into one. No LibTorch here: plain arrays
// and a range of rows, so that whoever calls decides how rows go to threads. No result depends on that split: a row's
// numbers come from that row, and sums over rows are made in blocks of `block_rows`, then block after block.

namespace ropelab {
class RandomStream;
}

namespace ropelab::kernels {

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
/// a branch `sum` is not written. Arrays of rows × columns; mean and inverse deviation one a row.
struct NormForward {
    std::int64_t columns;
    bool centred = true;
    const float* x;
    const float* branch;
    const float* weight;
    const float* bias;
    DropoutNumbers dropout;
    float* mask;  // with a stream: receives what the branch was multiplied by, for the backward pass
    float* sum;
    float* normed;
    float* mean;
    float* inverse;
};
/// Blocks of rows [first, last) of `rows`.
void norm_forward(const NormForward& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// Its gradients. `of_sum` (may be null) arrives over the residual path; `of_x` receives the gradient of the sum, and
/// `of_branch` (null without a branch) the same after dropout. `of_weight` and `of_bias` (may be null): one row of
/// columns a block, to be added up by the caller.
struct NormBackward {
    std::int64_t columns;
    bool centred = true;
    const float* sum;
    const float* mean;
    const float* inverse;
    const float* weight;
    const float* of_sum;
    const float* of_normed;
    const float* mask;  // of the forward pass; null where nothing was dropped
    float* of_x;
    float* of_branch;
    float* of_weight;
    float* of_bias;
};
void norm_backward(const NormBackward& args, std::int64_t rows, std::int64_t first, std::int64_t last);

/// out = the sum of `rows` rows, row after row.
void sum_rows(const float* parts, std::int64_t rows, std::int64_t columns, float* out);

/// The tables of one run: time × head_dim/2, canonical pairing. Null for a run without rotation.
struct RotaryTable {
    const float* cosine = nullptr;
    const float* sine = nullptr;
};
struct HeadShape {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t head_dim;
};
/// Turns `count` heads that stand side by side in place (F1) by head_dim/2 angles; direction −1 turns back.
void turn_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine, const float* sine,
                float direction);
/// Turns q and k of rows [first, last) of qkv, (rows, 3, heads, head_dim), in place (F1); row r stands at position
/// r mod time. `direction` is 1, or −1 for the gradient.
void rotate_qkv(float* qkv, const HeadShape& shape, const RotaryTable& table, float direction, std::int64_t first,
                std::int64_t last);

/// Causal softmax with dropout over rows of attention scores. Row r of time scores belongs to the query at r mod time.
/// In: scores of rows [first, last), unscaled; out: in place the shares before dropout, 0 for the future, and `dropped`
/// (may be the same array without dropout) after it.
void causal_softmax(float* scores, float* dropped, std::int64_t time, float scale, const DropoutNumbers& dropout,
                    std::int64_t first, std::int64_t last);
/// Its gradient: `gradient` of the dropped shares becomes that of the unscaled scores, in place. `dropped` are the
/// shares after dropout at `rate`, null where nothing was dropped.
void causal_softmax_backward(const float* shares, const float* dropped, float* gradient, std::int64_t time, float scale,
                             double rate, std::int64_t first, std::int64_t last);

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

/// In place GELU, x·Φ(x), to 2e-7 of the larger of 1 and |x|.
void gelu(float* x, std::int64_t count);
/// SwiGLU: gate becomes SiLU(gate)·factor.
void silu_times(float* gate, const float* factor, std::int64_t count);

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
