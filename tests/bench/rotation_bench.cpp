#include <benchmark/benchmark.h>

#include "core/rope/rotation.h"
#include "tests/support/canonical_table.h"

namespace ropelab {
namespace {

// Computes a table of 8,192 positions for a head of 128 channels, as each step of dragging theta does.
void table(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(canonical_table({.head_dim = 128}, 8192));
}
BENCHMARK(table)->Unit(benchmark::kMillisecond);

void rotate_queries(benchmark::State& state) {
    const RotationTable rotations = canonical_table({.head_dim = 64}, 256);
    std::vector<float> x(12 * 256 * 64, 1.0F);
    for (auto _ : state) {
        rotate(x, 64, rotations, Pairing::half);
        benchmark::DoNotOptimize(x.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * x.size() * sizeof(float)));
}
BENCHMARK(rotate_queries)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ropelab
