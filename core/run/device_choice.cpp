#include "core/run/device_choice.h"

#include <mutex>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/forecast/cohort_width.h"

namespace ropelab {

namespace {

// Lost devices are not used again until the process ends.
class LostDevices {
 public:
    void add(const std::string& identity) {
        const std::lock_guard lock(mutex_);
        identities_.insert(identity);
    }
    bool has(const std::string& identity) const {
        const std::lock_guard lock(mutex_);
        return identities_.contains(identity);
    }

 private:
    mutable std::mutex mutex_;
    std::set<std::string> identities_;
};
LostDevices& lost_devices() {
    static LostDevices devices;
    return devices;
}

std::filesystem::path folder_of(const DeviceCheckSettings& settings) {
    return settings.folder.empty() ? device_records_folder() : settings.folder;
}

// If another process is checking the device, waits for its result, but at most for the time limit of a check.
std::optional<DeviceRecord> known_record(const std::string& identity, const DeviceCheckSettings& settings) {
    const auto folder = folder_of(settings);
    const auto deadline = std::chrono::steady_clock::now() + settings.limit;
    auto record = read_device_record(folder, identity);
    while (record && is_being_checked(*record, settings.limit) && std::chrono::steady_clock::now() < deadline &&
           !(settings.cancelled && settings.cancelled())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        record = read_device_record(folder, identity);
    }
    return record;
}

struct Checked {
    DeviceTrust trust;
    std::string message;
};
Checked not_stored(const std::exception& why) {
    return {{},
            "CUDA graphs are not used, because a check of this CUDA device could not be stored. " +
                std::string(why.what())};
}

// As stored; checks the device first if there is no record.
Checked checked(const std::string& identity, const DeviceCheckSettings& settings) {
    try {
        auto record = known_record(identity, settings);
        const bool known = record.has_value();
        if (!known) record = check_cuda_device(identity, settings);
        const bool worth_telling = !known || !record->trust.graphs;
        return {record->trust, worth_telling ? record->sentence : ""};
    } catch (const WriteError& error) {
        return not_stored(error);
    } catch (const BadInput& error) {  // no folder can hold records
        return not_stored(error);
    }
}

}  // namespace

DeviceChoice choose_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const DeviceCheckSettings& settings) {
    if (spec.device == Device::cpu || (conditions && conditions->device == "cpu")) return {};
    const EngineInfo info = engine.info();
    if (!info.cuda) return {};

    Checked found;
    if (lost_devices().has(info.cuda_identity)) {
        found.trust.device = false;
        found.message =
            "This CUDA device failed earlier while this program was running, so the program no longer uses it.";
    } else if (spec.cuda_graphs == GraphUse::automatic) {
        found = checked(info.cuda_identity, settings);
    } else {
        found.trust.graphs = spec.cuda_graphs == GraphUse::on;
    }
    if (conditions && !conditions->graphs.empty()) {
        const DeviceTrust before = parse_device_trust(conditions->graphs);
        found.trust.device = found.trust.device && before.device;
        found.trust.graphs = found.trust.graphs && before.graphs;
    }
    if (!found.trust.device && spec.device == Device::cuda) {
        throw BadInput("The setting device is cuda, but the CUDA device cannot be used: " + found.message +
                       " Check the device again with \"ropelab-cli doctor --check-device\", use device=cpu, or set "
                       "cuda_graphs=off to train on the device without a check.");
    }
    engine.trust_device(found.trust);
    return {found.message, !found.trust.device && conditions};
}

std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings) {
    const std::string identity = engine.info().cuda_identity;
    try {
        const auto folder = folder_of(settings);
        DeviceRecord record = read_device_record(folder, identity).value_or(DeviceRecord());
        record.identity = identity;
        record.state = DeviceRecord::State::revoked;
        record.trust.graphs = false;
        record.sentence =
            fault +
            " Until this device is checked again (ropelab-cli doctor --check-device), CUDA graphs are not used on it.";
        write_device_record(folder, record);
    } catch (const std::exception&) {  // the record stays unchanged; the next process will detect the fault itself
    }
    if (device_lost) lost_devices().add(identity);
    clear_step_times();
    const DeviceTrust trust{.device = !lost_devices().has(identity)};
    engine.trust_device(trust);
    return fault + (trust.device ? " The run resumes without CUDA graphs." : " The run resumes on the CPU.");
}

}  // namespace ropelab
