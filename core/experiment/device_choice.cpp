#include "core/experiment/device_choice.h"

#include <atomic>
#include <cstdlib>

#include "core/spec/error.h"

namespace ropelab {

namespace {

// A device that was lost stays so until the process ends.
std::atomic<bool> lost_here = false;

CudaKernels asked_for(const RunSpec& spec) {
    const char* said = std::getenv("ROPELAB_CUDA_KERNELS");
    if (!said || !*said) return spec.cuda_kernels;
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

}  // namespace

std::string settle_device_trust(Engine& engine, const RunSpec& spec, const std::optional<RunConditions>& conditions,
                                const FirstContact& how) {
    const CudaKernels asked = asked_for(spec);
    if (spec.device == Device::cpu || (conditions && conditions->device == "cpu")) return {};
    const EngineInfo info = engine.info();
    if (!info.cuda) return {};

    DeviceTrust trust = asked == CudaKernels::off         ? DeviceTrust::libtorch_alone()
                        : asked == CudaKernels::no_graphs ? parse_device_trust("no-graphs")
                                                          : DeviceTrust::everything();
    std::string sentence;
    if (asked == CudaKernels::automatic) {
        auto record = read_device_record(folder_of(how), info.cuda_identity);
        const bool known = record.has_value();
        if (!known) record = meet_device(info.cuda_identity, how);
        trust = record->trust;
        if (!known || trust != DeviceTrust::everything()) sentence = record->sentence;
        if (conditions && !conditions->kernels.empty()) trust = both(trust, parse_device_trust(conditions->kernels));
    }
    if (lost_here) trust.device = false;
    if (!trust.device && spec.device == Device::cuda) {
        throw BadInput("The device is cuda, but: " + sentence +
                       " Check it again with ropelab-cli doctor --check-device, or use device=cpu.");
    }
    engine.trust_device(trust);
    return sentence;
}

std::string revoke_device_trust(Engine& engine, const std::string& fault, bool device_lost, const FirstContact& how) {
    DeviceRecord record;
    record.identity = engine.info().cuda_identity;
    record.state = DeviceRecord::State::revoked;
    record.sentence = fault +
                      " LibTorch's operations alone are used on this device until it is checked again"
                      " (ropelab-cli doctor --check-device).";
    write_device_record(folder_of(how), record);
    if (device_lost) lost_here = true;
    DeviceTrust trust = DeviceTrust::libtorch_alone();
    trust.device = !lost_here;
    engine.trust_device(trust);
    return device_lost ? fault + " The run resumes on the CPU."
                       : fault + " The run resumes with LibTorch's operations.";
}

}  // namespace ropelab
