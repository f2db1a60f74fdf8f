#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/device_graph.h"
#include "core/model/fused_device.h"

namespace ropelab {

/// While this lives, the CPU's tensors are worked on as a device's are: by the emulated kernels, one cohort at a time.
class EmulatedDevice {
 public:
    enum class Graphs {
        none,      // work is started kernel by kernel
        replayed,  // a graph keeps its work and runs it again at each replay
        refused,   // every capture fails
        stale,     // a replay does nothing
    };
    explicit EmulatedDevice(Graphs graphs = Graphs::none, DeviceTrust trust = DeviceTrust::everything());
    EmulatedDevice(const EmulatedDevice&) = delete;
    EmulatedDevice& operator=(const EmulatedDevice&) = delete;
    ~EmulatedDevice();

    /// Replays of all graphs since this was made.
    static int replays();
    /// Null for `none`.
    static const CudaGraphs* graphs_that(Graphs how);
    /// What kernels were given that must stay where it is between two starts of the same work (weights, gradients,
    /// tables, texts, dropout's keys, …), in the order of the launches; emptied by the call.
    static std::vector<const void*> take_lasting_memory();
};

}  // namespace ropelab
