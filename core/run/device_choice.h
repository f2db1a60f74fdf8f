#pragma once

#include <optional>
#include <string>

#include "core/run/first_contact.h"
#include "core/spec/engine.h"

namespace ropelab {

/// The decision whether and how runs may use a CUDA device.
struct DeviceChoice {
    /// The message for the user if the device was just checked or if the check disabled something; otherwise empty.
    std::string message = {};
    /// True if runs that began on the device must resume on the CPU, because the device is not trusted.
    bool leaves_device = false;
};

/// Sets whether the engine may use the CUDA device, and CUDA graphs on it, for runs with these settings; call it before
/// their cohort is created. With cuda_graphs=auto, the stored check of the device decides; a device without one is
/// checked first. `conditions` are those of resuming runs, which get no graphs if they had none. Does nothing without a
/// CUDA device or for runs on the CPU. Throws BadInput for device=cuda on a device that is not trusted.
DeviceChoice choose_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const DeviceCheckSettings& settings = {});

/// Revokes the trust in the CUDA device after a fault during training: its record then allows no CUDA graphs, and if
/// the device was lost, this process does not use it again. Also updates the engine, clears measured step times, and
/// returns the message for the user. A record that cannot be written is left unchanged.
std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings = {});

}  // namespace ropelab
