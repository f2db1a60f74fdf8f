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

/// Formats the trust: "graphs", "off" (the device without graphs) or "no device".
std::string to_text(const DeviceTrust& trust);
/// Parses a text that to_text(DeviceTrust) returns, or one of earlier versions, which named the program's own CUDA
/// kernels in use: "all", "no-graphs" or "all but norm, graphs". Throws BadInput for other texts.
DeviceTrust parse_device_trust(std::string_view text);

/// One comparison of the device check (Engine::check_device) and its outcome.
struct DeviceCheck {
    enum class Outcome { started, passed, failed };
    /// Name of the comparison: "LibTorch's products", "eight training steps by graphs, bfloat16".
    std::string name;
    /// True if the comparison tests CUDA graphs, and false if it tests the device's own results.
    bool of_graphs = false;
    Outcome outcome = Outcome::started;
    /// For a failed check one clause with the error.
    std::string detail = {};
};
/// Returns the word for an outcome: "started", "passed" or "failed".
std::string_view word_of(DeviceCheck::Outcome outcome);
/// Returns the outcome with the given word. Throws BadInput if there is none.
DeviceCheck::Outcome device_check_outcome(std::string_view word);

/// Removes from `trust` what a check shows to be wrong: the graphs if a check of graphs failed, or else the device. A
/// check with another outcome has no effect.
void apply(const DeviceCheck& check, DeviceTrust& trust);

}  // namespace ropelab
