#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ropelab {

/// The parts of the project's own CUDA code that can be used or replaced by LibTorch's operations one by one. The first
/// ones are groups of kernels (core/cuda); `graphs` replays a step, or the generation of a token, as one CUDA graph.
/// `optimizer` and `batches` keep a whole training step on the device; `graphs` needs both for training.
enum class DevicePart {
    rotation,
    norm,
    dropout,
    softmax,
    activation,
    loss,
    embedding,
    optimizer,
    batches,
    graphs,
};
constexpr std::size_t device_part_count = 10;

/// "rotation", "norm", …, "graphs".
std::string_view word_of(DevicePart part);
/// Throws BadInput for an unknown word.
DevicePart device_part(std::string_view word);

/// What may be used on a CUDA device. A default-made one allows LibTorch's operations alone.
class DeviceTrust {
 public:
    /// Whether the device may train at all, with LibTorch's operations.
    bool device = true;

    static DeviceTrust libtorch_alone() { return {}; }
    static DeviceTrust everything();

    bool trusts(DevicePart part) const { return device && parts_[static_cast<std::size_t>(part)]; }
    void set(DevicePart part, bool trusted) { parts_[static_cast<std::size_t>(part)] = trusted; }
    bool operator==(const DeviceTrust&) const = default;

 private:
    std::array<bool, device_part_count> parts_{};
};

/// "all", "off", or what is missing: "all but graphs, norm". "no device" where the device itself is not trusted.
std::string to_text(const DeviceTrust& trust);
/// The inverse; "no-graphs" is read as "all but graphs". Throws BadInput for other words.
DeviceTrust parse_device_trust(std::string_view text);

/// One comparison of the check of a device (Engine::check_device).
struct DeviceCheck {
    enum class Outcome { started, passed, slower, failed };
    /// What was compared: "LibTorch's products", "norm, bfloat16, 136 channels".
    std::string name;
    /// Whether it is about LibTorch on this device, where no part of the project's is used.
    bool of_libtorch = false;
    /// Otherwise the part that it is about.
    DevicePart part = DevicePart::rotation;
    Outcome outcome = Outcome::started;
    /// Of a failed check: one sentence that names the kernel and what was wrong. Of a slower one: how much.
    std::string detail = {};
    /// How many times as fast as LibTorch's operations; 0 where it was not timed.
    double speed = 0;
};
std::string_view word_of(DeviceCheck::Outcome outcome);
/// Throws BadInput for an unknown word.
DeviceCheck::Outcome device_check_outcome(std::string_view word);

/// Takes from `trust` what a check found wrong or slower: its part, and the whole device where the check was about
/// LibTorch. A check that passed or started changes nothing.
void apply(const DeviceCheck& check, DeviceTrust& trust);

}  // namespace ropelab
