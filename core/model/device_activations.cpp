// Activation functions of the MLP on a device with kernels (core/model/fused_device.h).
#include "core/model/device_launch.h"

namespace ropelab {

namespace {

using device_launch::start;
using device_launch::type_of;
using device_launch::values;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class DeviceGelu : public torch::autograd::Function<DeviceGelu> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given) {
        const torch::Tensor x = given.contiguous();
        const torch::Tensor result = fresh_memory_like(x);
        start<cuda::GeluCurve>(x, &cuda::Kernels::gelu_curve,
                               {.count = x.numel(), .type = type_of(x), .in = values(x), .out = values(result)},
                               "gelu_curve");
        context->save_for_backward({x});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor x = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].to(x.scalar_type()).contiguous();
        const torch::Tensor grad_x = fresh_memory_like(x);
        start<cuda::GeluCurveBackward>(x, &cuda::Kernels::gelu_curve_backward,
                                       {.count = x.numel(),
                                        .type = type_of(x),
                                        .in = values(x),
                                        .gradient = values(gradient),
                                        .grad_in = values(grad_x)},
                                       "gelu_curve_backward");
        return {grad_x};
    }
};

class DeviceSwiglu : public torch::autograd::Function<DeviceSwiglu> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& gate_and_factor) {
        const torch::Tensor x = gate_and_factor.contiguous();
        const torch::Tensor result = fresh_memory({x.size(0), x.size(1), x.size(2) / 2}, x.options());
        start<cuda::Swiglu>(x, &cuda::Kernels::swiglu,
                            {.rows = x.size(0) * x.size(1),
                             .width = result.size(2),
                             .type = type_of(x),
                             .in = values(x),
                             .out = values(result)},
                            "swiglu");
        context->save_for_backward({x});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor x = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].to(x.scalar_type()).contiguous();
        const torch::Tensor grad_x = fresh_memory_like(x);
        start<cuda::SwigluBackward>(x, &cuda::Kernels::swiglu_backward,
                                    {.rows = x.size(0) * x.size(1),
                                     .width = x.size(2) / 2,
                                     .type = type_of(x),
                                     .in = values(x),
                                     .gradient = values(gradient),
                                     .grad_in = values(grad_x)},
                                    "swiglu_backward");
        return {grad_x};
    }
};

}  // namespace

namespace on_device {

torch::Tensor gelu(const torch::Tensor& x) {
    return DeviceGelu::apply(x);
}
torch::Tensor swiglu(const torch::Tensor& x) {
    return DeviceSwiglu::apply(x);
}

}  // namespace on_device

}  // namespace ropelab
