#include "core/forecast/device_need.h"

#include "core/plan/kernels.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "core/data/corpus.h"
#include "core/data/synthetic/language.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/plan/step_cost.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

double as_real(std::int64_t count) {
    return static_cast<double>(count);
}

// Returns the numbers per token of the MLP's rows, on average over the layers. A mixture of experts has `rows` numbers
// for each expert of a token, with its input and output.
double mlp_rows(const RunSpec& spec, std::int64_t rows) {
    const double share = as_real(spec.expert_layers()) / as_real(spec.layers);
    return (1.0 - share) * as_real(rows) + share * as_real(spec.experts_per_token * (rows + 2 * spec.width));
}

// The row widths of a model's shape, and the bytes per number in matrix products.
struct Widths {
    explicit Widths(const RunSpec& spec, std::int64_t vocabulary)
        : bytes(spec.precision == Precision::float32 ? 4 : 2),
          C(as_real(spec.width)),
          qkv(as_real((spec.heads + 2 * spec.kv_heads()) * spec.head_dim())),
          up(mlp_rows(spec, spec.up_rows())),
          hidden(mlp_rows(spec, spec.hidden_width())),
          // Tensor cores require multiples of eight rows; other vocabularies are padded to the next multiple of 64.
          vocabulary_rows(as_real(bytes == 2 && vocabulary % 8 != 0 ? (vocabulary + 63) / 64 * 64 : vocabulary)),
          vocabulary_is_padded(bytes == 2 && vocabulary % 8 != 0) {}
    double bytes;
    double C;
    double qkv;
    double up;
    double hidden;
    double vocabulary_rows;
    bool vocabulary_is_padded;
};

// Returns whether LibTorch's flash attention is used, which stores no scores: it requires a plain causal mask and, in
// training, no dropout.
bool flash(const RunSpec& spec, double bytes, bool trains) {
    const bool only_causal = spec.position != Position::alibi && has_only_products(spec) &&
                             spec.attention_window == 0 && !spec.attention_sinks &&
                             spec.attention != AttentionKind::mla && !spec.has_delta_net();
    return only_causal && bytes == 2 && spec.head_dim() % 8 == 0 && spec.head_dim() <= 256 &&
           !(trains && spec.dropout > 0);
}

// Returns the bytes per attention probability and layer in addition to those of other encodings: the logits are
// computed in float32, and CoPE stores its gates, positions and interpolated logits.
double relative_bytes(const RunSpec& spec) {
    if (has_only_products(spec)) return 0;
    return spec.position == Position::cope ? 48.0 : 4.0;
}

// Returns the bytes per token and layer that are stored for the backward pass.
double stored_per_layer(const RunSpec& spec, const Widths& w) {
    const double heads = as_real(spec.heads);
    // Residual sums in float32 (one if both branches share it); statistics and output rows of each normalization.
    const double sums = (spec.block == Block::pythia ? 1.0 : 2.0) * 4.0 * w.C;
    const double norms = 2.0 * (8.0 + w.bytes * w.C);
    // Flash attention: qkv, the output and one log-sum-exp per head. Otherwise: q, k, v, the probabilities and the
    // output.
    const double attention = flash(spec, w.bytes, true) ? w.bytes * (w.qkv + w.C) + 4.0 * heads
                                                        : w.bytes * (4.0 * w.C + heads * as_real(spec.context)) +
                                                              relative_bytes(spec) * heads * as_real(spec.context);
    // QK normalization: float32 copies of the heads, and statistics per head or per projection.
    const double head_rows = heads + as_real(spec.kv_heads());
    const double statistics = spec.qk_norm == QkNorm::projection ? 2.0 : head_rows;
    const double head_norms =
        spec.qk_norm == QkNorm::none ? 0.0 : 4.0 * head_rows * as_real(spec.head_dim()) + 8.0 * statistics;
    // Hidden rows of the MLP before and after the activation function.
    const double mlp = w.bytes * (w.up + w.hidden);
    return sums + norms + 4.0 * w.C * more_norm_rows(spec) + attention + head_norms + mlp;
}

// Returns the peak bytes per token of temporary tensors in the backward pass of one layer.
double temporary_per_layer(const RunSpec& spec, const Widths& w, double head_batches) {
    const double heads = as_real(spec.heads);
    const double incoming = 4.0 * w.C + w.bytes * w.C;
    const double mlp = w.bytes * (w.hidden + w.up);
    double attention = 0;
    if (flash(spec, w.bytes, true)) {
        // Gradients of the queries are accumulated in float32, separately per multiprocessor if there are few heads.
        constexpr double multiprocessors = 132;
        const double parts = std::max(1.0, std::ceil(multiprocessors / head_batches));
        const double spread = spec.kv_heads() != spec.heads ? 2.0 * w.bytes * w.C : 0.0;
        attention = w.bytes * (2.0 * w.qkv + w.C) + parts * 4.0 * w.C + 4.0 * heads + spread;
    } else {
        const double scores = heads * as_real(spec.context);
        attention =
            w.bytes * ((spec.dropout > 0 ? 2.0 : 1.0) * scores + 2.0 * w.C + w.qkv) + relative_bytes(spec) * scores;
    }
    return incoming + std::max(mlp, attention);
}

// Returns the peak bytes per token of an evaluation.
double evaluation_per_token(const RunSpec& spec, const Widths& w) {
    const double stream = 4.0 * w.C + w.bytes * w.C;
    const double mlp = 4.0 * w.C + w.bytes * ((spec.bias ? 2.0 : 1.0) * w.up + 2.0 * w.hidden);
    const double attention =
        w.bytes * (flash(spec, w.bytes, false) ? w.qkv + w.C : w.qkv + 4.0 * w.C + as_real(spec.heads * spec.context));
    const double relative = relative_bytes(spec) * as_real(spec.heads * spec.context);
    return stream + std::max({mlp, attention + relative, w.bytes * w.vocabulary_rows});
}

std::string gibibytes(double bytes) {
    return number_text(std::round(10.0 * bytes / (1 << 30)) / 10.0) + " GiB";
}

}  // namespace

DeviceNeed device_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary, std::int64_t tokens) {
    const Widths w(spec, vocabulary);
    const double R = as_real(runs);
    const double P = as_real(parameter_count(spec, vocabulary));
    const double rows = R * as_real(spec.sequences_per_pass() * spec.context);
    const double batch_rows = R * as_real(spec.batch * spec.context);
    const double micro_rows = spec.micro_batch > 0 ? rows : 0.0;  // a copy of the tokens of one micro-batch
    const double evaluated = R * as_real(tokens_at_once(spec));

    DeviceNeed need;
    need.weights = R * P * (4.0 * 4.0 + (w.bytes == 2 ? 2.0 : 0.0));
    need.text = 4.0 * as_real(tokens) + 16.0 * (batch_rows + micro_rows + evaluated);
    const double padded_head = w.vocabulary_is_padded ? w.bytes * R * w.C * w.vocabulary_rows : 0.0;
    const double layer = rows * stored_per_layer(spec, w);
    const double last = rows * (4.0 * w.C + 16.0 + w.bytes * (w.C + w.vocabulary_rows));
    need.stored = as_real(spec.layers) * layer + last + padded_head;
    // The backward pass frees stored activations while the gradients of the weights appear, so the peak is at its
    // beginning or at its end.
    const double temporary =
        rows * std::max(temporary_per_layer(spec, w, R * as_real(spec.sequences_per_pass() * spec.heads)),
                        w.bytes * (w.vocabulary_rows + w.C));
    need.temporary = std::max(need.stored + temporary, 4.0 * R * P + layer + temporary) - need.stored;
    // The copy of one run's weights that generates samples.
    need.evaluation = 2.0 * evaluated * evaluation_per_token(spec, w) + P * (4.0 + w.bytes);
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

// Returns the bytes of a text on the host: 4 per token, and the copies while it is read, as measured.
double text_bytes(const RunSpec& spec) {
    return 4.6 * as_real(likely_tokens(spec));
}

}  // namespace

double likely_bytes(const RunSpec& spec, std::int64_t runs) {
    const std::int64_t vocabulary = likely_vocabulary(spec);
    return spec.device == Device::cuda ? device_need(spec, runs, vocabulary, likely_tokens(spec)).total()
                                       : memory_need(spec, runs, vocabulary).total() + text_bytes(spec);
}

std::size_t runs_that_fit(const RunSpec& spec, std::size_t runs, std::int64_t vocabulary, std::int64_t tokens,
                          std::int64_t free_bytes) {
    constexpr double usable = 0.9;
    const double limit = usable * as_real(free_bytes);
    const auto need = [&](std::size_t count) {
        return device_need(spec, static_cast<std::int64_t>(count), vocabulary, tokens);
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
