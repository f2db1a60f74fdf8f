#include "core/sweep/stored_run.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/store/imported.h"
#include "core/store/run_settings.h"

namespace ropelab {

nlohmann::json stored_settings(const RunRecord& run) {
    nlohmann::json settings = parse_bounded(run.settings, nullptr, false);
    if (settings.is_object()) return current_settings(settings);
    throw BadInput("The settings of run " + std::to_string(run.id) + ", \"" + run.name +
                   "\", are damaged in the lab file: they are not a JSON object. Restore the file from a backup.");
}

nlohmann::json changed_settings(const RunRecord& run) {
    nlohmann::json changed = nlohmann::json::object();
    const nlohmann::json all = stored_settings(run);
    if (!imported_from(all).empty()) return all;  // it has no defaults
    for (const auto& [name, value] : all.items()) {
        const auto usual = default_settings().find(name);
        if (usual == default_settings().end() || *usual != value) changed[name] = value;
    }
    return changed;
}

bool is_imported(const RunRecord& run) {
    return may_be_imported(run.settings) && !imported_from(stored_settings(run)).empty();
}

std::string no_model_words(const std::string& run_name) {
    return "Another program trained the run \"" + run_name +
           "\", and the lab has only its settings and what was measured of it; choose a run that RoPE Lab trained.";
}

RunSpec stored_spec(const RunRecord& run) {
    const nlohmann::json settings = stored_settings(run);
    RunSpec spec = run_spec_from_json(settings);
    if (!imported_from(settings).empty()) spec.iterations = std::max<std::int64_t>(run.iteration, 1);
    return spec;
}

RunCheckpoint run_checkpoint(const LabFile& lab, const RunRecord& run) {
    RunCheckpoint result{lab.checkpoint_path(run.id), stored_spec(run), run.name, run.vocabulary, run.text};
    if (is_imported(run)) result.path.clear();
    const bool finished = run.state == RunState::finished;
    result.finished = finished && run.summary ? run.summary->iterations : -1;
    result.recorded = finished ? -1 : run.iteration;
    result.is_written = finished || (run.state == RunState::stopped && run.iteration > 0);
    return result;
}

}  // namespace ropelab
