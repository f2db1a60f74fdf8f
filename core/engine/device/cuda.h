#pragma once

#include <cstdint>
#include <string>

#include "core/contract/device_trust.h"

namespace ropelab {

struct CudaGraphs;  // core/engine/device/accelerator.h

struct Cuda {
    bool available = false;
    /// "NVIDIA H200, 139 GiB" or "There is no NVIDIA driver on this machine (libcuda.so.1)."
    std::string detail;
    std::string identity;
    /// Null if their library is not built or does not load.
    const CudaGraphs* graphs = nullptr;
    /// 90 for 9.0.
    int capability = 0;
    /// Other devices emulate bfloat16 products.
    bool bfloat16 = false;
    /// 0: unknown.
    std::int64_t free_memory = 0;
};

/// Loads LibTorch's CUDA libraries and that of the graphs, once, if there is a driver. Call this before anything else
/// asks LibTorch for CUDA, because LibTorch decides at the first question. The program itself links neither library.
const Cuda& open_cuda();
/// Until the first call, CUDA graphs are not used.
void trust_cuda(const DeviceTrust& trust);

/// Afterwards equal inputs give equal bits on one device with one LibTorch. Operations that have no deterministic
/// implementation throw instead of only warning: with warnings, the backward passes of LibTorch's flash and
/// memory-efficient attention would still sum in any order. It holds for the process, forward passes included, in which
/// sums by index (scatter_add) and running sums would otherwise vary.
void compute_deterministically();

/// Empty unless the device emulates bfloat16.
std::string bfloat16_warning(const Cuda& cuda);
/// Why precision=auto does not try bfloat16; empty if it does.
std::string bfloat16_obstacle(const Cuda& cuda);

/// Each query requires that the previous ones succeeded.
struct CudaFindings {
    bool driver = false;
    int driver_error = 0;           // error code of cuInit
    int driver_version = 0;         // 13000 for CUDA 13.0
    int devices = 0;                // number of devices that the driver offers
    std::string visible_devices;    // CUDA_VISIBLE_DEVICES; empty if it is not set
    std::string name;               // name of the first device
    int capability = 0;             // 90 for 9.0
    std::int64_t memory = 0;        // bytes
    std::int64_t free_memory = -1;  // bytes; −1: unknown
    bool library = false;           // whether libtorch_cuda.so is in the folder of libtorch_cpu.so
    std::string library_error;      // error message if it does not load
    int runtime_version = 0;        // version of LibTorch's CUDA runtime; 0: unknown
    bool library_finds_device = false;
    const CudaGraphs* graphs = nullptr;
    // error message if the graph library does not load; empty if it loads or was not built
    std::string graphs_error = {};
    std::string driver_text = {};  // version of the driver, "580.65.06"; empty if unknown
    std::string build = {};        // checksum of the files of the engine and the graphs
};
/// `detail` is one sentence with the first obstacle, if any.
Cuda cuda_of(const CudaFindings& found);

}  // namespace ropelab
