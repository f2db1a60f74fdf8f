#include "core/experiment/lab_plan.h"

#include "core/spec/error.h"

namespace ropelab {

Plan plan_new_runs(LabFile& lab, const Experiment& experiment) {
    const std::vector<RunSpec> specs = experiment.expand();
    const std::int64_t id = lab.add_experiment(experiment.name(), experiment.to_json().dump());
    Plan plan;
    for (const RunSpec& spec : specs) {
        const RunId run = lab.add_run(id, label_of(spec), to_json(spec).dump());
        plan.runs.push_back({run, spec, lab.checkpoint_path(run), false, std::nullopt});
    }
    return plan;
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
    for (RunId id : runs) {
        const RunRecord record = lab.run(id);
        if (record.state == RunState::finished) {
            throw BadInput("The run \"" + record.name + "\" is finished; it cannot go on.");
        }
        plan.runs.push_back({id, run_spec_from_json(nlohmann::json::parse(record.settings)), lab.checkpoint_path(id),
                             true, record.conditions});
    }
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
