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
    std::int64_t key_value_heads;  // each serves a group of neighbouring heads
    std::int64_t head_dim;
    torch::Tensor cosine;  // (runs, 1, time, 1, head_dim/2)
    torch::Tensor sine;
};

// The heads of q, k and v as views: (runs·batch, heads, time, head_dim), k and v of fewer heads where groups share
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

// k or v with each head once for every query head that it serves: (runs·batch, heads, time, head_dim).
torch::Tensor spread(const torch::Tensor& vectors, const AttentionPlace& place) {
    const std::int64_t group = place.heads / place.key_value_heads;
    return group == 1 ? vectors : vectors.repeat_interleave(group, 1);
}
// The gradient of the one from that of the other.
torch::Tensor gathered(const torch::Tensor& of_spread, const AttentionPlace& place) {
    const std::int64_t group = place.heads / place.key_value_heads;
    return group == 1 ? of_spread : of_spread.unflatten(1, {-1, group}).sum(2);
}

void rotate(const torch::Tensor& qkv, const AttentionPlace& place, bool backward) {
    if (!place.cosine.defined()) return;
    const std::int64_t time = qkv.size(1) / place.batch;
    TORCH_CHECK(place.cosine.numel() == qkv.size(0) * time * (place.head_dim / 2),
                "The rotation tables do not fit the queries and keys.");
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

// (runs·batch, heads, time, head_dim) → (runs, batch·time, heads·head_dim)
torch::Tensor merged(const torch::Tensor& mixed, std::int64_t runs) {
    return mixed.transpose(1, 2).reshape({runs, -1, mixed.size(1) * mixed.size(3)});
}
// The inverse, as a view.
torch::Tensor by_head(const torch::Tensor& of_mixed, const AttentionPlace& place) {
    return of_mixed.contiguous()
        .view({of_mixed.size(0) * place.batch, of_mixed.size(1) / place.batch, place.heads, -1})
        .transpose(1, 2);
}

// Flash attention's backward pass adds up in any order unless LibTorch is to be deterministic; filling fresh memory,
// which comes with that, is for debugging alone.
class Deterministic {
 public:
    Deterministic() {
        at::globalContext().setDeterministicAlgorithms(true, false);
        at::globalContext().setDeterministicFillUninitializedMemory(false);
    }
    Deterministic(const Deterministic&) = delete;
    Deterministic& operator=(const Deterministic&) = delete;
    ~Deterministic() {
        at::globalContext().setDeterministicAlgorithms(was_, only_warns_);
        at::globalContext().setDeterministicFillUninitializedMemory(filled_);
    }

 private:
    bool was_ = at::globalContext().deterministicAlgorithms();
    bool only_warns_ = at::globalContext().deterministicAlgorithmsWarnOnly();
    bool filled_ = at::globalContext().deterministicFillUninitializedMemory();
};

// What flash attention takes: bfloat16 on Ampere or newer, whole groups of eight channels, 256 at most.
bool suits_flash(const torch::Tensor& qkv, std::int64_t head_dim) {
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
                h.q, spread(h.k, *place), spread(h.v, *place), 0.0, true);
            context->save_for_backward({qkv, out, log_sums});
            return merged(out, qkv.size(0));
        }
        const auto [out, log_sums, ends_q, ends_k, most_q, most_k, seed, offset, mask] =
            at::_scaled_dot_product_flash_attention(h.q, h.k, h.v, 0.0, true);
        context->save_for_backward({qkv, out, log_sums, ends_q, ends_k, seed, offset});
        return merged(out, qkv.size(0));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& qkv = saved[0];
        const auto& place = place_of<AttentionPlace>(context);
        const Heads h(qkv, place);
        const torch::Tensor of_mixed = by_head(gradients[0].to(qkv.scalar_type()), place);
        const std::int64_t time = qkv.size(1) / place.batch;
        const Deterministic deterministic;
        // On a GPU shared heads need not be spread.
        const auto [of_q, of_k, of_v] =
            qkv.is_cpu() ? at::_scaled_dot_product_flash_attention_for_cpu_backward(
                               of_mixed, h.q, spread(h.k, place), spread(h.v, place), saved[1], saved[2], 0.0, true)
                         : at::_scaled_dot_product_flash_attention_backward(of_mixed, h.q, h.k, h.v, saved[1], saved[2],
                                                                            saved[3], saved[4], time, time, 0.0, true,
                                                                            saved[5], saved[6]);
        const torch::Tensor of_qkv = fresh_memory_like(qkv);
        Heads of(of_qkv, place);
        of.q.copy_(of_q);
        of.k.copy_(qkv.is_cpu() ? gathered(of_k, place) : of_k);
        of.v.copy_(qkv.is_cpu() ? gathered(of_v, place) : of_v);
        rotate(of_qkv, place, true);
        return {of_qkv, {}};
    }
};

// Scores by LibTorch's products, softmax and dropout by our kernels.
class SoftmaxAttention : public torch::autograd::Function<SoftmaxAttention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        rotate(qkv, *place, false);
        const Heads h(qkv, *place);
        const torch::Tensor q = h.q.contiguous();
        const torch::Tensor k = spread(h.k, *place).contiguous();
        const torch::Tensor v = spread(h.v, *place).contiguous();
        const torch::Tensor shares = torch::matmul(q, k.transpose(2, 3));
        const torch::Tensor dropped = place->drops.drop() ? fresh_memory_like(shares) : torch::Tensor();
        start<cuda::CausalSoftmax>(shares, &cuda::Kernels::causal_softmax,
                                   {.runs = qkv.size(0),
                                    .rows = shares.numel() / qkv.size(0) / shares.size(3),
                                    .time = shares.size(3),
                                    .type = type_of(shares),
                                    .scale = place->scale(),
                                    .dropout = place->drops.numbers(),
                                    .scores = values(shares),
                                    .dropped = values(dropped)},
                                   "causal_softmax");
        context->save_for_backward({q, k, v, shares});
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        return merged(torch::matmul(dropped.defined() ? dropped : shares, v), qkv.size(0));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& q = saved[0];
        const torch::Tensor& k = saved[1];
        const torch::Tensor& v = saved[2];
        const torch::Tensor& shares = saved[3];
        const auto& place = place_of<AttentionPlace>(context);
        const std::int64_t runs = gradients[0].size(0);
        const torch::Tensor out = by_head(gradients[0].to(q.scalar_type()), place).contiguous();
        const torch::Tensor gradient = torch::matmul(out, v.transpose(2, 3));
        // Dropped again rather than kept.
        const torch::Tensor dropped = place.drops.drop() ? fresh_memory_like(shares) : torch::Tensor();
        start<cuda::CausalSoftmaxBackward>(shares, &cuda::Kernels::causal_softmax_backward,
                                           {.runs = runs,
                                            .rows = shares.numel() / runs / shares.size(3),
                                            .time = shares.size(3),
                                            .type = type_of(shares),
                                            .scale = place.scale(),
                                            .dropout = place.drops.numbers(),
                                            .shares = values(shares),
                                            .gradient = values(gradient),
                                            .dropped = values(dropped)},
                                           "causal_softmax_backward");
        const std::int64_t width = (place.heads + 2 * place.key_value_heads) * place.head_dim;
        const torch::Tensor of_qkv = fresh_memory({runs, gradients[0].size(1), width}, q.options());
        Heads of(of_qkv, place);
        of.v.copy_(gathered(torch::matmul((dropped.defined() ? dropped : shares).transpose(2, 3), out), place));
        of.q.copy_(torch::matmul(gradient, k));
        of.k.copy_(gathered(torch::matmul(gradient.transpose(2, 3), q), place));
        rotate(of_qkv, place, true);
        return {of_qkv, {}};
    }
};

}  // namespace

bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use) {
    const torch::Tensor& qkv = input.qkv;
    const auto type = qkv.scalar_type();
    if (type != torch::kFloat32 && type != torch::kBFloat16) return false;
    return has_device_kernels(qkv, DevicePart::rotation) && has_device_kernels(qkv, DevicePart::softmax) &&
           !use.cache && !use.hook && terms.tables.plain() && terms.only_causal();
}

void rotate_in_place(const torch::Tensor& qkv, std::int64_t batch, HeadCounts heads, const RotaryTables& tables,
                     bool backward) {
    rotate(qkv, AttentionPlace({}, "", qkv, batch, heads.query, heads.key_value, tables), backward);
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place) {
    // The rotation works in place.
    const torch::Tensor qkv = input.qkv.contiguous();
    auto what = c10::make_intrusive<AttentionPlace>(dropout, place, qkv, input.batch, input.heads.query,
                                                    input.heads.key_value, terms.tables);
    if (!dropout.active() && suits_flash(qkv, what->head_dim)) return FlashAttention::apply(qkv, std::move(what));
    return SoftmaxAttention::apply(qkv, std::move(what));
}

}  // namespace ropelab::cuda_attention
