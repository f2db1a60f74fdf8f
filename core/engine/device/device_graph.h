#pragma once

#include <cstdint>
#include <functional>
#include <memory>

// Functions that exist only in libtorch_cuda. The engine links libtorch_cpu only; where there is a device, it opens a
// small library that links both (core/engine/device/cuda.h). This header includes neither torch nor CUDA headers.

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

}  // namespace ropelab

/// Entry point that the engine looks up in libropelab_cuda_graph.so.
extern "C" const ropelab::CudaGraphs* ropelab_cuda_graphs();
