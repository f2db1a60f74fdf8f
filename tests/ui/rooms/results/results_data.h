#pragma once

#include <algorithm>
#include <cmath>

#include "core/experiment/experiment.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/session/run_store.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// A synthetic run for figures: its settings, its best validation loss (NaN if it diverged) and optional metrics.
struct SyntheticRun {
    nlohmann::json settings;
    double best = 0;
    RunMetrics metrics = {};
    std::optional<TextMark> text = std::nullopt;
};

/// Returns the data that the Results room would pass to its figures for these runs.
inline ResultsData resultsData(const std::vector<SyntheticRun>& made, const ResultsOptions& options = {},
                               const std::shared_ptr<const SequentialSeeds>& rule = {}) {
    ResultsData data;
    std::vector<ResultRun> runs;
    std::vector<std::string> settings;  // settings get their colours in the order of their first runs
    for (const SyntheticRun& run : made) {
        const bool failed = std::isnan(run.best);
        RunSummary summary;
        summary.best_validation_loss = run.best;
        summary.final_validation_loss = run.best + 0.1;
        summary.final_training_loss = run.best - 0.1;
        summary.seconds = 10;
        summary.tokens_per_second = 1000 * run.best;           // a lower loss is slower
        summary.generated_tokens_per_second = 100 / run.best;  // a lower loss generates faster
        runs.push_back({run.settings, "run", failed ? std::nullopt : std::optional(summary),
                        failed ? RunState::failed : RunState::finished});
        runs.back().sequential = rule;
        ResultsRun& read = data.runs.emplace_back();
        read.id = static_cast<RunId>(data.runs.size());
        read.name = QStringLiteral("run %1").arg(read.id);
        nlohmann::json known = run.settings;
        read.imported = known.erase("imported") > 0;
        read.spec = run_spec_from_json(known);
        read.state = runs.back().state;
        read.text = run.text;
        read.evaluations = run.metrics.evaluations;
        read.steps = std::make_shared<const RunMetrics::Steps>(run.metrics.steps);
        const auto earlier = std::find(settings.begin(), settings.end(), settingKey(read.spec));
        const auto place = static_cast<int>(earlier - settings.begin());
        if (earlier == settings.end()) settings.push_back(settingKey(read.spec));
        read.ink = Ink::data(place, static_cast<int>(read.spec.seed) % Theme::kShades);
        data.results.runs.push_back(read.id);
        data.results.inks.push_back(read.ink);
    }
    data.results.table = results_table(runs, options);
    return data;
}

/// Returns runs for a sweep: each pair is a value of `key` and the losses of its seeds 1, 2, 3, …
inline std::vector<SyntheticRun> syntheticRuns(const char* key,
                                               const std::vector<std::pair<double, std::vector<double>>>& groups,
                                               const nlohmann::json& shared = nlohmann::json::object()) {
    std::vector<SyntheticRun> runs;
    for (const auto& [value, losses] : groups) {
        for (std::size_t i = 0; i < losses.size(); ++i) {
            nlohmann::json settings = shared;
            settings[key] = value;
            settings["seed"] = i + 1;
            runs.push_back({std::move(settings), losses[i]});
        }
    }
    return runs;
}

}  // namespace ropelab::ui
