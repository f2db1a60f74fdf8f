#include <gtest/gtest.h>

#include "core/engine/device/cuda.h"

namespace ropelab {
namespace {

// Returns the properties of a machine that meets all requirements; each test removes one of them.
CudaFindings good() {
    return {.driver = true,
            .driver_error = 0,
            .driver_version = 13000,
            .devices = 1,
            .visible_devices = "",
            .name = "NVIDIA H200",
            .capability = 90,
            .memory = 139LL << 30,
            .free_memory = 138LL << 30,
            .library = true,
            .library_error = "",
            .runtime_version = 13000,
            .library_finds_device = true,
            .graphs = reinterpret_cast<const CudaGraphs*>(&good)};
}

void expect_reason(const CudaFindings& found, const std::string& words) {
    const Cuda cuda = cuda_of(found);
    EXPECT_FALSE(cuda.available);
    EXPECT_EQ(cuda.graphs, nullptr);
    EXPECT_NE(cuda.detail.find(words), std::string::npos) << cuda.detail;
    EXPECT_EQ(cuda.detail.back(), '.') << cuda.detail;
    EXPECT_EQ(cuda.detail.find('\n'), std::string::npos);
}

TEST(CudaOpening, DescribesTheDeviceAndItsGraphs) {
    CudaFindings found = good();
    EXPECT_TRUE(cuda_of(found).available);
    EXPECT_EQ(cuda_of(found).detail, "NVIDIA H200, 139 GiB");
    EXPECT_EQ(cuda_of(found).graphs, found.graphs);
    found.graphs = nullptr;
    EXPECT_TRUE(cuda_of(found).available);
    EXPECT_EQ(cuda_of(found).detail, "NVIDIA H200, 139 GiB; CUDA graphs are not built");
    found.graphs_error = "libtorch_cuda.so is missing";
    EXPECT_EQ(cuda_of(found).detail, "NVIDIA H200, 139 GiB; CUDA graphs do not load (libtorch_cuda.so is missing)");
}

TEST(CudaOpening, IdentityContainsDeviceDriverAndBuild) {
    CudaFindings found = good();
    found.driver_text = "580.65.06";
    found.build = "12ab";
    const std::string identity = cuda_of(found).identity;
    for (const char* part : {"NVIDIA H200", "9.0", "580.65.06", "LibTorch 2.", "12ab"}) {
        EXPECT_NE(identity.find(part), std::string::npos) << identity;
    }
}

TEST(CudaOpening, WarnsIfBfloat16IsEmulated) {
    CudaFindings found = good();
    EXPECT_EQ(bfloat16_warning(cuda_of(found)), "");
    found.capability = 80;
    EXPECT_EQ(bfloat16_warning(cuda_of(found)), "");
    found.capability = 75;
    EXPECT_EQ(bfloat16_warning(cuda_of(found)),
              "This device (compute capability 7.5) multiplies matrices in bfloat16 by other instructions, which is "
              "slow; float32 is faster.");
}

// Turing has no bfloat16 products; LibTorch emulates them.
TEST(CudaOpening, SaysThatTuringTrainsInPlainFloat32) {
    CudaFindings found = good();
    EXPECT_EQ(bfloat16_obstacle(cuda_of(found)), "");
    found.capability = 75;
    found.name = "Tesla T4";
    found.memory = 15LL << 30;
    EXPECT_EQ(
        cuda_of(found).detail,
        "Tesla T4, 15 GiB; plain float32 only, because compute capability 7.5 cannot multiply matrices in bfloat16");
    EXPECT_EQ(
        bfloat16_obstacle(cuda_of(found)),
        "this device (compute capability 7.5) cannot multiply matrices in bfloat16, so it trains in plain float32.");
}

TEST(CudaOpening, UsesBfloat16FromAmpereOn) {
    CudaFindings found = good();
    EXPECT_TRUE(cuda_of(found).bfloat16);
    found.capability = 75;
    EXPECT_TRUE(cuda_of(found).available);
    EXPECT_FALSE(cuda_of(found).bfloat16);
    EXPECT_EQ(cuda_of(found).graphs, found.graphs);
}

TEST(CudaOpening, ReportsWhatTheDriverLacks) {
    expect_reason({}, "There is no NVIDIA driver on this machine");
    CudaFindings found = good();
    found.devices = 0;
    found.driver_error = 100;
    expect_reason(found, "finds no device");
    found.visible_devices = "7";
    expect_reason(found, "CUDA_VISIBLE_DEVICES is '7'");
    found.driver_error = 803;
    expect_reason(found, "restart this machine");
    found.driver_error = 999;
    expect_reason(found, "cuInit: error 999");
}

TEST(CudaOpening, ReportsVersionsThatAreTooOld) {
    CudaFindings found = good();
    found.driver_version = 12040;
    found.library_finds_device = false;
    expect_reason(found, "it offers CUDA 12.4, and this LibTorch requires CUDA 13.0 (driver 580 or newer)");
    found = good();
    found.capability = 61;
    found.name = "NVIDIA GeForce GTX 1080";
    found.library_finds_device = false;
    expect_reason(found, "NVIDIA GeForce GTX 1080 is too old: its compute capability is 6.1");
    // Any driver of the same CUDA version is sufficient.
    found = good();
    found.runtime_version = 13020;
    EXPECT_TRUE(cuda_of(found).available);
}

TEST(CudaOpening, ReportsAnUnsuitableWheel) {
    CudaFindings found = good();
    found.library = false;
    expect_reason(found, "supports the CPU only");
    found = good();
    found.library_error = "libcublas.so.13: cannot open shared object file";
    expect_reason(found, "do not load: libcublas.so.13");
    found = good();
    found.library_finds_device = false;
    expect_reason(found, "does not find the device");
}

TEST(CudaOpening, ReportsInsufficientFreeMemory) {
    CudaFindings found = good();
    found.free_memory = 300LL << 20;
    expect_reason(found, "NVIDIA H200 does not have enough free memory: 0.3 of 139 GiB are free");
    found.free_memory = -1;  // unknown
    EXPECT_TRUE(cuda_of(found).available);
}

TEST(CudaOpening, ReturnsAnAnswerOnThisMachine) {
    const Cuda& cuda = open_cuda();
    EXPECT_EQ(&open_cuda(), &cuda);
    EXPECT_FALSE(cuda.detail.empty());
    EXPECT_EQ(cuda.detail.back() == '.', !cuda.available);
}

}  // namespace
}  // namespace ropelab
