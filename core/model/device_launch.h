#pragma once

#include <optional>

#include "core/model/fresh_memory.h"
#include "core/model/fused_device.h"
#include "core/model/operations.h"

// How core/model/fused_device.cpp and device_attention.cpp hand tensors to kernels.

namespace ropelab::device_launch {

// Starts `kernel`, a member of the table, on the stream that is current.
template <typename Args>
void start(const torch::Tensor& on, int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args,
           const char* name) {
    ROPELAB_OWN_PASS(name);
    const DeviceKernels& kernels = device_kernels(on.device());
    check_launch(kernels, (kernels.table->*kernel)(args, kernels.stream()), name);
}

inline cuda::Type type_of(const torch::Tensor& tensor) {
    TORCH_CHECK(tensor.scalar_type() == torch::kFloat32 || tensor.scalar_type() == torch::kBFloat16,
                "The kernels work on float32 and bfloat16, not on ", tensor.scalar_type(), ".");
    return tensor.scalar_type() == torch::kFloat32 ? cuda::Type::float32 : cuda::Type::bfloat16;
}

// The numbers of a tensor that a kernel reads or writes one after another; null where there is none.
inline void* values(const torch::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    TORCH_CHECK(tensor.is_contiguous(), "A kernel was given a tensor that is not contiguous.");
    return tensor.data_ptr();
}
inline float* numbers(const torch::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    TORCH_CHECK(tensor.is_contiguous(), "A kernel was given a tensor that is not contiguous.");
    return tensor.data_ptr<float>();
}

inline std::optional<torch::Tensor> given(const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}
inline torch::Tensor contiguous(const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.contiguous() : tensor;
}

// A place's dropout: its numbers lie in tensors, which live as long as this.
struct Drops {
    torch::Tensor keys;
    torch::Tensor step;
    double rate = 0;

    Drops(const Dropout& dropout, const std::string& place, const torch::Device& device) {
        if (!dropout.active()) return;
        rate = dropout.rate();
        std::shared_ptr<DeviceStreams> streams = dropout.streams();
        if (!streams) streams = std::make_shared<DeviceStreams>(dropout.seeds(), dropout.step(), device);
        keys = streams->keys("dropout:" + place);
        step = streams->step();
    }
    bool drop() const { return keys.defined(); }
    cuda::DropoutNumbers numbers() const {
        if (!drop()) return {};
        return {static_cast<const cuda::StreamKey*>(keys.data_ptr()), step.data_ptr<std::int64_t>(), rate};
    }
};

// What a function needs besides tensors.
struct Place : torch::CustomClassHolder {
    Place(const Dropout& dropout, const std::string& name, const torch::Device& device)
        : drops(dropout, name, device) {}
    Drops drops;
    bool centred = true;
};

template <typename T>
const T& place_of(torch::autograd::AutogradContext* context) {
    return *static_cast<const T*>(context->saved_data["place"].toCapsule().get());
}

}  // namespace ropelab::device_launch
