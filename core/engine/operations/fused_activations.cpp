#include "core/engine/operations/fused.h"
#include "core/engine/operations/own_passes.h"
#include "core/kernels/kernels.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Parts do not depend on the number of threads.
template <typename F>
void each_part(std::int64_t count, F f) {
    constexpr std::int64_t part = 4096;
    at::parallel_for(0, (count + part - 1) / part, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i * part, std::min(count, (i + 1) * part));
    });
}

class Gelu : public torch::autograd::Function<Gelu> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given_x) {
        const torch::Tensor x = given_x.contiguous();
        const torch::Tensor result = torch::empty_like(x);
        ROPELAB_OWN_PASS("gelu");
        with_type(x.scalar_type(), [&]<typename T>(T) {
            each_part(x.numel(), [&](std::int64_t first, std::int64_t last) {
                kernels::gelu(numbers<T>(x) + first, numbers<T>(result) + first, last - first);
            });
        });
        context->save_for_backward({x});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor x = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].contiguous();
        const torch::Tensor grad_x = torch::empty_like(x);
        ROPELAB_OWN_PASS("gelu_backward");
        with_type(x.scalar_type(), [&]<typename T>(T) {
            each_part(x.numel(), [&](std::int64_t first, std::int64_t last) {
                kernels::gelu_backward(numbers<T>(x) + first, numbers<T>(gradient) + first, numbers<T>(grad_x) + first,
                                       last - first);
            });
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

}  // namespace

torch::Tensor gelu_activation(const torch::Tensor& x) {
    return has_own_passes(x) ? Gelu::apply(x) : torch::gelu(x);
}

torch::Tensor swiglu_activation(const torch::Tensor& x) {
    if (has_own_passes(x)) return Swiglu::apply(x);
    const auto parts = x.chunk(2, 2);
    return torch::silu(parts[0]) * parts[1];
}

}  // namespace ropelab
