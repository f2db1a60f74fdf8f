#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

/// Position encoding of a model: none (NoPE), learned position embeddings, RoPE (queries and keys are rotated), learned
/// embeddings and RoPE, fixed sinusoidal embeddings, or ALiBi (attention logits are lowered in proportion to distance).
/// Shaw's learned vectors of clipped distances (formula 39), T5's learned bias by distance (formula 40),
/// Transformer-XL's relative logits (formula 41), xPos, which is RoPE with a decay (formula 42), CoPE's contextual
/// positions (formula 43), and RoPE with T5's bias.
enum class Position {
    none,
    learned,
    rope,
    learned_rope,
    sinusoidal,
    alibi,
    shaw,
    t5,
    transformer_xl,
    xpos,
    cope,
    rope_bias
};
/// Type of the decoder's blocks. `gpt2` has LayerNorm and GELU and runs attention before the MLP (as nanoGPT does).
/// `llama` has RMSNorm and SwiGLU in the order of gpt2. `pythia` has LayerNorm and GELU and runs attention and the MLP
/// in parallel on one residual (as GPT-NeoX does).
enum class Block { gpt2, llama, pythia };
/// RMSNorm of the queries and keys before rotation: `none`, `head` over the channels of each head (Henry et al. 2020),
/// or `projection` over the channels of all heads of a token together (OLMo 2; GPT-NeoX too normalizes across heads).
enum class QkNorm { none, head, projection };
/// Defines which RoPE bases are trained with the weights: `fixed` none, `one` a single theta for the model, `layer` one
/// theta per layer, `head` one theta per head of each layer, `free` each frequency of each layer separately.
enum class ThetaTraining { fixed, one, layer, head, free };
/// Precision of the rotary tables: float32; `bfloat16_tables` rounds cos and sin to bfloat16; `bfloat16_positions`
/// rounds each position to bfloat16 before its angle is computed, so that positions above 256 are no longer exact.
enum class RopePrecision { float32, bfloat16_tables, bfloat16_positions };
/// Shape of the schedule by which the RoPE base changes from `theta` to `theta_end` during training.
enum class ThetaSchedule { constant, linear, geometric };
/// Tokenizer: one token per character or per byte. `automatic` uses characters if the text is valid UTF-8, but bytes
/// for other texts and for enwik8.
enum class Tokenizer { automatic, characters, bytes };
/// Percentages of a text that are used for training, validation and (with 90/5/5) testing, in this order.
enum class Split { ninety_ten, ninety_five_five };
/// Order of the training sequences: at random offsets of the text, or one after another from its start.
enum class BatchOrder { random, sequential };
/// Validation data: `whole` evaluates every non-overlapping sequence of the validation split, `sampled` evaluates
/// random batches as nanoGPT does.
enum class Evaluation { whole, sampled };
/// Precision of linear layers.
enum class Precision { automatic, float32, bfloat16 };
/// Device that trains and evaluates a run.
enum class Device { automatic, cpu, cuda };
/// Implementation of a model's operations, which changes only its speed. `fused` combines several operations in one
/// pass and generates text with a KV cache. `eager` runs LibTorch's operations one by one and evaluates the whole
/// context again for each generated token, as a plain PyTorch program does.
enum class Operations { fused, eager };
/// Choice of the project's own CUDA kernels for training on a CUDA device; LibTorch's operations replace the others.
/// `automatic` uses the kernels that passed the device check (core/spec/device_trust.h), `off` uses none, `all` uses
/// every kernel without regard to the check, and `no_graphs` is `all` without CUDA graphs.
enum class CudaKernels { automatic, off, no_graphs, all };

/// Settings of one run. Each member is one setting of an experiment; core/spec/keys.cpp holds their help texts, units
/// and ranges. In float32 on the CPU, two equal RunSpecs give bit-identical results on one machine. With bfloat16 or on
/// a CUDA device, the last bits may depend on the other runs of the cohort.
struct RunSpec {
    // Data
    std::string data = "synthetic";
    Tokenizer tokenizer = Tokenizer::automatic;
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
    std::int64_t mlp_width = 0;        // 0: default width of the block type
    QkNorm qk_norm = QkNorm::none;
    bool bias = false;
    bool tied_head = true;
    double dropout = 0.0;
    Position position = Position::rope;
    std::int64_t relative_clip = 16;      // largest distance with a vector of its own (Shaw)
    std::int64_t distance_buckets = 32;   // buckets of the learned bias (T5, RoPE with bias)
    std::int64_t largest_distance = 128;  // distance from which on the last bucket applies (T5, RoPE with bias)
    double xpos_scale_base = 512.0;       // tokens over which xPos multiplies a pair by ζ_i
    std::int64_t cope_positions = 64;     // number of position embeddings (CoPE)
    std::string frequencies = "auto";     // inverse frequencies of the rotated pairs, instead of those of theta
    std::int64_t attention_window = 0;    // tokens, the current one included; 0: whole context
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    std::string pairs = "all";           // syntax: core/spec/selection.h
    std::string rotated_layers = "all";  // syntax: core/spec/selection.h
    RopePrecision rope_precision = RopePrecision::float32;
    ThetaTraining theta_training = ThetaTraining::fixed;
    ThetaSchedule theta_schedule = ThetaSchedule::constant;
    double theta_end = 10000.0;

    // Training
    std::int64_t seed = 1337;
    std::int64_t iterations = 1000;
    std::int64_t batch = 16;
    std::int64_t micro_batch = 0;  // 0: the whole batch
    BatchOrder batches = BatchOrder::random;
    double learning_rate = 1e-3;
    double final_learning_rate = 1e-4;
    double theta_learning_rate = 0.0;  // 0: learning rate of the weights
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
    std::int64_t probe_every = 1;  // in evaluations; 0: no probes

    // Machine
    Precision precision = Precision::automatic;
    Device device = Device::automatic;
    std::int64_t threads = 0;
    Operations operations = Operations::fused;
    bool rope_cache = true;  // false: cos and sin are computed at every call
    CudaKernels cuda_kernels = CudaKernels::automatic;

    /// Returns the head dimension d = width / heads.
    int head_dim() const { return static_cast<int>(width / heads); }
    /// Returns the number of key and value heads; groups of query heads share them.
    std::int64_t kv_heads() const { return key_value_heads == 0 ? heads : key_value_heads; }
    /// Returns the hidden width of the MLP: `mlp_width` if it is set, else 4 × width. For llama blocks the default is
    /// 8/3 × width, rounded up to a multiple of 8, so that three matrices have about as many weights as two.
    std::int64_t hidden_width() const;
    /// Returns whether the RoPE frequencies change during training, because theta is trained or follows a schedule.
    bool theta_varies() const {
        return rotates() && (theta_training != ThetaTraining::fixed || theta_schedule != ThetaSchedule::constant);
    }
    /// Returns the number of sequences of one forward and backward pass: `micro_batch`, or the whole batch if it is 0.
    std::int64_t sequences_per_pass() const { return micro_batch == 0 ? batch : micro_batch; }
    /// Returns the largest number of tokens that a token attends to, itself included.
    std::int64_t visible_tokens() const {
        return attention_window > 0 && attention_window < context ? attention_window : context;
    }
    /// Returns whether the model applies RoPE.
    bool rotates() const {
        return position == Position::rope || position == Position::learned_rope || position == Position::xpos ||
               position == Position::rope_bias;
    }
    /// Returns whether attention depends on the distances between tokens only, not on their positions. Models without
    /// position encoding are not among them.
    bool has_relative_positions() const {
        return position == Position::rope || position == Position::alibi || position >= Position::shaw;
    }
    /// Returns whether the model has a learned bias by distance (formula 40).
    bool has_distance_bias() const { return position == Position::t5 || position == Position::rope_bias; }
    /// Returns whether the fused kernels compute attention with this position encoding; LibTorch's operations compute
    /// it with every other one.
    bool has_fused_encoding() const { return position < Position::shaw; }
    /// Returns whether the model has learned position embeddings.
    bool learns_positions() const { return position == Position::learned || position == Position::learned_rope; }

    bool operator==(const RunSpec&) const = default;
};

/// Throws BadInput if a value is out of range or if two values contradict each other (heads must divide width, the head
/// dimension must be even with RoPE, …). The message names the setting, its value and the values that are allowed.
void check(const RunSpec& spec);

/// Returns the frequencies of the setting `frequencies`, in radians per token; empty for `auto`. The text is a list of
/// numbers separated by commas, plus signs or spaces. Throws BadInput for any other text.
std::vector<double> listed_frequencies(const RunSpec& spec);
/// Returns the parameters of a run's RoPE frequencies, without context extension. For a run that does not rotate, they
/// are those that RoPE would have. Throws BadInput like listed_frequencies.
FrequencySettings frequency_settings_of(const RunSpec& spec);

/// Returns a rotated fraction in words: "25 %", or "2 ch" for a single pair (2 channels) that is less than 10 % of the
/// head. With `head_dim` 0, the head dimension is unknown and the result is a percentage.
std::string fraction_text(double fraction, int head_dim);
/// Returns a short label of a run's position encoding, such as "θ 10k, 25 %" (RoPE with theta 10,000 on 25 % of the
/// channels), "RoPE 0 %", "NoPE" or "ALiBi". Theta and fraction appear only if they have an effect.
std::string label_of(const RunSpec& spec);

/// Returns whether two runs can train in one cohort (runs of equal shape that are trained as one batched program). They
/// may differ in the seed, in the learning rates, their warm-up and decay, and in RoPE (on or off, theta, theta_end,
/// fraction, partial, pairs, rotated_layers, frequencies). A run with any other encoding than learned embeddings and
/// RoPE needs runs with the same encoding.
bool same_shape(const RunSpec& a, const RunSpec& b);

}  // namespace ropelab
