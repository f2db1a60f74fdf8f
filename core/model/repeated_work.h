#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/model/device_graph.h"

namespace ropelab {

/// On the same memory of a device. The first times it starts operation by operation, so that libraries can select their
/// algorithms; then it is captured as a CUDA graph and replayed. If the capture fails, or without graphs, it always
/// starts operation by operation.
class RepeatedWork {
 public:
    /// `graphs` is null on a device without CUDA graphs.
    explicit RepeatedWork(const CudaGraphs* graphs) : graphs_(graphs) {}

    /// Must be called on the graphs' own stream. The host code of `work` runs only when the work starts operation by
    /// operation, and once for the capture.
    void operator()(const std::function<void()>& work);

    /// Whether the work runs as a graph.
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
