#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/device_trust.h"

namespace ropelab {

/// What the check of a CUDA device found, as it is stored in the user's cache, one file per identity.
struct DeviceRecord {
    /// `started` is written before a check begins: a record that is found so belongs to a check that crashed or hangs.
    /// `revoked`: the device failed later, while it trained.
    enum class State { started, done, revoked };

    std::string identity;  // EngineInfo::cuda_identity: device, driver, LibTorch and build
    State state = State::started;
    DeviceTrust trust = DeviceTrust::libtorch_alone();
    std::string sentence;  // for the user
    std::vector<DeviceCheck> checks = {};
    std::string writer = {};  // the process that checks (core/store/process_mark.h)
    std::int64_t time = 0;    // when it was written, in seconds since 1970
};

/// $XDG_CACHE_HOME/ropelab/devices or ~/.cache/ropelab/devices.
std::filesystem::path device_records_folder();

/// Empty where this identity was not checked yet, or its file cannot be read. A record in state `started` trusts
/// LibTorch alone.
std::optional<DeviceRecord> read_device_record(const std::filesystem::path& folder, const std::string& identity);
/// With the present time. Throws BadInput where the file cannot be written.
void write_device_record(const std::filesystem::path& folder, const DeviceRecord& record);
void remove_device_record(const std::filesystem::path& folder, const std::string& identity);
/// Whether another process that lives is checking the device just now: one of this machine, or one of another machine
/// with the same home folder that began less than `limit` ago.
bool is_being_checked(const DeviceRecord& record, std::chrono::milliseconds limit);

/// One check as one line of JSON, and back. Throws BadInput for a line that is none.
std::string to_json_line(const DeviceCheck& check);
DeviceCheck device_check_of(const std::string& line);

}  // namespace ropelab
