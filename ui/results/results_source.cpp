#include "ui/results/results_source.h"

#include <algorithm>

#include "core/spec/error.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

// A run in training, as it stands; its time is known when it ends.
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
    summary.seconds = RunSummary::unknown;
    summary.tokens_per_second = RunSummary::unknown;
    return summary;
}

}  // namespace

int Results::colorOf(const ResultGroup& group) const {
    return group.members.empty() ? 0 : static_cast<int>(runs[group.members.front()] - 1);
}

Results ResultsSource::results(const ResultsChoices& choices) {
    if (m_labPath != m_workspace.lab().path()) {  // another lab has other runs under the same numbers
        m_labPath = m_workspace.lab().path();
        m_read.clear();
    }
    std::int64_t wanted = choices.experiment;
    if (wanted == ResultsChoices::latestExperiment) {
        for (const RunView& run : m_workspace.runs().runs()) wanted = std::max(wanted, run.record.experiment);
    }
    Results results;
    std::vector<ResultRun> runs;
    for (const RunView& run : m_workspace.runs().runs()) {
        if (choices.experiment != ResultsChoices::allExperiments && run.record.experiment != wanted) continue;
        results.runs.push_back(run.record.id);
        runs.push_back({nlohmann::json::parse(run.record.settings), run.record.name,
                        choices.options.unfinished ? summaryOf(run) : run.record.summary, run.record.state});
        if (!choices.options.target_loss) continue;
        const auto& evaluations = metrics(run).evaluations;
        for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
            runs.back().evaluations.push_back({evaluations.iteration[i], evaluations.validation_loss[i]});
        }
    }
    try {
        results.table = results_table(runs, choices.options);
    } catch (const BadInput&) {
        // Only a baseline of other runs can be wrong here.
        ResultsOptions options = choices.options;
        options.baseline.clear();
        results.table = results_table(runs, options);
        results.baselineIsMissing = true;
    }
    return results;
}

std::vector<ResultsRun> ResultsSource::runs(const Results& results, bool withMetrics) {
    std::vector<ResultsRun> runs;
    for (const RunId id : results.runs) {
        const RunView* view = m_workspace.runs().find(id);
        ResultsRun& run = runs.emplace_back();
        run.id = id;
        if (!view) continue;  // deleted since
        run.name = QString::fromStdString(view->record.name);
        run.spec = view->spec;
        run.state = view->record.state;
        if (withMetrics) run.metrics = metrics(*view);
    }
    return runs;
}

const RunMetrics& ResultsSource::metrics(const RunView& run) {
    Read& read = m_read[run.record.id];
    const std::int64_t last = run.last ? run.last->iteration : -1;
    const LabFile* file = m_workspace.lab().file();
    if (read.last == last || !file) return read.metrics;
    read.metrics = file->metrics(run.record.id);
    // The file may lag behind what was delivered: then it is read again next time.
    const auto& iterations = read.metrics.evaluations.iteration;
    read.last = iterations.empty() ? -1 : iterations.back();
    return read.metrics;
}

}  // namespace ropelab::ui
