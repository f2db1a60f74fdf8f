#include "core/plan/step_cost.h"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/plan/kernels.h"
#include "core/plan/layout.h"
#include "core/plan/model_plan.h"
#include "core/rope/frequencies.h"

namespace ropelab {

namespace {

constexpr double float_bytes = 4;

double number(std::int64_t count) {
    return static_cast<double>(count);
}

// In one step (formula 55); other optimizers than Muon have none.
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

TrainingWork work_of(const RunSpec& spec) {
    return {.product_size = spec.precision == Precision::bfloat16 ? 0.5 : 1.0,
            .drops = spec.dropout > 0,
            .is_fused = attends_fused(spec),
            .theta_varies = spec.theta_varies()};
}

// Per token of a layer's feed-forward network, before and after the activation.
double wide_rows(const LayerPlan& layer, const PlanSizes& sizes) {
    if (const auto* mlp = std::get_if<Mlp>(&layer.feed_forward)) return mlp->kept();
    return std::get<Experts>(layer.feed_forward).kept(sizes);
}

// Numbers per token of a layer in an evaluation besides rows of the stream, as measured: those of its norm, and of its
// attention the chunks of a gated DeltaNet, copies of queries, keys and values, or scores, weights and the operations
// of an encoding.
double in_evaluation(const LayerPlan& layer, const PlanSizes& sizes, bool is_fused, double probabilities) {
    const double C = real(sizes.C);
    const std::optional<NormPart>& norm = layer.attention_norms.of_input();
    const double normed = norm ? norm->kept_rows() * C : 0.0;
    const Scores* scores = layer.scores();
    if (!scores) return normed + 6.0 * C;
    if (is_fused && attention_kernel_supports(layer)) return normed;
    if (has_plain_attention(layer)) return normed + 3.0 * C;
    const double relative = facts_of(scores->relative, sizes, {}, "").kept_per_score - 2.5;
    return normed + std::max(scores->has_sinks ? 3.0 : 1.3, relative) * probabilities;
}

// Per token, float32, besides norms before branches: the input of the norm of an output; with Dynamic Tanh, the scaled
// stream and its tanh. DeepNet's scaled stream is not kept.
double norm_rows(const LayerPlan& layer) {
    double rows = 0;
    for (const BranchNorms& norms : {layer.attention_norms, layer.feed_forward_norms}) {
        for (const std::optional<NormPart>& norm : {norms.before, norms.output, norms.after}) {
            if (norm) rows += norm->kept_rows();
        }
        if (norms.output) rows += 1.0;
    }
    return rows;
}

// Measured: per layer four widths (llama: two, and SwiGLU's activated gate), once temporary tensors.
double more_when_eager(const RunSpec& spec) {
    if (spec.operations == Operations::fused) return 0;
    const double C = number(spec.width);
    const bool llama = spec.block == Block::llama;
    const double gate = spec.gates_feed_forward() ? number(spec.hidden_width()) : 0.0;
    return number(spec.layers) * ((llama ? 2.0 : 4.0) * C + gate) + 4.0 * C + gate;
}

double stored_activations(const RunSpec& spec, const ModelPlan& plan) {
    const TrainingWork work = work_of(spec);
    const double C = real(plan.sizes.C);
    double numbers = 0;
    for (const LayerPlan& layer : plan.layers) {
        // Inputs of matrix products: two normalized rows, the attention output, and the MLP's rows. In float32: two
        // residual sums (one for a parallel residual), and with dropout its masks.
        const double sums = (layer.is_parallel ? 1.0 : 2.0) + (work.drops ? 2.0 : 0.0) + norm_rows(layer);
        numbers += work.product_size * (3.0 * C + wide_rows(layer, plan.sizes)) + sums * C;
        numbers += std::visit([&](const auto& attention) { return attention.kept(plan.sizes, work); }, layer.attention);
    }
    return numbers + 3.0 * C + 2.0 * real(plan.sizes.V);
}

}  // namespace

std::int64_t tokens_at_once(const RunSpec& spec) {
    return std::clamp<std::int64_t>(8192 / spec.context, 1, 256) * spec.context;
}

std::int64_t parameter_count(const RunSpec& spec, std::int64_t vocabulary) {
    return layout_of(spec, static_cast<int>(vocabulary)).total;
}

double forward_operations(const RunSpec& spec, std::int64_t vocabulary) {
    return plan_of(spec, vocabulary).operations().value_or(0);
}

double training_operations(const RunSpec& spec, std::int64_t vocabulary) {
    return 3.0 * forward_operations(spec, vocabulary) * number(spec.batch * spec.context) +
           optimizer_products(spec, vocabulary);
}

double stored_activations(const RunSpec& spec, std::int64_t vocabulary) {
    return stored_activations(spec, plan_of(spec, vocabulary));
}

double MemoryNeed::total() const {
    // Each phase frees its tensors. The buffers and code of matrix products remain.
    constexpr double remaining = 0.1;
    return engine + weights + std::max(step, evaluation) + remaining * std::min(step, evaluation);
}

MemoryNeed memory_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary) {
    // New tensors do not fit exactly into the freed blocks of others (core/engine/device/tensor_memory.h).
    constexpr double step_overhead = 1.02;
    constexpr double evaluation_overhead = 1.4;

    const ModelPlan plan = plan_of(spec, vocabulary);
    const TrainingWork work = work_of(spec);
    const double R = number(runs);
    const double P = number(layout_of(plan).total);
    const double C = number(spec.width);
    const double tokens = number(spec.sequences_per_pass() * spec.context);
    const double V = number(vocabulary);
    const double probabilities = number(spec.heads * spec.context);  // of a token in a layer
    double wide = 0;                                                 // of the MLP, the mean over the layers
    double in_activation = 0;  // temporary numbers in the activation's backward pass
    double in_branch = 0;      // of an evaluation
    bool has_state = false;    // a gated DeltaNet
    bool has_experts = false;
    bool has_scores = false;  // probabilities and their gradients exist as tensors
    for (const LayerPlan& layer : plan.layers) {
        const auto* mlp = std::get_if<Mlp>(&layer.feed_forward);
        has_experts |= mlp == nullptr;
        const Mlp& network = mlp ? *mlp : std::get<Experts>(layer.feed_forward).expert;
        const Activation& activation = network.activation;
        wide += (wide_rows(layer, plan.sizes) + activation.in_forward * real(network.width)) / number(spec.layers);
        in_activation = activation.working * real(network.width);
        in_branch = std::max(in_branch, in_evaluation(layer, plan.sizes, work.is_fused, probabilities));
        has_state |= std::holds_alternative<DeltaNet>(layer.attention);
        has_scores |= std::holds_alternative<Latent>(layer.attention) && !work.is_fused;
    }
    has_scores |= !work.is_fused && (spec.attention_sinks || work.drops || !has_only_products(spec));
    const bool normalizes = spec.qk_norm != QkNorm::none;

    MemoryNeed need;
    // The bfloat16 copy of the weights.
    const double copy = spec.precision == Precision::float32 ? 0.0 : 0.5;
    need.weights = float_bytes * R * (4.0 + copy) * P;
    // LibTorch, and of it: linear algebra for the systems of equations of a gated DeltaNet, products of bfloat16,
    // both precisions' buffers, and operations that kernels replace.
    need.engine = 124e6 + (has_state ? 10e6 : 0.0) + (copy > 0 ? 13e6 : 0.0) +
                  (spec.precision == Precision::automatic ? 15e6 : 0.0) +
                  (spec.operations == Operations::eager ? 10e6 : 0.0);
    // The new gradients of the backward pass; with precision=auto also copies of the initial state.
    const double copies = spec.precision == Precision::automatic ? 2.9 : 1.0 - copy;
    // Temporary tensors of one operation: rows of the MLP, or in attention the probabilities and their gradients.
    const double working = std::max(has_scores ? 2.0 * probabilities : 0.0, 4.0 * C + in_activation);
    // Output logits, as measured: with bfloat16 also rounded ones, and their logarithms where no kernel replaces them.
    const bool is_eager = spec.operations == Operations::eager;
    const double more_logits = (copy > 0 ? 0.5 : 0.0) * V;
    need.step = step_overhead * float_bytes * R *
                (copies * P + tokens * (stored_activations(spec, plan) + working + more_when_eager(spec) + more_logits +
                                        (is_eager ? 2.0 * V : 0.0)));
    // The residual sum in float32; a branch, a normalized row and the MLP's rows in the precision of matrix products.
    const double size = work.product_size;
    const double rows = (1.0 + 2.0 * size) * C + size * wide +
                        more_stepwise({spec.heads, spec.kv_heads(), spec.head_dim()}, normalizes, work) * C;
    // With bfloat16, the heads of QK normalization are assembled in float32.
    const double heads = normalizes && size < 1 ? 1.5 * C : 0.0;
    // In float32 three products of the head exist while their kernels are compared
    // (core/engine/operations/products.cpp).
    const double logits = more_logits + (is_eager ? 2.0 : copy > 0 ? 1.0 : 3.0) * V;
    // Each thread evaluates pieces of one run (mean_losses in core/engine/model/torch_model.h); experts and operations
    // of LibTorch alone compute all runs together.
    double evaluated = R * number(tokens_at_once(spec));
    if (!is_eager && !has_experts) {
        constexpr std::int64_t piece = 1024;  // tokens, in whole sequences
        const std::int64_t threads = spec.threads > 0 ? spec.threads : std::thread::hardware_concurrency();
        evaluated = std::min(evaluated, number(threads * ((piece + spec.context - 1) / spec.context) * spec.context));
    }
    need.evaluation = float_bytes * evaluated * (evaluation_overhead * (rows + heads + in_branch) + logits);
    return need;
}

std::int64_t kv_bytes(const ModelPlan& plan) {
    const auto caches = plan.caches();
    if (plan.is_eager || !caches) return 0;
    return kv_cache_bytes(*caches, plan.sizes.T, 4) + plan.anatomy().totals().state_bytes;
}

CacheBytes cache_bytes(const RunSpec& spec) {
    constexpr int bytes_per_number = 4;
    CacheBytes result;
    result.kv = kv_bytes(plan_of(spec, 1));
    if (spec.rotates() && spec.rope_cache) {
        result.rope = rope_cache_bytes(rotary_dim(spec.rotary_head_dim(), spec.fraction), spec.context,
                                       bytes_per_number, TableLayout::single);
    }
    return result;
}

AttentionSizes attention_sizes(const RunSpec& spec) {
    if (spec.has_delta_net()) {
        throw BadInput(
            "This run has gated DeltaNet layers, which a rotary setup cannot represent; choose a run with attention in "
            "all layers.");
    }
    AttentionSizes sizes = {.kind = kind_of_heads(spec.heads, spec.kv_heads()),
                            .layers = spec.layers,
                            .heads = spec.heads,
                            .kv_heads = spec.kv_heads(),
                            .head_dim = spec.head_dim()};
    const std::vector<LayerAttention> kinds = attention_of_layers(spec);
    const auto local = std::count(kinds.begin(), kinds.end(), LayerAttention::window);
    if (local > 0) {
        sizes.window = spec.attention_window;
        sizes.global_layers = spec.layers - local;
        sizes.kind = KvCache::sliding;
    }
    if (spec.attention == AttentionKind::mla) {
        sizes.kind = KvCache::latent;
        sizes.latent_dim = spec.latent_channels();
        sizes.latent_rope_dim = spec.rotary_head_dim();
    }
    return sizes;
}

double physical_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

void refuse_large_model(const RunSpec& spec, std::int64_t vocabulary) {
    const double need = memory_need(spec, 1, vocabulary).total();
    if (need <= physical_memory()) return;
    throw BadInput("Training this model needs about " + bytes_text(static_cast<std::int64_t>(need)) +
                   ", but this machine has " + bytes_text(static_cast<std::int64_t>(physical_memory())) +
                   ", so the model is not measured here.");
}

}  // namespace ropelab
