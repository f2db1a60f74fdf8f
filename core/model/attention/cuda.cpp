#include "core/model/attention/cuda.h"

#include <ATen/Context.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

#include <cmath>

#include "core/model/device_launch.h"

namespace ropelab::cuda_attention {

namespace {

using device_launch::numbers;
using device_launch::Place;
using device_launch::place_of;
using device_launch::start;
using device_launch::type_of;
using device_launch::values;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AttentionPlace : Place {
    AttentionPlace(const Dropout& dropout, const std::string& name, const torch::Tensor& qkv, std::int64_t batch_size,
                   std::int64_t head_count, std::int64_t key_value_count, const RotaryTables& tables)
        : Place(dropout, name, qkv.device()),
          batch(batch_size),
          heads(head_count),
          key_value_heads(key_value_count),
          head_dim(qkv.size(2) / (head_count + 2 * key_value_count)) {
        if (!tables.defined()) return;
        cosine = tables.cosine.contiguous();
        sine = tables.sine.contiguous();
    }
    float scale() const { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim))); }

    std::int64_t batch;
    std::int64_t heads;
    std::int64_t key_value_heads;  // each key/value head serves a group of neighbouring query heads
    std::int64_t head_dim;
    torch::Tensor cosine;  // (runs, 1, time, 1, head_dim/2)
    torch::Tensor sine;
};

// Heads of q, k and v as views: (runs·batch, heads, time, head_dim). k and v have fewer heads if query heads share
// them.
struct Heads {
    torch::Tensor q, k, v;

    Heads(const torch::Tensor& qkv, const AttentionPlace& place) {
        const std::int64_t shared = place.key_value_heads;
        const torch::Tensor parts =
            qkv.view({qkv.size(0) * place.batch, qkv.size(1) / place.batch, place.heads + 2 * shared, place.head_dim});
        q = parts.narrow(2, 0, place.heads).transpose(1, 2);
        k = parts.narrow(2, place.heads, shared).transpose(1, 2);
        v = parts.narrow(2, place.heads + shared, shared).transpose(1, 2);
    }
};

// Repeats each head of k or v for every query head that it serves: (runs·batch, heads, time, head_dim).
torch::Tensor repeat_heads(const torch::Tensor& vectors, const AttentionPlace& place) {
    const std::int64_t group = place.heads / place.key_value_heads;
    return group == 1 ? vectors : vectors.repeat_interleave(group, 1);
}
// Returns the gradient of k or v from the gradient of its repeated heads.
torch::Tensor sum_over_groups(const torch::Tensor& repeated_gradient, const AttentionPlace& place) {
    const std::int64_t group = place.heads / place.key_value_heads;
    return group == 1 ? repeated_gradient : repeated_gradient.unflatten(1, {-1, group}).sum(2);
}

void rotate(const torch::Tensor& qkv, const AttentionPlace& place, bool backward) {
    if (!place.cosine.defined()) return;
    const std::int64_t time = qkv.size(1) / place.batch;
    TORCH_CHECK(place.cosine.numel() == qkv.size(0) * time * (place.head_dim / 2),
                "The rotary tables do not have the shape of the queries and keys.");
    start<cuda::RotateQkv>(qkv, &cuda::Kernels::rotate_qkv,
                           {.runs = qkv.size(0),
                            .rows = qkv.size(1),
                            .time = time,
                            .heads = place.heads,
                            .key_value_heads = place.key_value_heads,
                            .head_dim = place.head_dim,
                            .type = type_of(qkv),
                            .pairing = cuda::Pairing::half,
                            .qkv = values(qkv),
                            .cosine = numbers(place.cosine),
                            .sine = numbers(place.sine),
                            .backward = backward},
                           "rotate_qkv");
}

// Merges heads: (runs·batch, heads, time, head_dim) → (runs, batch·time, heads·head_dim).
torch::Tensor merge_heads(const torch::Tensor& mixed, std::int64_t runs) {
    return mixed.transpose(1, 2).reshape({runs, -1, mixed.size(1) * mixed.size(3)});
}
// Splits heads, as a view: the inverse of merge_heads.
torch::Tensor split_heads(const torch::Tensor& mixed_gradient, const AttentionPlace& place) {
    return mixed_gradient.contiguous()
        .view({mixed_gradient.size(0) * place.batch, mixed_gradient.size(1) / place.batch, place.heads, -1})
        .transpose(1, 2);
}

// Makes LibTorch deterministic, because flash attention's backward pass otherwise sums in any order. Filling
// uninitialized memory, which deterministic mode includes, only helps debugging and is switched off.
class Deterministic {
 public:
    Deterministic() {
        at::globalContext().setDeterministicAlgorithms(true, false);
        at::globalContext().setDeterministicFillUninitializedMemory(false);
    }
    Deterministic(const Deterministic&) = delete;
    Deterministic& operator=(const Deterministic&) = delete;
    ~Deterministic() {
        at::globalContext().setDeterministicAlgorithms(was_deterministic_, only_warned_);
        at::globalContext().setDeterministicFillUninitializedMemory(filled_memory_);
    }

 private:
    bool was_deterministic_ = at::globalContext().deterministicAlgorithms();
    bool only_warned_ = at::globalContext().deterministicAlgorithmsWarnOnly();
    bool filled_memory_ = at::globalContext().deterministicFillUninitializedMemory();
};

// Returns whether flash attention supports the input: bfloat16 (Ampere or newer), head_dim a multiple of 8 and at most
// 256.
bool supports_flash(const torch::Tensor& qkv, std::int64_t head_dim) {
    return qkv.scalar_type() == torch::kBFloat16 && head_dim % 8 == 0 && head_dim <= 256;
}

class FlashAttention : public torch::autograd::Function<FlashAttention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        rotate(qkv, *place, false);
        const Heads h(qkv, *place);
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        if (qkv.is_cpu()) {
            const auto [out, log_sums] = at::_scaled_dot_product_flash_attention_for_cpu(
                h.q, repeat_heads(h.k, *place), repeat_heads(h.v, *place), 0.0, true);
            context->save_for_backward({qkv, out, log_sums});
            return merge_heads(out, qkv.size(0));
        }
        const auto [out, log_sums, ends_q, ends_k, most_q, most_k, seed, offset, mask] =
            at::_scaled_dot_product_flash_attention(h.q, h.k, h.v, 0.0, true);
        context->save_for_backward({qkv, out, log_sums, ends_q, ends_k, seed, offset});
        return merge_heads(out, qkv.size(0));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& qkv = saved[0];
        const auto& place = place_of<AttentionPlace>(context);
        const Heads h(qkv, place);
        const torch::Tensor mixed_gradient = split_heads(gradients[0].to(qkv.scalar_type()), place);
        const std::int64_t time = qkv.size(1) / place.batch;
        const Deterministic deterministic;
        // On a GPU flash attention supports shared key/value heads directly.
        const auto [q_gradient, k_gradient, v_gradient] =
            qkv.is_cpu() ? at::_scaled_dot_product_flash_attention_for_cpu_backward(
                               mixed_gradient, h.q, repeat_heads(h.k, place), repeat_heads(h.v, place), saved[1],
                               saved[2], 0.0, true)
                         : at::_scaled_dot_product_flash_attention_backward(mixed_gradient, h.q, h.k, h.v, saved[1],
                                                                            saved[2], saved[3], saved[4], time, time,
                                                                            0.0, true, saved[5], saved[6]);
        const torch::Tensor qkv_gradient = fresh_memory_like(qkv);
        Heads gradient_heads(qkv_gradient, place);
        gradient_heads.q.copy_(q_gradient);
        gradient_heads.k.copy_(qkv.is_cpu() ? sum_over_groups(k_gradient, place) : k_gradient);
        gradient_heads.v.copy_(qkv.is_cpu() ? sum_over_groups(v_gradient, place) : v_gradient);
        rotate(qkv_gradient, place, true);
        return {qkv_gradient, {}};
    }
};

// Attention with LibTorch's products and the project's softmax and dropout kernels.
class SoftmaxAttention : public torch::autograd::Function<SoftmaxAttention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        rotate(qkv, *place, false);
        const Heads h(qkv, *place);
        const torch::Tensor q = h.q.contiguous();
        const torch::Tensor k = repeat_heads(h.k, *place).contiguous();
        const torch::Tensor v = repeat_heads(h.v, *place).contiguous();
        const torch::Tensor weights = torch::matmul(q, k.transpose(2, 3));
        const torch::Tensor dropped = place->drops.drop() ? fresh_memory_like(weights) : torch::Tensor();
        start<cuda::CausalSoftmax>(weights, &cuda::Kernels::causal_softmax,
                                   {.runs = qkv.size(0),
                                    .rows = weights.numel() / qkv.size(0) / weights.size(3),
                                    .time = weights.size(3),
                                    .type = type_of(weights),
                                    .scale = place->scale(),
                                    .dropout = place->drops.numbers(weights.numel() / qkv.size(0)),
                                    .scores = values(weights),
                                    .dropped = values(dropped)},
                                   "causal_softmax");
        context->save_for_backward({q, k, v, weights});
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        return merge_heads(torch::matmul(dropped.defined() ? dropped : weights, v), qkv.size(0));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& q = saved[0];
        const torch::Tensor& k = saved[1];
        const torch::Tensor& v = saved[2];
        const torch::Tensor& weights = saved[3];
        const auto& place = place_of<AttentionPlace>(context);
        const std::int64_t runs = gradients[0].size(0);
        const torch::Tensor out = split_heads(gradients[0].to(q.scalar_type()), place).contiguous();
        const torch::Tensor gradient = torch::matmul(out, v.transpose(2, 3));
        // The dropout masks are computed again instead of stored.
        const torch::Tensor dropped = place.drops.drop() ? fresh_memory_like(weights) : torch::Tensor();
        start<cuda::CausalSoftmaxBackward>(weights, &cuda::Kernels::causal_softmax_backward,
                                           {.runs = runs,
                                            .rows = weights.numel() / runs / weights.size(3),
                                            .time = weights.size(3),
                                            .type = type_of(weights),
                                            .scale = place.scale(),
                                            .dropout = place.drops.numbers(weights.numel() / runs),
                                            .shares = values(weights),
                                            .gradient = values(gradient),
                                            .dropped = values(dropped)},
                                           "causal_softmax_backward");
        const std::int64_t width = (place.heads + 2 * place.key_value_heads) * place.head_dim;
        const torch::Tensor qkv_gradient = fresh_memory({runs, gradients[0].size(1), width}, q.options());
        Heads gradient_heads(qkv_gradient, place);
        gradient_heads.v.copy_(
            sum_over_groups(torch::matmul((dropped.defined() ? dropped : weights).transpose(2, 3), out), place));
        gradient_heads.q.copy_(torch::matmul(gradient, k));
        gradient_heads.k.copy_(sum_over_groups(torch::matmul(gradient.transpose(2, 3), q), place));
        rotate(qkv_gradient, place, true);
        return {qkv_gradient, {}};
    }
};

}  // namespace

bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use) {
    const torch::Tensor& qkv = input.qkv;
    const auto type = qkv.scalar_type();
    if (type != torch::kFloat32 && type != torch::kBFloat16) return false;
    return has_device_kernels(qkv, DevicePart::rotation) && has_device_kernels(qkv, DevicePart::softmax) &&
           !use.cache && !use.hook && terms.tables.plain() && terms.only_causal() && terms.only_products();
}

void rotate_in_place(const torch::Tensor& qkv, std::int64_t batch, HeadCounts heads, const RotaryTables& tables,
                     bool backward) {
    rotate(qkv, AttentionPlace({}, "", qkv, batch, heads.query, heads.key_value, tables), backward);
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place) {
    // The rotation kernel works in place.
    const torch::Tensor qkv = input.qkv.contiguous();
    auto attention_place = c10::make_intrusive<AttentionPlace>(dropout, place, qkv, input.batch, input.heads.query,
                                                               input.heads.key_value, terms.tables);
    if (!dropout.active() && supports_flash(qkv, attention_place->head_dim))
        return FlashAttention::apply(qkv, std::move(attention_place));
    return SoftmaxAttention::apply(qkv, std::move(attention_place));
}

}  // namespace ropelab::cuda_attention
