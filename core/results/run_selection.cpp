#include "core/results/run_selection.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/results/results_cells.h"

namespace ropelab {

std::string to_text(const RunSelection& selection) {
    nlohmann::json json{{"experiment", selection.experiment},
                        {"unfinished", selection.unfinished},
                        {"excluded", selection.excluded},
                        {"split_by", selection.split_by}};
    if (!selection.margin.empty()) json["margin"] = selection.margin;
    return json.dump();
}

RunSelection run_selection(const std::string& text) {
    RunSelection result;
    const auto json = parse_bounded(text, nullptr, false);
    if (!json.is_object()) return result;
    try {
        result.experiment = json.value("experiment", result.experiment);
        result.unfinished = json.value("unfinished", result.unfinished);
        result.excluded = json.value("excluded", result.excluded);
        result.split_by = json.value("split_by", result.split_by);
        result.margin = json.value("margin", result.margin);
        check_split(result.split_by);
        parsed_margin(result.margin);
    } catch (const nlohmann::json::exception&) {
        return {};
    } catch (const BadInput&) {
        result.split_by.clear();  // of a newer version of the program
        result.margin.clear();
    }
    return result;
}

SelectedRuns selected_runs(std::span<const SelectableRun> runs, const RunSelection& selection) {
    SelectedRuns result;
    result.experiment = selection.experiment;
    if (selection.experiment == RunSelection::latest_experiment) {
        const bool any_begun = std::ranges::any_of(runs, &SelectableRun::has_begun);
        for (const SelectableRun& run : runs) {
            if (run.has_begun || !any_begun) result.experiment = std::max(result.experiment, run.experiment);
        }
    }
    const bool all = selection.experiment == RunSelection::all_experiments;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (all || runs[i].experiment == result.experiment) result.indices.push_back(i);
    }
    return result;
}

void apply(const RunSelection& selection, ResultsOptions& options) {
    options.unfinished = selection.unfinished;
    options.split_by = selection.split_by;
    if (options.margin.empty()) options.margin = selection.margin;
}

std::string selection_words(const ResultsTable& table, const SelectedRuns& selected, std::size_t experiments,
                            std::size_t in_lab) {
    std::size_t in_means = 0, excluded = 0;
    int unfinished = 0, failed = 0, repeated = 0;
    for (const ResultGroup& group : table.groups) {
        in_means += group.counted.size();
        excluded += group.excluded.size();
        unfinished += group.unfinished;
        failed += group.failed;
        repeated += group.repeated;
    }
    std::string words = "Runs: " + std::to_string(in_means) + " of " + counted(std::ssize(selected.indices), "run") +
                        (selected.indices.size() == 1 ? " counts" : " count");
    if (selected.experiment != RunSelection::all_experiments) {
        words += ", of experiment " + std::to_string(selected.experiment);
        if (experiments > 1) {
            words +=
                "; the lab file has " + std::to_string(experiments) + " experiments with " + counted(in_lab, "run");
        }
    } else if (experiments > 1) {
        words += ", of all " + std::to_string(experiments) + " experiments";
    }
    std::string rest;
    const auto add = [&](auto count, const char* why) {
        if (count > 0) rest += (rest.empty() ? "" : ", ") + std::to_string(count) + " " + why;
    };
    add(unfinished, "unfinished");
    add(failed, "failed or diverged");
    add(repeated, "whose seed a run has that was added later");
    add(excluded, "excluded by the user");
    return words + (rest.empty() ? "." : ". Not counted: " + rest + ".");
}

}  // namespace ropelab
