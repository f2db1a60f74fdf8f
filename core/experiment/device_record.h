#pragma once

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
};

/// $XDG_CACHE_HOME/ropelab/devices or ~/.cache/ropelab/devices.
std::filesystem::path device_records_folder();

/// Empty where this identity was not checked yet, or its file cannot be read. A record in state `started` trusts
/// LibTorch alone.
std::optional<DeviceRecord> read_device_record(const std::filesystem::path& folder, const std::string& identity);
/// Throws BadInput where the file cannot be written.
void write_device_record(const std::filesystem::path& folder, const DeviceRecord& record);

/// One check as one line of JSON, and back. Throws BadInput for a line that is none.
std::string to_json_line(const DeviceCheck& check);
DeviceCheck device_check_of(const std::string& line);

}  // namespace ropelab
