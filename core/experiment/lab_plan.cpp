#include "core/experiment/lab_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/experiment/sheets/sheet_lab.h"
#include "core/spec/error.h"
#include "core/spec/run_names.h"

namespace ropelab {

namespace {

// Whether the lab keeps a sheet of this experiment whose runs train one by one.
bool trains_one_by_one(const LabFile& lab, std::int64_t experiment) {
    for (const DocumentRecord& document : lab.documents(experiment)) {
        if (document.kind == sheet_document) return nlohmann::json::parse(document.text).value("one_by_one", false);
    }
    return false;
}

Plan enter(LabFile& lab, const Experiment& experiment, const std::vector<RunSpec>& specs,
           const std::vector<std::size_t>& chosen) {
    const std::vector<std::string> names = run_names(specs);
    Plan plan;
    lab.in_one_transaction([&] {
        const std::int64_t id = lab.add_experiment(experiment.name(), experiment.to_json().dump());
        for (const std::size_t place : chosen) {
            const RunSpec& spec = specs.at(place);
            const RunId run = lab.add_run(id, names.at(place), to_json(spec).dump());
            plan.runs.push_back({run, spec, lab.checkpoint_path(run), false, std::nullopt});
        }
    });
    return plan;
}

}  // namespace

Plan plan_new_runs(LabFile& lab, const Experiment& experiment) {
    const std::vector<RunSpec> specs = experiment.expand();
    std::vector<std::size_t> all(specs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return enter(lab, experiment, specs, all);
}

Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen) {
    return enter(lab, experiment, experiment.expand(), chosen);
}

std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& path,
                                           const std::function<void(LabFile&)>& fill) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path beside = path;
    beside += ".starting";
    fs::path checkpoints = path;
    checkpoints += ".checkpoints";
    const bool writable = fs::is_directory(fs::absolute(path).parent_path(), error);
    const bool taken = fs::exists(path, error) || (fs::exists(checkpoints, error) && !fs::is_empty(checkpoints, error));
    if (taken || !writable) {  // refused, with the reason
        auto lab = LabFile::create(path);
        fill(*lab);
        return lab;
    }
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
        plan.runs.push_back({id, run_spec_from_json(nlohmann::json::parse(record.settings)), lab.checkpoint_path(id),
                             true, record.conditions, one_by_one[record.experiment]});
    }
    std::stable_sort(plan.runs.begin(), plan.runs.end(), [](const PlannedRun& a, const PlannedRun& b) {
        if (a.alone != b.alone) return b.alone;
        return a.alone && a.spec.seed < b.spec.seed;
    });
    return plan;
}

std::vector<RunId> unfinished_runs(const LabFile& lab) {
    std::vector<RunId> result;
    for (const RunRecord& run : lab.runs()) {
        if (run.state != RunState::finished && run.state != RunState::failed) result.push_back(run.id);
    }
    return result;
}

void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder) {
    plan.on_vocabulary = [lab](RunId id, const Vocabulary& vocabulary) {
        LabFile::open(lab)->set_vocabulary(id, vocabulary.to_text());
    };
    plan.on_cut_back = [lab, &recorder](RunId id, std::int64_t iteration) {
        recorder.flush();
        LabFile::open(lab)->cut_back(id, iteration);
    };
    plan.before_checkpoint = [&recorder] { recorder.flush(); };
}

}  // namespace ropelab
