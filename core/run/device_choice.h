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

/// Sets which of RoPE Lab's CUDA kernels the engine may use for runs with these settings; call it before their cohort
/// is created. The environment variable ROPELAB_CUDA_KERNELS (off, no-graphs, all) overrides the setting cuda_kernels.
/// With `auto`, the stored check of the device decides; a device without one is checked first. `conditions` are those
/// of resuming runs, which get no kernels that they did not have. Does nothing without a CUDA device or for runs on the
/// CPU. Throws BadInput for an unknown value of the variable, and for device=cuda on a device that is not trusted.
DeviceChoice choose_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const DeviceCheckSettings& settings = {});

/// Throws BadInput for an unknown value of ROPELAB_CUDA_KERNELS.
void check_cuda_kernels_variable();

/// Revokes the trust in the CUDA device after a fault during training: its record then only allows LibTorch's
/// operations, and if the device was lost, this process does not use it again. Also updates the engine, clears measured
/// step times, and returns the message for the user. A record that cannot be written is left unchanged.
std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings = {});

}  // namespace ropelab
