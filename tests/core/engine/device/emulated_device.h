#pragma once

#include "core/engine/device/accelerator.h"

namespace ropelab {

/// During the lifetime of this object, the engine treats CPU tensors like those of a CUDA device, for one cohort at a
/// time.
class EmulatedDevice {
 public:
    enum class Graphs {
        none,      // without graphs; each operation starts separately
        replayed,  // a graph stores its work and runs it again at each replay
        refused,   // every capture fails
        stale,     // a replay has no effect
    };
    explicit EmulatedDevice(Graphs graphs = Graphs::none);
    EmulatedDevice(const EmulatedDevice&) = delete;
    EmulatedDevice& operator=(const EmulatedDevice&) = delete;
    ~EmulatedDevice();

    /// Returns the number of replays of all graphs since this object was created.
    static int replays();
    /// Returns the emulated graphs, or nullptr for Graphs::none.
    static const CudaGraphs* graphs_that(Graphs how);
};

}  // namespace ropelab
