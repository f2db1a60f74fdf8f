#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/arithmetic.h"

// The fused element-wise work of a training step on a CUDA device: core/kernels for a whole cohort at once. No LibTorch
// and no CUDA header here: pointers into the device's memory, sizes and a stream. Every array has a leading runs
// dimension; no run's numbers depend on its mates, and equal inputs give equal bits (sums are made in an order that the
// shape alone decides). Nothing allocates or waits, so that all of it can be captured in a graph.
//
// Functions return 0, or the cudaError_t of a refused launch (error_text names it). Arrays are contiguous, except that
// weights may lie in longer rows: a `stride` is the number of float32 from one run's to the next.

struct CUstream_st;

namespace ropelab::cuda {

using Stream = ::CUstream_st*;

/// What activations are held in; sums, means, weights and losses are float32.
enum class Type : std::int32_t { float32, bfloat16 };

/// Which numbers are dropped: number r·columns + c of the current step of a run's stream for its row r and column c, as
/// core/kernels drops them. Without keys nothing is dropped.
struct DropoutNumbers {
    const StreamKey* keys = nullptr;     // (runs), the place's
    const std::int64_t* step = nullptr;  // (1)
    double rate = 0;
};

/// Turns q and k of qkv, (runs, rows, heads + 2·key_value_heads, head_dim) of `type`, in place (F1); row r stands at
/// position r mod time. A pair that does not turn has cosine 1 and sine 0.
struct RotateQkv {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    Type type;
    Pairing pairing;
    void* qkv;
    const float* cosine;  // (runs, time, head_dim/2)
    const float* sine;
    bool backward;
};
int rotate_qkv(const RotateQkv& args, Stream stream);

/// Rows that one part of a sum over rows takes; parts are added up in their order.
constexpr std::int64_t norm_part_rows = 32;
constexpr std::int64_t norm_parts(std::int64_t rows) {
    return (rows + norm_part_rows - 1) / norm_part_rows;
}

/// sum = x + dropout(branch), normed = (sum − mean)/deviation · weight + bias, with `centred` false the root mean
/// square in the deviation's place and no mean. Without a branch `sum` is not written.
struct ResidualNorm {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    Type type;            // of branch and normed
    const float* x;       // (runs, rows, columns)
    const void* branch;   // the same, or null
    const float* weight;  // (runs, columns), stride
    const float* bias;    // the same, or null
    std::int64_t stride;
    DropoutNumbers dropout;
    float* sum;      // (runs, rows, columns)
    void* normed;    // the same
    float* mean;     // (runs, rows)
    float* inverse;  // the same
    bool centred = true;
};
int residual_norm(const ResidualNorm& args, Stream stream);

/// Its gradients; those of weight and bias overwrite what is there.
struct ResidualNormBackward {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    Type type;         // of of_normed and of_branch
    const float* sum;  // (runs, rows, columns); x where there was no branch
    const float* mean;
    const float* inverse;
    const float* weight;  // (runs, columns), stride
    std::int64_t stride;
    const float* of_sum;    // (runs, rows, columns), what arrives over the residual path, or null
    const void* of_normed;  // (runs, rows, columns)
    DropoutNumbers dropout;
    float* of_x;       // (runs, rows, columns): of the sum
    void* of_branch;   // the same after dropout; null without a branch
    float* of_weight;  // (runs, columns), gradient_stride
    float* of_bias;    // the same, or null
    std::int64_t gradient_stride;
    float* workspace;  // (2, runs, norm_parts(rows), columns)
    bool centred = true;
};
int residual_norm_backward(const ResidualNormBackward& args, Stream stream);

/// out = dropout(in), and its gradient: (runs, size) of `type`; in and out may be the same.
struct DropOut {
    std::int64_t runs;
    std::int64_t size;
    Type type;
    const void* in;
    void* out;
    DropoutNumbers dropout;
};
int drop_out(const DropOut& args, Stream stream);

/// Causal softmax with dropout. scores: (runs, rows, time) of `type`, unscaled; row r belongs to the query at r mod
/// time. In place the shares before dropout, 0 for the future; `dropped` (null without dropout) after it.
struct CausalSoftmax {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t time;
    Type type;
    float scale;
    DropoutNumbers dropout;
    void* scores;
    void* dropped;
};
int causal_softmax(const CausalSoftmax& args, Stream stream);

/// In place the gradient of the dropped shares becomes that of the unscaled scores. `dropped` (null without dropout)
/// receives the shares after dropout.
struct CausalSoftmaxBackward {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t time;
    Type type;
    float scale;
    DropoutNumbers dropout;
    const void* shares;
    void* gradient;
    void* dropped;
};
int causal_softmax_backward(const CausalSoftmaxBackward& args, Stream stream);

/// out = x · Φ(x), number by number of `type`.
struct GeluCurve {
    std::int64_t count;
    Type type;
    const void* in;
    void* out;
};
int gelu_curve(const GeluCurve& args, Stream stream);
struct GeluCurveBackward {
    std::int64_t count;
    Type type;
    const void* in;
    const void* gradient;
    void* of_in;
};
int gelu_curve_backward(const GeluCurveBackward& args, Stream stream);

/// out = silu(gate) · factor; a row of `in` is a gate, then a factor, each of `width` numbers of `type`.
struct Swiglu {
    std::int64_t rows;
    std::int64_t width;
    Type type;
    const void* in;  // (rows, 2·width)
    void* out;       // (rows, width)
};
int swiglu(const Swiglu& args, Stream stream);
struct SwigluBackward {
    std::int64_t rows;
    std::int64_t width;
    Type type;
    const void* in;
    const void* gradient;  // (rows, width)
    void* of_in;           // (rows, 2·width)
};
int swiglu_backward(const SwigluBackward& args, Stream stream);

/// −log softmax at the target. logits: (rows, padded) of `type`, of which the first `columns` are symbols; rows counts
/// those of all runs.
struct CrossEntropy {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t padded;
    Type type;
    const void* logits;
    const std::int64_t* targets;  // (rows)
    float* losses;                // (rows)
    float* log_sums;              // (rows)
};
int cross_entropy(const CrossEntropy& args, Stream stream);

/// (softmax − one at the target) · the row's scale; 0 in the padding.
struct CrossEntropyBackward {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t padded;
    Type type;
    const void* logits;
    const std::int64_t* targets;
    const float* log_sums;
    const float* scales;  // (rows)
    void* gradient;       // (rows, padded)
};
int cross_entropy_backward(const CrossEntropyBackward& args, Stream stream);

/// Adds to each total the sum of its run's losses.
struct AddRows {
    std::int64_t runs;
    std::int64_t rows;
    const float* losses;  // (runs, rows)
    double* totals;       // (runs)
};
int add_rows(const AddRows& args, Stream stream);

/// out[r] = table[tokens[r]]; table: (runs, symbols, columns) float32, stride; out: (runs, rows, columns) float32.
struct LookUp {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    const float* table;
    std::int64_t stride;
    const std::int64_t* tokens;  // (runs, rows)
    float* out;
};
int look_up(const LookUp& args, Stream stream);

/// Parts of the rows that embedding_gradient adds up apart: enough blocks for a small vocabulary, one part for a large
/// one.
constexpr std::int64_t embedding_parts(std::int64_t rows, std::int64_t symbols) {
    const std::int64_t wanted = 2048 / symbols;
    const std::int64_t most = (rows + 511) / 512;
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}
/// of_table[s] = Σ gradient[r] over the rows r with tokens[r] = s; overwrites all rows of the table's gradient.
struct EmbeddingGradient {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t symbols;
    std::int64_t columns;
    const float* gradient;       // (runs, rows, columns)
    const std::int64_t* tokens;  // (runs, rows)
    float* of_table;             // (runs, symbols, columns), gradient_stride
    std::int64_t gradient_stride;
    float* workspace;  // (runs, embedding_parts, symbols, columns); null where there is one part
};
int embedding_gradient(const EmbeddingGradient& args, Stream stream);

/// Numbers that one part of a sum of squares takes.
constexpr std::int64_t square_part = 16384;
constexpr std::int64_t square_parts(std::int64_t count) {
    return (count + square_part - 1) / square_part;
}
/// First stage: the sum of squares of each part of each run's gradient, in double.
struct SquareSums {
    std::int64_t runs;
    std::int64_t count;
    const float* gradient;  // (runs, count)
    double* parts;          // (runs, square_parts(count))
};
int square_sums(const SquareSums& args, Stream stream);

/// Second stage: each run's gradient norm, clipping scale, learning rate and bias corrections of the current step. A
/// run whose norm or loss is not finite is left as it is.
struct PrepareUpdate {
    std::int64_t runs;
    std::int64_t count;
    const double* parts;       // of square_sums
    const float* losses;       // (runs), or null
    const double* rates;       // (runs): learning rates of this step
    const std::int64_t* step;  // (1), from 0
    double clip;               // 0: none
    Betas betas;
    float* norms;              // (runs), before clipping
    UpdateSettings* settings;  // (runs)
};
int prepare_update(const PrepareUpdate& args, Stream stream);

/// One AdamW step on every run by its settings: float32 weights, and their copy in bfloat16 for the products. The first
/// `decayed` numbers of a run decay.
struct AdamW {
    std::int64_t runs;
    std::int64_t count;
    std::int64_t decayed;
    float* weights;     // (runs, count)
    Bfloat16* working;  // the same, or null
    const float* gradient;
    float* first_moment;
    float* second_moment;
    const UpdateSettings* settings;
    Betas betas;
};
int adamw(const AdamW& args, Stream stream);

/// Windows of the tokens: x (runs, batch, context) and y, one symbol later. They start at `starts` (runs, batch), or,
/// where that is null, where core/train/batches.h starts them in the current step.
struct GatherBatch {
    std::int64_t runs;
    std::int64_t batch;
    std::int64_t context;
    const std::int32_t* tokens;  // (token_count)
    std::int64_t token_count;
    const std::int64_t* starts;
    bool sequential;
    const StreamKey* keys;     // (runs): stream "batches"; not read in sequence
    const std::int64_t* step;  // (1)
    std::int64_t* x;
    std::int64_t* y;
};
int gather_batch(const GatherBatch& args, Stream stream);

/// step += 1, as the last kernel of a captured step.
int advance_step(std::int64_t* step, Stream stream);

const char* error_text(int error);

/// All of the above, for who opens the library at run time.
struct Kernels {
    decltype(&cuda::rotate_qkv) rotate_qkv;
    decltype(&cuda::residual_norm) residual_norm;
    decltype(&cuda::residual_norm_backward) residual_norm_backward;
    decltype(&cuda::drop_out) drop_out;
    decltype(&cuda::causal_softmax) causal_softmax;
    decltype(&cuda::causal_softmax_backward) causal_softmax_backward;
    decltype(&cuda::gelu_curve) gelu_curve;
    decltype(&cuda::gelu_curve_backward) gelu_curve_backward;
    decltype(&cuda::swiglu) swiglu;
    decltype(&cuda::swiglu_backward) swiglu_backward;
    decltype(&cuda::cross_entropy) cross_entropy;
    decltype(&cuda::cross_entropy_backward) cross_entropy_backward;
    decltype(&cuda::add_rows) add_rows;
    decltype(&cuda::look_up) look_up;
    decltype(&cuda::embedding_gradient) embedding_gradient;
    decltype(&cuda::square_sums) square_sums;
    decltype(&cuda::prepare_update) prepare_update;
    decltype(&cuda::adamw) adamw;
    decltype(&cuda::gather_batch) gather_batch;
    decltype(&cuda::advance_step) advance_step;
    decltype(&cuda::error_text) error_text;
};

}  // namespace ropelab::cuda

/// What the engine looks up in libropelab_cuda.so.
extern "C" const ropelab::cuda::Kernels* ropelab_cuda_kernels();
