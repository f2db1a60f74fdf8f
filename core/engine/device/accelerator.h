#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

// The device on which a cohort trains. What exists only in libtorch_cuda is in a small library (cuda_graph.cpp), which
// the engine, linked with libtorch_cpu only, opens where there is a device (cuda.h).

namespace ropelab {

/// Captured once and replayed many times. It uses the memory addresses of the capture, so its tensors must not move.
class DeviceGraph {
 public:
    virtual ~DeviceGraph() = default;
    /// Does not run `work`. Call this once, on a stream of on_own_stream. Throws what `work` throws, or an error if an
    /// operation cannot be captured; then nothing ran on the device.
    virtual void capture(const std::function<void()>& work) = 0;
    virtual void replay() = 0;
};

/// Functions of libropelab_cuda_graph.so.
struct CudaGraphs {
    /// On a separate stream, after all work that the current stream has started; returns when all of it is finished.
    void (*on_own_stream)(const std::function<void()>& work);
    std::unique_ptr<DeviceGraph> (*make)();
    /// Bytes of device memory, including memory that LibTorch caches.
    std::int64_t (*free_memory)() = nullptr;
    /// LibTorch's peak since the last call, graphs included. Releases cached memory, so that the next peak starts anew.
    std::int64_t (*take_peak)() = nullptr;
};

/// Device on which LibTorch's operations compute everything, without the loops of core/kernels, and on which whole
/// training steps stay (core/engine/train/device_trainer.h). Tests, and the check of the CPU itself, set it to the CPU.
struct Accelerator {
    c10::DeviceType type = c10::DeviceType::CUDA;
    const CudaGraphs* graphs = nullptr;  // null: operations start one by one
};

/// Must not be called while something trains.
void use_accelerator(const Accelerator& accelerator);
bool is_accelerated(const c10::Device& device);
/// Null if there are none.
const CudaGraphs* graphs_on(const c10::Device& device);

/// Starts operation by operation at first, so that libraries can select their algorithms; then, if possible, it is
/// captured as a CUDA graph and replayed on the same memory.
class RepeatedWork {
 public:
    /// `graphs` is null on a device without CUDA graphs.
    explicit RepeatedWork(const CudaGraphs* graphs) : graphs_(graphs) {}

    /// On the graphs' own stream. Host code of `work` runs only operation by operation, and once for the capture.
    void operator()(const std::function<void()>& work);

    bool captured() const { return graph_ != nullptr; }
    /// Empty if no capture failed.
    const std::string& failure() const { return failure_; }

    /// Times that the work starts operation by operation.
    static constexpr int warm_up = 3;

 private:
    const CudaGraphs* graphs_;
    int times_ = 0;
    std::unique_ptr<DeviceGraph> graph_;
    std::string failure_;
};

}  // namespace ropelab

/// Entry point that the engine looks up in libropelab_cuda_graph.so.
extern "C" const ropelab::CudaGraphs* ropelab_cuda_graphs();
