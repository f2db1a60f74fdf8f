#include "core/engine/operations/operations.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace ropelab {
namespace {

TEST(CountOperations, CountsEachOperationOnNumbersOnce) {
    const torch::Tensor x = torch::rand({3, 4});
    EXPECT_EQ(count_operations([&] { (void)(x + x); }), 1);
    EXPECT_EQ(count_operations([&] { (void)torch::matmul(x, x.t()); }), 1);  // one composite operation and a view
    EXPECT_EQ(count_operations([&] { (void)x.view({4, 3}).narrow(0, 1, 2).unsqueeze(0); }), 0);
    EXPECT_EQ(count_operations([&] { (void)torch::empty({5}); }), 0);
    EXPECT_EQ(count_operations([&] { (void)torch::zeros({5}); }), 1);
    EXPECT_EQ(count_operations([&] { (void)x.contiguous(); }), 0);
    EXPECT_EQ(count_operations([&] { (void)x.t().contiguous(); }), 1);
    EXPECT_EQ(count_operations([&] { (void)x[0][0].item<float>(); }), 1);
}

TEST(CountOperations, CountsBackwardPassesAndOwnKernels) {
    const torch::Tensor x = torch::rand({3, 4}, torch::requires_grad());
    const std::int64_t forward = count_operations([&] { (void)x.sin().sum(); });
    EXPECT_EQ(forward, 2);
    EXPECT_GT(count_operations([&] { x.sin().sum().backward(); }), forward);
    EXPECT_EQ(count_operations([&] {
                  ROPELAB_OWN_PASS("one");
                  (void)x.sin();  // an operation outside the own pass
              }),
              2);
}

TEST(CountOperations, CountEndsWhenTheWorkThrows) {
    const torch::Tensor x = torch::rand({3});
    EXPECT_THROW(count_operations([] { throw std::runtime_error("stop"); }), std::runtime_error);
    (void)(x + x);  // not counted
    EXPECT_EQ(count_operations([&] { (void)(x * x); }), 1);
}

TEST(EagerGuard, LastsForItsLifetime) {
    EXPECT_FALSE(is_eager());
    {
        const EagerGuard outer(true);
        EXPECT_TRUE(is_eager());
        {
            const EagerGuard inner(false);
            EXPECT_TRUE(is_eager());
        }
        EXPECT_TRUE(is_eager());
    }
    EXPECT_FALSE(is_eager());
}

}  // namespace
}  // namespace ropelab
