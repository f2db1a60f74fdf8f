#include "core/engine/device/tensor_memory.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <string>

#include "core/machine/process_memory.h"

namespace ropelab {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

torch::Tensor bytes(std::int64_t count) {
    return torch::ones({count}, torch::kUInt8);
}

std::int64_t resident() {
    return process_memory().now;
}

class TensorMemory : public testing::Test {
 protected:
    void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
        GTEST_SKIP() << "AddressSanitizer requires LibTorch's own allocator.";
#endif
        keep_tensor_memory();
    }
    void TearDown() override {
        release_tensor_memory();
    }
};

TEST_F(TensorMemory, ReusesTheSmallestSufficientBlock) {
    const void* larger = nullptr;
    const void* smaller = nullptr;
    {
        const torch::Tensor first = bytes(40 * mebibyte);
        const torch::Tensor second = bytes(20 * mebibyte);
        larger = first.data_ptr();
        smaller = second.data_ptr();
    }
    const torch::Tensor a = bytes(15 * mebibyte);
    const torch::Tensor b = bytes(19 * mebibyte);
    EXPECT_EQ(a.data_ptr(), smaller);
    EXPECT_EQ(b.data_ptr(), larger);
    EXPECT_EQ(b.sum().item<std::int64_t>(), 19 * mebibyte);
}

TEST_F(TensorMemory, ReleaseReturnsBlocksToTheSystem) {
    constexpr std::int64_t much = 256 * mebibyte;
    const std::int64_t before = resident();
    torch::Tensor tensor = bytes(much);
    tensor.reset();
    EXPECT_GT(resident() - before, much * 9 / 10);
    release_tensor_memory();
    EXPECT_LT(resident() - before, much / 10);
}

TEST_F(TensorMemory, AlignsToCacheLines) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{1000}, 2 * mebibyte, 2 * mebibyte + 1}) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes(count).data_ptr()) % 64, 0U) << count;
    }
    EXPECT_EQ(torch::empty({0}).data_ptr(), nullptr);
}

TEST_F(TensorMemory, ReportsFailedAllocations) {
    try {
        torch::empty({std::int64_t{1} << 50}, torch::kUInt8);
        FAIL() << "A pebibyte was allocated.";
    } catch (const c10::Error& error) {
        EXPECT_EQ(std::string(error.what_without_backtrace()).substr(0, 21), "can't allocate memory");
    }
}

}  // namespace
}  // namespace ropelab
