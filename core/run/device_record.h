#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/device_trust.h"

namespace ropelab {

/// In the user's cache folder, one file per identity.
struct DeviceRecord {
    /// `started` is written before a check begins, so a record in this state belongs to a running, crashed or hanging
    /// check. `revoked` means that the device failed later, during training.
    enum class State { started, done, revoked };

    std::string identity;  // EngineInfo::cuda_identity: device, driver, LibTorch and build
    State state = State::started;
    DeviceTrust trust = {};
    std::string sentence;  // the result for the user
    std::vector<DeviceCheck> checks = {};
    std::string writer = {};  // process_mark() of the checking process (core/store/process_mark.h)
    std::int64_t time = 0;    // time of writing, in seconds since 1970
};

/// $XDG_CACHE_HOME/ropelab/devices or ~/.cache/ropelab/devices. Throws BadInput if neither variable is set.
std::filesystem::path device_records_folder();

/// nullopt if the device was not checked or the file cannot be read. A record in state `started` trusts no graphs.
std::optional<DeviceRecord> read_device_record(const std::filesystem::path& folder, const std::string& identity);
/// With the current time. Throws BadInput if the file cannot be written.
void write_device_record(const std::filesystem::path& folder, const DeviceRecord& record);
void remove_device_record(const std::filesystem::path& folder, const std::string& identity);
/// By a running process of this machine, or of another machine with the same home folder, begun less than `limit` ago.
bool is_being_checked(const DeviceRecord& record, std::chrono::milliseconds limit);

std::string to_json_line(const DeviceCheck& check);
/// Reads to_json_line(). Throws BadInput for any other line.
DeviceCheck device_check_of(const std::string& line);

/// Programs use the defaults; tests replace them.
struct DeviceCheckSettings {
    /// Empty: `ropelab-cli doctor --check-device`, with the ropelab-cli of this program's folder.
    std::vector<std::string> command = {};
    /// The child process is then killed.
    std::chrono::milliseconds limit = std::chrono::seconds(120);
    /// Empty: device_records_folder().
    std::filesystem::path folder = {};
    /// Called ten times per second; true ends the check without storing a result.
    std::function<bool()> cancelled = {};
};

/// Marks the child process which checks the device.
constexpr const char* device_check_variable = "ROPELAB_DEVICE_CHECK_CHILD";
/// Last line of the child's output.
constexpr const char* device_check_end = "{\"done\":true}";

/// In a child process. The record is first written in state `started`, so that a crash of either process counts as a
/// failed check. If the child crashes, exceeds the time limit or prints invalid lines, no graphs are trusted; if this
/// happens during a check of the device's own results, the device is not trusted at all. If the check is cancelled or
/// cannot be started, no graphs are trusted and the stored record stays as before. BadInput if the cache folder is
/// unknown.
DeviceRecord check_cuda_device(const std::string& identity, const DeviceCheckSettings& settings = {});

}  // namespace ropelab
