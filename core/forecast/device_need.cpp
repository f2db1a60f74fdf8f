#include "core/forecast/device_need.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/forecast/likely_data.h"
#include "core/plan/kernels.h"
#include "core/plan/step_cost.h"

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
    Widths(const RunSpec& spec, const ModelPlan& plan)
        : layer(plan.layers.front()),
          bytes(spec.precision == Precision::float32 ? 4 : 2),
          C(as_real(spec.width)),
          qkv(as_real((spec.heads + 2 * spec.kv_heads()) * spec.head_dim())),
          up(mlp_rows(spec, spec.up_rows())),
          hidden(mlp_rows(spec, spec.hidden_width())),
          scores(as_real(spec.heads * spec.context)),
          V(real(plan.sizes.V)) {
        const std::optional<NormPart>& norm = layer.attention_norms.before;
        output_bytes = norm && norm->is_rounded() ? bytes : 4;
        for (const LayerPlan& each : plan.layers) {
            if (each.scores())
                more_logits = facts_of(each.scores()->relative, plan.sizes, {}, "").kept_logits_by_libtorch;
        }
    }
    const LayerPlan& layer;  // its norms are those of all layers
    double bytes;            // of the factors of matrix products
    double output_bytes;     // of their results: those of the inputs before they are rounded
    double C;
    double qkv;
    double up;
    double hidden;
    double scores;  // attention probabilities of a token in one layer
    double V;
    double more_logits = 0;  // per attention probability, of an encoding of positions
};

// Per token, of the norm before or after a branch.
double norm_bytes(const Widths& w) {
    return w.layer.attention_norms.of_input()->kept_bytes_by_libtorch(w.C);
}

double attention_bytes(const RunSpec& spec, const Widths& w) {
    const double heads = as_real(spec.heads);
    const bool grouped = spec.kv_heads() != spec.heads;
    double bytes = 0;
    if (stores_scores(spec, true)) {
        // Queries, keys and values by head; the probabilities, and with dropout their masks and products. With dropout
        // plain attention multiplies in the type of the other products.
        const double type = spec.dropout > 0 && !stores_scores(spec, false) ? w.bytes : 4.0;
        const double dropped = spec.dropout > 0 ? 1.0 + type : 0.0;
        bytes = type * 3.0 * w.C + (4.0 * (1.0 + w.more_logits) + dropped) * w.scores + w.bytes * w.C;
    } else {
        // Queries, keys, values, the output and one log-sum-exp per head. In float32, what is neither rotated nor
        // repeated for shared heads is a part of the projection, which is stored as a whole.
        const double type = flash_attention_supports(spec, true) ? w.output_bytes : 4.0;
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
    const double kept = activation_of(spec.feed_forward_kind()).kept_by_libtorch();
    const bool shares_rows = kept < 0 && w.output_bytes == w.bytes;
    return w.output_bytes * (w.up + std::max(kept, 0.0) * w.hidden) + (shares_rows ? 0.0 : w.bytes * w.hidden);
}

// Bytes per token that autograd stores for the backward pass.
double stored_per_layer(const RunSpec& spec, const Widths& w) {
    // The norms of each branch, and the input of its first product. Parallel branches share the input of their norms.
    double norms = 2.0 * w.bytes * w.C - (w.layer.is_parallel ? 4.0 * w.C : 0.0);
    for (const BranchNorms& branch : {w.layer.attention_norms, w.layer.feed_forward_norms}) {
        for (const std::optional<NormPart>& norm : {branch.before, branch.output, branch.after}) {
            if (norm) norms += norm->kept_bytes_by_libtorch(w.C);
        }
    }
    const double masks = spec.dropout > 0 ? 2.0 * w.C : 0.0;
    return norms + masks + attention_bytes(spec, w) + mlp_bytes(spec, w);
}

// Per token, after the last layer: its norm, the logits, the logarithms of the probabilities, and four numbers.
double stored_at_end(const Widths& w) {
    return norm_bytes(w) + w.bytes * w.C + (w.output_bytes + 4.0) * w.V + 32.0;
}

// Peak per token, besides stored tensors: while the last layer has its own, what follows it is not stored.
double temporary_bytes(const RunSpec& spec, const Widths& w) {
    constexpr double mask_bytes = 15.0;  // of integers per number of a mask (libtorch_dropout_masks)
    const double end = stored_at_end(w);
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
    const double scores = stores_scores(spec, false) ? 4.0 * (2.0 + w.more_logits) * w.scores : 0.0;
    const double attention = (w.output_bytes + 4.0) * w.qkv + 4.0 * 4.0 * w.C + scores;
    return stream + std::max({mlp, attention, (w.output_bytes + 8.0) * w.V});
}

std::string gibibytes(double bytes) {
    return number_text(std::round(10.0 * bytes / (1 << 30)) / 10.0) + " GiB";
}

}  // namespace

DeviceNeed device_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary) {
    const ModelPlan plan = plan_of(spec, vocabulary);
    const Widths w(spec, plan);
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
    const double embedding_mask = spec.dropout > 0 ? w.C : 0.0;
    // The bias of ALiBi or the mask of a sliding window, which all runs share.
    const bool is_masked = !flash_attention_supports(spec, true) && !stores_scores(spec, true);
    const double mask = (spec.position == Position::alibi ? as_real(spec.heads) : 1.0) * as_real(spec.context);
    const double masks = is_masked ? 4.0 * mask * as_real(spec.context) : 0.0;
    need.stored = rounded + as_real(spec.layers) * (layer + masks) + rows * (embedding_mask + stored_at_end(w));
    // The backward pass frees activations while gradients appear, so the peak is at its beginning or end.
    const double temporary = rows * temporary_bytes(spec, w);
    need.temporary = std::max(need.stored + temporary, 4.0 * R * P + layer + temporary) - need.stored;
    // The copy of one run's weights that generates samples.
    need.evaluation = evaluated * evaluation_per_token(spec, w) + P * (4.0 + w.bytes);
    need.libraries = 64.0 * (1 << 20);
    return need;
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
