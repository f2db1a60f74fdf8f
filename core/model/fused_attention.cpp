#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

#include <array>
#include <cmath>

#include "core/kernels/kernels.h"
#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/model/open_attention.h"
#include "core/model/own_passes.h"

namespace ropelab {

namespace {

using kernels::HeadOrder;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AttentionPlace : Place {
    AttentionPlace(const Dropout& dropout, const std::string& name, std::int64_t batch_size, std::int64_t head_count,
                   RotaryTables rotary)
        : Place(dropout, name),
          rate(dropout.rate()),
          batch(batch_size),
          heads(head_count),
          tables(std::move(rotary)),
          order(dropout.active() ? HeadOrder::by_head : HeadOrder::by_position) {}
    double rate;
    std::int64_t batch;
    std::int64_t heads;
    RotaryTables tables;
    HeadOrder order;  // scores over all of a head where shares are dropped, else flash attention

    kernels::RotaryTable table_of(std::int64_t run) const {
        if (!tables.defined()) return {};
        return {row(tables.cosine, run), row(tables.sine, run)};
    }
};

// Vectors of all heads as (runs·batch, heads, time, head_dim), in the order that they lie in.
class HeadVectors {
 public:
    // For rows (runs, rows, parts·heads·head_dim).
    HeadVectors(const AttentionPlace& place, std::int64_t runs, std::int64_t rows, std::int64_t width)
        : place_(place),
          runs_(runs),
          rows_(rows),
          shape_{rows / place.batch, place.heads, width / place.heads, place.order} {}

    // The parts of `rows`; of three, q and k turned.
    template <std::size_t parts>
    std::array<torch::Tensor, parts> apart(const torch::Tensor& rows) const {
        std::array<torch::Tensor, parts> result;
        if (lie_so(rows.scalar_type(), parts)) {
            const torch::Tensor all = rows.view(
                {runs_ * place_.batch, shape_.time, static_cast<std::int64_t>(parts), shape_.heads, shape_.head_dim});
            for (std::size_t part = 0; part < parts; ++part) {
                result[part] = all.select(2, static_cast<std::int64_t>(part)).transpose(1, 2);
            }
            return result;
        }
        for (torch::Tensor& part : result) part = empty();
        ROPELAB_OWN_PASS("to_heads");
        with_type(rows.scalar_type(), [&]<typename T>(T) {
            for_each_part<parts>([&](std::int64_t run, std::int64_t first, std::int64_t last) {
                std::array<float*, parts> out;
                for (std::size_t part = 0; part < parts; ++part) out[part] = numbers_of(result[part], run);
                kernels::to_heads<T>(row<T>(rows, run), shape_, table_of<parts>(run), out, first, last);
            });
        });
        return result;
    }

    // The inverse.
    template <std::size_t parts>
    torch::Tensor together(const std::array<torch::Tensor, parts>& heads, torch::ScalarType type) const {
        if (parts == 1 && lie_so(type, parts)) {
            return heads[0].transpose(1, 2).reshape({runs_, rows_, shape_.heads * shape_.head_dim});
        }
        const torch::Tensor result =
            torch::empty({runs_, rows_, static_cast<std::int64_t>(parts) * shape_.heads * shape_.head_dim}, type);
        std::array<torch::Tensor, parts> lying;
        for (std::size_t part = 0; part < parts; ++part) {
            lying[part] = shape_.order == HeadOrder::by_head ? heads[part].contiguous()
                                                             : heads[part].transpose(1, 2).contiguous();
        }
        ROPELAB_OWN_PASS("from_heads");
        with_type(type, [&]<typename T>(T) {
            for_each_part<parts>([&](std::int64_t run, std::int64_t first, std::int64_t last) {
                std::array<const float*, parts> from;
                for (std::size_t part = 0; part < parts; ++part) from[part] = numbers_of(lying[part], run);
                kernels::from_heads<T>(from, shape_, table_of<parts>(run), row<T>(result, run), first, last);
            });
        });
        return result;
    }

 private:
    // Whether rows lie as heads are wanted, so that views will do.
    bool lie_so(torch::ScalarType type, std::size_t parts) const {
        return type == torch::kFloat32 && shape_.order == HeadOrder::by_position &&
               (parts != 3 || !place_.tables.defined());
    }
    // A tensor for one of the parts.
    torch::Tensor empty() const {
        const std::int64_t sequences = runs_ * place_.batch;
        return shape_.order == HeadOrder::by_head
                   ? torch::empty({sequences, shape_.heads, shape_.time, shape_.head_dim})
                   : torch::empty({sequences, shape_.time, shape_.heads, shape_.head_dim}).transpose(1, 2);
    }
    float* numbers_of(const torch::Tensor& heads, std::int64_t run) const {
        return numbers<float>(heads) + run * rows_ * shape_.heads * shape_.head_dim;
    }
    template <std::size_t parts>
    kernels::RotaryTable table_of(std::int64_t run) const {
        return parts == 3 ? place_.table_of(run) : kernels::RotaryTable{};
    }
    template <std::size_t parts, typename F>
    void for_each_part(F f) const {
        for_each_run(runs_, rows_, row_grain(static_cast<std::int64_t>(parts) * shape_.heads * shape_.head_dim), f);
    }

    const AttentionPlace& place_;
    std::int64_t runs_;
    std::int64_t rows_;
    kernels::HeadShape shape_;
};

class Attention : public torch::autograd::Function<Attention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        const torch::Tensor rows = qkv.contiguous();
        const HeadVectors vectors(*place, rows.size(0), rows.size(1), rows.size(2) / 3);
        const auto [q, k, v] = vectors.apart<3>(rows);
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        torch::Tensor mixed;
        if (place->streams.drop()) {
            const torch::Tensor shares = torch::matmul(q, k.transpose(2, 3));
            const torch::Tensor dropped = torch::empty_like(shares);
            soften(shares, dropped, rows.size(0), q.size(3), place->streams);
            mixed = torch::matmul(dropped, v);
            context->save_for_backward({q, k, v, shares, dropped});
        } else {
            const auto [out, log_sums] = at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, true);
            mixed = out;
            context->save_for_backward({q, k, v, out, log_sums});
        }
        return vectors.together<1>({mixed}, rows.scalar_type());
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["place"].toCapsule();
        const auto* place = static_cast<AttentionPlace*>(capsule.get());
        const torch::Tensor gradient = gradients[0].contiguous();
        const HeadVectors vectors(*place, gradient.size(0), gradient.size(1), gradient.size(2));
        const auto [of_mixed] = vectors.apart<1>(gradient);
        const torch::Tensor& q = saved[0];
        const torch::Tensor& k = saved[1];
        const torch::Tensor& v = saved[2];
        if (!place->streams.drop()) {
            const auto [of_q, of_k, of_v] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
                of_mixed, q, k, v, saved[3], saved[4], 0.0, true);
            return {vectors.together<3>({of_q, of_k, of_v}, gradient.scalar_type()), {}};
        }
        const torch::Tensor& shares = saved[3];
        const torch::Tensor& dropped = saved[4];
        const torch::Tensor of_scores = torch::matmul(of_mixed, v.transpose(2, 3));
        soften_backward(shares, dropped, of_scores, q.size(3), place->rate);
        return {vectors.together<3>({torch::matmul(of_scores, k), torch::matmul(of_scores.transpose(2, 3), q),
                                     torch::matmul(dropped.transpose(2, 3), of_mixed)},
                                    gradient.scalar_type()),
                {}};
    }

 private:
    static float scale_of(std::int64_t head_dim) {
        return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
    }
    static void soften(const torch::Tensor& shares, const torch::Tensor& dropped, std::int64_t runs,
                       std::int64_t head_dim, const Streams& streams) {
        ROPELAB_OWN_PASS("causal_softmax");
        const std::int64_t time = shares.size(3);
        const std::int64_t rows = shares.numel() / runs / time;
        for_each_run(runs, rows, row_grain(time), [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            const std::int64_t at = run * rows * time;
            kernels::causal_softmax(numbers<float>(shares) + at, numbers<float>(dropped) + at, time, scale_of(head_dim),
                                    streams.of(run), first, last);
        });
    }
    static void soften_backward(const torch::Tensor& shares, const torch::Tensor& dropped,
                                const torch::Tensor& gradient, std::int64_t head_dim, double rate) {
        ROPELAB_OWN_PASS("causal_softmax_backward");
        const std::int64_t time = shares.size(3);
        at::parallel_for(0, shares.numel() / time, row_grain(time), [&](std::int64_t first, std::int64_t last) {
            kernels::causal_softmax_backward(numbers<float>(shares), numbers<float>(dropped), numbers<float>(gradient),
                                             time, scale_of(head_dim), rate, first, last);
        });
    }
};

}  // namespace

torch::Tensor attend(const torch::Tensor& qkv, std::int64_t batch, std::int64_t heads, const RotaryTables& tables,
                     const Dropout& dropout, const std::string& place) {
    if (has_device_kernels(qkv)) return on_device::attend(qkv, batch, heads, heads, tables, dropout, place);
    if (!has_own_passes(qkv))
        return attend_openly(turned(split_heads(qkv, batch, heads, heads), tables), dropout, place);
    return Attention::apply(qkv, c10::make_intrusive<AttentionPlace>(dropout, place, batch, heads, tables));
}

}  // namespace ropelab
