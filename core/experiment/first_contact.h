#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/experiment/device_record.h"

namespace ropelab {

/// How the check of a CUDA device is started; the defaults are what programs use.
struct FirstContact {
    /// Empty: the program ropelab-cli beside this one, as `ropelab-cli doctor --check-device`.
    std::vector<std::string> command = {};
    std::chrono::milliseconds limit = std::chrono::seconds(120);
    /// Empty: device_records_folder().
    std::filesystem::path folder = {};
    /// Asked ten times per second; true ends the check, and nothing is stored then. Empty: never.
    std::function<bool()> cancelled = {};
};

/// Set in the environment of the child process that checks the device.
constexpr const char* device_check_variable = "ROPELAB_DEVICE_CHECK_CHILD";
/// The last line that the child writes.
constexpr const char* device_check_end = "{\"done\":true}";

/// Checks a device in a child process, which is killed after the time limit: reads its lines (to_json_line), and writes
/// the record, "started" first, so that a crash of either process counts as distrust. A child that crashed, hung or
/// wrote anything else leaves LibTorch's operations alone, and where a check of LibTorch itself was under way, no
/// device. A check that was cancelled or could not be started says nothing of the device: LibTorch's operations alone
/// are trusted then, and the record is what it was before. Throws BadInput where the cache folder is unknown.
DeviceRecord meet_device(const std::string& identity, const FirstContact& how = {});

}  // namespace ropelab
