#include "core/run/device_choice.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "core/forecast/cohort_width.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

// The identities of CUDA devices that were lost. A lost device is not used again until the process ends.
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

// Returns the value of ROPELAB_CUDA_KERNELS, or `setting` if the variable is not set. Throws BadInput for an unknown
// value.
CudaKernels requested_kernels(CudaKernels setting) {
    const char* value = std::getenv("ROPELAB_CUDA_KERNELS");
    if (!value || !*value) return setting;
    const std::string word = value;
    if (word == "off") return CudaKernels::off;
    if (word == "no-graphs") return CudaKernels::no_graphs;
    if (word == "all") return CudaKernels::all;
    throw BadInput("The environment variable ROPELAB_CUDA_KERNELS is \"" + word +
                   "\", but it must be off, no-graphs or all.");
}

// Returns the trust in everything that both trust.
DeviceTrust intersection(const DeviceTrust& a, const DeviceTrust& b) {
    DeviceTrust result;
    result.device = a.device && b.device;
    for (std::size_t part = 0; part < device_part_count; ++part) {
        const auto which = static_cast<DevicePart>(part);
        result.set(which, a.trusts(which) && b.trusts(which));
    }
    return result;
}

std::filesystem::path folder_of(const DeviceCheckSettings& settings) {
    return settings.folder.empty() ? device_records_folder() : settings.folder;
}

// Returns the record of a device, if there is one. If another process is checking the device, waits for its result, but
// at most for the time limit of a check.
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

// The trust in a device, and the message for the user (may be empty).
struct Checked {
    DeviceTrust trust;
    std::string message;
};
// Returns the trust in a device whose check could not be stored.
Checked not_stored(const std::exception& why) {
    return {DeviceTrust::libtorch_alone(),
            "Only LibTorch's operations are used, because a check of this CUDA device could not be stored. " +
                std::string(why.what())};
}

// Returns the trust stored for a device; checks the device first if there is no record.
Checked checked(const std::string& identity, const DeviceCheckSettings& settings) {
    try {
        auto record = known_record(identity, settings);
        const bool known = record.has_value();
        if (!known) record = check_cuda_device(identity, settings);
        const bool worth_telling = !known || record->trust != DeviceTrust::everything();
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
    const CudaKernels requested = requested_kernels(spec.cuda_kernels);
    if (spec.device == Device::cpu || (conditions && conditions->device == "cpu")) return {};
    const EngineInfo info = engine.info();
    if (!info.cuda) return {};

    Checked found;
    if (lost_devices().has(info.cuda_identity)) {
        found.trust.device = false;
        found.message = "This CUDA device failed earlier while this program was running, so it is no longer used.";
    } else if (requested == CudaKernels::automatic) {
        found = checked(info.cuda_identity, settings);
    } else if (requested != CudaKernels::off) {
        found.trust = parse_device_trust(requested == CudaKernels::all ? "all" : "no-graphs");
    }
    if (conditions && !conditions->kernels.empty()) {
        found.trust = intersection(found.trust, parse_device_trust(conditions->kernels));
    }
    if (!found.trust.device && spec.device == Device::cuda) {
        throw BadInput("The setting device is cuda, but: " + found.message +
                       " Check it again with ropelab-cli doctor --check-device, use device=cpu, or set "
                       "cuda_kernels=off to train on it unchecked with LibTorch's operations.");
    }
    engine.trust_device(found.trust);
    return {found.message, !found.trust.device && conditions};
}

void check_cuda_kernels_variable() {
    requested_kernels(CudaKernels::automatic);
}

std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost,
                                const DeviceCheckSettings& settings) {
    const std::string identity = engine.info().cuda_identity;
    DeviceTrust trust = DeviceTrust::libtorch_alone();
    try {
        const auto folder = folder_of(settings);
        DeviceRecord record = read_device_record(folder, identity).value_or(DeviceRecord());
        record.identity = identity;
        record.state = DeviceRecord::State::revoked;
        record.trust = intersection(trust, record.trust);
        record.sentence =
            fault +
            " Until this device is checked again (ropelab-cli doctor --check-device), only LibTorch's operations are "
            "used on it.";
        write_device_record(folder, record);
    } catch (const std::exception&) {  // the record stays unchanged; the next process will detect the fault itself
    }
    if (device_lost) lost_devices().add(identity);
    clear_step_times();
    trust.device = !lost_devices().has(identity);
    engine.trust_device(trust);
    return fault + (trust.device ? " The run resumes with LibTorch's operations." : " The run resumes on the CPU.");
}

}  // namespace ropelab
