#include "core/forecast/device_need.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "core/data/corpus.h"
#include "core/data/synthetic/language.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/plan/kernels.h"
#include "core/plan/step_cost.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

double as_real(std::int64_t count) {
    return static_cast<double>(count);
}

// On average over the layers. Each expert of a token has `rows` numbers, with its input and output.
double mlp_rows(const RunSpec& spec, std::int64_t rows) {
    const double share = as_real(spec.expert_layers()) / as_real(spec.layers);
    return (1.0 - share) * as_real(rows) + share * as_real(spec.experts_per_token * (rows + 2 * spec.width));
}

struct Widths {
    explicit Widths(const RunSpec& spec, std::int64_t vocabulary)
        : bytes(spec.precision == Precision::float32 ? 4 : 2),
          C(as_real(spec.width)),
          qkv(as_real((spec.heads + 2 * spec.kv_heads()) * spec.head_dim())),
          up(mlp_rows(spec, spec.up_rows())),
          hidden(mlp_rows(spec, spec.hidden_width())),
          scores(as_real(spec.heads * spec.context)),
          V(as_real(vocabulary)) {
        const bool float_input = spec.norm_position == NormPosition::post || spec.norm_kind() == NormKind::dyt;
        output_bytes = float_input ? 4 : bytes;
    }
    double bytes;         // of the factors of matrix products
    double output_bytes;  // of their results: those of the inputs before they are rounded
    double C;
    double qkv;
    double up;
    double hidden;
    double scores;  // attention probabilities of a token in one layer
    double V;
};

// core/engine/attention/flash.h, which stores no scores.
bool flash(const RunSpec& spec, bool trains) {
    const bool only_causal = spec.position != Position::alibi && has_only_products(spec) &&
                             spec.attention_window == 0 && !spec.attention_sinks &&
                             spec.attention != AttentionKind::mla && !spec.has_delta_net();
    return only_causal && !(trains && spec.dropout > 0);
}

// Attention is computed by separate operations on the matrix of scores (core/engine/attention/separate.h); otherwise
// LibTorch's attention needs none, also with a mask for ALiBi or a sliding window.
bool stores_scores(const RunSpec& spec, bool trains) {
    return (trains && spec.dropout > 0) || spec.attention_sinks || spec.attention == AttentionKind::mla ||
           !has_only_products(spec);
}

// Per attention probability, for learned relative positions, as measured: the logits of their operations.
double more_relative_logits(const RunSpec& spec) {
    switch (spec.position) {
        case Position::shaw:
            return 1.0;
        case Position::transformer_xl:
            return 2.0;
        case Position::cope:
            return 13.0;
        case Position::none:
        case Position::learned:
        case Position::rope:
        case Position::learned_rope:
        case Position::sinusoidal:
        case Position::alibi:
        case Position::t5:
        case Position::xpos:
        case Position::rope_bias:
        case Position::fope:
            break;
    }
    return 0.0;
}

// Per token: input, output before the weights, and statistics. Dynamic Tanh stores its result per run and for all runs.
double norm_bytes(const RunSpec& spec, const Widths& w) {
    return 4.0 * w.C + (spec.norm_kind() == NormKind::dyt ? 8.0 * w.C : 4.0 * w.C + 8.0);
}

double attention_bytes(const RunSpec& spec, const Widths& w) {
    const double heads = as_real(spec.heads);
    const bool grouped = spec.kv_heads() != spec.heads;
    double bytes = 0;
    if (stores_scores(spec, true)) {
        // Queries, keys and values by head in float32; the probabilities, and with dropout their masks and products.
        const double copies = 1.0 + (spec.dropout > 0 ? 2.0 : 0.0) + more_relative_logits(spec);
        bytes = 4.0 * 3.0 * w.C + 4.0 * copies * w.scores + w.bytes * w.C;
    } else {
        // Queries, keys, values, the output and one log-sum-exp per head. In float32, what is neither rotated nor
        // repeated for shared heads is a part of the projection, which is stored as a whole.
        const double type = flash(spec, true) ? w.output_bytes : 4.0;
        const bool parts = type == 4.0 && !grouped;
        const double vectors = !parts ? 3.0 * w.C : spec.rotates() ? 2.0 * w.C + w.qkv : w.qkv;
        bytes = type * (vectors + w.C) + 4.0 * heads + (type == w.bytes ? 0.0 : w.bytes * w.C);
    }
    if (spec.attention == AttentionKind::gated) bytes += 2.0 * w.output_bytes * w.C;
    if (spec.attention == AttentionKind::mla) {
        bytes += 4.0 * 2.0 * (heads * as_real(spec.query_dim()) - w.C) + 4.0 * 3.0 * as_real(spec.latent_channels());
    }
    if (spec.qk_norm != QkNorm::none) {
        const double rows = heads + as_real(spec.kv_heads());
        bytes += 8.0 * rows * as_real(spec.head_dim()) + 4.0 * rows;
    }
    return bytes;
}

// Per token and layer: rows before the activation (of ReLU, after it), activated gate, input of the second product.
double mlp_bytes(const RunSpec& spec, const Widths& w) {
    const double gate = spec.gates_feed_forward() ? w.output_bytes * w.hidden : 0.0;
    const bool shares_rows = spec.feed_forward_kind() == FeedForward::relu && w.output_bytes == w.bytes;
    return w.output_bytes * w.up + gate + (shares_rows ? 0.0 : w.bytes * w.hidden);
}

// Bytes per token that autograd stores for the backward pass.
double stored_per_layer(const RunSpec& spec, const Widths& w) {
    // The norm of each branch, and its result as the input of a product. The norms of pythia share their input.
    double norms = 2.0 * (norm_bytes(spec, w) + w.bytes * w.C) - (spec.block == Block::pythia ? 4.0 * w.C : 0.0);
    if (spec.norm_position == NormPosition::sandwich) norms += 2.0 * norm_bytes(spec, w);
    const double masks = spec.dropout > 0 ? 2.0 * 4.0 * w.C : 0.0;
    return norms + masks + attention_bytes(spec, w) + mlp_bytes(spec, w);
}

// Per token, after the last layer: its norm, the logits, the logarithms of the probabilities, and four numbers.
double stored_at_end(const RunSpec& spec, const Widths& w) {
    return norm_bytes(spec, w) + w.bytes * w.C + (w.output_bytes + 4.0) * w.V + 32.0;
}

// Peak per token, besides stored tensors: while the last layer has its own, what follows it is not stored.
double temporary_bytes(const RunSpec& spec, const Widths& w) {
    constexpr double mask_bytes = 26.0;  // integers per number of a mask (libtorch_dropout_masks)
    const double end = stored_at_end(spec, w);
    const double masks = spec.dropout > 0 ? mask_bytes : 0.0;
    const double in_scores = stores_scores(spec, true) ? std::max(masks, 12.0) * w.scores : 0.0;
    const double in_attention = std::max(in_scores, 4.0 * (w.qkv + 2.0 * w.C)) - mlp_bytes(spec, w) - end;
    const double in_mlp = std::max(masks * w.C, 4.0 * (w.up + w.hidden)) - end;
    const double in_loss = 8.0 * w.V;
    return std::max({in_attention, in_mlp, in_loss});
}

double evaluation_per_token(const RunSpec& spec, const Widths& w) {
    const double stream = 4.0 * w.C + w.bytes * w.C;
    const double mlp = 4.0 * w.C + w.output_bytes * ((spec.bias ? 2.0 : 1.0) * w.up + 2.0 * w.hidden);
    const double scores = stores_scores(spec, false) ? 4.0 * (2.0 + more_relative_logits(spec)) * w.scores : 0.0;
    const double attention = (w.output_bytes + 4.0) * w.qkv + 4.0 * 4.0 * w.C + scores;
    return stream + std::max({mlp, attention, (w.output_bytes + 8.0) * w.V});
}

std::string gibibytes(double bytes) {
    return number_text(std::round(10.0 * bytes / (1 << 30)) / 10.0) + " GiB";
}

}  // namespace

DeviceNeed device_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary) {
    const Widths w(spec, vocabulary);
    const double R = as_real(runs);
    const double P = as_real(parameter_count(spec, vocabulary));
    const double rows = R * as_real(spec.sequences_per_pass() * spec.context);
    const double evaluated = R * as_real(tokens_at_once(spec));

    DeviceNeed need;
    need.weights = R * P * 4.0 * 4.0;
    // The sequences of a step and of an evaluation, 8 bytes for a token and for its target; with micro-batches a copy.
    need.text = 16.0 * (R * as_real(spec.batch * spec.context) + (spec.micro_batch > 0 ? rows : 0.0) + evaluated);
    // Products in bfloat16 store the rounded weights.
    const double rounded = w.bytes == 2 ? 2.0 * R * P : 0.0;
    const double layer = rows * stored_per_layer(spec, w);
    const double embedding_mask = spec.dropout > 0 ? 4.0 * w.C : 0.0;
    // The bias of ALiBi or the mask of a sliding window, which all runs share.
    const bool is_masked = !flash(spec, true) && !stores_scores(spec, true);
    const double mask = (spec.position == Position::alibi ? as_real(spec.heads) : 1.0) * as_real(spec.context);
    const double masks = is_masked ? 4.0 * mask * as_real(spec.context) : 0.0;
    need.stored = rounded + as_real(spec.layers) * (layer + masks) + rows * (embedding_mask + stored_at_end(spec, w));
    // The backward pass frees activations while gradients appear, so the peak is at its beginning or end.
    const double temporary = rows * temporary_bytes(spec, w);
    need.temporary = std::max(need.stored + temporary, 4.0 * R * P + layer + temporary) - need.stored;
    // The copy of one run's weights that generates samples.
    need.evaluation = evaluated * evaluation_per_token(spec, w) + P * (4.0 + w.bytes);
    need.libraries = 64.0 * (1 << 20);
    return need;
}

std::int64_t likely_tokens(const RunSpec& spec) {
    if (find_language(spec.data)) return spec.data_length;
    const std::int64_t bytes = spec.has_subwords() ? likely_bytes_per_subword : 1;
    if (spec.data == "text8" || spec.data == "enwik8") return 100'000'000 / bytes;
    std::error_code error;
    if (std::filesystem::is_directory(spec.data, error))
        return largest_held_out;  // its training text stays in its files
    const auto size = std::filesystem::file_size(spec.data, error);
    return (error ? 1'115'394 : static_cast<std::int64_t>(size)) / bytes;
}

namespace {

// On the host: 4 bytes per token, and the copies while the text is read, as measured.
double text_bytes(const RunSpec& spec) {
    return 4.6 * as_real(likely_tokens(spec));
}

}  // namespace

double likely_bytes(const RunSpec& spec, std::int64_t runs) {
    const std::int64_t vocabulary = likely_vocabulary(spec);
    return spec.device == Device::cuda ? device_need(spec, runs, vocabulary).total()
                                       : memory_need(spec, runs, vocabulary).total() + text_bytes(spec);
}

std::size_t runs_that_fit(const RunSpec& spec, std::size_t runs, std::int64_t vocabulary, std::int64_t free_bytes) {
    constexpr double usable = 0.9;
    const double limit = usable * as_real(free_bytes);
    const auto need = [&](std::size_t count) {
        return device_need(spec, static_cast<std::int64_t>(count), vocabulary);
    };
    const DeviceNeed alone = need(1);
    if (alone.weights + alone.text + alone.stored > as_real(free_bytes)) {
        throw BadInput("A run of this shape needs about " + gibibytes(alone.total()) +
                       " of the device's memory, but only " + gibibytes(as_real(free_bytes)) +
                       " are free; use a smaller batch size or micro_batch, a shorter context, or device=cpu.");
    }
    std::size_t fitting = 1;
    while (fitting < runs && need(fitting + 1).total() <= limit) ++fitting;
    return fitting;
}

}  // namespace ropelab
