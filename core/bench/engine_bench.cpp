#include "core/bench/engine_bench.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "core/experiment/step_cost.h"

namespace ropelab::bench {

namespace {

// Long enough for any context that a run may have, and for what cohorts ask of both splits.
std::vector<std::int32_t> symbols(int vocabulary, std::int64_t context) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::max<std::int64_t>(100000, 4 * context)));
    std::uint32_t state = 1;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        token = static_cast<std::int32_t>((state >> 16) % static_cast<std::uint32_t>(vocabulary));
    }
    return tokens;
}

// A text and the cohorts that train on it.
class Workplace {
 public:
    Workplace(Engine& engine, const RunSpec& shape)
        : engine_(engine),
          vocabulary_(static_cast<int>(likely_vocabulary(shape))),
          tokens_(symbols(vocabulary_, shape.context)) {}

    int vocabulary() const { return vocabulary_; }

    Cohort& cohort(std::vector<RunSpec> runs) {
        CohortStart start;
        start.runs = std::move(runs);
        // What is compared is compared under the same conditions.
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

// Steps that take long enough for the clock and for a scheduler's slice not to matter.
int steps_a_round(Cohort& cohort, const Patience& patience) {
    cohort.step();
    const double seconds = seconds_of([&] { cohort.step(); });
    return std::clamp(static_cast<int>(std::ceil(patience.round_seconds / std::max(seconds, 1e-6))), 1, 200);
}

std::function<void()> steps_of(Cohort& cohort, int steps) {
    return [&cohort, steps] {
        for (int i = 0; i < steps; ++i) cohort.step();
    };
}

// A step's milliseconds from rounds of several.
Spread milliseconds(std::vector<double> seconds, double steps) {
    for (double& value : seconds) value *= 1000.0 / steps;
    return spread_of(seconds);
}

}  // namespace

RunSpec small_shape() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 64;
    spec.context = 128;
    spec.batch = 16;
    return spec;
}

TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const Patience& patience,
                               const Cancelled& cancelled) {
    Workplace place(engine, spec);
    Cohort& cohort = place.cohort({spec});
    const int steps = steps_a_round(cohort, patience);
    const auto seconds = take_turns({steps_of(cohort, steps)}, patience, cancelled).front();
    TrainingSpeed result;
    result.conditions = cohort.conditions();
    result.vocabulary = place.vocabulary();
    result.milliseconds_per_step = milliseconds(seconds, steps);
    result.tokens_per_second = speed_of(seconds, static_cast<double>(steps * spec.batch * spec.context));
    return result;
}

CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const Patience& patience, const Cancelled& cancelled) {
    Workplace place(engine, shape);
    std::vector<RunSpec> runs;
    for (const double theta : {500.0, 1000.0, 5000.0, 10000.0, 20000.0, 50000.0}) {
        runs.push_back(shape);
        runs.back().theta = theta;
    }
    Cohort& together = place.cohort(runs);
    const int steps = steps_a_round(together, patience);
    std::vector<std::function<void()>> alone;
    alone.reserve(runs.size());
    for (const RunSpec& run : runs) alone.push_back(steps_of(place.cohort({run}), steps));
    const auto one_by_one = [&] {
        for (const auto& train : alone) train();
    };
    const auto seconds = take_turns({steps_of(together, steps), one_by_one}, patience, cancelled);
    return {together.conditions(), milliseconds(seconds[0], steps), milliseconds(seconds[1], steps),
            ratio_of(seconds[1], seconds[0])};
}

SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const Patience& patience,
                               const Cancelled& cancelled) {
    Workplace place(engine, shape);
    SettingsSpeed result;
    for (const double theta : {1e2, 1e3, 1e4, 1e5, 1e6}) result.settings.push_back({theta, 1.0, {}});
    for (const double fraction : {0.25, 0.5}) result.settings.push_back({1e4, fraction, {}});
    std::vector<std::function<void()>> alternatives;
    int steps = 0;
    for (const SettingSpeed& setting : result.settings) {
        RunSpec run = shape;
        run.theta = setting.theta;
        run.fraction = setting.fraction;
        Cohort& cohort = place.cohort({run});
        if (steps == 0) steps = steps_a_round(cohort, patience);
        alternatives.push_back(steps_of(cohort, steps));
    }
    const auto seconds = take_turns(alternatives, patience, cancelled);
    std::vector<double> means(seconds.front().size(), 0.0);  // of each round
    for (const auto& of_setting : seconds) {
        for (std::size_t round = 0; round < means.size(); ++round) {
            means[round] += of_setting[round] / static_cast<double>(seconds.size());
        }
    }
    std::vector<double> shares;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        result.settings[i].milliseconds_per_step = milliseconds(seconds[i], steps);
        shares.push_back(ratio_of(seconds[i], means).median);
    }
    const auto [fastest, slowest] = std::minmax_element(shares.begin(), shares.end());
    result.slowest_over_fastest = *slowest / *fastest;
    return result;
}

GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length, const Patience& patience,
                                   const Cancelled& cancelled) {
    RunSpec writer = spec;
    writer.batch = 1;  // a cohort is needed for its fresh weights only
    Workplace place(engine, writer);
    Cohort& cohort = place.cohort({writer});
    const std::unique_ptr<Model> model = cohort.model(0);
    const auto generating = [&](Generation::Mode mode) {
        return [&, mode] {
            Generation how;
            how.length = length;
            how.mode = mode;
            how.on_token = [&](std::int32_t) { return !cancelled || !cancelled(); };
            const std::vector<std::int32_t> prompt = {0};
            model->generate(prompt, how);
        };
    };
    std::vector<std::function<void()>> alternatives = {generating(Generation::Mode::recompute)};
    if (spec.rotates() && !spec.learns_positions()) {
        alternatives.emplace_back(generating(Generation::Mode::rolling));
    }
    const auto seconds = take_turns(alternatives, patience, cancelled);
    if (cancelled && cancelled()) throw std::runtime_error("Stopped before everything was measured.");

    GenerationSpeed result;
    result.length = length;
    result.precision = cohort.conditions().precision;
    result.recompute = speed_of(seconds[0], static_cast<double>(length));
    if (seconds.size() > 1) {
        result.rolling = speed_of(seconds[1], static_cast<double>(length));
        result.rolling_over_recompute = ratio_of(seconds[0], seconds[1]);
    }
    return result;
}

}  // namespace ropelab::bench
