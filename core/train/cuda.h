#pragma once

#include <string>

namespace ropelab {

/// Whether this process can train on a CUDA device, and which, or one sentence on why not.
struct Cuda {
    bool available = false;
    /// "NVIDIA H200, 139 GiB" or "There is no NVIDIA driver on this machine (libcuda.so.1)."
    std::string detail;
};

/// Opens LibTorch's CUDA side where a driver is, once. LibTorch settles for good whether it has CUDA when it is asked
/// first, so this must run before anything asks. The program itself needs neither.
const Cuda& open_cuda();

}  // namespace ropelab
