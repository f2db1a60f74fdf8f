#include <benchmark/benchmark.h>

#include <thread>

#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/bench/models.h"

namespace ropelab {
namespace {

void generate(benchmark::State& state, const RunSpec& spec, Precision precision, Generation::Mode mode,
              std::int64_t streams = 1) {
    const auto tokens = bench_tokens();
    CohortStart start;
    start.runs = {spec};
    start.runs.front().precision = precision == Precision::int8 ? Precision::float32 : precision;
    TorchCohort cohort(start, {65, tokens, tokens}, std::thread::hardware_concurrency());
    const auto model = precision == Precision::int8
                           ? TorchEngine().create_model(plan_of(spec, 65), cohort.state(0), {Device::cpu, precision})
                           : cohort.model(0);
    Generation options;
    options.length = streams > 1 ? 250 : 500;
    options.mode = mode;
    const std::vector<std::int32_t> prompt = {0};
    for (auto _ : state) benchmark::DoNotOptimize(model->generate_streams(prompt, options, streams));
    state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(state.iterations() * options.length * streams),
                                                    benchmark::Counter::kIsRate);
}

using Mode = Generation::Mode;
BENCHMARK_CAPTURE(generate, small_recompute, nanogpt_cpu_spec(), Precision::float32, Mode::recompute)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, small_rolling, nanogpt_cpu_spec(), Precision::float32, Mode::rolling)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_recompute, theta_paper_spec(), Precision::float32, Mode::recompute)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_rolling, theta_paper_spec(), Precision::float32, Mode::rolling)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_rolling_bfloat16, theta_paper_spec(), Precision::bfloat16, Mode::rolling)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_rolling_int8, theta_paper_spec(), Precision::int8, Mode::rolling)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_16_streams, theta_paper_spec(), Precision::float32, Mode::rolling, 16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_16_streams_bfloat16, theta_paper_spec(), Precision::bfloat16, Mode::rolling, 16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(generate, paper_16_streams_int8, theta_paper_spec(), Precision::int8, Mode::rolling, 16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace ropelab
