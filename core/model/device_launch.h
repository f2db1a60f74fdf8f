#pragma once

#include <optional>

#include "core/model/fresh_memory.h"
#include "core/model/fused_device.h"
#include "core/model/operations.h"

// Helpers that pass tensors to device kernels (core/model/fused_device.cpp, device_attention.cpp).

namespace ropelab::device_launch {

// Starts `kernel`, a member of the kernel table, on the current stream.
template <typename Args>
void start(const torch::Tensor& on, int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args,
           const char* name) {
    ROPELAB_OWN_PASS(name);
    const DeviceKernels& kernels = device_kernels(on.device());
    check_launch(kernels, (kernels.table->*kernel)(args, kernels.stream()), name);
}

// Returns the kernels' type code of a tensor.
inline cuda::Type type_of(const torch::Tensor& tensor) {
    TORCH_CHECK(tensor.scalar_type() == torch::kFloat32 || tensor.scalar_type() == torch::kBFloat16,
                "The kernels support float32 and bfloat16, not ", tensor.scalar_type(), ".");
    return tensor.scalar_type() == torch::kFloat32 ? cuda::Type::float32 : cuda::Type::bfloat16;
}

// Returns the data of a contiguous tensor for a kernel; null for an undefined tensor.
inline void* values(const torch::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    TORCH_CHECK(tensor.is_contiguous(), "A kernel requires contiguous tensors.");
    return tensor.data_ptr();
}
// Returns the data of a contiguous float32 tensor for a kernel; null for an undefined tensor.
inline float* numbers(const torch::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    TORCH_CHECK(tensor.is_contiguous(), "A kernel requires contiguous tensors.");
    return tensor.data_ptr<float>();
}

inline torch::Tensor contiguous(const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.contiguous() : tensor;
}

// Dropout of one place for kernels. Its random-stream keys and step are in tensors, which live as long as this object.
struct Drops {
    torch::Tensor keys;
    torch::Tensor step;
    double rate = 0;
    Dropout dropout;

    Drops(const Dropout& its_dropout, const std::string& place, const torch::Device& device) : dropout(its_dropout) {
        if (!dropout.active()) return;
        rate = dropout.rate();
        std::shared_ptr<DeviceStreams> streams = dropout.streams();
        if (!streams) streams = std::make_shared<DeviceStreams>(dropout.seeds(), dropout.step(), device);
        keys = streams->keys("dropout:" + place);
        step = streams->step();
    }
    bool drop() const { return keys.defined(); }
    // Returns the parameters for a tensor with `size` elements per run.
    cuda::DropoutNumbers numbers(std::int64_t size) const {
        if (!drop()) return {};
        const std::int64_t first = dropout.first_number(size);
        TORCH_CHECK(first % 4 == 0, "Kernels compute dropout masks in groups of four numbers.");
        return {static_cast<const cuda::StreamKey*>(keys.data_ptr()), step.data_ptr<std::int64_t>(), rate, first / 4};
    }
};

// Data of an autograd function that are not tensors.
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
