#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/engine/device/device_graph.h"

namespace ropelab {

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

 private:
    static constexpr int warm_up = 3;
    const CudaGraphs* graphs_;
    int times_ = 0;
    std::unique_ptr<DeviceGraph> graph_;
    std::string failure_;
};

}  // namespace ropelab
