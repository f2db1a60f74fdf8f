#include "core/train/amx.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <csignal>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ropelab {
namespace {

TEST(Amx, ProductsInBfloat16AreRightForWholeAndRaggedTiles) {
    prepare_amx();
    torch::manual_seed(1);
    constexpr std::array<std::array<std::int64_t, 3>, 6> shapes = {
        {{64, 64, 64}, {2048, 384, 1152}, {1000, 65, 384}, {65, 1000, 384}, {17, 33, 31}, {384, 2048, 65}}};
    for (const auto& [rows, inner, columns] : shapes) {
        const torch::Tensor a = torch::randn({2, rows, inner}).to(torch::kBFloat16);
        const torch::Tensor b = torch::randn({2, columns, inner}).to(torch::kBFloat16);
        const torch::Tensor exact = torch::bmm(a.to(torch::kFloat32), b.to(torch::kFloat32).transpose(1, 2));
        const torch::Tensor product = torch::bmm(a, b.transpose(1, 2)).to(torch::kFloat32);
        // One rounding to 8 bits, of sums that were made in float32.
        EXPECT_LT(((product - exact).abs() / (exact.abs() + 1.0)).max().item<double>(), 0x1p-8)
            << rows << " × " << inner << " × " << columns;
        EXPECT_TRUE(torch::equal(product, torch::bmm(a, b.transpose(1, 2)).to(torch::kFloat32)));
    }
}

TEST(Amx, LeavesSignalsAndTheProcessorsDescriptionAlone) {
    const auto handler_of = [](int signal) {
        struct sigaction held {};
        EXPECT_EQ(sigaction(signal, nullptr, &held), 0);
        return held.sa_handler;
    };
    const auto of_faults = handler_of(SIGSEGV);
    const auto of_instructions = handler_of(SIGILL);
    prepare_amx();
    EXPECT_EQ(handler_of(SIGSEGV), of_faults);
    EXPECT_EQ(handler_of(SIGILL), of_instructions);
#if defined(__x86_64__)
    EXPECT_GE(__get_cpuid_max(0, nullptr), 1U);  // would end the program where CPUID still raised signals
#endif
}

}  // namespace
}  // namespace ropelab
