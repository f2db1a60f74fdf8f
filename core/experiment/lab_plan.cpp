#include "core/experiment/lab_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/experiment/sheets/sheet_lab.h"
#include "core/experiment/stored_run.h"
#include "core/spec/error.h"
#include "core/spec/run_names.h"
#include "core/store/lab_database.h"

namespace ropelab {

namespace {

// Whether the lab keeps a sheet of this experiment whose runs train one by one.
bool trains_one_by_one(const LabFile& lab, std::int64_t experiment) {
    for (const DocumentRecord& document : lab.documents(experiment)) {
        if (document.kind == sheet_document) return nlohmann::json::parse(document.text).value("one_by_one", false);
    }
    return false;
}

// A run that went apart would do so again; one that failed for another reason, as a full disk, may go on.
bool diverged(const LabFile& lab, const RunRecord& run) {
    if (run.state != RunState::failed) return false;
    const auto steps = lab.metrics(run.id).steps;
    return !steps.iteration.empty() &&
           !(std::isfinite(steps.training_loss.back()) && std::isfinite(steps.gradient_norm.back()));
}

void hold_to(LabFile& lab, const PlannedRun& run, const Corpus& corpus, bool begins) {
    TextMark text = corpus.text;
    text.name = text_name(run.spec);
    lab.hold_to_text(run.id, text, begins);
}

Plan enter(LabFile& lab, const Experiment& experiment, const std::vector<RunSpec>& specs,
           const std::vector<std::size_t>& chosen, const std::function<void(std::int64_t)>& fix) {
    const std::vector<std::string> names = run_names(specs);
    Plan plan;
    lab.in_one_transaction([&] {
        const std::int64_t id = lab.add_experiment(experiment.name(), experiment.to_json().dump());
        for (const std::size_t place : chosen) {
            const RunSpec& spec = specs.at(place);
            const RunId run = lab.add_run(id, names.at(place), to_json(spec).dump());
            plan.runs.push_back({run, spec, lab.checkpoint_path(run), false, std::nullopt});
        }
        fix(id);
    });
    return plan;
}

std::vector<std::size_t> places_of(const std::vector<RunSpec>& specs) {
    std::vector<std::size_t> all(specs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

}  // namespace

Plan plan_new_runs(LabFile& lab, const Experiment& experiment) {
    return plan_new_runs(lab, experiment, places_of(experiment.expand()));
}

Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen) {
    const std::vector<RunSpec> specs = experiment.expand();
    return enter(lab, experiment, specs, chosen, [&](std::int64_t id) { enter_predictions(lab, id, specs); });
}

Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::function<void(std::int64_t)>& fix) {
    const std::vector<RunSpec> specs = experiment.expand();
    return enter(lab, experiment, specs, places_of(specs), fix);
}

std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& path,
                                           const std::function<void(LabFile&)>& fill) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path beside = path;
    beside += ".starting";
    if (fs::exists(path, error) || !fs::is_directory(fs::absolute(path).parent_path(), error)) {
        auto lab = LabFile::create(path);  // refuses, with the reason
        fill(*lab);
        return lab;
    }
    clear_place_of(path);
    fs::remove(beside, error);  // of a program that was killed
    try {
        fill(*LabFile::create(beside));  // closed after this: no log is left beside it
        fs::rename(beside, path);
    } catch (...) {
        fs::remove(beside, error);
        throw;
    }
    return LabFile::open(path);
}

Plan plan_continued_runs(const LabFile& lab, const std::vector<RunId>& runs) {
    Plan plan;
    std::map<std::int64_t, bool> one_by_one;  // by experiment
    for (RunId id : runs) {
        const RunRecord record = lab.run(id);
        if (record.state == RunState::finished) {
            throw BadInput("The run \"" + record.name + "\" is finished; it cannot go on.");
        }
        if (!one_by_one.contains(record.experiment)) {
            one_by_one[record.experiment] = trains_one_by_one(lab, record.experiment);
        }
        plan.runs.push_back(
            {id, stored_spec(record), lab.checkpoint_path(id), true, record.conditions, one_by_one[record.experiment]});
    }
    std::stable_sort(plan.runs.begin(), plan.runs.end(), [](const PlannedRun& a, const PlannedRun& b) {
        if (a.alone != b.alone) return b.alone;
        return a.alone && a.spec.seed < b.spec.seed;
    });
    return plan;
}

std::vector<RunId> unfinished_runs(const LabFile& lab) {
    std::set<RunId> others;
    for (const HeldRun& held : lab.held_runs()) others.insert(held.id);
    std::vector<RunId> result;
    for (const RunRecord& run : lab.runs()) {
        if (run.state != RunState::finished && !others.contains(run.id) && !diverged(lab, run)) {
            result.push_back(run.id);
        }
    }
    return result;
}

void settle_texts(LabFile& lab, const Plan& plan) {
    std::vector<const PlannedRun*> by_text;  // so that each is read once, and one of them is in memory
    for (const PlannedRun& run : plan.runs) by_text.push_back(&run);
    std::stable_sort(by_text.begin(), by_text.end(),
                     [](const PlannedRun* a, const PlannedRun* b) { return text_name(a->spec) < text_name(b->spec); });
    std::shared_ptr<const Corpus> corpus;
    for (const PlannedRun* run : by_text) {
        corpus = open_corpus(run->spec, plan.data_dir);
        hold_to(lab, *run, *corpus, lab.run(run->id).state == RunState::waiting);
    }
}

void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder) {
    std::vector<RunId> runs;
    for (const PlannedRun& run : plan.runs) runs.push_back(run.id);
    LabFile::open(lab)->claim(runs);
    plan.on_corpus = [lab](const PlannedRun& run, const Corpus& corpus, bool begins) {
        const auto file = LabFile::open(lab);
        hold_to(*file, run, corpus, begins);
        file->set_vocabulary(run.id, corpus.vocabulary.to_text());
    };
    plan.on_cut_back = [lab, &recorder](RunId id, std::int64_t iteration) {
        recorder.flush();
        LabFile::open(lab)->cut_back(id, iteration);
    };
    plan.before_checkpoint = [&recorder] { return recorder.flush(); };
}

}  // namespace ropelab
