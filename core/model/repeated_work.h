#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/model/device_graph.h"

namespace ropelab {

/// Work that a device does again and again on the same memory: the first times started kernel by kernel, so that
/// libraries find their ways, then captured as a graph and replayed. Where a capture fails, or there are no graphs,
/// kernel by kernel for good.
class RepeatedWork {
 public:
    /// Without graphs `graphs` is null.
    explicit RepeatedWork(const CudaGraphs* graphs) : graphs_(graphs) {}

    /// Once more; to be called on the graphs' own stream. What `work` does on the host is done only as often as it is
    /// started kernel by kernel, and once for the capture.
    void operator()(const std::function<void()>& work);

    bool captured() const { return graph_ != nullptr; }
    /// Why a capture failed; empty where none did.
    const std::string& failure() const { return failure_; }

 private:
    static constexpr int warm_up = 3;
    const CudaGraphs* graphs_;
    int times_ = 0;
    std::unique_ptr<DeviceGraph> graph_;
    std::string failure_;
};

}  // namespace ropelab
