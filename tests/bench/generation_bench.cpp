#include <benchmark/benchmark.h>

#include "core/train/torch_cohort.h"
#include "tests/bench/models.h"

namespace ropelab {
namespace {

void generate(benchmark::State& state, Generation::Mode mode) {
    const auto tokens = bench_tokens();
    CohortStart start;
    start.runs = {nanogpt_cpu_spec()};
    const auto model = TorchCohort(start, {65, tokens, tokens}, 2).model(0);
    Generation how;
    how.length = 200;
    how.mode = mode;
    const std::vector<std::int32_t> prompt = {0};
    for (auto _ : state) benchmark::DoNotOptimize(model->generate(prompt, how));
    state.counters["symbols/s"] =
        benchmark::Counter(static_cast<double>(state.iterations() * how.length), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(generate, recompute, Generation::Mode::recompute)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(generate, rolling, Generation::Mode::rolling)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ropelab
