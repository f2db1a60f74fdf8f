#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/run/device_record.h"

namespace ropelab {

/// The settings for checking a CUDA device. Programs use the defaults; tests replace them.
struct DeviceCheckSettings {
    /// Command of the child process. Empty: `ropelab-cli doctor --check-device`, with the ropelab-cli of this program's
    /// folder.
    std::vector<std::string> command = {};
    /// Time limit after which the child process is killed.
    std::chrono::milliseconds limit = std::chrono::seconds(120);
    /// Folder of the device records. Empty: device_records_folder().
    std::filesystem::path folder = {};
    /// Called ten times per second; true ends the check without storing a result. Empty: the check is not cancelled.
    std::function<bool()> cancelled = {};
};

/// The environment variable that marks the child process which checks the device.
constexpr const char* device_check_variable = "ROPELAB_DEVICE_CHECK_CHILD";
/// The last line of the child's output.
constexpr const char* device_check_end = "{\"done\":true}";

/// Checks a CUDA device in a child process and returns and stores the record. The record is first written in state
/// `started`, so that a crash of either process counts as a failed check. If the child crashes, exceeds the time limit
/// or prints invalid lines, no graphs are trusted; if this happens during a check of the device's own results, the
/// device is not trusted at all. If the check is cancelled or cannot be started, no graphs are trusted and the stored
/// record stays as before. Throws BadInput if the cache folder is unknown.
DeviceRecord check_cuda_device(const std::string& identity, const DeviceCheckSettings& settings = {});

}  // namespace ropelab
