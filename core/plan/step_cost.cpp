#include "core/plan/step_cost.h"

#include <unistd.h>

#include <algorithm>

#include "core/spec/error.h"
#include "core/spec/layout.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr double float_bytes = 4;

double number(std::int64_t count) {
    return static_cast<double>(count);
}

// Rows of a layer's weight matrices, as in core/spec/layout.h.
std::int64_t qkv_rows(const RunSpec& spec) {
    return (spec.heads + 2 * spec.kv_heads()) * spec.head_dim();
}
// Returns the number of weights of the matrices of all layers' attention, without those of relative positions.
std::int64_t attention_matrix_numbers(const RunSpec& spec) {
    std::int64_t numbers = 0;
    for (const Parameter& parameter : layout_of(spec, 1).parameters) {
        const auto names = [&](const char* part) { return parameter.name.find(part) != std::string::npos; };
        const bool is_attention =
            names(".attention.") && !names(".attention.relative") && !names(".attention.contextual");
        if (is_attention && parameter.shape.size() == 2) numbers += parameter.size;
    }
    return numbers;
}
// Returns the weights of all layers that a token is multiplied by. Layers with experts: those of its experts and of the
// router, with its noise.
std::int64_t active_matrix_numbers(const RunSpec& spec) {
    const std::int64_t mlp = spec.up_rows() + spec.hidden_width();
    const std::int64_t routers = spec.experts * (spec.expert_noise ? 2 : 1);
    const std::int64_t mixed = spec.expert_layers();
    return attention_matrix_numbers(spec) +
           spec.width * ((spec.layers - mixed) * mlp + mixed * (spec.experts_per_token * mlp + routers));
}

// Returns the operations per token of one layer's attention.
double attention_operations(const RunSpec& spec, std::int64_t layer) {
    const double C = number(spec.width);
    // A gated DeltaNet decays its state (one operation per number), multiplies it by the key and the query, and adds
    // the change (two each). Chunks need fewer passes over memory, but not fewer operations.
    if (spec.layer_attention(layer) == LayerAttention::delta_net) return 7.0 * C * number(spec.head_dim());
    // Each key that a token attends to costs one product for the score and one for the weighted sum of values.
    return 2.0 * attended_keys(spec, layer) * (number(spec.heads * spec.query_dim()) + C);
}

// Returns the numbers per token that multi-head latent attention, gates, sinks and gated DeltaNets store in addition to
// plain attention, in all layers.
double more_attention_numbers(const RunSpec& spec) {
    const double C = number(spec.width);
    double numbers = 0;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        if (spec.layer_attention(layer) == LayerAttention::delta_net) {
            // Normalized queries and keys, decayed copies, solutions of the systems, normalized and gated outputs,
            // which were measured together; three matrices per chunk and the states between chunks.
            constexpr double chunk = 32;
            numbers += 24.0 * C + 3.0 * chunk * number(spec.heads) + C * number(spec.head_dim()) / chunk;
            continue;
        }
        const bool is_mla = spec.attention == AttentionKind::mla;
        if (is_mla) numbers += 2.0 * number(spec.heads * spec.query_dim() + spec.latent_channels());
        if (spec.attention == AttentionKind::gated) numbers += 3.0 * C;
        if (spec.attention_sinks) numbers += 2.0 * C;  // rotated queries and keys
        if (is_mla || spec.attention_sinks) numbers += 2.0 * number(spec.heads * spec.context);
    }
    return numbers;
}

// Returns the numbers per token that an MLP stores, in hidden rows: before and after the activation function. The
// gradient of ReLU needs only its result; GLU, ReGLU and GEGLU store the activated gate too.
double hidden_rows(const RunSpec& spec) {
    const double rows = number(spec.up_rows() + spec.hidden_width());
    switch (spec.feed_forward_kind()) {
        case FeedForward::relu:
            return rows - number(spec.hidden_width());
        case FeedForward::glu:
        case FeedForward::reglu:
        case FeedForward::geglu:
            return rows + number(spec.hidden_width());
        case FeedForward::automatic:
        case FeedForward::gelu:
        case FeedForward::swish:
        case FeedForward::bilinear:
        case FeedForward::swiglu:
        case FeedForward::relu2:
            break;
    }
    return rows;
}
// Returns the numbers per token of temporary tensors in the MLP's backward pass besides those of GELU, as measured.
double more_in_activation(const RunSpec& spec) {
    const FeedForward kind = spec.feed_forward_kind();
    const bool has_more = kind == FeedForward::relu || kind == FeedForward::relu2 || kind == FeedForward::swiglu;
    return has_more ? 1.5 * number(spec.hidden_width()) : 0.0;
}

// Returns the numbers per token in the MLP, before and after the activation function; on average over the layers, of
// which a mixture of experts has those of each chosen expert, its inputs, its outputs, and their reordered copies.
double wide_rows(const RunSpec& spec) {
    const double dense = hidden_rows(spec);
    const double share = number(spec.expert_layers()) / number(spec.layers);
    const double mixed =
        number(spec.experts_per_token) * (dense + 4.0 * number(spec.width)) + 4.0 * number(spec.experts);
    return (1.0 - share) * dense + share * mixed;
}

// Returns the operations of Muon's matrix products in one step (formula 55); other optimizers have none.
double optimizer_products(const RunSpec& spec, std::int64_t vocabulary) {
    if (spec.optimizer != OptimizerKind::muon) return 0;
    double operations = 0;
    const Layout layout = layout_of(spec, static_cast<int>(vocabulary));
    for (const Parameter& parameter : layout.parameters) {
        if (!trains_with_muon(layout, parameter)) continue;
        const std::int64_t rows = *(parameter.shape.end() - 2);
        const std::int64_t columns = parameter.shape.back();
        const double matrices = number(parameter.size / (rows * columns));
        const double shorter = number(std::min(rows, columns));
        const double longer = number(std::max(rows, columns));
        operations += matrices * 5.0 * 2.0 * shorter * shorter * (2.0 * longer + shorter);
    }
    return operations;
}

// Returns whether attention is computed by separate LibTorch operations instead of a fused kernel.
bool attends_stepwise(const RunSpec& spec) {
    return spec.operations != Operations::fused || spec.theta_varies() || !spec.has_fused_encoding();
}
// Returns the numbers per attention probability that are stored if the logits are more than products and ALiBi's bias,
// as measured: the probability, the logits of each operation, and for CoPE its gates, its positions and their logits.
double relative_numbers(const RunSpec& spec) {
    switch (spec.position) {
        case Position::xpos:
            return 2.0;
        case Position::t5:
        case Position::rope_bias:
            return 3.0;
        case Position::shaw:
            return 4.5;
        case Position::transformer_xl:
            return 5.5;
        case Position::cope:
            return 16.0;
        case Position::none:
        case Position::learned:
        case Position::rope:
        case Position::learned_rope:
        case Position::sinusoidal:
        case Position::alibi:
            break;
    }
    return 0;
}
// Returns the additional multiplications and additions per token and layer with attention weights of learned relative
// positions: the product of the query and each learned vector, and for Shaw's values the weighted sum of them.
// Transformer-XL also projects the embedding of each distance, once per batch.
double relative_operations(const RunSpec& spec) {
    const double C = number(spec.width);
    switch (spec.position) {
        case Position::shaw:
            return 4.0 * C * number(spec.relative_clip + 1);
        case Position::transformer_xl:
            return 2.0 * C * number(spec.context) +
                   2.0 * C * number(spec.kv_heads() * spec.head_dim()) / number(spec.sequences_per_pass());
        case Position::cope:
            return 2.0 * C * number(spec.cope_positions);
        case Position::none:
        case Position::learned:
        case Position::rope:
        case Position::learned_rope:
        case Position::sinusoidal:
        case Position::alibi:
        case Position::t5:
        case Position::xpos:
        case Position::rope_bias:
            break;
    }
    return 0;
}
// Returns the additional stored numbers per token and layer of stepwise attention besides q, k and v, in multiples of
// the width, as measured: one if q and k are rotated or normalized separately, one more if keys and values are repeated
// for grouped queries.
double more_stepwise(const RunSpec& spec) {
    if (!attends_stepwise(spec)) return 0;
    const bool grouped = spec.kv_heads() != spec.heads;
    return (grouped || spec.qk_norm != QkNorm::none || spec.theta_varies() ? 1.0 : 0.0) + (grouped ? 1.0 : 0.0);
}
// Returns the numbers per token and layer that attention stores, counted in float32: q, k and v; with QK normalization
// its inputs and outputs; in stepwise attention with dropout three numbers per attention probability.
double attention_numbers(const RunSpec& spec) {
    const bool rounded = spec.precision == Precision::bfloat16;
    const double qkv = number(qkv_rows(spec));
    const double C = number(spec.width);
    if (attends_stepwise(spec)) {
        const double scores = number(spec.heads * spec.context);
        const double probabilities = spec.dropout > 0 ? 3.0 * scores : rounded ? C : 0.0;
        return 3.0 * C + more_stepwise(spec) * C + probabilities + relative_numbers(spec) * scores;
    }
    if (spec.qk_norm != QkNorm::none) return qkv + number((spec.heads + spec.kv_heads()) * spec.head_dim());
    return (rounded ? 0.5 : 1.0) * qkv;
}

// Returns the additional numbers per token of a training step with operations=eager, as measured: per layer four times
// the width (llama: twice, and the activated gate of SwiGLU), and once the temporary tensors of the running operation.
double more_when_eager(const RunSpec& spec) {
    if (spec.operations == Operations::fused) return 0;
    const double C = number(spec.width);
    const bool llama = spec.block == Block::llama;
    const double gate = spec.gates_feed_forward() ? number(spec.hidden_width()) : 0.0;
    return number(spec.layers) * ((llama ? 2.0 : 4.0) * C + gate) + 4.0 * C + gate;
}

}  // namespace

std::int64_t tokens_at_once(const RunSpec& spec) {
    return std::clamp<std::int64_t>(8192 / spec.context, 1, 256) * spec.context;
}

std::int64_t parameter_count(const RunSpec& spec, std::int64_t vocabulary) {
    return layout_of(spec, static_cast<int>(vocabulary)).total;
}

double attended_keys(const RunSpec& spec, std::int64_t layer) {
    const double T = number(spec.context);
    const double N = std::min(T, number(spec.visible_tokens(layer)));
    return N - N * (N - 1) / (2 * T);
}

ForwardOperations forward_operations(const RunSpec& spec, std::int64_t vocabulary) {
    double attention = 0;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        attention += attention_operations(spec, layer);
        if (spec.layer_attention(layer) != LayerAttention::delta_net) attention += relative_operations(spec);
    }
    return {2.0 * number(active_matrix_numbers(spec) + vocabulary * spec.width), attention};
}

double training_operations(const RunSpec& spec, std::int64_t vocabulary) {
    return 3.0 * forward_operations(spec, vocabulary).total() * number(spec.batch * spec.context) +
           optimizer_products(spec, vocabulary);
}

double more_norm_rows(const RunSpec& spec) {
    const double norms = spec.norm_position == NormPosition::sandwich ? 4.0 : 2.0;
    const double sandwich = spec.norm_position == NormPosition::sandwich ? 2.0 : 0.0;
    return sandwich + (spec.norm_kind() == NormKind::dyt ? 2.0 * norms : 0.0);
}

double stored_activations(const RunSpec& spec, std::int64_t vocabulary) {
    const double C = number(spec.width);
    // Inputs of matrix products: two normalized rows, the attention output, and the MLP's rows before and after the
    // activation function. In float32: two residual sums (one for a parallel residual), and with dropout its masks.
    const double size = spec.precision == Precision::bfloat16 ? 0.5 : 1.0;
    const double sums =
        (spec.block == Block::pythia ? 1.0 : 2.0) + (spec.dropout > 0 ? 2.0 : 0.0) + more_norm_rows(spec);
    const double layer = size * (3.0 * C + wide_rows(spec)) + sums * C + attention_numbers(spec);
    return number(spec.layers) * layer + more_attention_numbers(spec) + 3.0 * C + 2.0 * number(vocabulary);
}

double MemoryNeed::total() const {
    // Each phase frees its tensors. The buffers and code of matrix products remain.
    constexpr double remaining = 0.1;
    return engine + weights + std::max(step, evaluation) + remaining * std::min(step, evaluation);
}

MemoryNeed memory_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary) {
    // LibTorch and, for the systems of equations of a gated DeltaNet, its linear algebra.
    double engine = 120e6;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        if (spec.layer_attention(layer) == LayerAttention::delta_net) engine = 150e6;
    }
    // New tensors do not fit exactly into the freed blocks of others (core/train/tensor_memory.h).
    constexpr double step_overhead = 1.02;
    constexpr double evaluation_overhead = 1.2;

    const double R = number(runs);
    const double P = number(parameter_count(spec, vocabulary));
    const double C = number(spec.width);
    const double tokens = number(spec.sequences_per_pass() * spec.context);
    const double V = number(vocabulary);

    MemoryNeed need;
    need.engine = engine;
    // The bfloat16 copy of the weights.
    const double copy = spec.precision == Precision::float32 ? 0.0 : 0.5;
    need.weights = float_bytes * R * (4.0 + copy) * P;
    // The new gradients of the backward pass; with precision=auto also copies of the initial state.
    const double copies = spec.precision == Precision::automatic ? 2.9 : 1.0 - copy;
    // Temporary tensors of one operation: rows of the MLP, or in attention that is computed stepwise with dropout,
    // sinks or latent vectors the probabilities and their gradients.
    const bool has_scores = (attends_stepwise(spec) && (spec.dropout > 0 || !spec.has_fused_encoding())) ||
                            spec.attention_sinks || spec.attention == AttentionKind::mla;
    const double in_attention = has_scores ? 2.0 * number(spec.heads * spec.context) : 0.0;
    const double working = std::max(in_attention, 4.0 * C + more_in_activation(spec));
    need.step = step_overhead * float_bytes * R *
                (copies * P + tokens * (stored_activations(spec, vocabulary) + working + more_when_eager(spec)));
    // The residual sum in float32; a branch, a normalized row and the MLP's rows in the precision of matrix products.
    const double size = spec.precision == Precision::bfloat16 ? 0.5 : 1.0;
    const double rows = (1.0 + 2.0 * size) * C + size * wide_rows(spec) + more_stepwise(spec) * C;
    // With bfloat16, the heads of QK normalization are assembled in float32.
    const double heads = spec.qk_norm != QkNorm::none && size < 1 ? 1.5 * C : 0.0;
    // Logits, what the encoding adds to them, and the probabilities of one layer.
    const double scores = spec.has_fused_encoding() ? 0.0 : 3.0 * number(spec.heads * spec.context);
    need.evaluation =
        evaluation_overhead * float_bytes * R * number(tokens_at_once(spec)) * (rows + heads + scores + 2.0 * V);
    return need;
}

double physical_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

void refuse_large_model(const RunSpec& spec, std::int64_t vocabulary) {
    const double need = memory_need(spec, 1, vocabulary).total();
    if (need <= physical_memory()) return;
    throw BadInput("Training this model needs about " + bytes_text(static_cast<std::int64_t>(need)) +
                   ", but this machine has " + bytes_text(static_cast<std::int64_t>(physical_memory())) +
                   ", so that the model is not measured here.");
}

}  // namespace ropelab
