#include "core/cuda/philox.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/cuda/arithmetic.h"
#include "core/spec/random_stream.h"
#include "core/train/batches.h"

namespace ropelab::cuda {
namespace {

TEST(CudaPhilox, MatchesTheRandomStreamOfThatName) {
    for (std::int64_t seed : {0L, 1337L, -5L, 1L << 40}) {
        for (const char* name : {"batches", "dropout:layers.3.mlp", ""}) {
            const RandomStream stream(seed, name);
            const StreamKey key = stream_key(seed, name);
            for (std::uint64_t low : {0ULL, 1ULL, 0xFFFFFFFFULL, 0x123456789ABCDEFULL}) {
                const auto wanted = stream.block(low, 7);
                const FourNumbers got = philox(key, low, 7);
                for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got.n[i], wanted[i]);
                EXPECT_EQ(below(key, 1003854, 41, low), stream.below(1003854, 41, low));
            }
        }
    }
}

TEST(CudaPhilox, DropoutMatchesTheCpu) {
    const RandomStream stream(42, "dropout:embedding");
    const StreamKey key = stream_key(42, "dropout:embedding");
    for (double rate : {0.1, 0.2, 0.5, 0.9}) {
        std::vector<float> wanted(999);
        stream.fill_dropout(wanted, rate, 17, 8);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const FourFactors factors = dropout_factors(key, 17, (i + 8) / 4, dropout_rate(rate));
            ASSERT_EQ(factors.f[(i + 8) % 4], wanted[i]) << "rate " << rate << ", number " << i;
        }
    }
}

TEST(CudaBatches, StartsMatchTheCpu) {
    RunSpec spec;
    spec.context = 48;
    spec.batch = 7;
    constexpr std::int64_t tokens = 5003;
    for (BatchOrder order : {BatchOrder::random, BatchOrder::sequential}) {
        spec.batches = order;
        for (std::int64_t step : {0L, 1L, 999L}) {
            const auto wanted = batch_starts(spec, tokens, step);
            const StreamKey key = stream_key(spec.seed, "batches");
            for (std::int64_t i = 0; i < spec.batch; ++i) {
                const std::int64_t got = order == BatchOrder::random
                                             ? random_start(key, tokens, spec.context, step, i)
                                             : sequential_start(tokens, spec.context, spec.batch, step, i);
                EXPECT_EQ(got, wanted[static_cast<std::size_t>(i)]);
            }
        }
    }
}

}  // namespace
}  // namespace ropelab::cuda
