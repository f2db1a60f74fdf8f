#pragma once

#include <string>
#include <string_view>

namespace ropelab {

/// What may be used on a CUDA device. By default LibTorch's operations start one by one.
struct DeviceTrust {
    /// False if the device must not be used at all, because results on it are wrong.
    bool device = true;
    /// True if a training step, or the generation of a token, may be replayed as one CUDA graph.
    bool graphs = false;

    bool operator==(const DeviceTrust&) const = default;
};

/// "graphs", "off" (the device without graphs) or "no device".
std::string to_text(const DeviceTrust& trust);
/// Parses such a text, or one of earlier versions ("all", "no-graphs", "all but norm, graphs"); else throws BadInput.
DeviceTrust parse_device_trust(std::string_view text);

/// One comparison of the device check (Engine::check_device) and its outcome.
struct DeviceCheck {
    enum class Outcome { started, passed, failed };
    /// Name of the comparison: "LibTorch's products", "eight training steps with CUDA graphs, bfloat16".
    std::string name;
    /// False if the comparison tests the device's own results.
    bool of_graphs = false;
    Outcome outcome = Outcome::started;
    /// For a failed check one clause with the error.
    std::string detail = {};
};
std::string_view word_of(DeviceCheck::Outcome outcome);
/// Throws BadInput if there is none.
DeviceCheck::Outcome device_check_outcome(std::string_view word);

/// Removes what a failed check shows to be wrong: the graphs, or else the device. Other outcomes have no effect.
void apply(const DeviceCheck& check, DeviceTrust& trust);

}  // namespace ropelab
