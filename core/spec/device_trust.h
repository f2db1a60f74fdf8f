#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ropelab {

/// Parts of the project's own CUDA code (core/cuda). LibTorch's operations can replace each part separately. All parts
/// but `graphs` are groups of kernels; `graphs` replays a training step, or the generation of a token, as one CUDA
/// graph. With `optimizer` and `batches`, a whole training step runs on the device; `graphs` needs both for training.
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
/// Number of the parts of the project's CUDA code.
constexpr std::size_t device_part_count = 10;

/// Returns the name of a part: "rotation", "norm", …, "graphs".
std::string_view word_of(DevicePart part);
/// Returns the part with the given name. Throws BadInput if there is none.
DevicePart device_part(std::string_view word);

/// Set of the parts of the project's CUDA code that may be used on a CUDA device. By default the set is empty: only
/// LibTorch's operations are used.
class DeviceTrust {
 public:
    /// False if the device must not be used at all, because LibTorch's own results on it are wrong.
    bool device = true;

    /// Returns the empty set, with which only LibTorch's operations are used.
    static DeviceTrust libtorch_alone() { return {}; }
    /// Returns the set of all parts.
    static DeviceTrust everything();

    /// Returns whether a part may be used.
    bool trusts(DevicePart part) const { return device && parts_[static_cast<std::size_t>(part)]; }
    /// Adds a part to the set (`trusted` is true) or removes it.
    void set(DevicePart part, bool trusted) { parts_[static_cast<std::size_t>(part)] = trusted; }
    bool operator==(const DeviceTrust&) const = default;

 private:
    std::array<bool, device_part_count> parts_{};
};

/// Formats the set of parts: "all", "off" (none), or the parts that are missing, such as "all but norm, graphs".
/// Returns "no device" if the device must not be used.
std::string to_text(const DeviceTrust& trust);
/// Parses a text that to_text(DeviceTrust) returns. "no-graphs" means "all but graphs". Throws BadInput for other
/// texts.
DeviceTrust parse_device_trust(std::string_view text);

/// One comparison of the device check (Engine::check_device) and its outcome.
struct DeviceCheck {
    /// `slower`: the results are right, but LibTorch's operations are faster. `failed`: the results are wrong.
    enum class Outcome { started, passed, slower, failed };
    /// Name of the comparison: "LibTorch's products", "norm, bfloat16, 136 channels".
    std::string name;
    /// True if the comparison tests LibTorch's operations on this device and none of the project's kernels.
    bool checks_libtorch = false;
    /// Part of the project's code that is tested; meaningless if checks_libtorch is true.
    DevicePart part = DevicePart::rotation;
    Outcome outcome = Outcome::started;
    /// One sentence: for a failed check the kernel and its error, for a slower one how much slower it is.
    std::string detail = {};
    /// Speed relative to LibTorch's operations (2 means twice as fast); 0 if the check did not measure time.
    double speed = 0;
};
/// Returns the word for an outcome: "started", "passed", "slower" or "failed".
std::string_view word_of(DeviceCheck::Outcome outcome);
/// Returns the outcome with the given word. Throws BadInput if there is none.
DeviceCheck::Outcome device_check_outcome(std::string_view word);

/// Removes from `trust` the part whose check failed or was slower. If a check of LibTorch itself failed, the device is
/// marked as unusable. A check with the outcome `started` or `passed` has no effect.
void apply(const DeviceCheck& check, DeviceTrust& trust);

}  // namespace ropelab
