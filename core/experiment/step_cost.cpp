#include "core/experiment/step_cost.h"

#include <algorithm>

#include "core/data/generated/names.h"
#include "core/spec/layout.h"

namespace ropelab {

namespace {

constexpr double float_bytes = 4;

double number(std::int64_t count) {
    return static_cast<double>(count);
}

// Rows of a layer's matrices, and all their numbers, as core/spec/layout.h has them.
std::int64_t qkv_rows(const RunSpec& spec) {
    return (spec.heads + 2 * spec.kv_heads()) * spec.head_dim();
}
std::int64_t up_rows(const RunSpec& spec) {
    return (spec.block == Block::llama ? 2 : 1) * spec.hidden_width();
}
std::int64_t matrix_numbers(const RunSpec& spec) {
    return spec.width * (qkv_rows(spec) + spec.width + up_rows(spec) + spec.hidden_width());
}

// Numbers of one symbol in the MLP, before and after its curve.
double wide_rows(const RunSpec& spec) {
    return number(up_rows(spec) + spec.hidden_width());
}

// Whether attention goes step by step, by LibTorch's operations.
bool attends_stepwise(const RunSpec& spec) {
    return spec.operations != Operations::fused || spec.theta_moves();
}
// Widths of one symbol in one layer that it keeps then besides q, k and v, as measured: where q and k are turned or
// normed apart, and where keys and values are spread over the heads.
double more_stepwise(const RunSpec& spec) {
    if (!attends_stepwise(spec)) return 0;
    const bool shared = spec.kv_heads() != spec.heads;
    return (shared || spec.qk_norm || spec.theta_moves() ? 1.0 : 0.0) + (shared ? 1.0 : 0.0);
}
// Numbers of one symbol that attention keeps in one layer, in float32: the products' q, k and v, or with normalised
// heads what is normed and what comes of it; step by step with dropout three numbers for each share.
double attention_numbers(const RunSpec& spec) {
    const bool rounded = spec.precision == Precision::bfloat16;
    const double qkv = number(qkv_rows(spec));
    const double C = number(spec.width);
    if (attends_stepwise(spec)) {
        const double shares = spec.dropout > 0 ? 3.0 * number(spec.heads * spec.context) : rounded ? C : 0.0;
        return 3.0 * C + more_stepwise(spec) * C + shares;
    }
    if (spec.qk_norm) return qkv + number((spec.heads + spec.kv_heads()) * spec.head_dim());
    return (rounded ? 0.5 : 1.0) * qkv;
}

// Numbers of one symbol that a step keeps or works on besides where it goes operation by operation, as measured: in
// each layer seven widths (llama: two, and SwiGLU's curved gate), and once what the operation at hand makes of them.
double more_when_eager(const RunSpec& spec) {
    if (spec.operations == Operations::fused) return 0;
    const double C = number(spec.width);
    const bool llama = spec.block == Block::llama;
    const double gate = llama ? number(spec.hidden_width()) : 0.0;
    return number(spec.layers) * ((llama ? 2.0 : 7.0) * C + gate) + 4.0 * C + gate;
}

}  // namespace

std::int64_t symbols_at_once(const RunSpec& spec) {
    return std::clamp<std::int64_t>(8192 / spec.context, 1, 256) * spec.context;
}

std::int64_t likely_vocabulary(const RunSpec& spec) {
    if (find_language(spec.data)) return 29;
    if (spec.data == "text8") return 27;
    if (spec.data == "enwik8" || spec.symbols == Symbols::bytes) return 205;
    return 65;
}

std::int64_t parameter_count(const RunSpec& spec, std::int64_t vocabulary) {
    return layout_of(spec, static_cast<int>(vocabulary)).total;
}

ForwardOperations forward_operations(const RunSpec& spec, std::int64_t vocabulary) {
    const double C = number(spec.width);
    const double L = number(spec.layers);
    // Each key that a token attends to costs a product for its score and one for the mixture. In a context of T tokens
    // with a window of N, token t attends to min(t + 1, N) of them; T/2 on average without a window.
    const double T = number(spec.context);
    const double N = number(spec.visible_tokens());
    const double keys = N < T ? N - N * (N - 1) / (2 * T) : T / 2;
    return {2.0 * (L * number(matrix_numbers(spec)) + number(vocabulary) * C), 4.0 * L * keys * C};
}

double training_operations(const RunSpec& spec, std::int64_t vocabulary) {
    return 3.0 * forward_operations(spec, vocabulary).total() * number(spec.batch * spec.context);
}

double kept_numbers(const RunSpec& spec, std::int64_t vocabulary) {
    const double C = number(spec.width);
    // Two normalised rows and the mixture, and the MLP's wide rows before and after their curve, as products read them;
    // two residual sums (one where both norms read the same), and with dropout what was multiplied with before each.
    const double size = spec.precision == Precision::bfloat16 ? 0.5 : 1.0;
    const double sums = (spec.block == Block::pythia ? 1.0 : 2.0) + (spec.dropout > 0 ? 2.0 : 0.0);
    const double layer = size * (3.0 * C + wide_rows(spec)) + sums * C + attention_numbers(spec);
    return number(spec.layers) * layer + 3.0 * C + 2.0 * number(vocabulary);
}

double MemoryNeed::total() const {
    // Each phase gives back what it can. What stays beside tensors are the products' own blocks and code.
    constexpr double left_behind = 0.3;
    return engine + weights + std::max(step, evaluation) + left_behind * std::min(step, evaluation);
}

MemoryNeed memory_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary) {
    constexpr double engine = 140e6;
    // Tensors do not fit exactly into the blocks that others let go (core/train/tensor_memory.h).
    constexpr double step_room = 1.05;
    constexpr double evaluation_room = 1.2;

    const double R = number(runs);
    const double P = number(parameter_count(spec, vocabulary));
    const double C = number(spec.width);
    const double symbols = number(spec.batch * spec.context);
    const double V = number(vocabulary);

    MemoryNeed need;
    need.engine = engine;
    // What products in bfloat16 read instead of the weights.
    const double copy = spec.precision == Precision::float32 ? 0.0 : 0.5;
    need.weights = float_bytes * R * (4.0 + copy) * P;
    // The gradients as the backward pass delivers them; where the precision is chosen, copies of the start as well.
    const double copies = spec.precision == Precision::automatic ? 2.9 : 1.0 - copy;
    // What one operation works on besides: the rows of an MLP, or step by step with dropout the shares and their
    // gradients.
    const double working =
        attends_stepwise(spec) && spec.dropout > 0 ? 2.0 * number(spec.heads * spec.context) : 4.0 * C;
    need.step = step_room * float_bytes * R *
                (copies * P + symbols * (kept_numbers(spec, vocabulary) + working + more_when_eager(spec)));
    // The residual sum; a branch, a normalised row, and the MLP's wide rows, as products read and give them.
    const double size = spec.precision == Precision::bfloat16 ? 0.5 : 1.0;
    const double rows = (1.0 + 2.0 * size) * C + size * wide_rows(spec) + more_stepwise(spec) * C;
    // In bfloat16 normalised heads are put together in float32.
    const double heads = spec.qk_norm && size < 1 ? 1.5 * C : 0.0;
    need.evaluation = evaluation_room * float_bytes * R * number(symbols_at_once(spec)) * (rows + heads + 2.0 * V);
    return need;
}

}  // namespace ropelab
