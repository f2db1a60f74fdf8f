#include "core/experiment/sheets/measuring.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/experiment/checkpoint.h"
#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "core/stats/smoothing.h"

namespace ropelab {

namespace {

struct Finished {
    RunId id;
    RunSpec spec;
};

Checkpoint checkpoint_of(const LabFile& lab, RunId id) {
    auto checkpoint = read_checkpoint(lab.checkpoint_path(id));
    if (!checkpoint) {
        throw BadInput("The checkpoint " + lab.checkpoint_path(id).string() +
                       " is not there, but the sheet measures it.");
    }
    checkpoint->spec.precision =
        checkpoint->conditions.precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
    return std::move(*checkpoint);
}

std::optional<double> writing_speed(Engine& engine, const Checkpoint& checkpoint, const WritingSpeed& writing,
                                    const std::function<bool()>& cancelled) {
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    const auto model = engine.create_model(checkpoint.spec, vocabulary.size(), checkpoint.state);
    Generation how;
    how.length = writing.length;
    how.temperature = writing.temperature;
    how.top_k = std::min<std::int64_t>(writing.top_k, vocabulary.size());
    how.on_token = [&](std::int32_t) { return !cancelled(); };
    const std::vector<std::int32_t> prompt = {0};
    double sum = 0;
    model->generate(prompt, how);  // to warm up
    for (std::int64_t i = 0; i < writing.samples; ++i) {
        how.seed = checkpoint.spec.seed + i;
        const auto begin = std::chrono::steady_clock::now();
        const auto written = model->generate(prompt, how);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        if (cancelled()) return std::nullopt;
        sum += static_cast<double>(written.size()) / elapsed.count();
    }
    return sum / static_cast<double>(writing.samples);
}

// Loss at each extension, in order.
std::vector<double> extended_losses(Engine& engine, const Checkpoint& checkpoint,
                                    const std::vector<std::int64_t>& times, const std::filesystem::path& data_dir) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    const std::int64_t longest = *std::max_element(times.begin(), times.end()) * checkpoint.spec.context;
    const std::size_t available = std::min<std::size_t>(extension_symbols, corpus->validation.size());
    if (static_cast<std::int64_t>(available) < longest + 1) return {};
    // Whole windows of the longest length, so that every length reads the same symbols.
    const std::size_t read =
        (available - 1) / static_cast<std::size_t>(longest) * static_cast<std::size_t>(longest) + 1;
    std::vector<double> losses;
    for (const std::int64_t factor : times) {
        RunSpec spec = checkpoint.spec;
        spec.context *= factor;
        const auto model = engine.create_model(spec, corpus->vocabulary.size(), checkpoint.state);
        losses.push_back(model->whole_loss(std::span(corpus->validation).first(read)));
    }
    return losses;
}

void measure_extensions(LabFile& lab, RunId id, Engine& engine, const SheetPlan& plan,
                        const std::filesystem::path& data_dir) {
    const auto losses = extended_losses(engine, checkpoint_of(lab, id), plan.extensions, data_dir);
    for (std::size_t i = 0; i < losses.size(); ++i) lab.set_measurement(id, loss_at(plan.extensions[i]), losses[i]);
    // Written last, and with NaN where the text is too short: it says that the run is done.
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
    request.retrieval = retrieval_text(corpus->validation, checkpoint.spec.context, plan.retrieval_windows);
    std::map<std::int64_t, double> gains;  // ascending: the longest, which says that the run is done, is written last
    for (const std::int64_t lag : retrieval_lags(checkpoint.spec.context)) {
        gains[lag] = std::numeric_limits<double>::quiet_NaN();
    }
    if (!request.retrieval.lags.empty()) {
        request.windows = spaced_windows(corpus->validation, checkpoint.spec.context, 1);
        for (const RetrievalPoint& point : model_of(engine, checkpoint)->probe(request).retrieval) {
            gains[point.lag] = point.accuracy - point.first_accuracy;
        }
    }
    for (const auto& [lag, gain] : gains) lab.set_measurement(id, retrieval_gain(lag), gain);
}

void judge_spikes(LabFile& lab) {
    for (const RunRecord& run : lab.runs()) {
        const bool failed = run.state == RunState::failed;
        if ((!failed && run.state != RunState::finished) || lab.measurements(run.id).contains(spiked)) continue;
        const RunSpec spec = run_spec_from_json(nlohmann::json::parse(run.settings));
        lab.set_measurement(run.id, spiked, failed || has_spike(lab.metrics(run.id).steps, spec.warmup) ? 1 : 0);
    }
}

bool lacks_retrieval(const SheetPlan& plan, const RunSpec& spec, const std::map<std::string, double>& known) {
    const std::vector<std::int64_t> lags = retrieval_lags(spec.context);
    return !lags.empty() && measures_retrieval(plan, spec) && !known.contains(retrieval_gain(lags.back()));
}

bool asks_for(const SheetPlan& plan, const std::string& measure) {
    return std::any_of(plan.rows.begin(), plan.rows.end(),
                       [&](const PlannedRow& row) { return row.measure == measure; });
}

}  // namespace

std::string loss_at(std::int64_t times) {
    return "loss_at_" + std::to_string(times) + "x";
}

std::string retrieval_gain(std::int64_t lag) {
    return "retrieval_gain_at_lag_" + std::to_string(lag);
}

bool measures_retrieval(const SheetPlan& plan, const RunSpec& spec) {
    const auto is_of = [&](const GroupKeys& group) { return belongs(spec, group); };
    return plan.retrieval_windows > 0 &&
           std::any_of(plan.predictions.begin(), plan.predictions.end(), [&](const Prediction& prediction) {
               return prediction.retrieval && (std::any_of(prediction.low.begin(), prediction.low.end(), is_of) ||
                                               std::any_of(prediction.high.begin(), prediction.high.end(), is_of));
           });
}

bool has_spike(const RunMetrics::Steps& steps, std::int64_t warmup) {
    const std::vector<double> smoothed = smooth(steps.training_loss, 0.9);
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < smoothed.size(); ++i) {
        const double loss = steps.training_loss[i];
        if (steps.iteration[i] > warmup && (!std::isfinite(loss) || loss > lowest + spike_nats)) return true;
        if (std::isfinite(smoothed[i])) lowest = std::min(lowest, smoothed[i]);
    }
    return false;
}

std::int64_t unmeasured_runs(const SheetPlan& plan, std::span<const SheetRun> runs) {
    const bool spikes = asks_for(plan, spiked);
    return std::count_if(runs.begin(), runs.end(), [&](const SheetRun& run) {
        const bool is_finished = run.state == RunState::finished;
        const auto lacks = [&](const char* name) { return !run.measurements.contains(name); };
        return (spikes && (is_finished || run.state == RunState::failed) && lacks(spiked)) ||
               (is_finished && ((plan.writing.samples > 0 && lacks(written_per_second)) ||
                                (!plan.extensions.empty() && lacks(extension_rise)) ||
                                lacks_retrieval(plan, run.spec, run.measurements)));
    });
}

bool measure_runs(LabFile& lab, const SheetPlan& plan, const std::filesystem::path& data_dir,
                  const std::function<Engine&()>& engine, const std::function<bool()>& cancelled) {
    if (asks_for(plan, spiked)) judge_spikes(lab);
    std::vector<Finished> runs;
    for (const RunRecord& run : lab.runs()) {
        if (run.state != RunState::finished) continue;
        runs.push_back({run.id, run_spec_from_json(nlohmann::json::parse(run.settings))});
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Finished& a, const Finished& b) { return a.spec.seed < b.spec.seed; });
    for (const Finished& run : runs) {
        if (cancelled()) return false;
        const auto known = lab.measurements(run.id);
        if (plan.writing.samples > 0 && !known.contains(written_per_second)) {
            const auto speed = writing_speed(engine(), checkpoint_of(lab, run.id), plan.writing, cancelled);
            if (!speed) return false;
            lab.set_measurement(run.id, written_per_second, *speed);
        }
        if (!plan.extensions.empty() && !known.contains(extension_rise)) {
            measure_extensions(lab, run.id, engine(), plan, data_dir);
        }
        if (lacks_retrieval(plan, run.spec, known)) measure_retrieval(lab, run.id, engine(), plan, data_dir);
    }
    return true;
}

}  // namespace ropelab
