#include "core/bench/benchmarks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/forecast/likely_data.h"
#include "core/plan/kernels.h"
#include "core/plan/layout.h"
#include "core/results/same_models.h"
#include "core/rope/rotation.h"
#include "core/settings/keys.h"

namespace ropelab::bench {

namespace {

double quantile(const std::vector<double>& sorted, double probability) {
    const double at = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

}  // namespace

Spread spread_of(std::span<const double> values) {
    if (values.empty()) throw std::invalid_argument("The median and the quartiles need at least one value.");
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return {sorted.size(),          quantile(sorted, 0.5), quantile(sorted, 0.25),
            quantile(sorted, 0.75), sorted.front(),        sorted.back()};
}

Spread speed_of(std::span<const double> seconds, double numerator) {
    std::vector<double> speeds;
    for (double value : seconds) speeds.push_back(numerator / value);
    return spread_of(speeds);
}

Spread ratio_of(std::span<const double> numerators, std::span<const double> denominators) {
    if (numerators.size() != denominators.size()) {
        throw std::invalid_argument("A ratio needs as many numerators as denominators.");
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < numerators.size(); ++i) ratios.push_back(numerators[i] / denominators[i]);
    return spread_of(ratios);
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::vector<double>> measure_alternately(const std::vector<std::function<void()>>& alternatives,
                                                     const MeasurementLimits& patience, const Cancelled& cancelled) {
    std::vector<std::vector<double>> seconds(alternatives.size());
    double spent = 0;
    for (int round = -1; round < patience.most; ++round) {
        if (round >= patience.least && spent >= patience.seconds) break;
        for (std::size_t i = 0; i < alternatives.size(); ++i) {
            if (cancelled && cancelled()) throw std::runtime_error("The measurement was cancelled.");
            const double duration = seconds_of(alternatives[i]);
            spent += duration;
            if (round >= 0) seconds[i].push_back(duration);
        }
    }
    return seconds;
}

namespace {

// Enough for the run's context and for both splits of a cohort.
std::vector<std::int32_t> random_tokens(int vocabulary, std::int64_t context) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::max<std::int64_t>(100000, 4 * context)));
    std::uint32_t state = 1;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        token = static_cast<std::int32_t>((state >> 16) % static_cast<std::uint32_t>(vocabulary));
    }
    return tokens;
}

/// All train on the same random text and under the same conditions.
class BenchmarkCohorts {
 public:
    BenchmarkCohorts(Engine& engine, const RunSpec& shape)
        : engine_(engine),
          vocabulary_(static_cast<int>(likely_vocabulary(shape))),
          tokens_(random_tokens(vocabulary_, shape.context)) {}

    int vocabulary() const { return vocabulary_; }
    const std::vector<std::int32_t>& tokens() const { return tokens_; }
    Cohort& cohort(std::vector<RunSpec> runs) {
        CohortStart start;
        start.runs = std::move(runs);
        // All cohorts of a comparison train under the same conditions.
        if (!cohorts_.empty()) start.conditions = cohorts_.front()->conditions();
        cohorts_.push_back(engine_.create_cohort(start, {vocabulary_, tokens_, tokens_}));
        return *cohorts_.back();
    }

 private:
    Engine& engine_;
    int vocabulary_;
    std::vector<std::int32_t> tokens_;
    std::vector<std::unique_ptr<Cohort>> cohorts_;
};

/// So many that the clock's resolution and the scheduler's time slices do not matter. It trains two steps.
int steps_per_round(Cohort& cohort, const MeasurementLimits& patience) {
    cohort.step();
    const double seconds = seconds_of([&] { cohort.step(); });
    return std::clamp(static_cast<int>(std::ceil(patience.round_seconds / std::max(seconds, 1e-6))), 1, 200);
}

std::function<void()> steps_of(Cohort& cohort, int steps) {
    return [&cohort, steps] {
        for (int i = 0; i < steps; ++i) cohort.step();
    };
}

Spread milliseconds(std::vector<double> seconds, double steps) {
    for (double& value : seconds) value *= 1000.0 / steps;
    return spread_of(seconds);
}

/// "key=value", several joined by ", ". Of a setting without a value, every word.
std::vector<std::string> variant_settings() {
    std::vector<std::string> variants;
    for (const std::string setting :
         {"position", "attention_window=32", "attention_layers=1 window + 1 full, attention_window=32",
          "attention_layers=1 deltanet + 1 full", "attention", "attention_sinks", "feed_forward", "experts=4", "norm",
          "norm_position", "optimizer", "weight_decay_kind"}) {
        if (setting.find('=') != std::string::npos) {
            variants.push_back(setting);
            continue;
        }
        for (const ChoiceText& each : key(setting).choices) variants.push_back(setting + "=" + std::string(each.word));
    }
    return variants;
}

// Of the first `tokens` of a stream, of which each attends to at most `context`.
double rolling_operations(const RunSpec& spec, int vocabulary, std::int64_t tokens) {
    const auto of_first = [&](std::int64_t count) {
        RunSpec shorter = spec;
        shorter.context = count;
        return count > 0 ? static_cast<double>(count) * forward_operations(shorter, vocabulary) : 0.0;
    };
    const std::int64_t first = std::min(tokens, spec.context);
    return of_first(first) + static_cast<double>(tokens - first) * (of_first(first) - of_first(first - 1));
}

}  // namespace

double measure_products(Engine& engine, Precision precision, const Cancelled& cancelled) {
    RunSpec spec;
    spec.layers = 1;
    spec.heads = 8;
    spec.width = 512;
    spec.context = 256;
    spec.device = Device::cpu;
    spec.precision = precision;
    constexpr int vocabulary = 64;
    StageTimesRequest request;
    request.sequences = 8;
    request.tokens.resize(static_cast<std::size_t>(request.sequences * spec.context));
    request.cancelled = cancelled;
    const double tokens = static_cast<double>(request.tokens.size());
    const auto width = static_cast<double>(spec.width);
    double best = 0;
    for (const StageTime& stage : create_untrained_model(engine, spec, vocabulary)->stage_times(request).stages) {
        const bool is_product = stage.place.id == "mlp.up" || stage.place.id == "mlp.down";
        if (is_product && stage.seconds > 0) best = std::max(best, 2 * tokens * width * 4 * width / stage.seconds);
    }
    return best;
}

RunSpec small_shape() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 64;
    spec.context = 128;
    spec.batch = 16;
    return spec;
}

TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, spec);
    Cohort& cohort = cohorts.cohort({spec});
    const int steps = steps_per_round(cohort, patience);
    const std::unique_ptr<Model> model = cohort.model(0);
    const std::int64_t evaluated = tokens_at_once(spec);
    const auto evaluate = [&] {
        model->whole_loss(std::span(cohorts.tokens()).first(static_cast<std::size_t>(evaluated + 1)));
    };
    const auto seconds = measure_alternately({steps_of(cohort, steps), evaluate}, patience, cancelled);
    return {cohort.conditions(), cohorts.vocabulary(), milliseconds(seconds[0], steps),
            speed_of(seconds[0], static_cast<double>(steps * spec.batch * spec.context)),
            speed_of(seconds[1], static_cast<double>(evaluated))};
}

CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                           const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, shape);
    std::vector<RunSpec> runs;
    for (const double theta : {500.0, 1000.0, 5000.0, 10000.0, 20000.0, 50000.0}) {
        runs.push_back(shape);
        runs.back().theta = theta;
    }
    Cohort& together = cohorts.cohort(runs);
    const int steps = steps_per_round(together, patience);
    std::vector<std::function<void()>> alone;
    alone.reserve(runs.size());
    for (const RunSpec& run : runs) alone.push_back(steps_of(cohorts.cohort({run}), steps));
    const auto sequential = [&] {
        for (const auto& train : alone) train();
    };
    const auto seconds = measure_alternately({steps_of(together, steps), sequential}, patience, cancelled);
    return {together.conditions(), milliseconds(seconds[0], steps), milliseconds(seconds[1], steps),
            ratio_of(seconds[1], seconds[0])};
}

SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, shape);
    SettingsSpeed result;
    for (const double theta : {1e2, 1e3, 1e4, 1e5, 1e6}) result.settings.push_back({theta, 1.0, {}});
    for (const double fraction : {0.25, 0.5}) result.settings.push_back({1e4, fraction, {}});
    std::vector<std::function<void()>> alternatives;
    int steps = 0;
    for (const SettingSpeed& setting : result.settings) {
        RunSpec run = shape;
        run.theta = setting.theta;
        run.fraction = setting.fraction;
        Cohort& cohort = cohorts.cohort({run});
        if (steps == 0) steps = steps_per_round(cohort, patience);
        alternatives.push_back(steps_of(cohort, steps));
    }
    const auto seconds = measure_alternately(alternatives, patience, cancelled);
    std::vector<double> means(seconds.front().size(), 0.0);  // mean time of all settings in each round
    for (const auto& setting_seconds : seconds) {
        for (std::size_t round = 0; round < means.size(); ++round) {
            means[round] += setting_seconds[round] / static_cast<double>(seconds.size());
        }
    }
    std::vector<double> relative_times;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        result.settings[i].milliseconds_per_step = milliseconds(seconds[i], steps);
        relative_times.push_back(ratio_of(seconds[i], means).median);
    }
    const auto [fastest, slowest] = std::minmax_element(relative_times.begin(), relative_times.end());
    result.slowest_over_fastest = *slowest / *fastest;
    return result;
}

GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length,
                                   const MeasurementLimits& patience, const Cancelled& cancelled) {
    RunSpec generating_spec = spec;
    generating_spec.batch = 1;  // the cohort is used only for its random weights
    generating_spec.micro_batch = 0;
    BenchmarkCohorts cohorts(engine, generating_spec);
    Cohort& cohort = cohorts.cohort({generating_spec});
    const std::unique_ptr<Model> model = cohort.model(0);
    const ModelPlan plan = plan_of(generating_spec, cohorts.vocabulary());
    const bool rolls = spec.rotates() && !spec.learns_positions();
    std::unique_ptr<Model> int8;
    if (rolls && cohort.conditions().device == "cpu" && !plan.is_eager && token_kernels_support(plan))
        int8 = engine.create_model(plan, cohort.state(0), {Device::cpu, Precision::int8});
    const auto generation_task = [&](Model* generating, Generation::Mode mode, std::int64_t streams) {
        return [&, generating, mode, streams] {
            Generation options;
            options.length = length;
            options.mode = mode;
            options.on_token = [&](std::int32_t) { return !cancelled || !cancelled(); };
            const std::vector<std::int32_t> prompt = {0};
            generating->generate_streams(prompt, options, streams);
        };
    };
    std::vector<std::function<void()>> alternatives = {generation_task(model.get(), Generation::Mode::recompute, 1)};
    for (Model* rolling : {rolls ? model.get() : nullptr, int8.get()}) {
        for (const std::int64_t streams : {std::int64_t{1}, GenerationSpeed::together})
            if (rolling) alternatives.emplace_back(generation_task(rolling, Generation::Mode::rolling, streams));
    }
    const auto seconds = measure_alternately(alternatives, patience, cancelled);
    if (cancelled && cancelled()) throw std::runtime_error("The measurement was cancelled.");

    GenerationSpeed result;
    const std::vector<std::int32_t> one_token = {0};
    Generation few_tokens;
    few_tokens.length = 2;
    model->generate(one_token, few_tokens);
    result.cache_bytes = model->cache_bytes();
    result.length = length;
    result.conditions = cohort.conditions();
    result.recompute = speed_of(seconds[0], static_cast<double>(length));
    if (seconds.size() > 1) {
        result.rolling = speed_of(seconds[1], static_cast<double>(length));
        result.rolling_over_recompute = ratio_of(seconds[0], seconds[1]);
        result.streams = speed_of(seconds[2], static_cast<double>(GenerationSpeed::together * length));
    }
    if (int8) {
        result.rolling_int8 = speed_of(seconds[3], static_cast<double>(length));
        result.streams_int8 = speed_of(seconds[4], static_cast<double>(GenerationSpeed::together * length));
    }
    const double filling = static_cast<double>(std::min(length, spec.context)) / static_cast<double>(length);
    const double number_bytes = precision_of(result.conditions) == Precision::bfloat16 ? 2 : 4;
    result.bytes_per_token = number_bytes * static_cast<double>(layout_of(plan).total) +
                             (1 - filling / 2) * static_cast<double>(kv_bytes(plan));
    result.operations_per_token =
        rolling_operations(generating_spec, cohorts.vocabulary(), length) / static_cast<double>(length);
    return result;
}

std::vector<Variant> variants_of(const RunSpec& shape) {
    std::vector<Variant> variants;
    for (const std::string& settings : variant_settings()) {
        Variant variant{settings, shape};
        for (const std::string& assignment : parts_of(settings)) {
            const auto equals = assignment.find('=');
            const Key& setting = key(assignment.substr(0, equals));
            setting.set(variant.spec, parse_value(setting, assignment.substr(equals + 1), variant.spec));
        }
        check(variant.spec);
        if (!same_model(variant.spec, shape)) variants.push_back(std::move(variant));
    }
    return variants;
}

VariantsSpeed measure_variants(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    VariantsSpeed result;
    for (Variant& variant : variants_of(shape)) {
        BenchmarkCohorts cohorts(engine, shape);
        Cohort& default_cohort = cohorts.cohort({shape});
        Cohort& cohort = cohorts.cohort({variant.spec});
        const int default_steps = steps_per_round(default_cohort, patience);
        const int steps = steps_per_round(cohort, patience);
        auto seconds = measure_alternately({steps_of(default_cohort, default_steps), steps_of(cohort, steps)}, patience,
                                           cancelled);
        for (double& value : seconds[0]) value /= default_steps;
        for (double& value : seconds[1]) value /= steps;
        result.conditions = default_cohort.conditions();
        result.vocabulary = cohorts.vocabulary();
        result.variants.push_back({std::move(variant), speed_of(seconds[1], 1), ratio_of(seconds[0], seconds[1])});
    }
    return result;
}

std::optional<MeasuredCache> measure_cache(Model& model, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled) {
    Generation generation;
    generation.length = std::clamp<std::int64_t>(tokens, 1, spec.context);
    bool is_cancelled = false;
    generation.on_token = [&](std::int32_t) {
        is_cancelled = is_cancelled || (cancelled && cancelled());
        return !is_cancelled;
    };
    const std::vector<std::int32_t> prompt = {0};
    const std::vector<std::int32_t> generated = model.generate(prompt, generation);
    if (is_cancelled) return std::nullopt;
    return MeasuredCache{static_cast<std::int64_t>(generated.size()), model.cache_bytes(), cache_bytes(spec)};
}

std::optional<MeasuredCache> measure_cache(Engine& engine, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled) {
    check(spec);
    const std::int64_t vocabulary = likely_vocabulary(spec);
    refuse_large_model(spec, vocabulary);
    return measure_cache(*create_untrained_model(engine, spec, static_cast<int>(vocabulary)), spec, tokens, cancelled);
}

RotationSpeed measure_rotation(std::size_t rows, std::size_t time, int head_dim, double fraction,
                               const MeasurementLimits& patience, const Cancelled& cancelled) {
    std::vector<float> x(rows * time * static_cast<std::size_t>(head_dim), 0.5F);
    std::vector<float> y(x.size(), 0.0F);
    std::vector<std::int64_t> positions(time);
    std::iota(positions.begin(), positions.end(), 0);
    const RotationTable table =
        rotation_table(frequencies({.head_dim = head_dim, .theta = 10000.0, .fraction = fraction}), positions);
    const auto rotation_task = [&](Pairing pairing) {
        return [&, pairing] { rotate(x, static_cast<std::size_t>(head_dim), table, pairing); };
    };
    const auto seconds = measure_alternately({rotation_task(Pairing::half), rotation_task(Pairing::interleaved),
                                              [&] { std::memcpy(y.data(), x.data(), x.size() * sizeof(float)); }},
                                             patience, cancelled);
    RotationSpeed result;
    result.bytes = static_cast<double>(x.size() * sizeof(float));
    result.half = speed_of(seconds[0], 2 * result.bytes);
    result.interleaved = speed_of(seconds[1], 2 * result.bytes);
    result.copy = speed_of(seconds[2], 2 * result.bytes);
    result.half_over_copy = ratio_of(seconds[2], seconds[0]);
    result.interleaved_over_copy = ratio_of(seconds[2], seconds[1]);
    return result;
}

}  // namespace ropelab::bench
