#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/arithmetic.h"

// The CUDA kernels: the fused element-wise operations of a training step, as in core/kernels, for a whole cohort. This
// header includes neither LibTorch nor CUDA headers. Arguments are pointers to device memory, sizes and a stream. Every
// array has a leading dimension of runs. The results of a run do not depend on the other runs of the cohort, and equal
// inputs give bitwise equal results, because the order of every sum depends only on the shape. Functions neither
// allocate memory nor synchronize, so that they can be captured in a CUDA graph. `grad_x` denotes the gradient of the
// loss with respect to x.
//
// Functions return 0, or the cudaError_t of a failed launch (see error_text). Arrays are contiguous, except that
// weights can be part of longer rows: `stride` is the distance between the weights of consecutive runs, in floats.

struct CUstream_st;

namespace ropelab::cuda {

using Stream = ::CUstream_st*;

/// Data type of activations. Sums, means, weights and losses are float32.
enum class Type : std::int32_t { float32, bfloat16 };

/// Parameters of dropout. The element at row r and column c of a run uses random number 4·first_group + r·columns + c
/// of the current step in the run's stream, as in core/kernels. Without keys there is no dropout.
struct DropoutNumbers {
    const StreamKey* keys = nullptr;     // (runs), keys of the streams for this dropout layer
    const std::int64_t* step = nullptr;  // (1)
    double rate = 0;
    std::int64_t first_group = 0;  // number of the first group of four elements
};

/// Arguments of `rotate_qkv`, which rotates q and k in qkv in place (formula 1 in docs/formulas.md). `qkv` is (runs,
/// rows, heads + 2·key_value_heads, head_dim) of `type`; row r is at position r mod time. A pair that is not rotated
/// has cosine 1 and sine 0.
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
/// Rotates queries and keys; see RotateQkv.
int rotate_qkv(const RotateQkv& args, Stream stream);

/// Number of rows in one part of a sum over rows. The parts are then summed in order.
constexpr std::int64_t norm_part_rows = 32;
/// Returns the number of parts of a sum over `rows` rows.
constexpr std::int64_t norm_parts(std::int64_t rows) {
    return (rows + norm_part_rows - 1) / norm_part_rows;
}

/// Arguments of `residual_norm`, which adds a residual branch and normalizes: sum = x + dropout(branch), normed =
/// (sum − mean)/deviation · weight + bias (LayerNorm). If `centred` is false, it is RMSNorm: no mean is subtracted, and
/// the root mean square replaces the deviation. Without a branch, `sum` is not written.
struct ResidualNorm {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    Type type;            // data type of branch and normed
    const float* x;       // (runs, rows, columns)
    const void* branch;   // (runs, rows, columns), or null
    const float* weight;  // (runs, columns), with `stride`
    const float* bias;    // (runs, columns), with `stride`, or null
    std::int64_t stride;
    DropoutNumbers dropout;
    float* sum;      // (runs, rows, columns)
    void* normed;    // (runs, rows, columns)
    float* mean;     // (runs, rows)
    float* inverse;  // (runs, rows), 1/deviation
    bool centred = true;
};
/// Adds a residual branch and normalizes; see ResidualNorm.
int residual_norm(const ResidualNorm& args, Stream stream);

/// Arguments of `residual_norm_backward`, the gradients of `residual_norm`. The gradients of weight and bias overwrite
/// their arrays.
struct ResidualNormBackward {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    Type type;         // data type of grad_normalized and grad_branch
    const float* sum;  // (runs, rows, columns); without a branch, x
    const float* mean;
    const float* inverse;
    const float* weight;  // (runs, columns), with `stride`
    std::int64_t stride;
    const float* grad_sum;        // (runs, rows, columns), gradient from the residual path, or null
    const void* grad_normalized;  // (runs, rows, columns)
    DropoutNumbers dropout;
    float* grad_x;       // (runs, rows, columns), total gradient of the sum
    void* grad_branch;   // (runs, rows, columns), grad_x times the dropout factors; null without a branch
    float* grad_weight;  // (runs, columns), with `gradient_stride`
    float* grad_bias;    // (runs, columns), with `gradient_stride`, or null
    std::int64_t gradient_stride;
    float* workspace;  // (2, runs, norm_parts(rows), columns)
    bool centred = true;
};
/// Computes the gradients of residual_norm; see ResidualNormBackward.
int residual_norm_backward(const ResidualNormBackward& args, Stream stream);

/// Arguments of `drop_out`, which computes out = dropout(in) and is also its own gradient. `in` and `out` are (runs,
/// size) of `type` and may be equal.
struct DropOut {
    std::int64_t runs;
    std::int64_t size;
    Type type;
    const void* in;
    void* out;
    DropoutNumbers dropout;
};
/// Applies dropout; see DropOut.
int drop_out(const DropOut& args, Stream stream);

/// Arguments of `causal_softmax`, which computes attention weights with dropout. `scores` is (runs, rows, time) of
/// `type`, unscaled; row r belongs to the query at position r mod time. It is replaced by the attention weights before
/// dropout, 0 for later keys. `dropped` (null without dropout) receives the attention weights after dropout.
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
/// Computes attention weights from scores; see CausalSoftmax.
int causal_softmax(const CausalSoftmax& args, Stream stream);

/// Arguments of `causal_softmax_backward`. `shares` are the attention weights before dropout. `gradient` contains the
/// gradient of the attention weights after dropout and is replaced by that of the unscaled scores. `dropped` (null
/// without dropout) receives the attention weights after dropout.
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
/// Computes the gradient of attention scores; see CausalSoftmaxBackward.
int causal_softmax_backward(const CausalSoftmaxBackward& args, Stream stream);

/// Arguments of `gelu_curve`, which computes GELU, x · Φ(x), for each number of `type`.
struct GeluCurve {
    std::int64_t count;
    Type type;
    const void* in;
    void* out;
};
/// Computes GELU; see GeluCurve.
int gelu_curve(const GeluCurve& args, Stream stream);
/// Arguments of `gelu_curve_backward`, the gradient of `gelu_curve`.
struct GeluCurveBackward {
    std::int64_t count;
    Type type;
    const void* in;
    const void* gradient;
    void* grad_in;
};
/// Computes the gradient of GELU; see GeluCurveBackward.
int gelu_curve_backward(const GeluCurveBackward& args, Stream stream);

/// Arguments of `swiglu`, which computes out = silu(gate) · factor. Each row of `in` contains the gate and then the
/// factor, each with `width` numbers of `type`.
struct Swiglu {
    std::int64_t rows;
    std::int64_t width;
    Type type;
    const void* in;  // (rows, 2·width)
    void* out;       // (rows, width)
};
/// Computes SwiGLU; see Swiglu.
int swiglu(const Swiglu& args, Stream stream);
/// Arguments of `swiglu_backward`, the gradient of `swiglu`.
struct SwigluBackward {
    std::int64_t rows;
    std::int64_t width;
    Type type;
    const void* in;
    const void* gradient;  // (rows, width)
    void* grad_in;         // (rows, 2·width)
};
/// Computes the gradient of SwiGLU; see SwigluBackward.
int swiglu_backward(const SwigluBackward& args, Stream stream);

/// Arguments of `cross_entropy`, which computes −log softmax at the target. `logits` is (rows, padded) of `type`; the
/// first `columns` columns belong to tokens, the others are padding. `rows` counts the rows of all runs.
struct CrossEntropy {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t padded;
    Type type;
    const void* logits;
    const std::int64_t* targets;  // (rows)
    float* losses;                // (rows)
    float* log_sums;              // (rows), log Σ exp(logits)
};
/// Computes the cross-entropy loss of each row; see CrossEntropy.
int cross_entropy(const CrossEntropy& args, Stream stream);

/// Arguments of `cross_entropy_backward`, which computes (softmax − 1 at the target) · scale of the row; the gradient
/// of the padding is 0.
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
/// Computes the gradient of the cross-entropy loss; see CrossEntropyBackward.
int cross_entropy_backward(const CrossEntropyBackward& args, Stream stream);

/// Arguments of `add_rows`, which adds the sum of each run's losses to the run's total.
struct AddRows {
    std::int64_t runs;
    std::int64_t rows;
    const float* losses;  // (runs, rows)
    double* totals;       // (runs)
};
/// Adds the losses of each run to its total; see AddRows.
int add_rows(const AddRows& args, Stream stream);

/// Arguments of `look_up`, which copies rows of an embedding table: out[r] = table[tokens[r]]. `table` is (runs,
/// vocabulary size, columns) in float32, with `stride`; `out` is (runs, rows, columns) in float32.
struct LookUp {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t columns;
    const float* table;
    std::int64_t stride;
    const std::int64_t* tokens;  // (runs, rows)
    float* out;
};
/// Copies rows of an embedding table; see LookUp.
int look_up(const LookUp& args, Stream stream);

/// Returns the number of parts of the rows that embedding_gradient sums separately: several for a small vocabulary, so
/// that there are enough thread blocks, and one for a large vocabulary. `vocabulary` is the vocabulary size.
constexpr std::int64_t embedding_parts(std::int64_t rows, std::int64_t vocabulary) {
    const std::int64_t wanted = 2048 / vocabulary;
    const std::int64_t most = (rows + 511) / 512;
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}
/// Arguments of `embedding_gradient`, which computes grad_table[t] = Σ gradient[r] over the rows r with tokens[r] = t.
/// It overwrites all rows of the table's gradient.
struct EmbeddingGradient {
    std::int64_t runs;
    std::int64_t rows;
    std::int64_t vocabulary;  // vocabulary size
    std::int64_t columns;
    const float* gradient;       // (runs, rows, columns)
    const std::int64_t* tokens;  // (runs, rows)
    float* grad_table;           // (runs, vocabulary, columns), with `gradient_stride`
    std::int64_t gradient_stride;
    float* workspace;  // (runs, embedding_parts, vocabulary, columns); null if there is one part
};
/// Computes the gradient of an embedding table; see EmbeddingGradient.
int embedding_gradient(const EmbeddingGradient& args, Stream stream);

/// Number of elements in one part of a sum of squares.
constexpr std::int64_t square_part = 16384;
/// Returns the number of parts of a sum of squares over `count` elements.
constexpr std::int64_t square_parts(std::int64_t count) {
    return (count + square_part - 1) / square_part;
}
/// Arguments of `square_sums`, the first stage of the gradient norm: it computes the sum of squares of each part of
/// each run's gradient, in double precision.
struct SquareSums {
    std::int64_t runs;
    std::int64_t count;
    const float* gradient;  // (runs, count)
    double* parts;          // (runs, square_parts(count))
};
/// Computes sums of squares of gradients; see SquareSums.
int square_sums(const SquareSums& args, Stream stream);

/// Arguments of `prepare_update`, which follows `square_sums`. It computes each run's gradient norm, clipping scale,
/// learning rate and bias corrections for the current step. A run whose norm or loss is not finite will not be updated.
struct PrepareUpdate {
    std::int64_t runs;
    std::int64_t count;
    const double* parts;       // the result of square_sums
    const float* losses;       // (runs), or null
    const double* rates;       // (runs), learning rates of this step
    const std::int64_t* step;  // (1), counted from 0
    double clip;               // maximum gradient norm; 0 disables clipping
    Betas betas;
    float* norms;              // (runs), before clipping
    UpdateSettings* settings;  // (runs)
};
/// Computes the settings of an AdamW step for each run; see PrepareUpdate.
int prepare_update(const PrepareUpdate& args, Stream stream);

/// Arguments of `adamw`, which applies one AdamW step to every run. It updates the float32 weights and their bfloat16
/// copy for matrix products. Weight decay applies to the first `decayed` weights of a run.
struct AdamW {
    std::int64_t runs;
    std::int64_t count;
    std::int64_t decayed;
    float* weights;     // (runs, count)
    Bfloat16* working;  // (runs, count), the bfloat16 copy, or null
    const float* gradient;
    float* first_moment;
    float* second_moment;
    const UpdateSettings* settings;
    Betas betas;
};
/// Applies one AdamW step to every run; see AdamW.
int adamw(const AdamW& args, Stream stream);

/// Arguments of `gather_batch`, which copies sequences of tokens to x, (runs, batch, context), and the same sequences
/// one token later to y. They start at `starts`, (runs, batch); if that is null, they start as core/train/batches.h
/// defines for the current step.
struct GatherBatch {
    std::int64_t runs;
    std::int64_t batch;
    std::int64_t context;
    const std::int32_t* tokens;  // (token_count)
    std::int64_t token_count;
    const std::int64_t* starts;
    bool sequential;
    const StreamKey* keys;     // (runs), keys of the streams "batches"; unused if `sequential`
    const std::int64_t* step;  // (1)
    std::int64_t* x;
    std::int64_t* y;
};
/// Copies the sequences of a batch; see GatherBatch.
int gather_batch(const GatherBatch& args, Stream stream);

/// Computes step += 1; it is the last kernel of a captured training step.
int advance_step(std::int64_t* step, Stream stream);

/// Returns CUDA's description of an error code.
const char* error_text(int error);

/// A table of all functions above, for loading the library at run time.
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

/// Returns the function table. The engine looks up this symbol in libropelab_cuda.so.
extern "C" const ropelab::cuda::Kernels* ropelab_cuda_kernels();
