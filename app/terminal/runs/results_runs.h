#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/sweep/lab_results.h"
#include "core/reproduce/sheet_lab.h"

namespace ropelab::terminal {

/// Options of the command `results` that choose its runs. Without options the choice that the lab stores applies.
struct SelectionFlags {
    std::string experiment;  // "" for the stored choice
    bool unfinished = false;
    bool only_finished = false;  // neither of the two: the stored choice
    std::vector<std::string> split_by;
    std::vector<RunId> exclude;
    std::vector<RunId> include;
    bool merged = false;  // labs were merged into this one

    /// Returns whether an option changes the selection that the lab stores.
    bool changes() const;
};
void add_selection_options(CLI::App& verb, SelectionFlags& flags);

/// Returns the selection that the lab stores, changed by the flags. Throws BadInput for an experiment or a run that
/// does not exist.
RunSelection selection_of(const SelectionFlags& flags, const LabFile& lab);
/// Returns the predictions about the selected experiments.
std::vector<SweepPredictions> selected_predictions(const LabFile& lab, const SelectedRuns& selected);
/// Stores the selection for the next call and for the window. A lab that cannot be written stays as it is; standard
/// error then says so.
void remember(const RunSelection& selection, const std::string& lab);
/// Returns the selection as JSON, with these words.
nlohmann::json selection_json(const LabRuns& runs, const std::string& words);

}  // namespace ropelab::terminal
