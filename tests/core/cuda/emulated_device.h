#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/device_graph.h"
#include "core/model/fused_device.h"

namespace ropelab {

/// During the lifetime of this object, the engine treats CPU tensors like those of a CUDA device and uses the emulated
/// kernels, for one cohort at a time.
class EmulatedDevice {
 public:
    enum class Graphs {
        none,      // without graphs; each kernel is launched separately
        replayed,  // a graph stores its work and runs it again at each replay
        refused,   // every capture fails
        stale,     // a replay has no effect
    };
    explicit EmulatedDevice(Graphs graphs = Graphs::none, DeviceTrust trust = DeviceTrust::everything());
    EmulatedDevice(const EmulatedDevice&) = delete;
    EmulatedDevice& operator=(const EmulatedDevice&) = delete;
    ~EmulatedDevice();

    /// Returns the number of replays of all graphs since this object was created.
    static int replays();
    /// Returns the emulated graphs, or nullptr for Graphs::none.
    static const CudaGraphs* graphs_that(Graphs how);
    /// Returns and clears the recorded addresses of persistent memory (weights, gradients, tables, texts, dropout keys,
    /// …) that kernels have used, in the order of the launches. These addresses must not change between replays.
    static std::vector<const void*> take_lasting_memory();
};

}  // namespace ropelab
