#pragma once

#include <cstdint>
#include <string>

#include "core/rope/frequencies.h"

namespace ropelab {

/// How a model knows the position of a token: not at all, learned embeddings, rotation of queries and keys (RoPE),
/// both, fixed sinusoidal embeddings, or ALiBi's bias of the logits by distance.
enum class Position { none, learned, rope, learned_rope, sinusoidal, alibi };
/// The decoder's blocks. `gpt2`: LayerNorm, GELU, attention and then the MLP (nanoGPT). `llama`: the same order with
/// RMSNorm and SwiGLU. `pythia`: LayerNorm, GELU, both branches side by side on one residual (GPT-NeoX).
enum class Block { gpt2, llama, pythia };
/// Whether theta is trained with the weights: not at all, one for the model, one a layer, one a head of each layer, or
/// every frequency of each layer by itself.
enum class ThetaTraining { fixed, one, layer, head, free };
/// How theta goes from `theta` to `theta_end` over the training.
enum class ThetaSchedule { constant, linear, geometric };
/// What one token is. `automatic`: characters where the file is UTF-8, bytes otherwise (and for enwik8).
enum class Symbols { automatic, characters, bytes };
/// Training, validation and test shares of a text, in order.
enum class Split { ninety_ten, ninety_five_five };
/// How batches are drawn: at random offsets, or window after window.
enum class BatchOrder { random, sequential };
/// `whole`: every non-overlapping window of the validation split, in order. `sampled`: nanoGPT's random batches.
enum class Evaluation { whole, sampled };
enum class Precision { automatic, float32, bfloat16 };
enum class Device { automatic, cpu, cuda };
/// How a model is calculated, which decides its speed only. `fused`: several operations in one pass, and text is
/// written with a cache of keys and values. `eager`: every one by itself, as LibTorch's own, and the whole window is
/// read anew for each symbol, as a plain PyTorch program does.
enum class Operations { fused, eager };
/// Which of the project's own CUDA kernels train on a CUDA device; LibTorch's operations do the rest. `automatic`:
/// those that the check of this device trusts (core/spec/device_trust.h). `off`: none. `no_graphs`: all, but each step
/// is started kernel by kernel. `all`: all, whatever the check found.
enum class CudaKernels { automatic, off, no_graphs, all };

/// Everything that decides one run's result, one member a key of the experiment description (core/spec/keys.h holds
/// each key's default, unit, range and meaning). In float32 on the processor two equal RunSpecs train to the same bits
/// on one machine; elsewhere the runs that train beside them may change the last bits.
struct RunSpec {
    // Data
    std::string data = "generated";
    Symbols symbols = Symbols::automatic;
    Split split = Split::ninety_ten;
    std::int64_t data_seed = 1;
    std::int64_t data_length = 400000;

    // Model
    std::int64_t layers = 2;
    std::int64_t heads = 2;
    std::int64_t width = 64;
    std::int64_t context = 128;
    Block block = Block::gpt2;
    std::int64_t key_value_heads = 0;  // 0: as many as heads
    std::int64_t mlp_width = 0;        // 0: the block's own
    bool qk_norm = false;
    bool bias = false;
    bool tied_head = true;
    double dropout = 0.0;
    Position position = Position::rope;
    std::int64_t attention_window = 0;  // tokens that a token attends to, itself included; 0: the whole context
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    std::string pairs = "all";           // core/spec/selection.h
    std::string rotated_layers = "all";  // core/spec/selection.h
    ThetaTraining theta_training = ThetaTraining::fixed;
    ThetaSchedule theta_schedule = ThetaSchedule::constant;
    double theta_end = 10000.0;

    // Training
    std::int64_t seed = 1337;
    std::int64_t iterations = 1000;
    std::int64_t batch = 16;
    BatchOrder batches = BatchOrder::random;
    double learning_rate = 1e-3;
    double final_learning_rate = 1e-4;
    double theta_learning_rate = 0.0;  // 0: as the weights
    std::int64_t warmup = 100;
    std::int64_t decay_iterations = 0;
    double weight_decay = 0.1;
    double beta1 = 0.9;
    double beta2 = 0.99;
    double clip = 1.0;

    // Evaluation
    std::int64_t evaluate_every = 100;
    Evaluation evaluation = Evaluation::whole;
    std::int64_t evaluation_batches = 20;
    std::int64_t sample_length = 200;
    std::int64_t probe_every = 1;  // evaluations; 0: never

    // Machine
    Precision precision = Precision::automatic;
    Device device = Device::automatic;
    std::int64_t threads = 0;
    Operations operations = Operations::fused;
    bool rope_cache = true;  // else cos and sin are computed at every call
    CudaKernels cuda_kernels = CudaKernels::automatic;

    /// Channels of one head, d = width / heads.
    int head_dim() const { return static_cast<int>(width / heads); }
    /// Heads of keys and values, which groups of query heads share.
    std::int64_t kv_heads() const { return key_value_heads == 0 ? heads : key_value_heads; }
    /// Channels between the two (llama: three) matrices of the MLP: as the key says, else four widths, and for llama
    /// what costs as much with three matrices, up to the next multiple of 8.
    std::int64_t hidden_width() const;
    /// Whether the frequencies change while the model trains.
    bool theta_moves() const {
        return rotates() && (theta_training != ThetaTraining::fixed || theta_schedule != ThetaSchedule::constant);
    }
    /// Tokens that a token attends to at most, itself included.
    std::int64_t visible_tokens() const {
        return attention_window > 0 && attention_window < context ? attention_window : context;
    }
    bool rotates() const { return position == Position::rope || position == Position::learned_rope; }
    bool learns_positions() const { return position == Position::learned || position == Position::learned_rope; }

    bool operator==(const RunSpec&) const = default;
};

/// Throws BadInput, with one sentence that names the key, its value and what would be right, unless every value is in
/// range and they fit each other (heads divide width, the head dimension is even where the model rotates, …).
void check(const RunSpec& spec);

/// A short text that tells a run from its sweep mates: "θ 10k, 25 %"; theta and fraction only where they matter.
std::string label_of(const RunSpec& spec);

/// Whether two runs can train as one cohort: equal in all but theta, fraction, partial, pairs, rotated layers, rotating
/// or not, where a theta schedule ends, seed, and the learning rates with their warm-up and decay. Runs with ALiBi or
/// sinusoidal embeddings train with their like only.
bool same_shape(const RunSpec& a, const RunSpec& b);

}  // namespace ropelab
