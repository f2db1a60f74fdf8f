#include "core/train/cuda.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include <array>
#include <filesystem>

namespace ropelab {

namespace {

// Name and memory of the first device, from the driver itself.
std::string describe(void* driver) {
    const auto initialise = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto get_name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
    const auto get_memory = reinterpret_cast<int (*)(std::size_t*, int)>(dlsym(driver, "cuDeviceTotalMem_v2"));
    std::array<char, 128> name{};
    std::size_t bytes = 0;
    if (!initialise || !get_name || !get_memory || initialise(0) != 0 ||
        get_name(name.data(), static_cast<int>(name.size()), 0) != 0 || get_memory(&bytes, 0) != 0) {
        return "a CUDA device";
    }
    return std::string(name.data()) + ", " + std::to_string(bytes >> 30) + " GiB";
}

Cuda open() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return {false, "There is no NVIDIA driver on this machine (libcuda.so.1)."};

    // Beside libtorch_cpu, which holds this function.
    Dl_info place{};
    dladdr(reinterpret_cast<void*>(&at::get_num_threads), &place);
    const auto library = std::filesystem::path(place.dli_fname).parent_path() / "libtorch_cuda.so";
    if (!std::filesystem::exists(library)) {
        return {false, "This LibTorch has no CUDA libraries; packaging/setup.sh --cuda brings them."};
    }
    if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL))
        return {false, "LibTorch's CUDA side does not open: " + std::string(dlerror()) + "."};
    if (torch::cuda::device_count() == 0) {
        return {false, "The NVIDIA driver offers no device that this LibTorch can use; it may be too old."};
    }
    return {true, describe(driver)};
}

}  // namespace

const Cuda& open_cuda() {
    static const Cuda cuda = open();
    return cuda;
}

}  // namespace ropelab
