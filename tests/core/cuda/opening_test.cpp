#include <gtest/gtest.h>

#include "core/train/cuda.h"

namespace ropelab {
namespace {

// A machine on which all is well; each test takes one thing away.
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
            .kernels = reinterpret_cast<const cuda::Kernels*>(&good),
            .graphs = reinterpret_cast<const CudaGraphs*>(&good)};
}

void expect_reason(const CudaFindings& found, const std::string& words) {
    const Cuda cuda = judge(found);
    EXPECT_FALSE(cuda.available);
    EXPECT_EQ(cuda.kernels, nullptr);
    EXPECT_NE(cuda.detail.find(words), std::string::npos) << cuda.detail;
    EXPECT_EQ(cuda.detail.back(), '.') << cuda.detail;
    EXPECT_EQ(cuda.detail.find('\n'), std::string::npos);
}

TEST(CudaOpening, NamesTheDeviceAndItsKernels) {
    CudaFindings found = good();
    EXPECT_TRUE(judge(found).available);
    EXPECT_EQ(judge(found).detail, "NVIDIA H200, 139 GiB, fused kernels");
    EXPECT_EQ(judge(found).kernels, found.kernels);
    found.kernels = nullptr;
    EXPECT_TRUE(judge(found).available);
    EXPECT_EQ(judge(found).detail,
              "NVIDIA H200, 139 GiB; the fused kernels are not built, LibTorch's operations are used");
}

TEST(CudaOpening, SaysWhichOfItsLibrariesDoesNotOpen) {
    CudaFindings found = good();
    found.graphs = nullptr;
    EXPECT_EQ(judge(found).detail, "NVIDIA H200, 139 GiB, fused kernels; CUDA graphs are not built");
    found.graphs_error = "libtorch_cuda.so is missing";
    EXPECT_EQ(judge(found).detail,
              "NVIDIA H200, 139 GiB, fused kernels; CUDA graphs do not open (libtorch_cuda.so is missing)");
    found.kernels = nullptr;
    found.kernels_error = "libcudart.so.13 is missing";
    EXPECT_EQ(judge(found).detail,
              "NVIDIA H200, 139 GiB; the fused kernels do not open (libcudart.so.13 is missing), LibTorch's operations "
              "are used");
}

TEST(CudaOpening, AnIdentityNamesDeviceDriverAndBuild) {
    CudaFindings found = good();
    found.driver_text = "580.65.06";
    found.build = "12ab";
    const std::string identity = judge(found).identity;
    for (const char* part : {"NVIDIA H200", "9.0", "580.65.06", "LibTorch 2.", "12ab"}) {
        EXPECT_NE(identity.find(part), std::string::npos) << identity;
    }
}

TEST(CudaOpening, WarnsOfBfloat16ThatIsEmulated) {
    CudaFindings found = good();
    EXPECT_EQ(bfloat16_warning(judge(found)), "");
    found.capability = 80;
    EXPECT_EQ(bfloat16_warning(judge(found)), "");
    found.capability = 75;
    EXPECT_EQ(bfloat16_warning(judge(found)),
              "This device (compute capability 7.5) emulates bfloat16 products, which is slow; float32 is faster.");
}

TEST(CudaOpening, TakesKernelsAndBfloat16FromAmpereOn) {
    CudaFindings found = good();
    found.graphs = reinterpret_cast<const CudaGraphs*>(&good);
    EXPECT_TRUE(judge(found).bfloat16);
    EXPECT_EQ(judge(found).graphs, found.graphs);
    found.capability = 75;
    found.name = "NVIDIA T4";
    EXPECT_TRUE(judge(found).available);
    EXPECT_FALSE(judge(found).bfloat16);
    EXPECT_EQ(judge(found).kernels, nullptr);
    EXPECT_EQ(judge(found).graphs, nullptr);
    EXPECT_EQ(judge(found).detail,
              "NVIDIA T4, 139 GiB; the fused kernels need compute capability 8.0, LibTorch's operations are used");
}

TEST(CudaOpening, SaysWhatTheDriverLacks) {
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

TEST(CudaOpening, SaysWhatIsTooOld) {
    CudaFindings found = good();
    found.driver_version = 12040;
    found.library_finds_device = false;
    expect_reason(found, "it offers CUDA 12.4, and this LibTorch needs CUDA 13.0 (driver 580 or newer)");
    found = good();
    found.capability = 61;
    found.name = "NVIDIA GeForce GTX 1080";
    found.library_finds_device = false;
    expect_reason(found, "NVIDIA GeForce GTX 1080 is too old: its compute capability is 6.1");
    // A driver of the same CUDA, however old, will do.
    found = good();
    found.runtime_version = 13020;
    EXPECT_TRUE(judge(found).available);
}

TEST(CudaOpening, SaysWhichWheelIsWrong) {
    CudaFindings found = good();
    found.library = false;
    expect_reason(found, "for the CPU alone");
    found = good();
    found.library_error = "libcublas.so.13: cannot open shared object file";
    expect_reason(found, "do not open: libcublas.so.13");
    found = good();
    found.library_finds_device = false;
    expect_reason(found, "does not find the device");
}

TEST(CudaOpening, SaysThatMemoryIsTaken) {
    CudaFindings found = good();
    found.free_memory = 300LL << 20;
    expect_reason(found, "NVIDIA H200 has no memory left: 0.3 of 139 GiB are free");
    found.free_memory = -1;  // not known
    EXPECT_TRUE(judge(found).available);
}

TEST(CudaOpening, AnswersOnThisMachine) {
    const Cuda& cuda = open_cuda();
    EXPECT_EQ(&open_cuda(), &cuda);
    EXPECT_FALSE(cuda.detail.empty());
    EXPECT_EQ(cuda.detail.back() == '.', !cuda.available);
}

}  // namespace
}  // namespace ropelab
