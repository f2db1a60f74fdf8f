#include "core/engine/operations/fused.h"

#include <optional>

#include "core/engine/operations/operations.h"
#include "core/engine/operations/own_passes.h"
#include "core/kernels/kernels.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// f receives values of the branch's and the normalized type; only these combinations exist.
template <typename F>
void with_types(const torch::Tensor& branch, torch::ScalarType normed, F f) {
    const bool rounded = normed == torch::kBFloat16;
    TORCH_CHECK(rounded || !branch.defined() || branch.scalar_type() == normed,
                "If the output of a branch is bfloat16, its normalization must be bfloat16, too.");
    if (branch.defined() && branch.scalar_type() == torch::kBFloat16) {
        f(kernels::Bfloat16{}, kernels::Bfloat16{});
    } else if (rounded) {
        f(float{}, kernels::Bfloat16{});
    } else {
        f(float{}, float{});
    }
}

class ResidualNorm : public torch::autograd::Function<ResidualNorm> {
 public:
    static variable_list forward(AutogradContext* context, const torch::Tensor& x,
                                 const std::optional<torch::Tensor>& given_branch, const torch::Tensor& weight,
                                 const std::optional<torch::Tensor>& given_bias, const c10::intrusive_ptr<Place>& place,
                                 bool centred, double epsilon, torch::ScalarType type) {
        const torch::Tensor branch = given_branch.value_or(torch::Tensor());
        const torch::Tensor bias = given_bias.value_or(torch::Tensor());
        const std::int64_t runs = x.size(0);
        const std::int64_t rows = x.size(1);
        const std::int64_t columns = x.size(2);
        const torch::Tensor from = x.contiguous();
        const torch::Tensor added = branch.defined() ? branch.contiguous() : branch;
        const torch::Tensor sum = branch.defined() ? torch::empty_like(from) : from;
        const torch::Tensor normed = torch::empty_like(from, type);
        const torch::Tensor mask =
            place->streams.drop() && branch.defined() ? torch::empty_like(from) : torch::Tensor();
        const torch::Tensor mean = torch::empty({runs, rows}, from.options());
        const torch::Tensor inverse = torch::empty({runs, rows}, from.options());
        ROPELAB_OWN_PASS("residual_norm");
        with_types(added, type, [&]<typename Branch, typename Out>(Branch, Out) {
            for_each_run(runs, kernels::blocks_of(rows), 1,
                         [&](std::int64_t run, std::int64_t first, std::int64_t last) {
                             kernels::norm_forward<Branch, Out>({.columns = columns,
                                                                 .centred = centred,
                                                                 .epsilon = static_cast<float>(epsilon),
                                                                 .x = row(from, run),
                                                                 .branch = row<Branch>(added, run),
                                                                 .weight = row(weight, run),
                                                                 .bias = row(bias, run),
                                                                 .dropout = place->streams.of(run, rows * columns),
                                                                 .mask = row(mask, run),
                                                                 .sum = row(sum, run),
                                                                 .normed = row<Out>(normed, run),
                                                                 .mean = row(mean, run),
                                                                 .inverse = row(inverse, run)},
                                                                rows, first, last);
                         });
        });
        context->save_for_backward({sum, mean, inverse, weight, mask});
        context->saved_data["branch"] = branch.defined();
        context->saved_data["rounded branch"] = branch.defined() && branch.scalar_type() == torch::kBFloat16;
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
        const torch::Tensor grad_sum = gradients[0].defined() ? gradients[0].contiguous() : gradients[0];
        const torch::Tensor grad_normalized = gradients[1].contiguous();
        const torch::Tensor grad_x = torch::empty_like(sum);
        const auto type = context->saved_data["rounded branch"].toBool() ? torch::kBFloat16 : torch::kFloat32;
        const torch::Tensor grad_branch = branch ? torch::empty_like(sum, type) : torch::Tensor();
        const torch::Tensor grad_weight = torch::empty({runs, blocks, columns}, sum.options());
        const torch::Tensor grad_bias = biased ? torch::empty({runs, blocks, columns}, sum.options()) : torch::Tensor();
        ROPELAB_OWN_PASS("residual_norm_backward");
        with_types(grad_branch, grad_normalized.scalar_type(), [&]<typename Branch, typename Out>(Branch, Out) {
            for_each_run(runs, blocks, 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
                kernels::norm_backward<Branch, Out>({.columns = columns,
                                                     .centred = centred,
                                                     .sum = row(sum, run),
                                                     .mean = row(saved[1], run),
                                                     .inverse = row(saved[2], run),
                                                     .weight = row(saved[3], run),
                                                     .grad_sum = row(grad_sum, run),
                                                     .grad_normalized = row<Out>(grad_normalized, run),
                                                     .mask = row(saved[4], run),
                                                     .grad_x = row(grad_x, run),
                                                     .grad_branch = row<Branch>(grad_branch, run),
                                                     .grad_weight = row(grad_weight, run),
                                                     .grad_bias = row(grad_bias, run)},
                                                    rows, first, last);
            });
        });
        const auto total = [&](const torch::Tensor& parts) {
            const torch::Tensor result = torch::empty({runs, columns}, parts.options());
            for (std::int64_t run = 0; run < runs; ++run)
                kernels::sum_rows(row(parts, run), blocks, columns, row(result, run));
            return result;
        };
        return {grad_x, grad_branch, total(grad_weight), biased ? total(grad_bias) : torch::Tensor(), {}, {}, {}, {}};
    }
};

// Parts do not depend on the number of threads.
template <typename F>
void each_part(std::int64_t count, F f) {
    constexpr std::int64_t part = 4096;
    at::parallel_for(0, (count + part - 1) / part, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i * part, std::min(count, (i + 1) * part));
    });
}

// The forward pass in float32 computes the slope too, whose exponential is the same. In bfloat16 it would be rounded.
class Gelu : public torch::autograd::Function<Gelu> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given_x) {
        const torch::Tensor x = given_x.contiguous();
        const torch::Tensor result = torch::empty_like(x);
        const bool has_slope = x.scalar_type() == torch::kFloat32 && given_x.requires_grad();
        const torch::Tensor slope = has_slope ? torch::empty_like(x) : torch::Tensor();
        ROPELAB_OWN_PASS("gelu");
        with_type(x.scalar_type(), [&]<typename T>(T) {
            each_part(x.numel(), [&](std::int64_t first, std::int64_t last) {
                if (has_slope) {
                    kernels::gelu_with_slope(numbers<float>(x) + first, numbers<float>(result) + first,
                                             numbers<float>(slope) + first, last - first);
                } else {
                    kernels::gelu(numbers<T>(x) + first, numbers<T>(result) + first, last - first);
                }
            });
        });
        context->save_for_backward({has_slope ? slope : x});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor saved = context->get_saved_variables()[0];
        if (saved.scalar_type() == torch::kFloat32) return {gradients[0] * saved};
        const torch::Tensor gradient = gradients[0].contiguous();
        const torch::Tensor grad_x = torch::empty_like(saved);
        ROPELAB_OWN_PASS("gelu_backward");
        each_part(saved.numel(), [&](std::int64_t first, std::int64_t last) {
            kernels::gelu_backward(numbers<kernels::Bfloat16>(saved) + first,
                                   numbers<kernels::Bfloat16>(gradient) + first,
                                   numbers<kernels::Bfloat16>(grad_x) + first, last - first);
        });
        return {grad_x};
    }
};

class Swiglu : public torch::autograd::Function<Swiglu> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& gate_and_factor) {
        const torch::Tensor x = gate_and_factor.contiguous();
        const std::int64_t width = x.size(2) / 2;
        const torch::Tensor result = torch::empty({x.size(0), x.size(1), width}, x.options());
        ROPELAB_OWN_PASS("swiglu");
        with_type(x.scalar_type(), [&]<typename T>(T) {
            each_row(x, [&](std::int64_t row) {
                const T* gate = numbers<T>(x) + row * 2 * width;
                kernels::swiglu(gate, gate + width, numbers<T>(result) + row * width, width);
            });
        });
        context->save_for_backward({x});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor x = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].contiguous();
        const std::int64_t width = x.size(2) / 2;
        const torch::Tensor grad_x = torch::empty_like(x);
        ROPELAB_OWN_PASS("swiglu_backward");
        with_type(x.scalar_type(), [&]<typename T>(T) {
            each_row(x, [&](std::int64_t row) {
                const T* gate = numbers<T>(x) + row * 2 * width;
                T* grad_gate = numbers<T>(grad_x) + row * 2 * width;
                kernels::swiglu_backward(gate, gate + width, numbers<T>(gradient) + row * width, grad_gate,
                                         grad_gate + width, width);
            });
        });
        return {grad_x};
    }

 private:
    template <typename F>
    static void each_row(const torch::Tensor& x, F f) {
        at::parallel_for(0, x.size(0) * x.size(1), row_grain(x.size(2)), [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row) f(row);
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
        const torch::Tensor grad_table =
            torch::zeros({runs, context->saved_data["rows"].toInt(), columns}, gradient.options());
        // columns per thread; threads process different columns, so that no two add to one number
        constexpr std::int64_t part = 16;
        const std::int64_t parts = (columns + part - 1) / part;
        ROPELAB_OWN_PASS("look_up_backward");
        for_each_run(runs, parts, 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            kernels::scatter_rows(row(gradient, run), ids.data_ptr<std::int64_t>() + run * rows, rows, columns,
                                  row(grad_table, run), first * part, std::min(columns, last * part));
        });
        return {grad_table, {}};
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
            kernels::cross_entropy(numbers<float>(from), ids.data_ptr<std::int64_t>(), columns, numbers<float>(losses),
                                   numbers<float>(log_sums), first, last);
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
                kernels::cross_entropy_backward(numbers<float>(saved[0]), saved[1].data_ptr<std::int64_t>(),
                                                numbers<float>(saved[2]), columns, numbers<float>(scales)[i],
                                                numbers<float>(of_logits), i, i + 1);
            }
        });
        return {of_logits, {}};
    }
};

}  // namespace

NormalizedResidual residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const Dropout& dropout, const std::string& place,
                                 const NormRule& norm, torch::ScalarType type) {
    if (has_own_passes(x)) {
        const auto results =
            ResidualNorm::apply(x, given(branch), weight, given(bias), c10::make_intrusive<Place>(dropout, place),
                                norm.is_centred, norm.epsilon, type);
        return {results[0], results[1]};
    }
    const torch::Tensor sum = branch.defined() ? x + dropout(branch, place) : x;
    const std::vector<std::int64_t> columns = {sum.size(-1)};
    const torch::Tensor plain = norm.is_centred ? torch::layer_norm(sum, columns, {}, {}, norm.epsilon)
                                                : torch::rms_norm(sum, columns, {}, norm.epsilon);
    torch::Tensor normed = plain * weight.unsqueeze(1);
    if (bias.defined()) normed = normed + bias.unsqueeze(1);
    return {sum, type == torch::kBFloat16 && !is_eager() ? normed.to(type) : normed};
}

torch::Tensor gelu_activation(const torch::Tensor& x) {
    return has_own_passes(x) ? Gelu::apply(x) : torch::gelu(x);
}

torch::Tensor swiglu_activation(const torch::Tensor& x) {
    if (has_own_passes(x)) return Swiglu::apply(x);
    const auto parts = x.chunk(2, 2);
    return torch::silu(parts[0]) * parts[1];
}

torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens) {
    if (has_own_passes(table)) return LookUp::apply(table, tokens);
    std::vector<torch::Tensor> rows;
    for (std::int64_t run = 0; run < table.size(0); ++run) {
        rows.push_back(torch::embedding(table.select(0, run), tokens.select(0, run)));
    }
    return torch::stack(rows);
}

torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets) {
    if (has_own_passes(logits)) return TokenLosses::apply(logits.to(torch::kFloat32), targets);
    const auto type = logits.scalar_type() == torch::kBFloat16 ? torch::kFloat32 : logits.scalar_type();
    return torch::cross_entropy_loss(logits.to(type).flatten(0, 1), targets.flatten(), {}, at::Reduction::None)
        .view_as(targets);
}

}  // namespace ropelab
