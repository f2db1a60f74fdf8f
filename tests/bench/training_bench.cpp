#include <benchmark/benchmark.h>

#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/bench/models.h"

namespace ropelab {
namespace {

// Measures the time per step and the tokens per second of all runs together.
void train(benchmark::State& state, RunSpec spec, std::size_t runs) {
    static TorchEngine engine;  // prepares memory and threads as the programs do
    const auto tokens = bench_tokens();
    CohortStart start;
    start.runs.assign(runs, spec);
    for (std::size_t i = 0; i < runs; ++i) start.runs[i].theta = 100.0 * static_cast<double>(i + 1);
    TorchCohort cohort(start, {65, tokens, tokens}, 2);
    for (int step = 0; step < 3; ++step) cohort.step();  // the first ones measure ways of computing
    for (auto _ : state) benchmark::DoNotOptimize(cohort.step());
    state.counters["tokens/s"] = benchmark::Counter(
        static_cast<double>(state.iterations() * static_cast<std::int64_t>(runs) * spec.batch * spec.context),
        benchmark::Counter::kIsRate);
}

RunSpec with(RunSpec spec, Precision precision, double dropout) {
    spec.precision = precision;
    spec.dropout = dropout;
    return spec;
}

BENCHMARK_CAPTURE(train, nanogpt_cpu_float32, with(nanogpt_cpu_spec(), Precision::float32, 0), 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(train, nanogpt_cpu_bfloat16, with(nanogpt_cpu_spec(), Precision::bfloat16, 0), 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(train, nanogpt_cpu_dropout, with(nanogpt_cpu_spec(), Precision::float32, 0.2), 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(train, theta_paper_float32, theta_paper_spec(), 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(train, theta_paper_bfloat16, with(theta_paper_spec(), Precision::bfloat16, 0.2), 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(train, small_alone, small_spec(), 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(train, small_cohort_of_six, small_spec(), 6)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ropelab
