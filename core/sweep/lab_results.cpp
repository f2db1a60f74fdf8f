#include "core/sweep/lab_results.h"

#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/setting_names.h"
#include "core/store/imported.h"
#include "core/sweep/search.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

std::vector<RunRecord> LabRuns::selected_records() const {
    std::vector<RunRecord> result;
    result.reserve(selected.indices.size());
    for (const std::size_t index : selected.indices) result.push_back(records[index]);
    return result;
}

std::string LabRuns::words(const ResultsTable& table) const {
    return selection_words(table, selected, experiments, records.size());
}

RunSelection stored_selection(const LabFile& lab) {
    return run_selection(lab.choice(selection_choice));
}

LabRuns lab_runs(const LabFile& lab, RunSelection selection) {
    LabRuns runs;
    runs.selection = std::move(selection);
    runs.records = lab.runs();
    std::vector<SelectableRun> selectable;
    std::set<std::int64_t> experiments;
    for (const RunRecord& record : runs.records) {
        selectable.push_back({record.id, record.experiment, record.state != RunState::waiting});
        experiments.insert(record.experiment);
    }
    runs.experiments = experiments.size();
    runs.selected = selected_runs(selectable, runs.selection);
    if (runs.records.empty())
        throw BadInput("The lab file " + lab.path().string() + " has no runs yet; name a lab file with runs.");
    if (runs.selected.indices.empty()) {
        throw BadInput("Experiment " + std::to_string(runs.selected.experiment) +
                       " has no runs; choose another one with --experiment, or all.");
    }
    return runs;
}

ExperimentOrigin origin_of(const LabFile& lab, std::int64_t experiment) {
    ExperimentOrigin origin{lab.document(experiment, search_document).has_value(),
                            lab.document(experiment, extension_document) ? experiment : 0};
    const auto rule = stored_stopping_rule(lab, experiment);
    const SequentialDesign* design = sequential_in(rule);
    if (!design) return origin;
    std::set<std::int64_t> seeds;
    for (const ExperimentRecord& record : lab.experiments()) {
        if (record.id != experiment) continue;
        for (const RunSpec& spec : Experiment::from_text(record.description).expand()) seeds.insert(spec.seed);
    }
    origin.sequential = std::make_shared<SequentialSeeds>(SequentialSeeds{*design, {seeds.begin(), seeds.end()}});
    return origin;
}

std::vector<ResultRun> result_runs(const LabFile& lab, const LabRuns& runs, bool with_evaluations) {
    std::vector<ResultRun> result;
    const std::map<std::string, std::string> names = setting_names(lab);
    std::map<std::int64_t, ExperimentOrigin> origins;  // by the experiment's number
    const auto is_imported = [&](std::size_t index) { return may_be_imported(runs.records[index].settings); };
    with_evaluations = with_evaluations || std::ranges::any_of(runs.selected.indices, is_imported);
    for (const std::size_t index : runs.selected.indices) {
        const RunRecord& record = runs.records[index];
        ResultRun& run =
            result.emplace_back(ResultRun{changed_settings(record), record.name, record.summary, record.state});
        run.conditions = record.conditions;
        const auto [origin, is_new] = origins.try_emplace(record.experiment);
        if (is_new) origin->second = origin_of(lab, record.experiment);
        run.searched = origin->second.searched;
        run.pruned = stopped_at_rung(record).has_value();
        run.look = origin->second.look;
        run.sequential = origin->second.sequential;
        run.excluded = runs.selection.excluded.contains(record.id);
        run.measurements = lab.measurements(record.id);
        const auto name = names.find(setting_key(record));
        if (name != names.end()) run.setting_name = name->second;
        if (!with_evaluations && !(run.sequential && run.sequential->design.target)) continue;
        const auto evaluations = lab.metrics_of_evaluations(record.id).evaluations;
        for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
            run.evaluations.push_back({evaluations.iteration[i], evaluations.validation_loss[i]});
        }
    }
    return result;
}

}  // namespace ropelab
