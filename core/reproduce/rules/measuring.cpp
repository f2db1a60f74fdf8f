#include "core/reproduce/rules/measuring.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/processor.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "core/machine/clock.h"
#include "core/machine/engine_loader.h"
#include "core/plan/step_cost.h"
#include "core/run/device_choice.h"
#include "core/run/probing.h"
#include "core/stats/descriptive.h"
#include "core/stats/smoothing.h"
#include "core/study/extrapolation.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

void check(const GenerationSpeed& settings) {
    if (settings.samples < 1) {
        throw BadInput("The number of samples is " + std::to_string(settings.samples) + ", but it must be 1 or more.");
    }
    if (settings.length < 1) {
        throw BadInput("The length of a sample is " + std::to_string(settings.length) +
                       " tokens, but it must be 1 or more.");
    }
    if (!(settings.temperature >= 0) || !std::isfinite(settings.temperature)) {
        throw BadInput("The temperature is " + number_text(settings.temperature) +
                       ", but it must be a number of 0 or more.");
    }
    if (settings.top_k < 0) {
        throw BadInput("top_k is " + std::to_string(settings.top_k) + ", but it must be 0 (all tokens) or more.");
    }
}

// They measure the generation speed themselves.
std::set<std::int64_t> sheets_with_speeds(const LabFile& lab) {
    std::set<std::int64_t> result;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        const auto sheet = lab.document(experiment.id, sheet_document);
        if (!sheet) continue;
        const auto writing = parse_bounded(*sheet).value("writing", nlohmann::json::object());
        if (writing.value("samples", 0) > 0) result.insert(experiment.id);
    }
    return result;
}

}  // namespace

bool measure_generation(LabFile& lab, RunId id, Engine& engine, const Checkpoint& checkpoint,
                        const GenerationSpeed& settings, const std::function<bool()>& cancelled) {
    check(settings);
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    const auto model = model_of(engine, checkpoint);
    Generation options;
    options.length = settings.length;
    options.temperature = settings.temperature;
    options.top_k = std::min<std::int64_t>(settings.top_k, vocabulary.size());
    options.mode = settings.mode;
    options.on_token = [&](std::int32_t) { return !cancelled(); };
    const std::vector<std::int32_t> prompt = {0};
    model->generate(prompt, options);  // warm-up, not timed
    std::vector<double> speeds;
    for (std::int64_t i = 0; i < settings.samples; ++i) {
        options.seed = checkpoint.spec.seed + i;
        const auto begin = std::chrono::steady_clock::now();
        const auto generated = model->generate(prompt, options);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        if (cancelled()) return false;
        speeds.push_back(static_cast<double>(generated.size()) / elapsed.count());
    }
    const Description described = describe(speeds);
    lab.set_measurement(id, generated_per_second_std, described.standard_deviation);
    lab.set_measurement(id, generation_samples, static_cast<double>(settings.samples));
    lab.set_measurement(id, generation_length, static_cast<double>(settings.length));
    lab.set_measurement(id, generation_temperature, settings.temperature);
    lab.set_measurement(id, generation_top_k, static_cast<double>(settings.top_k));
    lab.set_measurement(id, generation_rolling, settings.mode == Generation::Mode::rolling ? 1 : 0);
    // The speed marks the run as complete, so it is stored last.
    lab.set_measurement(id, generated_per_second, described.mean);
    return true;
}

std::optional<GenerationSpeed> stored_generation(const std::map<std::string, double>& measurements) {
    for (const char* name : {generated_per_second, generation_samples, generation_length, generation_temperature,
                             generation_top_k, generation_rolling}) {
        if (!measurements.contains(name)) return std::nullopt;
    }
    GenerationSpeed settings;
    settings.samples = std::llround(measurements.at(generation_samples));
    settings.length = std::llround(measurements.at(generation_length));
    settings.temperature = measurements.at(generation_temperature);
    settings.top_k = std::llround(measurements.at(generation_top_k));
    settings.mode = measurements.at(generation_rolling) != 0 ? Generation::Mode::rolling : Generation::Mode::recompute;
    return settings;
}

std::vector<RunId> runs_without_generation_speed(const LabFile& lab, const GenerationSpeed& settings,
                                                 std::optional<std::int64_t> experiment) {
    const std::set<std::int64_t> sheets = sheets_with_speeds(lab);
    std::vector<std::tuple<std::int64_t, std::uint64_t, RunId>> order;
    for (const RunRecord& run : lab.runs()) {
        if (run.state != RunState::finished || is_imported(run) || sheets.contains(run.experiment)) continue;
        if (experiment && run.experiment != *experiment) continue;
        if (stored_generation(lab.measurements(run.id)) == settings) continue;
        const std::int64_t seed = stored_spec(run).seed;
        order.emplace_back(seed, timing_order(seed, run.id), run.id);
    }
    std::sort(order.begin(), order.end());
    std::vector<RunId> result;
    for (const auto& [seed, place, id] : order) result.push_back(id);
    return result;
}

bool measure_generations(LabFile& lab, const GenerationSpeed& settings, std::optional<std::int64_t> experiment,
                         const std::function<Engine&()>& engine, const std::function<bool()>& cancelled,
                         const std::function<void(std::int64_t)>& on_progress) {
    check(settings);
    std::int64_t done = 0;
    for (const RunId id : runs_without_generation_speed(lab, settings, experiment)) {
        if (cancelled()) return false;
        const auto checkpoint = read_checkpoint(run_checkpoint(lab, lab.run(id)));
        if (!checkpoint) {
            throw BadInput(
                "The checkpoint " + lab.checkpoint_path(id).string() +
                " is missing, but the generation speed is measured with the trained model; restore the file.");
        }
        if (!measure_generation(lab, id, engine(), *checkpoint, settings, cancelled)) return false;
        if (on_progress) on_progress(++done);
    }
    return true;
}

std::string generation_words(const GenerationSpeed& settings) {
    return "Generation speed: " + counted(settings.samples, "sample") + " of " + std::to_string(settings.length) +
           " tokens per run, batch size 1, temperature " + number_text(settings.temperature) + ", top_k " +
           std::to_string(settings.top_k) + ", mode " +
           (settings.mode == Generation::Mode::rolling ? "rolling" : "recompute") + ", after a warm-up.";
}

std::string generation_note(const LabFile& lab) {
    std::vector<GenerationSpeed> known;
    for (const RunRecord& run : lab.runs()) {
        const auto settings = stored_generation(lab.measurements(run.id));
        if (settings && std::find(known.begin(), known.end(), *settings) == known.end()) known.push_back(*settings);
    }
    if (known.empty()) return {};
    if (known.size() == 1) return generation_words(known.front());
    return "Generation speeds were measured at " + std::to_string(known.size()) +
           " different settings (samples, length, temperature, top_k or mode), so they are not comparable across runs; "
           "measure all runs at the same settings.";
}

namespace {

struct Finished {
    RunId id;
    RunSpec spec;
};

Checkpoint checkpoint_of(const LabFile& lab, RunId id) {
    auto checkpoint = read_checkpoint(run_checkpoint(lab, lab.run(id)));
    if (!checkpoint) {
        throw BadInput("The checkpoint " + lab.checkpoint_path(id).string() +
                       " is missing, but the measurements of this reproduction require it; restore the file.");
    }
    return std::move(*checkpoint);
}

void measure_operations(LabFile& lab, RunId id, Engine& engine) {
    const Checkpoint checkpoint = checkpoint_of(lab, id);
    const auto count = [&](const std::function<void()>& work) {
        const auto operations = engine.count_operations(work);
        return operations ? static_cast<double>(*operations) : std::numeric_limits<double>::quiet_NaN();
    };
    const DeviceChoice choice = choose_device_trust(engine, checkpoint.spec, checkpoint.conditions);
    const auto model = model_of(engine, checkpoint);
    const auto writing = [&](std::int64_t length) {
        const std::vector<std::int32_t> prompt = {0};
        Generation options;
        options.length = length;
        return count([&] { model->generate(prompt, options); });
    };
    const double of_first_token = writing(1);
    const double of_further_token = writing(2) - of_first_token;
    // The cohort has one sequence per batch; a larger batch starts the same operations.
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(checkpoint.spec.context + 2), 0);
    CohortStart start;
    start.runs = {checkpoint.spec};
    start.runs.front().batch = 1;
    start.runs.front().micro_batch = 0;
    start.iteration = checkpoint.iteration;
    start.states = {checkpoint.state};
    start.conditions = checkpoint.conditions;
    if (choice.leaves_device) {
        start.conditions->device = "cpu";
        start.conditions->graphs.clear();
    }
    const auto cohort =
        engine.create_cohort(start, {Vocabulary::from_text(checkpoint.vocabulary).size(), tokens, tokens});
    cohort->step();  // the first step fills caches that later steps find
    lab.set_measurement(id, operations_per_training_step, count([&] { cohort->step(); }));
    // stored last: this measurement marks the run as complete
    lab.set_measurement(id, operations_per_token, of_further_token);
}

// At each extension; empty if the validation split is too short or positions have no definition there.
std::vector<double> extended_losses(Engine& engine, const Checkpoint& checkpoint,
                                    const std::vector<std::int64_t>& times, const std::filesystem::path& data_dir) {
    const std::int64_t longest = *std::max_element(times.begin(), times.end()) * checkpoint.spec.context;
    if (!is_defined_at(plan_of(checkpoint), longest)) return {};
    const auto corpus = corpus_of(checkpoint, data_dir);
    const std::size_t available = std::min<std::size_t>(extension_tokens, corpus->validation.size());
    if (static_cast<std::int64_t>(available) < longest + 1) return {};
    // Whole sequences of the longest length, so that the losses at all lengths use the same tokens.
    const std::size_t length =
        (available - 1) / static_cast<std::size_t>(longest) * static_cast<std::size_t>(longest) + 1;
    std::vector<double> losses;
    for (const std::int64_t factor : times) {
        const auto model = model_of(engine, checkpoint, factor);
        losses.push_back(model->whole_loss(std::span(corpus->validation).first(length)));
    }
    return losses;
}

bool needs_measure(const SheetPlan& plan, const std::string& measure) {
    return std::any_of(plan.rows.begin(), plan.rows.end(),
                       [&](const PlannedRow& row) { return row.measure == measure; });
}

void measure_scaled_loss(LabFile& lab, RunId id, Engine& engine, const Checkpoint& checkpoint,
                         const std::filesystem::path& data_dir) {
    std::vector<ScalingMethod> methods = {ScalingMethod::none};
    const std::vector<ScalingMethod> possible = extrapolation_methods_of(plan_of(checkpoint));
    if (std::ranges::find(possible, ScalingMethod::yarn) != possible.end())
        methods = {ScalingMethod::ntk, ScalingMethod::yarn};
    double lowest = std::numeric_limits<double>::infinity();
    for (const ExtrapolationEvaluation& evaluation :
         evaluate_extrapolation(engine, checkpoint, 4, methods, data_dir, [] { return false; }).evaluations) {
        lowest = std::min(lowest, evaluation.result->loss);
    }
    lab.set_measurement(id, scaled_loss, lowest);
}

void measure_extensions(LabFile& lab, RunId id, Engine& engine, const SheetPlan& plan,
                        const std::filesystem::path& data_dir) {
    const Checkpoint checkpoint = checkpoint_of(lab, id);
    if (needs_measure(plan, scaled_loss)) measure_scaled_loss(lab, id, engine, checkpoint, data_dir);
    const auto losses = extended_losses(engine, checkpoint, plan.extensions, data_dir);
    for (std::size_t i = 0; i < losses.size(); ++i) lab.set_measurement(id, loss_at(plan.extensions[i]), losses[i]);
    // Stored last, with NaN if there are no losses: this measurement marks the run as complete.
    lab.set_measurement(id, extension_rise,
                        losses.empty() ? std::numeric_limits<double>::quiet_NaN() : losses.back() - losses.front());
}

void measure_retrieval(LabFile& lab, RunId id, Engine& engine, const SheetPlan& plan,
                       const std::filesystem::path& data_dir) {
    const Checkpoint checkpoint = checkpoint_of(lab, id);
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request;
    request.vectors = false;
    request.attention = false;
    const std::vector<std::int64_t> lags = measured_lags(plan, checkpoint.spec);
    request.retrieval = retrieval_test(corpus->validation, checkpoint.spec.context, plan.retrieval_windows, lags);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    // ascending: the longest lag, which marks the run as complete, is stored last
    std::map<std::int64_t, std::pair<double, double>> gains;  // gain and standard error by lag
    for (const std::int64_t lag : lags) gains[lag] = {unknown, unknown};
    if (!request.retrieval.lags.empty()) {
        request.sequences = spaced_sequences(corpus->validation, checkpoint.spec.context, 1);
        for (const RetrievalPoint& point : model_of(engine, checkpoint)->probe(request).retrieval) {
            gains[point.lag] = {point.gain(), point.gain_standard_error()};
        }
    }
    for (const auto& [lag, gain] : gains) {
        lab.set_measurement(id, retrieval_gain_error(lag), gain.second);
        lab.set_measurement(id, retrieval_gain(lag), gain.first);
    }
}

bool is_not_finite(const RunMetrics::Steps& steps, std::size_t i) {
    return !std::isfinite(steps.training_loss[i]) || !std::isfinite(steps.gradient_norm[i]);
}

// A failed run whose last loss is finite failed for another reason than its numbers, and gets NaN. Failed runs are
// evaluated again each time, because they may have been resumed.
void measure_spikes(LabFile& lab, std::int64_t experiment) {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (const RunRecord& run : lab.runs()) {
        const bool failed = run.state == RunState::failed;
        if (run.experiment != experiment || is_imported(run) || (!failed && run.state != RunState::finished)) continue;
        const auto known = lab.measurements(run.id);
        if (!failed && known.contains(spiked) && known.contains(spiked_early)) continue;
        const RunSpec spec = stored_spec(run);
        const RunMetrics::Steps steps = lab.metrics(run.id).steps;
        const auto spike = first_spike(steps, spec.warmup);
        const bool diverged = !steps.iteration.empty() && is_not_finite(steps, steps.iteration.size() - 1);
        const bool is_known = !failed || diverged;
        const bool is_early = spike && static_cast<double>(*spike) <= early * static_cast<double>(spec.iterations);
        lab.set_measurement(run.id, spiked, is_known ? (spike ? 1 : 0) : not_a_number);
        lab.set_measurement(run.id, spiked_early, is_known ? (is_early ? 1 : 0) : not_a_number);
    }
}

void measure_first_gradients(LabFile& lab, std::int64_t experiment) {
    for (const RunRecord& run : lab.runs()) {
        const bool ended = run.state == RunState::failed || run.state == RunState::finished;
        if (run.experiment != experiment || !ended) continue;
        const auto known = lab.measurements(run.id);
        if (known.contains(first_gradient_at_end) && known.contains(first_gradient_ratio)) continue;
        const auto snapshot = lab.snapshot(run.id, 1);
        double first = std::numeric_limits<double>::quiet_NaN();
        double last = first;
        if (snapshot && snapshot->gradient_norm.shape.size() == 2) {
            const std::vector<float>& norms = snapshot->gradient_norm.values;  // attention and MLP of each layer
            first = norms.at(1);
            last = norms.back();
        }
        lab.set_measurement(run.id, first_gradient_at_end, last);
        lab.set_measurement(run.id, first_gradient_ratio, last / first);
    }
}

// The number of the largest of the pairs of each head, averaged over layers and heads.
double largest_pair(const ProbeArray& usage, const std::vector<RotaryPair>& pairs) {
    double sum = 0;
    const std::size_t heads = usage.values.size() / pairs.size();
    for (std::size_t head = 0; head < heads; ++head) {
        std::size_t largest = 0;
        for (std::size_t pair = 1; pair < pairs.size(); ++pair) {
            const auto norm = [&](std::size_t i) { return usage.values[head * pairs.size() + i]; };
            if (pairs[pair].rotates && norm(pair) > norm(largest)) largest = pair;
        }
        sum += static_cast<double>(largest);
    }
    return sum / static_cast<double>(heads);
}

void measure_bands(LabFile& lab, std::int64_t experiment) {
    for (const RunRecord& run : lab.runs()) {
        if (run.experiment != experiment || run.state != RunState::finished) continue;
        if (lab.measurements(run.id).contains(band_place)) continue;
        const RunSpec spec = stored_spec(run);
        const auto snapshot = lab.snapshot(run.id, spec.iterations);
        const ModelPlan plan = plan_of(spec, 1);
        const Rotary* rotary = plan.rotary();
        const bool is_known = snapshot && rotary && rotary->is_applied && !snapshot->key_usage.values.empty();
        lab.set_measurement(run.id, band_place,
                            is_known ? (largest_pair(snapshot->query_usage, rotary->pairs) +
                                        largest_pair(snapshot->key_usage, rotary->pairs)) /
                                           2
                                     : std::numeric_limits<double>::quiet_NaN());
    }
}

std::vector<std::int64_t> probe_lags(const SheetPlan& plan, const RunSpec& spec) {
    std::vector<std::int64_t> lags;
    for (const Prediction& prediction : plan.predictions) {
        if (!prediction.retrieval) continue;
        for (const GroupProbe& probe : prediction.retrieval->probes) {
            if (!belongs(spec, probe.group)) continue;
            lags.insert(lags.end(), {probe.near_lag, probe.far_lag});
            if (probe.control_lag > 0) lags.push_back(probe.control_lag);
        }
    }
    return lags;
}

bool lacks_retrieval(const SheetPlan& plan, const RunSpec& spec, const std::map<std::string, double>& known) {
    const std::vector<std::int64_t> lags = retrieval_lags(spec.context);
    if (lags.empty() || !measures_retrieval(plan, spec)) return false;
    // Runs that an earlier version measured lack the lags of the grid; the predictions do not need them.
    std::vector<std::int64_t> needed = probe_lags(plan, spec);
    needed.push_back(lags.back());
    return std::any_of(needed.begin(), needed.end(),
                       [&](std::int64_t lag) { return !known.contains(retrieval_gain(lag)); });
}

// For the estimates of other sheets.
void store_measuring(const LabFile& lab, RunId id, const SheetPlan& plan, double seconds) {
    const RunRecord record = lab.run(id);
    const RunSpec spec = stored_spec(record);
    if (!record.conditions) return;
    constexpr auto part = static_cast<std::size_t>(TimedPart::measuring);
    TimedCohort timed;
    timed.key = {processor_name(), record.conditions->device, record.conditions->precision, spec.threads};
    timed.chose_precision = spec.precision == Precision::automatic;
    timed.work[part] = measuring_work(plan, spec);
    timed.seconds[part] = seconds;
    if (timed.work[part].calls > 0) store_time(timed);
}

}  // namespace

std::string loss_at(std::int64_t times) {
    return "loss_at_" + std::to_string(times) + "x";
}

std::string retrieval_gain(std::int64_t lag) {
    return "retrieval_gain_at_lag_" + std::to_string(lag);
}

std::string retrieval_gain_error(std::int64_t lag) {
    return "retrieval_gain_error_at_lag_" + std::to_string(lag);
}

std::vector<std::int64_t> measured_lags(const SheetPlan& plan, const RunSpec& spec) {
    const std::vector<std::int64_t> grid = retrieval_grid(spec.context);
    if (grid.empty()) return {};
    const std::vector<std::int64_t> probes = probe_lags(plan, spec);
    std::set<std::int64_t> lags(grid.begin(), grid.end());
    lags.insert(probes.begin(), probes.end());
    return {lags.begin(), lags.end()};
}

bool measures_retrieval(const SheetPlan& plan, const RunSpec& spec) {
    const auto is_of = [&](const GroupKeys& group) { return belongs(spec, group); };
    return plan.retrieval_windows > 0 &&
           std::any_of(plan.predictions.begin(), plan.predictions.end(), [&](const Prediction& prediction) {
               return prediction.retrieval && (std::any_of(prediction.low.begin(), prediction.low.end(), is_of) ||
                                               std::any_of(prediction.high.begin(), prediction.high.end(), is_of));
           });
}

std::optional<std::int64_t> first_spike(const RunMetrics::Steps& steps, std::int64_t warmup) {
    const std::vector<double> smoothed = smooth(steps.training_loss, 0.9, Smoothing::average);
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < smoothed.size(); ++i) {
        const bool rose = steps.iteration[i] > warmup && smoothed[i] > lowest + spike_nats;
        if (rose || is_not_finite(steps, i)) return steps.iteration[i];
        if (std::isfinite(smoothed[i])) lowest = std::min(lowest, smoothed[i]);
    }
    return std::nullopt;
}

std::int64_t unmeasured_runs(const SheetPlan& plan, std::span<const SheetRun> runs) {
    return std::count_if(runs.begin(), runs.end(), [&](const SheetRun& run) {
        const bool is_finished = run.state == RunState::finished;
        const auto lacks = [&](const char* name) { return !run.measurements.contains(name); };
        const auto lacks_kind = [&](const char* name) { return needs_measure(plan, name) && lacks(name); };
        const bool has_ended = is_finished || run.state == RunState::failed;
        return (has_ended && (lacks_kind(spiked) || lacks_kind(spiked_early) || lacks_kind(first_gradient_at_end) ||
                              lacks_kind(first_gradient_ratio))) ||
               (is_finished && ((plan.writing.samples > 0 && lacks(generated_per_second)) || lacks_kind(band_place) ||
                                (needs_measure(plan, operations_per_token) && lacks(operations_per_token)) ||
                                (!plan.extensions.empty() && lacks(extension_rise)) ||
                                lacks_retrieval(plan, run.spec, run.measurements)));
    });
}

PartWork measuring_work(const SheetPlan& plan, const RunSpec& spec) {
    const double forward = forward_operations(spec, likely_vocabulary(spec));
    PartWork work;
    if (plan.writing.samples > 0) {
        const auto samples = static_cast<double>(1 + plan.writing.samples);  // one more for warm-up
        const bool rolling = plan.writing.mode == Generation::Mode::rolling;
        work.items = samples * static_cast<double>(plan.writing.length);
        work.operations += samples * forward * tokens_to_generate(spec, plan.writing.length, rolling);
    }
    for (const std::int64_t times : spec.learns_positions() ? std::vector<std::int64_t>() : plan.extensions) {
        RunSpec longer = spec;
        longer.context *= times;
        work.operations += evaluation_operations(longer, static_cast<double>(extension_tokens));
    }
    if (measures_retrieval(plan, spec)) {
        const std::int64_t sequences = std::ssize(measured_lags(plan, spec)) * plan.retrieval_windows;
        work.operations += evaluation_operations(spec, static_cast<double>(sequences * spec.context));
    }
    work.calls = work.operations > 0 ? 1 : 0;
    return work;
}

bool measure_runs(LabFile& lab, std::int64_t experiment, const SheetPlan& plan, const std::filesystem::path& data_dir,
                  const std::function<Engine&()>& engine, const std::function<bool()>& cancelled) {
    if (needs_measure(plan, spiked) || needs_measure(plan, spiked_early)) measure_spikes(lab, experiment);
    if (needs_measure(plan, first_gradient_at_end) || needs_measure(plan, first_gradient_ratio)) {
        measure_first_gradients(lab, experiment);
    }
    if (needs_measure(plan, band_place)) measure_bands(lab, experiment);
    std::vector<Finished> runs;
    for (const RunRecord& run : lab.runs()) {
        if (run.experiment != experiment || run.state != RunState::finished || is_imported(run)) continue;
        runs.push_back({run.id, stored_spec(run)});
    }
    std::stable_sort(runs.begin(), runs.end(), [](const Finished& a, const Finished& b) {
        if (a.spec.seed != b.spec.seed) return a.spec.seed < b.spec.seed;
        return timing_order(a.spec.seed, a.id) < timing_order(b.spec.seed, b.id);
    });
    bool loads_engine = memory_before_engine() == 0;  // the time of the first run then also contains that
    for (const Finished& run : runs) {
        if (cancelled()) return false;
        const auto known = lab.measurements(run.id);
        const bool is_new = !known.contains(generated_per_second) && !known.contains(extension_rise) &&
                            measures_retrieval(plan, run.spec) == lacks_retrieval(plan, run.spec, known);
        const auto begin = Clock::now();
        if (plan.writing.samples > 0 && !known.contains(generated_per_second)) {
            const Checkpoint checkpoint = checkpoint_of(lab, run.id);
            if (!measure_generation(lab, run.id, engine(), checkpoint, plan.writing, cancelled)) return false;
        }
        if (needs_measure(plan, operations_per_token) && !known.contains(operations_per_token)) {
            measure_operations(lab, run.id, engine());
        }
        if (!plan.extensions.empty() && !known.contains(extension_rise)) {
            measure_extensions(lab, run.id, engine(), plan, data_dir);
        }
        if (lacks_retrieval(plan, run.spec, known)) measure_retrieval(lab, run.id, engine(), plan, data_dir);
        if (is_new && !loads_engine) store_measuring(lab, run.id, plan, seconds_since(begin));
        loads_engine = false;
    }
    return true;
}

}  // namespace ropelab
