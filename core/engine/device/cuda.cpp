#include "core/engine/device/cuda.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "core/base/numbers.h"
#include "core/engine/device/accelerator.h"

namespace ropelab {

namespace {

// False if the library lacks the function or the function does not return 0.
template <typename... Parameters, typename... Arguments>
bool call(void* library, const char* name, int (*)(Parameters...), Arguments... arguments) {
    const auto function = reinterpret_cast<int (*)(Parameters...)>(dlsym(library, name));
    return function && function(arguments...) == 0;
}
template <typename... Parameters>
constexpr int (*takes)(Parameters...) = nullptr;

std::filesystem::path folder_of(void* function) {
    Dl_info place{};
    dladdr(function, &place);
    return std::filesystem::path(place.dli_fname).parent_path();
}

// NVIDIA's management library needs no context on the device and therefore none of its memory. `bus`: PCI bus address.
void query_management(const char* bus, CudaFindings& found) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || !call(library, "nvmlInit_v2", takes<>)) return;
    std::array<char, 96> version{};
    const auto size = static_cast<unsigned>(version.size());
    if (call(library, "nvmlSystemGetDriverVersion", takes<char*, unsigned>, version.data(), size)) {
        found.driver_text = version.data();
    }
    struct {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    } memory{};
    void* device = nullptr;
    const bool known =
        call(library, "nvmlDeviceGetHandleByPciBusId_v2", takes<const char*, void**>, bus, &device) &&
        call(library, "nvmlDeviceGetMemoryInfo", takes<void*, void*>, device, static_cast<void*>(&memory));
    if (known) found.free_memory = static_cast<std::int64_t>(memory.free);
}

void query_driver(void* driver, CudaFindings& found) {
    const auto initialise = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    found.driver_error = initialise ? initialise(0) : -1;
    call(driver, "cuDriverGetVersion", takes<int*>, &found.driver_version);
    if (found.driver_error != 0) return;
    call(driver, "cuDeviceGetCount", takes<int*>, &found.devices);
    if (found.devices == 0) return;
    std::array<char, 128> text{};
    const int size = static_cast<int>(text.size());
    if (call(driver, "cuDeviceGetName", takes<char*, int, int>, text.data(), size, 0)) found.name = text.data();
    std::size_t bytes = 0;
    call(driver, "cuDeviceTotalMem_v2", takes<std::size_t*, int>, &bytes, 0);
    found.memory = static_cast<std::int64_t>(bytes);
    int major = 0;
    int minor = 0;
    call(driver, "cuDeviceGetAttribute", takes<int*, int, int>, &major, 75, 0);
    call(driver, "cuDeviceGetAttribute", takes<int*, int, int>, &minor, 76, 0);
    found.capability = 10 * major + minor;
    if (call(driver, "cuDeviceGetPCIBusId", takes<char*, int, int>, text.data(), size, 0)) {
        query_management(text.data(), found);
    }
}

// An equal major version suffices.
bool is_driver_too_old(const CudaFindings& found) {
    return found.runtime_version / 1000 > found.driver_version / 1000;
}

void open_library(CudaFindings& found) {
    // libtorch_cuda.so is in the folder of libtorch_cpu.so, which contains this function.
    const auto file = folder_of(reinterpret_cast<void*>(&at::get_num_threads)) / "libtorch_cuda.so";
    found.library = std::filesystem::exists(file);
    if (!found.library) return;
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        found.library_error = dlerror();
        return;
    }
    call(library, "cudaRuntimeGetVersion", takes<int*>, &found.runtime_version);
    // LibTorch would print its own message about the driver.
    if (is_driver_too_old(found)) return;
    found.library_finds_device = torch::cuda::device_count() > 0;
}

constexpr const char* graphs_file = "libropelab_cuda_graph.so";

std::filesystem::path beside_engine(const char* file_name) {
    return folder_of(reinterpret_cast<void*>(&open_cuda)) / file_name;
}

// Null if the library was not built, or, with `error` set, does not load.
const CudaGraphs* open_graphs(std::string& error) {
    const auto file = beside_engine(graphs_file);
    std::error_code unreadable;
    if (std::filesystem::status(file, unreadable).type() == std::filesystem::file_type::not_found) return nullptr;
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error = dlerror();
        return nullptr;
    }
    const auto graphs = reinterpret_cast<decltype(&ropelab_cuda_graphs)>(dlsym(library, "ropelab_cuda_graphs"));
    if (!graphs) error = file.string() + ": the function ropelab_cuda_graphs is missing.";
    return graphs ? graphs() : nullptr;
}

// A checksum (FNV-1a) of the engine's and the graphs' files.
std::string build_of_libraries() {
    Dl_info engine{};
    dladdr(reinterpret_cast<void*>(&open_cuda), &engine);
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const std::filesystem::path& file : {std::filesystem::path(engine.dli_fname), beside_engine(graphs_file)}) {
        std::ifstream stream(file, std::ios::binary);
        for (std::istreambuf_iterator<char> at(stream), end; at != end; ++at) {
            hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001B3ULL;
        }
    }
    std::ostringstream text;
    text << std::hex << hash;
    return text.str();
}

CudaFindings find_cuda() {
    CudaFindings found;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    found.driver = driver != nullptr;
    if (!driver) return found;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) found.visible_devices = visible;
    query_driver(driver, found);
    if (found.devices == 0) return found;
    open_library(found);
    if (!found.library_finds_device) return found;
    found.graphs = open_graphs(found.graphs_error);
    found.build = build_of_libraries();
    return found;
}

// 13000 as "13.0".
std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capability_text(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string gibibytes(std::int64_t bytes) {
    return number_text(std::round(10.0 * static_cast<double>(bytes) / static_cast<double>(1LL << 30)) / 10.0);
}

// CUDA 12 or CUDA 13.
std::string oldest_driver(int runtime_version) {
    return runtime_version >= 13000 ? "580" : "525";
}

std::string no_device(const CudaFindings& found) {
    constexpr int no_such_device = 100;
    constexpr int mismatch = 803;
    if (found.driver_error == mismatch) {
        return "The NVIDIA driver was updated, but its kernel module was not; restart this machine.";
    }
    if (found.driver_error != 0 && found.driver_error != no_such_device) {
        return "The NVIDIA driver does not start (cuInit: error " + std::to_string(found.driver_error) + ").";
    }
    if (!found.visible_devices.empty()) {
        return "The NVIDIA driver offers no device, because the environment variable CUDA_VISIBLE_DEVICES is '" +
               found.visible_devices + "'.";
    }
    return "There is an NVIDIA driver, but it finds no device.";
}

// Reason why LibTorch cannot use the device, as one sentence; empty if it can.
std::string obstacle(const CudaFindings& found) {
    if (!found.driver) return "There is no NVIDIA driver on this machine (libcuda.so.1).";
    if (found.devices == 0) return no_device(found);
    if (!found.library) {
        return "This LibTorch supports the CPU only (it has no libtorch_cuda.so); packaging/setup.sh --cuda installs "
               "the one for " +
               found.name + ".";
    }
    if (!found.library_error.empty()) {
        return "LibTorch's CUDA libraries do not load: " + found.library_error +
               "; packaging/setup.sh --cuda installs matching ones.";
    }
    if (is_driver_too_old(found)) {
        return "The NVIDIA driver is too old: it offers CUDA " + version_text(found.driver_version) +
               ", and this LibTorch requires CUDA " + version_text(found.runtime_version) + " (driver " +
               oldest_driver(found.runtime_version) + " or newer).";
    }
    constexpr int oldest_capability = 75;  // lowest capability that CUDA 13 supports
    if (found.runtime_version >= 13000 && found.capability < oldest_capability) {
        return found.name + " is too old: its compute capability is " + capability_text(found.capability) +
               ", and this LibTorch requires " + capability_text(oldest_capability) + " or newer.";
    }
    if (!found.library_finds_device)
        return "LibTorch does not find the device that the driver offers, " + found.name + ".";
    constexpr std::int64_t least_memory = 1LL << 30;
    if (found.free_memory >= 0 && found.free_memory < least_memory) {
        return found.name + " does not have enough free memory: " + gibibytes(found.free_memory) + " of " +
               gibibytes(found.memory) + " GiB are free, and training requires at least 1 GiB.";
    }
    return {};
}

}  // namespace

Cuda cuda_of(const CudaFindings& found) {
    Cuda result;
    result.detail = obstacle(found);
    result.available = result.detail.empty();
    if (!result.available) return result;
    result.detail = found.name + ", " + std::to_string(found.memory >> 30) + " GiB";
    result.free_memory = found.free_memory > 0 ? found.free_memory : 0;
    result.capability = found.capability;
    constexpr int least_with_bfloat16 = 80;
    result.bfloat16 = found.capability >= least_with_bfloat16;
    result.graphs = found.graphs;
    if (!result.bfloat16) {
        result.detail += "; plain float32 only, because compute capability " + capability_text(found.capability) +
                         " cannot multiply matrices in bfloat16";
    }
    if (!found.graphs) {
        result.detail += found.graphs_error.empty() ? "; CUDA graphs are not built"
                                                    : "; CUDA graphs do not load (" + found.graphs_error + ")";
    }
    result.identity = found.name + ", compute capability " + capability_text(found.capability) + ", driver " +
                      (found.driver_text.empty() ? version_text(found.driver_version) : found.driver_text) +
                      ", LibTorch " TORCH_VERSION ", build " + found.build;
    return result;
}

void compute_deterministically() {
    at::Context& context = at::globalContext();
    context.setDeterministicAlgorithms(true, false);
    context.setDeterministicFillUninitializedMemory(false);  // only helps debugging
    context.setSDPUseCuDNN(false);                           // cuDNN's attention is not deterministic
    // cuBLAS requires this workspace, of its default size, and LibTorch refuses most others.
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
}

const Cuda& open_cuda() {
    static const Cuda cuda = [] {
        Cuda result = cuda_of(find_cuda());
        if (result.available) compute_deterministically();
        return result;
    }();
    return cuda;
}

std::string bfloat16_warning(const Cuda& cuda) {
    if (cuda.bfloat16) return {};
    return "This device (compute capability " + capability_text(cuda.capability) +
           ") multiplies matrices in bfloat16 by other instructions, which is slow; float32 is faster.";
}

std::string bfloat16_obstacle(const Cuda& cuda) {
    if (cuda.bfloat16) return {};
    return "this device (compute capability " + capability_text(cuda.capability) +
           ") cannot multiply matrices in bfloat16, so it trains in plain float32.";
}

void trust_cuda(const DeviceTrust& trust) {
    if (open_cuda().available) use_accelerator({.graphs = trust.graphs ? open_cuda().graphs : nullptr});
}

}  // namespace ropelab
