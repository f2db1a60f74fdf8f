#include "core/experiment/device_choice.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "core/experiment/cohort_width.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

// Devices that were lost, by identity; they stay so until the process ends.
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

CudaKernels asked_for(CudaKernels key) {
    const char* said = std::getenv("ROPELAB_CUDA_KERNELS");
    if (!said || !*said) return key;
    const std::string word = said;
    if (word == "off") return CudaKernels::off;
    if (word == "no-graphs") return CudaKernels::no_graphs;
    if (word == "all") return CudaKernels::all;
    throw BadInput("The environment variable ROPELAB_CUDA_KERNELS is \"" + word +
                   "\", but it must be off, no-graphs or all.");
}

// What both trust.
DeviceTrust both(const DeviceTrust& a, const DeviceTrust& b) {
    DeviceTrust result;
    result.device = a.device && b.device;
    for (std::size_t part = 0; part < device_part_count; ++part) {
        const auto which = static_cast<DevicePart>(part);
        result.set(which, a.trusts(which) && b.trusts(which));
    }
    return result;
}

std::filesystem::path folder_of(const FirstContact& how) {
    return how.folder.empty() ? device_records_folder() : how.folder;
}

// The record of a device. Where another process is checking the device just now, the record that it then leaves; at
// most as long as a check may take.
std::optional<DeviceRecord> known_record(const std::string& identity, const FirstContact& how) {
    const auto folder = folder_of(how);
    const auto deadline = std::chrono::steady_clock::now() + how.limit;
    auto record = read_device_record(folder, identity);
    while (record && is_being_checked(*record, how.limit) && std::chrono::steady_clock::now() < deadline &&
           !(how.cancelled && how.cancelled())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        record = read_device_record(folder, identity);
    }
    return record;
}

// What the record of the device says; without a record, the device is checked.
struct Checked {
    DeviceTrust trust;
    std::string words;
};
Checked checked(const std::string& identity, const FirstContact& how) {
    try {
        auto record = known_record(identity, how);
        const bool known = record.has_value();
        if (!known) record = meet_device(identity, how);
        const bool tells = !known || record->trust != DeviceTrust::everything();
        return {record->trust, tells ? record->sentence : ""};
    } catch (const BadInput& error) {  // there is no folder for records
        return {DeviceTrust::libtorch_alone(),
                "LibTorch's operations alone are used, because a check of this CUDA device could not be stored. " +
                    std::string(error.what())};
    }
}

}  // namespace

DeviceChoice settle_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                 const FirstContact& how) {
    const CudaKernels asked = asked_for(spec.cuda_kernels);
    if (spec.device == Device::cpu || (conditions && conditions->device == "cpu")) return {};
    const EngineInfo info = engine.info();
    if (!info.cuda) return {};

    Checked found;
    if (lost_devices().has(info.cuda_identity)) {
        found.trust.device = false;
        found.words = "This CUDA device failed earlier in this program, so it is not used any more.";
    } else if (asked == CudaKernels::automatic) {
        found = checked(info.cuda_identity, how);
    } else if (asked != CudaKernels::off) {
        found.trust = parse_device_trust(asked == CudaKernels::all ? "all" : "no-graphs");
    }
    if (conditions && !conditions->kernels.empty()) {
        found.trust = both(found.trust, parse_device_trust(conditions->kernels));
    }
    if (!found.trust.device && spec.device == Device::cuda) {
        throw BadInput("The device is cuda, but: " + found.words +
                       " Check it again with ropelab-cli doctor --check-device, use device=cpu, or set "
                       "cuda_kernels=off to train on it unchecked with LibTorch's operations.");
    }
    engine.trust_device(found.trust);
    return {found.words, !found.trust.device && conditions};
}

void check_cuda_kernels_variable() {
    asked_for(CudaKernels::automatic);
}

std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost, const FirstContact& how) {
    const std::string identity = engine.info().cuda_identity;
    DeviceTrust trust = DeviceTrust::libtorch_alone();
    try {
        const auto folder = folder_of(how);
        DeviceRecord record = read_device_record(folder, identity).value_or(DeviceRecord());
        record.identity = identity;
        record.state = DeviceRecord::State::revoked;
        record.trust = both(trust, record.trust);
        record.sentence = fault +
                          " LibTorch's operations alone are used on this device until it is checked again"
                          " (ropelab-cli doctor --check-device).";
        write_device_record(folder, record);
    } catch (const BadInput&) {  // the next program meets the fault itself
    }
    if (device_lost) lost_devices().add(identity);
    forget_times();
    trust.device = !lost_devices().has(identity);
    engine.trust_device(trust);
    return fault + (trust.device ? " The run resumes with LibTorch's operations." : " The run resumes on the CPU.");
}

}  // namespace ropelab
