#include "core/sweep/lab_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/synthetic/random.h"
#include "core/settings/run_names.h"
#include "core/store/lab_database.h"
#include "core/store/output_file.h"
#include "core/sweep/search.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

bool trains_sequentially(const LabFile& lab, std::int64_t experiment) {
    for (const DocumentRecord& document : lab.documents(experiment)) {
        const auto json = parse_bounded(document.text, nullptr, false);
        if (json.is_object() && json.value(sequential_field, false)) return true;
    }
    return false;
}

// Such a run would diverge again, while one that failed for another reason, such as a full disk, can resume.
bool diverged(const LabFile& lab, const RunRecord& run) {
    if (run.state != RunState::failed) return false;
    const auto steps = lab.metrics(run.id).steps;
    return !steps.iteration.empty() &&
           !(std::isfinite(steps.training_loss.back()) && std::isfinite(steps.gradient_norm.back()));
}

// Stores size and checksum if the run begins; otherwise throws BadInput if they have changed.
void check_data(LabFile& lab, const PlannedRun& run, const Corpus& corpus, bool begins) {
    TextMark text = corpus.text;
    text.name = text_name(run.spec);
    lab.bind_to_text(run.id, text, begins);
}

// Runs of equal shape with precision=auto train as earlier ones of the lab, so that they can be compared.
void adopt_precision(LabFile& lab, std::int64_t experiment, const Plan& plan) {
    const std::vector<RunRecord> runs = lab.runs();
    for (auto earlier = runs.rbegin(); earlier != runs.rend(); ++earlier) {
        if (earlier->experiment == experiment || !earlier->conditions) continue;
        const RunSpec spec = stored_spec(*earlier);
        const bool extends = spec.precision == Precision::automatic &&
                             std::any_of(plan.runs.begin(), plan.runs.end(),
                                         [&](const PlannedRun& run) { return same_shape(run.spec, spec); });
        if (!extends) continue;
        lab.settle_precision(experiment, experiment_precision(*earlier->conditions));
        return;
    }
}

// In one transaction, with `more`.
Plan store_experiment(LabFile& lab, const Experiment& experiment, const std::vector<RunSpec>& specs,
                      const std::vector<std::size_t>& chosen, const StoreMore& more) {
    const std::vector<std::string> names = run_names(specs);
    Plan plan;
    lab.in_one_transaction([&] {
        const std::int64_t id = lab.add_experiment(experiment.name(), experiment.to_json().dump());
        for (const std::size_t place : chosen) {
            const RunSpec& spec = specs.at(place);
            const RunId run = lab.add_run(id, names.at(place), to_json(spec).dump());
            plan.runs.push_back({run, spec, lab.checkpoint_path(run), false, std::nullopt, false, id});
        }
        if (more) more(lab, id, specs);
    });
    if (!plan.runs.empty()) adopt_precision(lab, plan.runs.front().experiment, plan);
    return plan;
}

std::vector<std::size_t> all_places(const std::vector<RunSpec>& specs) {
    std::vector<std::size_t> all(specs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

}  // namespace

Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const StoreMore& more) {
    const std::vector<RunSpec> specs = experiment.expand();
    return store_experiment(lab, experiment, specs, all_places(specs), more);
}

Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen,
                   const StoreMore& more) {
    return store_experiment(lab, experiment, experiment.expand(), chosen, more);
}

std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& given,
                                           const std::function<void(LabFile&)>& fill) {
    namespace fs = std::filesystem;
    const fs::path path = lab_file_of(given);
    std::error_code error;
    fs::path temporary = path;
    temporary += ".starting";
    if (fs::exists(path, error) || !fs::is_directory(fs::absolute(path).parent_path(), error)) {
        auto lab = LabFile::create(path);  // throws BadInput with the reason
        fill(*lab);
        return lab;
    }
    prepare_new_lab(path);
    fs::remove(temporary, error);  // left by a program that was killed
    try {
        const auto lab = LabFile::create(temporary);
        fill(*lab);
        lab->settle_in_one_file();
        fs::rename(temporary, path);
        sync(fs::absolute(path).parent_path());
    } catch (...) {
        for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(fs::path(temporary) += suffix, error);
        throw;
    }
    return LabFile::open(path);
}

std::uint64_t timing_order(std::int64_t seed, RunId run) {
    return mix64(mix64(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(run));
}

Plan plan_continued_runs(const LabFile& lab, const std::vector<RunId>& runs) {
    Plan plan;
    std::map<std::int64_t, bool> sequential;  // keyed by the experiment's number
    std::map<std::int64_t, std::optional<StoppingRule>> stopping;
    for (RunId id : runs) {
        const RunRecord record = lab.run(id);
        if (record.state == RunState::finished) {
            throw BadInput("The run \"" + record.name + "\" is finished, so it cannot resume.");
        }
        if (!sequential.contains(record.experiment)) {
            sequential[record.experiment] = trains_sequentially(lab, record.experiment);
            stopping[record.experiment] = stored_stopping_rule(lab, record.experiment);
        }
        const RunCheckpoint checkpoint = run_checkpoint(lab, record);
        read_checkpoint_head(checkpoint);  // throws if it is that of another run
        plan.runs.push_back({id, checkpoint.spec, checkpoint.path, true, record.conditions,
                             sequential[record.experiment], record.experiment, stopping[record.experiment]});
    }
    std::stable_sort(plan.runs.begin(), plan.runs.end(), [](const PlannedRun& a, const PlannedRun& b) {
        if (a.alone != b.alone) return b.alone;
        if (!a.alone || a.spec.seed != b.spec.seed) return a.alone && a.spec.seed < b.spec.seed;
        return timing_order(a.spec.seed, a.id) < timing_order(b.spec.seed, b.id);
    });
    return plan;
}

std::vector<RunId> unfinished_runs(const LabFile& lab) {
    std::set<RunId> others;
    for (const ClaimedRun& held : lab.claimed_runs()) others.insert(held.id);
    std::vector<RunId> result;
    for (const RunRecord& run : lab.runs()) {
        if (run.state != RunState::finished && !stopped_at_rung(run) && !others.contains(run.id) &&
            !diverged(lab, run)) {
            result.push_back(run.id);
        }
    }
    return result;
}

void settle_data(LabFile& lab, const Plan& plan) {
    std::vector<const PlannedRun*> by_text;  // sorted, so that each data set is read once and only one is in memory
    for (const PlannedRun& run : plan.runs) by_text.push_back(&run);
    std::stable_sort(by_text.begin(), by_text.end(),
                     [](const PlannedRun* a, const PlannedRun* b) { return text_name(a->spec) < text_name(b->spec); });
    std::shared_ptr<const Corpus> corpus;
    for (const PlannedRun* run : by_text) {
        corpus = open_corpus(run->spec, plan.data_dir);
        check_data(lab, *run, *corpus, lab.run(run->id).state == RunState::waiting);
    }
}

void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder) {
    std::vector<RunId> runs;
    for (const PlannedRun& run : plan.runs) runs.push_back(run.id);
    LabFile::open(lab)->claim(runs);
    const auto opened = [lab, &recorder] {
        recorder.require_same_file();
        return LabFile::open(lab);
    };
    plan.on_corpus = [opened](const PlannedRun& run, const Corpus& corpus, bool begins) {
        const auto file = opened();
        check_data(*file, run, corpus, begins);
        file->set_vocabulary(run.id, corpus.vocabulary.to_text(), corpus.bytes_per_token());
    };
    plan.on_discard_after = [opened, &recorder](RunId id, std::int64_t iteration) {
        recorder.flush();
        opened()->discard_after(id, iteration);
    };
    plan.settle_precision = [opened, shared = plan.settle_precision](
                                const PlannedRun& run, const std::optional<ExperimentPrecision>& measured) {
        const auto file = opened();
        auto settled = file->precision_of_experiment(run.experiment);
        if (!settled) settled = shared ? shared(run, measured) : measured;
        return settled ? file->settle_precision(run.experiment, *settled) : settled;
    };
    plan.before_checkpoint = [&recorder] { return recorder.flush(); };
}

}  // namespace ropelab
