#pragma once

#include <cstdint>
#include <functional>
#include <memory>

// What LibTorch offers in libtorch_cuda alone, behind a table of functions: the engine links libtorch_cpu, and opens a
// small library that links both where there is a device (core/train/cuda.h). Free of torch and CUDA headers.

struct CUstream_st;

namespace ropelab {

/// Work on a device, put together once and started again and again as one. It belongs to the memory that it was put
/// together with: what it reads and writes must stay where it was.
class DeviceGraph {
 public:
    virtual ~DeviceGraph() = default;
    /// Runs `work`; what it starts on the device is kept instead of done. To be called once, on the own stream. Throws
    /// what `work` throws, or where something in it cannot be captured; then nothing was done on the device.
    virtual void capture(const std::function<void()>& work) = 0;
    /// Starts all of it on the current stream.
    virtual void replay() = 0;
};

struct CudaGraphs {
    /// LibTorch's stream in the calling thread.
    ::CUstream_st* (*current_stream)();
    /// Runs `work` on a stream of its own, after all that the current stream has begun; all of it is done when this
    /// returns.
    void (*on_own_stream)(const std::function<void()>& work);
    std::unique_ptr<DeviceGraph> (*make)();
    /// Bytes of the device's memory that can be taken now, what LibTorch keeps for later included.
    std::int64_t (*free_memory)() = nullptr;
    /// The most bytes that LibTorch held since it was last asked, graphs included; gives back what it keeps for later,
    /// so that the next answer begins from what is in use.
    std::int64_t (*take_peak)() = nullptr;
};

}  // namespace ropelab

/// What the engine looks up in libropelab_cuda_graph.so.
extern "C" const ropelab::CudaGraphs* ropelab_cuda_graphs();
