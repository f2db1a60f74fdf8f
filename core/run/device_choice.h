#pragma once

#include <optional>
#include <string>

#include "core/contract/engine.h"
#include "core/run/device_record.h"

namespace ropelab {

struct DeviceChoice {
    /// Empty unless the device was just checked or the check disabled something.
    std::string message = {};
    /// Runs that began on the device must resume on the CPU, because it is not trusted.
    bool leaves_device = false;
};

/// Call it before the cohort is created. With cuda_graphs=auto, the device's check decides, which runs first if none is
/// stored. `conditions`: of resuming runs, which get no graphs if they had none. Does nothing without a CUDA device or
/// for runs on the CPU. Throws BadInput for device=cuda on a device that is not trusted.
DeviceChoice choose_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const DeviceCheckSettings& settings = {});

/// After a fault: the record then allows no CUDA graphs, and a lost device is not used again by this process. Also
/// updates the engine and clears step times; returns the message for the user.
std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings = {});

}  // namespace ropelab
