#include "core/model/fused.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

#include <cmath>

#include "core/kernels/kernels.h"
#include "core/model/fused_device.h"
#include "core/model/open_attention.h"
#include "core/model/operations.h"
#include "core/model/parallel.h"
#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// f(run, first, last) over 0 … count − 1 of every run, in parts for the threads.
template <typename F>
void for_each_run(std::int64_t runs, std::int64_t count, std::int64_t grain, F f) {
    at::parallel_for(0, runs * count, grain, [&](std::int64_t begin, std::int64_t end) {
        while (begin < end) {
            const std::int64_t run = begin / count;
            const std::int64_t last = std::min(end, (run + 1) * count);
            f(run, begin - run * count, last - run * count);
            begin = last;
        }
    });
}

// Rows that are worth another thread.
std::int64_t row_grain(std::int64_t columns) {
    return std::max<std::int64_t>(1, 8192 / columns);
}

// Whether the kernels of core/kernels work on a tensor.
bool has_own_passes(const torch::Tensor& tensor) {
    return tensor.is_cpu() && !is_eager();
}

float* numbers(const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

float* row(const torch::Tensor& tensor, std::int64_t run) {
    return tensor.defined() ? tensor.data_ptr<float>() + run * tensor.stride(0) : nullptr;
}

// LibTorch's functions take what may be missing as an optional.
std::optional<torch::Tensor> given(const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

// A dropout's numbers for each run.
class Streams {
 public:
    Streams(const Dropout& dropout, const std::string& place) : dropout_(dropout) {
        if (!dropout.active()) return;
        for (std::int64_t seed : dropout.seeds()) streams_.emplace_back(seed, "dropout:" + place);
    }
    bool drop() const { return !streams_.empty(); }
    kernels::DropoutNumbers of(std::int64_t run) const {
        if (streams_.empty()) return {};
        return {&streams_[static_cast<std::size_t>(run)], dropout_.rate(), static_cast<std::uint64_t>(dropout_.step())};
    }

 private:
    Dropout dropout_;
    std::vector<RandomStream> streams_;
};

// What a function needs besides tensors.
struct Place : torch::CustomClassHolder {
    Place(const Dropout& dropout, const std::string& name) : streams(dropout, name) {}
    Streams streams;
};

class ResidualNorm : public torch::autograd::Function<ResidualNorm> {
 public:
    static variable_list forward(AutogradContext* context, const torch::Tensor& x,
                                 const std::optional<torch::Tensor>& given_branch, const torch::Tensor& weight,
                                 const std::optional<torch::Tensor>& given_bias, const c10::intrusive_ptr<Place>& place,
                                 bool centred) {
        const torch::Tensor branch = given_branch.value_or(torch::Tensor());
        const torch::Tensor bias = given_bias.value_or(torch::Tensor());
        const std::int64_t runs = x.size(0);
        const std::int64_t rows = x.size(1);
        const std::int64_t columns = x.size(2);
        const torch::Tensor from = x.contiguous();
        const torch::Tensor added = branch.defined() ? branch.contiguous() : branch;
        const torch::Tensor sum = branch.defined() ? torch::empty_like(from) : from;
        const torch::Tensor normed = torch::empty_like(from);
        const torch::Tensor mask =
            place->streams.drop() && branch.defined() ? torch::empty_like(from) : torch::Tensor();
        const torch::Tensor mean = torch::empty({runs, rows}, from.options());
        const torch::Tensor inverse = torch::empty({runs, rows}, from.options());
        ROPELAB_OWN_PASS("residual_norm");
        for_each_run(runs, kernels::blocks_of(rows), 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            kernels::norm_forward({.columns = columns,
                                   .centred = centred,
                                   .x = row(from, run),
                                   .branch = row(added, run),
                                   .weight = row(weight, run),
                                   .bias = row(bias, run),
                                   .dropout = place->streams.of(run),
                                   .mask = row(mask, run),
                                   .sum = row(sum, run),
                                   .normed = row(normed, run),
                                   .mean = row(mean, run),
                                   .inverse = row(inverse, run)},
                                  rows, first, last);
        });
        context->save_for_backward({sum, mean, inverse, weight, mask});
        context->saved_data["branch"] = branch.defined();
        context->saved_data["bias"] = bias.defined();
        context->saved_data["centred"] = centred;
        return {branch.defined() ? sum : x, normed};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& sum = saved[0];
        const bool branch = context->saved_data["branch"].toBool();
        const bool biased = context->saved_data["bias"].toBool();
        const bool centred = context->saved_data["centred"].toBool();
        const std::int64_t runs = sum.size(0);
        const std::int64_t rows = sum.size(1);
        const std::int64_t columns = sum.size(2);
        const std::int64_t blocks = kernels::blocks_of(rows);
        const torch::Tensor of_sum = gradients[0].defined() ? gradients[0].contiguous() : gradients[0];
        const torch::Tensor of_normed = gradients[1].contiguous();
        const torch::Tensor of_x = torch::empty_like(sum);
        const torch::Tensor of_branch = branch ? torch::empty_like(sum) : torch::Tensor();
        const torch::Tensor of_weight = torch::empty({runs, blocks, columns}, sum.options());
        const torch::Tensor of_bias = biased ? torch::empty({runs, blocks, columns}, sum.options()) : torch::Tensor();
        ROPELAB_OWN_PASS("residual_norm_backward");
        for_each_run(runs, blocks, 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            kernels::norm_backward({.columns = columns,
                                    .centred = centred,
                                    .sum = row(sum, run),
                                    .mean = row(saved[1], run),
                                    .inverse = row(saved[2], run),
                                    .weight = row(saved[3], run),
                                    .of_sum = row(of_sum, run),
                                    .of_normed = row(of_normed, run),
                                    .mask = row(saved[4], run),
                                    .of_x = row(of_x, run),
                                    .of_branch = row(of_branch, run),
                                    .of_weight = row(of_weight, run),
                                    .of_bias = row(of_bias, run)},
                                   rows, first, last);
        });
        const auto total = [&](const torch::Tensor& parts) {
            const torch::Tensor result = torch::empty({runs, columns}, parts.options());
            for (std::int64_t run = 0; run < runs; ++run)
                kernels::sum_rows(row(parts, run), blocks, columns, row(result, run));
            return result;
        };
        return {of_x, of_branch, total(of_weight), biased ? total(of_bias) : torch::Tensor(), {}, {}};
    }
};

// The heads of one of q, k and v as views: (runs·batch, heads, time, head_dim).
struct Heads {
    torch::Tensor q, k, v;
};
Heads heads_of(const torch::Tensor& qkv, std::int64_t batch, std::int64_t heads) {
    const std::int64_t time = qkv.size(1) / batch;
    const std::int64_t head_dim = qkv.size(2) / (3 * heads);
    const torch::Tensor parts = qkv.view({qkv.size(0) * batch, time, 3, heads, head_dim});
    const auto part = [&](std::int64_t which) { return parts.select(2, which).transpose(1, 2); };
    return {part(0), part(1), part(2)};
}

struct AttentionPlace : Place {
    AttentionPlace(const Dropout& dropout, const std::string& name, std::int64_t batch_size, std::int64_t head_count,
                   RotaryTables rotary)
        : Place(dropout, name),
          drops(dropout.active()),
          rate(dropout.rate()),
          batch(batch_size),
          heads(head_count),
          tables(std::move(rotary)) {}
    bool drops;
    double rate;
    std::int64_t batch;
    std::int64_t heads;
    RotaryTables tables;
};

void rotate(const torch::Tensor& qkv, const AttentionPlace& place, float direction) {
    if (!place.tables.defined()) return;
    const std::int64_t rows = qkv.size(1);
    const std::int64_t width = qkv.size(2) / 3;
    ROPELAB_OWN_PASS("rotate");
    const kernels::HeadShape shape{rows / place.batch, place.heads, width / place.heads};
    for_each_run(qkv.size(0), rows, row_grain(2 * width), [&](std::int64_t run, std::int64_t first, std::int64_t last) {
        kernels::rotate_qkv(row(qkv, run), shape, {row(place.tables.cosine, run), row(place.tables.sine, run)},
                            direction, first, last);
    });
}

class Attention : public torch::autograd::Function<Attention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        rotate(qkv, *place, 1.0F);
        const Heads h = heads_of(qkv, place->batch, place->heads);
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        torch::Tensor mixed;  // (runs·batch, heads, time, head_dim)
        if (place->drops) {
            const torch::Tensor q = h.q.contiguous();
            const torch::Tensor k = h.k.contiguous();
            const torch::Tensor v = h.v.contiguous();
            const torch::Tensor shares = torch::matmul(q, k.transpose(2, 3));
            const torch::Tensor dropped = torch::empty_like(shares);
            soften(shares, dropped, qkv.size(0), q.size(3), place->streams);
            mixed = torch::matmul(dropped, v);
            context->save_for_backward({q, k, v, shares, dropped});
        } else {
            const auto [out, log_sums] = at::_scaled_dot_product_flash_attention_for_cpu(h.q, h.k, h.v, 0.0, true);
            mixed = out;
            context->save_for_backward({qkv, out, log_sums});
        }
        return mixed.transpose(1, 2).reshape({qkv.size(0), qkv.size(1), qkv.size(2) / 3});
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["place"].toCapsule();
        const auto* place = static_cast<AttentionPlace*>(capsule.get());
        const std::int64_t runs = gradients[0].size(0);
        const std::int64_t rows = gradients[0].size(1);
        const std::int64_t width = gradients[0].size(2);
        const torch::Tensor of_mixed = gradients[0]
                                           .contiguous()
                                           .view({runs * place->batch, rows / place->batch, place->heads, -1})
                                           .transpose(1, 2);
        torch::Tensor of_qkv = torch::empty({runs, rows, 3 * width}, gradients[0].options());
        const Heads of = heads_of(of_qkv, place->batch, place->heads);
        if (place->drops) {
            const torch::Tensor& q = saved[0];
            const torch::Tensor& k = saved[1];
            const torch::Tensor& v = saved[2];
            const torch::Tensor& shares = saved[3];
            const torch::Tensor out = of_mixed.contiguous();
            const torch::Tensor gradient = torch::matmul(out, v.transpose(2, 3));
            const torch::Tensor& dropped = saved[4];
            soften_backward(shares, dropped, gradient, q.size(3), place->rate);
            of.v.copy_(torch::matmul(dropped.transpose(2, 3), out));
            of.q.copy_(torch::matmul(gradient, k));
            of.k.copy_(torch::matmul(gradient.transpose(2, 3), q));
        } else {
            const Heads h = heads_of(saved[0], place->batch, place->heads);
            const auto [of_q, of_k, of_v] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
                of_mixed, h.q, h.k, h.v, saved[1], saved[2], 0.0, true);
            of.q.copy_(of_q);
            of.k.copy_(of_k);
            of.v.copy_(of_v);
        }
        rotate(of_qkv, *place, -1.0F);
        return {of_qkv, {}};
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
            kernels::causal_softmax(numbers(shares) + at, numbers(dropped) + at, time, scale_of(head_dim),
                                    streams.of(run), first, last);
        });
    }
    static void soften_backward(const torch::Tensor& shares, const torch::Tensor& dropped,
                                const torch::Tensor& gradient, std::int64_t head_dim, double rate) {
        ROPELAB_OWN_PASS("causal_softmax_backward");
        const std::int64_t time = shares.size(3);
        at::parallel_for(0, shares.numel() / time, row_grain(time), [&](std::int64_t first, std::int64_t last) {
            kernels::causal_softmax_backward(numbers(shares), numbers(dropped), numbers(gradient), time,
                                             scale_of(head_dim), rate, first, last);
        });
    }
};

class LookUp : public torch::autograd::Function<LookUp> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& table, const torch::Tensor& tokens) {
        const std::int64_t runs = table.size(0);
        const std::int64_t columns = table.size(2);
        const torch::Tensor ids = tokens.contiguous();
        const torch::Tensor result = torch::empty({runs, ids.size(1), columns}, table.options());
        ROPELAB_OWN_PASS("look_up");
        for_each_run(runs, ids.size(1), row_grain(columns),
                     [&](std::int64_t run, std::int64_t first, std::int64_t last) {
                         kernels::gather_rows(row(table, run), ids.data_ptr<std::int64_t>() + run * ids.size(1),
                                              columns, row(result, run), first, last);
                     });
        context->save_for_backward({ids});
        context->saved_data["rows"] = table.size(1);
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor ids = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].contiguous();
        const std::int64_t runs = gradient.size(0);
        const std::int64_t rows = gradient.size(1);
        const std::int64_t columns = gradient.size(2);
        const torch::Tensor of_table =
            torch::zeros({runs, context->saved_data["rows"].toInt(), columns}, gradient.options());
        constexpr std::int64_t part = 16;  // columns: threads share out columns, so that no two add to one number
        const std::int64_t parts = (columns + part - 1) / part;
        ROPELAB_OWN_PASS("look_up_backward");
        for_each_run(runs, parts, 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            kernels::scatter_rows(row(gradient, run), ids.data_ptr<std::int64_t>() + run * rows, rows, columns,
                                  row(of_table, run), first * part, std::min(columns, last * part));
        });
        return {of_table, {}};
    }
};

class TokenLosses : public torch::autograd::Function<TokenLosses> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& logits, const torch::Tensor& targets) {
        const torch::Tensor from = logits.contiguous();
        const torch::Tensor ids = targets.contiguous();
        const torch::Tensor losses = torch::empty(ids.sizes(), from.options());
        const torch::Tensor log_sums = torch::empty(ids.sizes(), from.options());
        const std::int64_t columns = from.size(2);
        ROPELAB_OWN_PASS("token_losses");
        at::parallel_for(0, ids.numel(), row_grain(columns), [&](std::int64_t first, std::int64_t last) {
            kernels::cross_entropy(numbers(from), ids.data_ptr<std::int64_t>(), columns, numbers(losses),
                                   numbers(log_sums), first, last);
        });
        context->save_for_backward({from, ids, log_sums});
        return losses;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor scales = gradients[0].contiguous();
        const torch::Tensor of_logits = torch::empty_like(saved[0]);
        const std::int64_t columns = of_logits.size(2);
        ROPELAB_OWN_PASS("token_losses_backward");
        at::parallel_for(0, scales.numel(), row_grain(columns), [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) {
                kernels::cross_entropy_backward(numbers(saved[0]), saved[1].data_ptr<std::int64_t>(), numbers(saved[2]),
                                                columns, numbers(scales)[i], numbers(of_logits), i, i + 1);
            }
        });
        return {of_logits, {}};
    }
};

}  // namespace

Normed residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                     const torch::Tensor& bias, const Dropout& dropout, const std::string& place, Norm norm) {
    if (has_device_kernels(x)) return on_device::residual_norm(x, branch, weight, bias, dropout, place, norm);
    if (has_own_passes(x)) {
        const auto results = ResidualNorm::apply(x, given(branch), weight, given(bias),
                                                 c10::make_intrusive<Place>(dropout, place), norm == Norm::layer);
        return {results[0], results[1]};
    }
    const torch::Tensor sum = branch.defined() ? x + dropout(branch, place) : x;
    const std::vector<std::int64_t> columns = {sum.size(-1)};
    const torch::Tensor plain =
        norm == Norm::layer ? torch::layer_norm(sum, columns, {}, {}, 1e-5) : torch::rms_norm(sum, columns, {}, 1e-6);
    torch::Tensor normed = plain * weight.unsqueeze(1);
    return {sum, bias.defined() ? normed + bias.unsqueeze(1) : normed};
}

torch::Tensor attend(const torch::Tensor& qkv, std::int64_t batch, std::int64_t heads, const RotaryTables& tables,
                     const Dropout& dropout, const std::string& place) {
    if (has_device_kernels(qkv)) return on_device::attend(qkv, batch, heads, heads, tables, dropout, place);
    if (!has_own_passes(qkv))
        return attend_openly(turned(split_heads(qkv, batch, heads, heads), tables), dropout, place);
    return Attention::apply(qkv, c10::make_intrusive<AttentionPlace>(dropout, place, batch, heads, tables));
}

torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens) {
    if (has_device_kernels(table)) return on_device::look_up(table, tokens);
    if (has_own_passes(table)) return LookUp::apply(table, tokens);
    std::vector<torch::Tensor> rows;
    for (std::int64_t run = 0; run < table.size(0); ++run) {
        rows.push_back(torch::embedding(table.select(0, run), tokens.select(0, run)));
    }
    return torch::stack(rows);
}

torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets) {
    if (has_device_kernels(logits)) return on_device::token_losses(logits, targets);
    if (has_own_passes(logits)) return TokenLosses::apply(logits, targets);
    return torch::cross_entropy_loss(logits.flatten(0, 1), targets.flatten(), {}, at::Reduction::None).view_as(targets);
}

}  // namespace ropelab
