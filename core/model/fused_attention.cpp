#include "core/kernels/kernels.h"
#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/model/open_attention.h"
#include "core/model/own_passes.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AttentionPlace : Place {
    AttentionPlace(const Dropout& dropout, const std::string& name, std::int64_t batch_size, HeadCounts its_heads,
                   RotaryTables rotary)
        : Place(dropout, name), batch(batch_size), heads(its_heads), tables(std::move(rotary)) {}
    std::int64_t batch;
    HeadCounts heads;
    RotaryTables tables;

    std::int64_t parts() const { return heads.query + 2 * heads.key_value; }

    /// f(a run's attention, first group, last group) for the groups of every run, in parts for the threads.
    template <typename T, typename F>
    void for_groups(const torch::Tensor& qkv, F f) const {
        for_each_run(
            qkv.size(0), batch * heads.key_value, 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
                f(run,
                  kernels::CausalAttention<T>{qkv.size(1) / batch, heads.query, heads.key_value, qkv.size(2) / parts(),
                                              row<T>(qkv, run), table_of(run), streams.of(run)},
                  first, last);
            });
    }

 private:
    kernels::RotaryTable table_of(std::int64_t run) const {
        if (!tables.defined()) return {};
        return {row(tables.cosine, run), row(tables.sine, run)};
    }
};

class Attention : public torch::autograd::Function<Attention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        const torch::Tensor rows = qkv.contiguous();
        const std::int64_t width = rows.size(2) / place->parts() * place->heads.query;
        const torch::Tensor mixed = torch::empty({rows.size(0), rows.size(1), width}, rows.options());
        ROPELAB_OWN_PASS("attention");
        with_type(rows.scalar_type(), [&]<typename T>(T) {
            place->for_groups<T>(rows, [&](std::int64_t run, const auto& args, std::int64_t first, std::int64_t last) {
                kernels::attend(args, row<T>(mixed, run), first, last);
            });
        });
        context->save_for_backward({rows});
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        return mixed;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor rows = context->get_saved_variables()[0];
        const auto capsule = context->saved_data["place"].toCapsule();
        const auto* place = static_cast<AttentionPlace*>(capsule.get());
        const torch::Tensor of_mixed = gradients[0].contiguous();
        const torch::Tensor of_rows = torch::empty_like(rows);
        ROPELAB_OWN_PASS("attention_backward");
        with_type(rows.scalar_type(), [&]<typename T>(T) {
            place->for_groups<T>(rows, [&](std::int64_t run, const auto& args, std::int64_t first, std::int64_t last) {
                kernels::attend_backward(args, row<T>(of_mixed, run), row<T>(of_rows, run), first, last);
            });
        });
        return {of_rows, {}};
    }
};

}  // namespace

torch::Tensor attend(const torch::Tensor& qkv, std::int64_t batch, HeadCounts heads, const RotaryTables& tables,
                     const Dropout& dropout, const std::string& place) {
    if (has_device_kernels(qkv)) return on_device::attend(qkv, batch, heads, tables, dropout, place);
    if (!has_own_passes(qkv))
        return attend_openly(turned(split_heads(qkv, batch, heads.query, heads.key_value), tables), dropout, place);
    return Attention::apply(qkv, c10::make_intrusive<AttentionPlace>(dropout, place, batch, heads, tables));
}

}  // namespace ropelab
