#include "core/reproduce/rules/generation_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <tuple>

#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/sweep/lab_plan.h"
#include "core/run/probing.h"
#include "core/sweep/stored_run.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheet_lab.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/descriptive.h"

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

// Returns the experiments with a sheet that measures the generation speed itself.
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
        if (run.state != RunState::finished || sheets.contains(run.experiment)) continue;
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
        const auto checkpoint = read_checkpoint(lab.checkpoint_path(id));
        if (!checkpoint) {
            throw BadInput("The checkpoint " + lab.checkpoint_path(id).string() +
                           " is missing. The generation speed is measured with the trained model.");
        }
        if (!measure_generation(lab, id, engine(), *checkpoint, settings, cancelled)) return false;
        if (on_progress) on_progress(++done);
    }
    return true;
}

std::string generation_words(const GenerationSpeed& settings) {
    return "Generation speed: " + std::to_string(settings.samples) + (settings.samples == 1 ? " sample" : " samples") +
           " of " + std::to_string(settings.length) + " tokens per run, batch size 1, temperature " +
           number_text(settings.temperature) + ", top_k " + std::to_string(settings.top_k) + ", mode " +
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

}  // namespace ropelab
