#include "ui/rooms/results/results_source.h"

#include <algorithm>

#include "core/spec/error.h"
#include "core/sweep/search.h"

namespace ropelab::ui {

namespace {

/// A run in training gets a summary from its latest evaluation; its time and speed are unknown.
std::optional<RunSummary> summaryOf(const RunView& run) {
    if (run.record.summary || !run.last) return run.record.summary;
    RunSummary summary;
    summary.iterations = run.last->iteration;
    summary.final_validation_loss = run.last->validation_loss;
    summary.final_training_loss = run.last->training_loss;
    if (run.best) {
        summary.best_validation_loss = run.best->validation_loss;
        summary.best_iteration = run.best->iteration;
    }
    summary.bytes_per_token = run.record.bytes_per_token;
    summary.subwords = run.spec.has_subwords();
    summary.seconds = RunSummary::unknown;
    summary.tokens_per_second = RunSummary::unknown;
    return summary;
}

}  // namespace

Ink Results::inkOf(const ResultGroup& group) const {
    if (group.members.empty()) return Ink::data(0);
    return Ink::data(inks[group.members.front()].index);
}

Results resultsOf(const RunStore& store, const ResultsChoices& choices, const LabFile* measured) {
    std::vector<SelectableRun> selectable;
    std::set<std::int64_t> experiments;
    for (const RunView& run : store.runs()) {
        selectable.push_back({run.record.id, run.record.experiment});
        experiments.insert(run.record.experiment);
    }
    const SelectedRuns selected = selected_runs(selectable, choices.selection());
    Results results;
    results.experiment = selected.experiment;
    std::vector<ResultRun> runs;
    std::map<std::int64_t, bool> searches;  // whether an experiment, by its number, is a search
    for (const std::size_t index : selected.indices) {
        const RunView& run = store.runs()[index];
        results.runs.push_back(run.record.id);
        results.inks.push_back(run.ink);
        runs.push_back({store.settingsOf(run), run.name.toStdString(),
                        choices.options.unfinished ? summaryOf(run) : run.record.summary, run.record.state});
        runs.back().conditions = run.record.conditions;
        runs.back().setting_name = run.settingName;
        runs.back().excluded = choices.excluded.contains(run.record.id);
        if (measured) {
            runs.back().measurements = measured->measurements(run.record.id);
            if (!searches.contains(run.record.experiment)) {
                searches[run.record.experiment] =
                    measured->document(run.record.experiment, search_document).has_value();
            }
            runs.back().searched = searches[run.record.experiment];
        }
        if (!choices.options.target_loss) continue;
        const auto& evaluations = run.evaluations;
        for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
            runs.back().evaluations.push_back({evaluations.iteration[i], evaluations.validation_loss[i]});
        }
    }
    try {
        results.table = results_table(runs, choices.options);
    } catch (const BadInput&) {
        // The only invalid choice here is a baseline that belongs to other runs.
        ResultsOptions options = choices.options;
        options.baseline.clear();
        results.table = results_table(runs, options);
        results.baselineIsMissing = true;
    }
    sort_by_settings(results.table);
    if (!runs.empty()) {
        results.words =
            QString::fromStdString(selection_words(results.table, selected, experiments.size(), store.runs().size()));
    }
    return results;
}

std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations) {
    std::vector<ResultsRun> runs;
    for (const RunId id : results.runs) {
        const RunView* view = store.find(id);
        ResultsRun& run = runs.emplace_back();
        run.id = id;
        if (!view) continue;  // the run was deleted
        run.name = view->name;
        run.spec = view->spec;
        run.state = view->record.state;
        run.ink = view->ink;
        run.text = view->record.text;
        if (withEvaluations) run.evaluations = view->evaluations;
    }
    return runs;
}

}  // namespace ropelab::ui
