#pragma once

#include <cstdint>
#include <string>

#include "core/spec/device_trust.h"

namespace ropelab {

namespace cuda {
struct Kernels;  // core/cuda/cuda_kernels.h
}
struct CudaGraphs;  // core/model/device_graph.h

/// Whether this process can train on a CUDA device, and which, or one sentence on why not.
struct Cuda {
    bool available = false;
    /// "NVIDIA H200, 139 GiB, fused kernels" or "There is no NVIDIA driver on this machine (libcuda.so.1)."
    std::string detail;
    /// What a check of the device holds for, as EngineInfo::cuda_identity has it.
    std::string identity;
    /// The project's own kernels; null where they are not built, do not open, or are not for this device. LibTorch's
    /// operations serve then.
    const cuda::Kernels* kernels = nullptr;
    /// How work is captured as a graph; null without kernels, or where its library is not built or does not open.
    const CudaGraphs* graphs = nullptr;
    /// The device's compute capability: 90 for 9.0.
    int capability = 0;
    /// Whether the device multiplies bfloat16; one that does not emulates it.
    bool bfloat16 = false;
    /// Bytes that were free when the device was found; 0: not known.
    std::int64_t free_memory = 0;
};

/// Opens LibTorch's CUDA side and the kernels where a driver is, once. LibTorch settles for good whether it has CUDA
/// when it is asked first, so this must run before anything asks. The program itself needs neither.
const Cuda& open_cuda();
/// What may be used on the device from now on (core/model/fused_device.h); LibTorch's operations alone until the first
/// call. What is not built, or not for this device, is not used either way.
void trust_cuda(const DeviceTrust& trust);

/// One sentence for a run with precision=bfloat16 on a device that emulates it; empty where the device multiplies it.
std::string bfloat16_warning(const Cuda& cuda);

/// What open_cuda finds on its way; each is known only where those before it allowed to look.
struct CudaFindings {
    bool driver = false;
    int driver_error = 0;           // of cuInit
    int driver_version = 0;         // 13000 for CUDA 13.0
    int devices = 0;                // that the driver offers
    std::string visible_devices;    // CUDA_VISIBLE_DEVICES, empty where it is not set
    std::string name;               // of the first device
    int capability = 0;             // 90 for 9.0
    std::int64_t memory = 0;        // bytes
    std::int64_t free_memory = -1;  // bytes; −1: not known
    bool library = false;           // libtorch_cuda.so lies beside libtorch_cpu.so
    std::string library_error;      // why it does not open
    int runtime_version = 0;        // of LibTorch's CUDA runtime; 0: not known
    bool library_finds_device = false;
    const cuda::Kernels* kernels = nullptr;
    const CudaGraphs* graphs = nullptr;
    std::string kernels_error = {};  // why their library does not open; empty where it opens or was not built
    std::string graphs_error = {};   // the same for the library of the graphs
    std::string driver_text = {};    // the driver's own version, "580.65.06"; empty where it does not tell
    std::string build = {};          // of the engine and the kernels: a checksum of their files
};
/// What they amount to: one sentence, the first reason that stands in the way.
Cuda judge(const CudaFindings& found);

}  // namespace ropelab
