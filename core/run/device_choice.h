#pragma once

#include <optional>
#include <string>

#include "core/run/first_contact.h"
#include "core/spec/engine.h"

namespace ropelab {

/// Whether and how runs may use a CUDA device.
struct DeviceChoice {
    /// If the device was just checked or the check disabled something; otherwise empty.
    std::string message = {};
    /// Runs that began on the device must resume on the CPU, because it is not trusted.
    bool leaves_device = false;
};

/// Call it before the cohort of runs with these settings is created. With cuda_graphs=auto, the stored check of the
/// device decides; a device without one is checked first. `conditions` are those of resuming runs, which get no graphs
/// if they had none. Does nothing without a CUDA device or for runs on the CPU. Throws BadInput for device=cuda on a
/// device that is not trusted.
DeviceChoice choose_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const DeviceCheckSettings& settings = {});

/// After a fault during training: the device's record then allows no CUDA graphs, and if the device was lost, this
/// process does not use it again. Also updates the engine and clears step times; returns the message for the user. A
/// record that cannot be written is left unchanged.
std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings = {});

}  // namespace ropelab
