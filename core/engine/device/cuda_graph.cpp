#include "core/engine/device/accelerator.h"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace ropelab {

namespace {

class Graph : public DeviceGraph {
 public:
    void capture(const std::function<void()>& work) override {
        // A graph has its own memory pool, so that memory of earlier runs of the work is released first.
        c10::cuda::device_synchronize();
        c10::cuda::CUDACachingAllocator::emptyCache();
        auto graph = std::make_unique<at::cuda::CUDAGraph>();
        const c10::MempoolId_t pool = at::cuda::graph_pool_handle();
        // Requests of other threads to the device, for example text generation, must not invalidate the capture.
        graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
        try {
            work();
            graph->capture_end();
        } catch (...) {
            end_failed_capture(*graph, pool);
            throw;
        }
        graph_ = std::move(graph);
    }
    void replay() override { graph_->replay(); }

 private:
    // The error of `work` is ignored, because the first error is already being thrown.
    static bool succeeds(const std::function<void()>& work) {
        try {
            work();
            return true;
        } catch (...) {
            static_cast<void>(cudaGetLastError());
            return false;
        }
    }
    // Ends the capture of the stream, and the allocators' use of the pool, which capture_end does not end after a
    // failed capture. If capture_end got far enough, the graph releases the pool itself.
    static void end_failed_capture(at::cuda::CUDAGraph& graph, c10::MempoolId_t pool) {
        using namespace c10::cuda;
        succeeds([&] { graph.capture_end(); });
        if (!succeeds([&] { CUDACachingAllocator::endAllocateToPool(current_device(), pool); })) return;
        succeeds([&] { CUDACachingAllocator::releasePool(current_device(), pool); });
        at::HostAllocator* host = at::getHostAllocator(at::kCUDA);
        succeeds([&] { host->end_allocate_to_pool(pool); });
        succeeds([&] { host->release_pool(pool); });
    }

    std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

void on_own_stream(const std::function<void()>& work) {
    // One stream for the whole process, because LibTorch stores data per stream, such as cuBLAS's workspace.
    static const c10::cuda::CUDAStream own = c10::cuda::getStreamFromPool();
    c10::cuda::getCurrentCUDAStream().synchronize();
    const c10::cuda::CUDAStreamGuard guard(own);
    work();
    own.synchronize();
}

std::int64_t free_memory() {
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    std::size_t free = 0;
    std::size_t total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? static_cast<std::int64_t>(free) : 0;
}

std::int64_t take_peak() {
    if (!c10::cuda::CUDACachingAllocator::get()->initialized()) return 0;  // without initialization LibTorch throws
    constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const std::int64_t peak =
        c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device()).reserved_bytes[all].peak;
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
    return peak;
}

std::unique_ptr<DeviceGraph> make() {
    return std::make_unique<Graph>();
}

}  // namespace

}  // namespace ropelab

extern "C" const ropelab::CudaGraphs* ropelab_cuda_graphs() {
    using namespace ropelab;
    static const CudaGraphs graphs = {&on_own_stream, &make, &free_memory, &take_peak};
    return &graphs;
}
