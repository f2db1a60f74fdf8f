#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/settings/activation.h"
#include "core/settings/choices.h"

namespace ropelab {

/// `gpt2`: LayerNorm and GELU, attention before the MLP (nanoGPT). `llama`: RMSNorm and SwiGLU in this order. `pythia`:
/// LayerNorm and GELU, attention and MLP in parallel on one residual (GPT-NeoX).
enum class Block { gpt2, llama, pythia };
/// Places of the norms in a block: `pre` before each branch (attention, MLP) and after the last block, `post` after
/// each branch was added to the residual stream (Vaswani et al. 2017), `sandwich` before each branch and on its output,
/// before the output is added, and after the last block (Gemma 2).
enum class NormPosition { pre, post, sandwich };
/// Standard deviations of the initial weights of linear layers: `gpt2` is 0.02, and 0.02/√(2·layers) for projections
/// into the residual stream; `xavier` is √(2/(inputs + outputs)) (Glorot and Bengio 2010).
enum class Initialization { gpt2, xavier };
/// `muon` (Jordan et al. 2024) applies to matrices of layers; AdamW trains embeddings, output head and vectors.
enum class OptimizerKind { adamw, sgd, muon };
/// `decoupled` lowers the weights by learning rate × decay at each step (Loshchilov and Hutter 2019), `l2` adds decay ×
/// weight to the gradient before the optimizer, after clipping.
enum class WeightDecayKind { decoupled, l2 };
/// Routing to the second expert of a token in training: `always`, or `random` with twice its probability (formula 49).
enum class SecondExpert { always, random };
/// RMSNorm before rotation: `head` over the channels of each head (Henry et al. 2020), or `projection` over the
/// channels of all heads of a token together (OLMo 2; GPT-NeoX too normalizes across heads).
enum class QkNorm { none, head, projection };
/// `mla` computes keys and values from one latent vector per token, which the cache stores, and rotates separate
/// channels (multi-head latent attention, DeepSeek-AI 2024). `gated`: the output is multiplied by a sigmoid gate per
/// head and channel (Qiu et al. 2025).
enum class AttentionKind { mha, mla, gated };
/// The whole context, a sliding window of attention_window tokens, or a gated DeltaNet (Yang et al. 2024).
enum class LayerAttention { full, window, delta_net };
/// RoPE bases that are trained with the weights: a single theta for the model, one per layer, one per head of each
/// layer, or (`free`) each frequency of each layer separately.
enum class ThetaTraining { fixed, one, layer, head, free };
/// `bfloat16_tables` rounds cos and sin to bfloat16; `bfloat16_positions` rounds each position to bfloat16 before its
/// angle is computed, so that positions above 256 are no longer exact.
enum class RopePrecision { float32, bfloat16_tables, bfloat16_positions };
/// `drop` removes the rotation for the last steps (DroPE, formula 68).
enum class ThetaSchedule { constant, linear, geometric, drop };
/// Percentages for training, validation and (with 90/5/5) testing.
enum class Split { ninety_ten, ninety_five_five };
/// At random offsets of the text, or one after another from its start.
enum class BatchOrder { random, sequential };
/// `whole`: every non-overlapping sequence of the validation split; `sampled`: random batches as nanoGPT does.
enum class Evaluation { whole, sampled };
/// `int8`: of a model that is loaded with its weights (core/contract/engine.h); no run trains in it.
enum class Precision { automatic, float32, bfloat16, int8 };
enum class Device { automatic, cpu, cuda };
/// Changes only speed. `eager` runs LibTorch's operations one by one and evaluates the whole context again for each
/// generated token, as a plain PyTorch program; `fused` has a KV cache.
enum class Operations { fused, eager };
/// `automatic`: if they passed the device check (core/contract/device_trust.h); `off` and `on` without regard to it.
enum class GraphUse { automatic, off, on };

/// core/settings/keys.cpp has help texts, units and ranges. In float32 on the CPU, equal RunSpecs give bit-identical
/// results on one machine; otherwise the last bits may depend on other runs of the cohort.
struct RunSpec {
    // Data
    std::string data = "synthetic";
    Tokenizer tokenizer = Tokenizer::automatic;
    std::string tokenizer_file;        // with Tokenizer::file: a tokenizer.json or a SentencePiece .model, else ""
    std::int64_t vocabulary_size = 0;  // with bpe, unigram and words: largest number of tokens; 0: 1,024
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
    FeedForward feed_forward = FeedForward::automatic;
    std::int64_t mlp_width = 0;  // 0: default width of the feed-forward network
    std::int64_t multiple_of = 8;
    std::int64_t experts = 0;  // 0: dense feed-forward networks
    std::int64_t experts_per_token = 2;
    double expert_capacity = 0;  // 0: no limit
    double expert_balance = 0.01;
    bool expert_noise = true;
    SecondExpert second_expert = SecondExpert::always;
    double router_deviation = 0.02;
    std::int64_t dense_layers = 0;
    QkNorm qk_norm = QkNorm::none;
    NormKind norm = NormKind::automatic;
    NormPosition norm_position = NormPosition::pre;
    bool deepnorm = false;
    Initialization initialization = Initialization::gpt2;
    bool bias = false;
    bool tied_head = true;
    bool head_bias = false;
    double dropout = 0.0;
    AttentionKind attention = AttentionKind::mha;
    std::int64_t latent_width = 0;          // of mla; 0: 4 × head dimension, at most half the width
    std::int64_t rotary_channels = 0;       // of mla, per head; 0: half the head dimension
    std::string attention_layers = "auto";  // syntax: attention_of_layers
    bool attention_sinks = false;
    std::string key_offset = "none";  // layers whose keys are shifted where they do not rotate: none, or a selection
    bool token_smear = false;
    Position position = Position::rope;
    std::int64_t relative_clip = 16;      // largest distance with a vector of its own (Shaw)
    std::int64_t distance_buckets = 32;   // buckets of the learned bias (T5, RoPE with bias)
    std::int64_t largest_distance = 128;  // distance from which on the last bucket applies (T5, RoPE with bias)
    double sinusoidal_base = 10000.0;
    double xpos_scale_base = 512.0;     // tokens over which xPos multiplies a pair by ζ_i
    std::int64_t cope_positions = 64;   // number of position embeddings (CoPE)
    double fourier_deviation = 0.3;     // of FoPE's coefficients
    std::string frequencies = "auto";   // inverse frequencies of the rotated pairs, instead of those of theta
    std::int64_t attention_window = 0;  // tokens, the current one included; 0: whole context
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    std::string pairs = "all";           // syntax: core/base/selection.h
    std::string rotated_layers = "all";  // syntax: core/base/selection.h
    RopePrecision rope_precision = RopePrecision::float32;
    ThetaTraining theta_training = ThetaTraining::fixed;
    ThetaSchedule theta_schedule = ThetaSchedule::constant;
    double theta_end = 10000.0;
    std::int64_t recalibration = 0;  // steps without rotation at the end, with ThetaSchedule::drop; 0: a tenth

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
    OptimizerKind optimizer = OptimizerKind::adamw;
    double momentum = 0.95;  // of sgd and muon
    WeightDecayKind weight_decay_kind = WeightDecayKind::decoupled;
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
    GraphUse cuda_graphs = GraphUse::automatic;

    bool has_subwords() const { return facts_of(tokenizer).has_subwords(); }
    bool trains_tokenizer() const { return facts_of(tokenizer).is_trained; }
    std::int64_t largest_vocabulary() const { return vocabulary_size == 0 ? 1024 : vocabulary_size; }
    int head_dim() const { return static_cast<int>(width / heads); }
    /// Groups of query heads share them.
    std::int64_t kv_heads() const { return key_value_heads == 0 ? heads : key_value_heads; }
    /// Width of the latent vector of keys and values of mla.
    std::int64_t latent_channels() const;
    /// Per head: the separate channels of mla, else the head dimension.
    int rotary_head_dim() const;
    /// Channels of a query or key: the head dimension, with mla plus the separate rotary channels.
    int query_dim() const { return attention == AttentionKind::mla ? head_dim() + rotary_head_dim() : head_dim(); }
    LayerAttention layer_attention(std::int64_t layer) const;
    bool has_delta_net() const;
    bool has_softmax_attention() const;
    /// Never `automatic`.
    FeedForward feed_forward_kind() const;
    /// Returns whether the feed-forward networks are gated: two projections are multiplied.
    bool gates_feed_forward() const { return activation_of(feed_forward_kind()).is_gated; }
    /// Returns the hidden width of the MLP, or of each expert: `mlp_width` if it is set, else 4 × width. The default of
    /// gated networks is 8/3 × width, rounded up to `multiple_of`, so that three matrices have about as many weights as
    /// two.
    std::int64_t hidden_width() const;
    /// Rows of the MLP's first matrix, which gated networks have twice.
    std::int64_t up_rows() const { return (gates_feed_forward() ? 2 : 1) * hidden_width(); }
    bool has_experts(std::int64_t layer) const { return experts > 0 && layer >= dense_layers; }
    std::int64_t expert_layers() const { return experts > 0 ? layers - dense_layers : 0; }
    /// Never `automatic`.
    NormKind norm_kind() const {
        if (norm != NormKind::automatic) return norm;
        return block == Block::llama ? NormKind::rms : NormKind::layer;
    }
    /// AdamW with decoupled weight decay, which fused steps compute.
    bool trains_with_adamw() const {
        return optimizer == OptimizerKind::adamw && weight_decay_kind == WeightDecayKind::decoupled;
    }
    /// Theta is trained or follows a schedule.
    bool theta_varies() const {
        return rotates() && (theta_training != ThetaTraining::fixed || theta_schedule != ThetaSchedule::constant);
    }
    /// Step from which on nothing rotates; beyond the last one without ThetaSchedule::drop.
    std::int64_t drop_step() const {
        if (theta_schedule != ThetaSchedule::drop) return iterations + 1;
        return iterations - (recalibration > 0 ? recalibration : iterations / 10);
    }
    std::int64_t sequences_per_pass() const { return micro_batch == 0 ? batch : micro_batch; }
    const PositionEncoding& encoding() const { return encoding_of(position); }
    bool rotates() const { return encoding().rotates(); }
    bool has_relative_positions() const { return encoding().is_relative(); }
    bool learns_positions() const { return encoding().learns_positions(); }

    bool operator==(const RunSpec&) const = default;
};

/// The setting attention_layers is "auto", or a pattern of kinds that repeats over the layers: full, window and
/// deltanet with optional counts, joined by plus signs, such as "3 deltanet + 1 full". With auto, all layers have a
/// sliding window if attention_window is set, else the whole context. Throws BadInput for any other text.
std::vector<LayerAttention> attention_of_layers(const RunSpec& spec);
/// In tokens, from the lowest layer to the highest. 0: a layer receives all earlier tokens (full attention, gated
/// DeltaNet, or a window of 0). Throws BadInput as attention_of_layers().
std::vector<std::int64_t> windows_of_layers(const std::string& attention_layers, std::int64_t layers,
                                            std::int64_t window);
/// Every `n`-th layer has full attention, as "3 window + 1 full" for 4; "auto" for 0. n is at most 129.
std::string full_every_pattern(std::int64_t n);
/// n of such a pattern, spaces aside; 0 for any other pattern.
std::int64_t full_every_of(const std::string& attention_layers);

/// Throws BadInput for a value out of range and for contradictions, naming the setting and the allowed values.
void check(const RunSpec& spec);

/// Radians per token, separated by commas, plus signs or spaces, else BadInput; empty for `auto`.
std::vector<double> listed_frequencies(const RunSpec& spec);
/// Without context extension; without rotation, those that RoPE would have. Throws like listed_frequencies.
FrequencySettings frequency_settings_of(const RunSpec& spec);

/// "25 %", or "2 ch" for a single pair that is less than 10 % of the head. `head_dim` 0: unknown, a percentage.
std::string fraction_text(double fraction, int head_dim);
/// "θ 10k, 25 %" (theta 10,000 on 25 % of the channels), "RoPE 0 %", "NoPE", …; only what has an effect.
std::string label_of(const RunSpec& spec);

/// Two runs can train in one cohort: they may differ in the seed, in the learning rates, their warm-up and
/// decay, and in RoPE (on or off, theta, theta_end, fraction, partial, pairs, rotated_layers, frequencies). A run with
/// any other encoding than learned embeddings and RoPE needs runs with the same encoding.
bool same_shape(const RunSpec& a, const RunSpec& b);

}  // namespace ropelab
