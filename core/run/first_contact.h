#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/run/device_record.h"

namespace ropelab {

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
