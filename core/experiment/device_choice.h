#pragma once

#include <optional>
#include <string>

#include "core/experiment/first_contact.h"
#include "core/spec/engine.h"

namespace ropelab {

/// What was settled for runs that may train on a CUDA device.
struct DeviceChoice {
    /// For the user, where the device was checked just now or where the check switched something off; else empty.
    std::string words = {};
    /// Whether runs that began on the device have to resume on the CPU, because the device is not trusted.
    bool leaves_device = false;
};

/// Tells the engine what it may use on the CUDA device for runs of this kind, before their cohort is made: what the
/// environment variable ROPELAB_CUDA_KERNELS says (off, no-graphs, all), else the key cuda_kernels, where `auto` takes
/// what the record of the device trusts, and checks the device first where there is no record. `conditions`: those of
/// runs that resume, which get no more than they had. Does nothing without a CUDA device, or for runs on the CPU.
/// Throws BadInput for an unknown value of the variable, and for device=cuda on a device that is not trusted.
DeviceChoice settle_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const FirstContact& how = {});

/// Throws BadInput for an unknown value of ROPELAB_CUDA_KERNELS.
void check_cuda_kernels_variable();

/// After a fault while training: this device's record trusts LibTorch alone from now on, and where the device was lost
/// this process uses it no more. Tells the engine, forgets what was timed with more, and returns the sentence for the
/// user. A record that cannot be written stays as it was.
std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const FirstContact& how = {});

}  // namespace ropelab
