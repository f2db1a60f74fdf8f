#include "app/terminal/runs/results_runs.h"

#include <iostream>

#include "core/spec/error.h"

namespace ropelab::terminal {

namespace {

std::int64_t parsed_experiment(const std::string& text, const LabFile& lab) {
    if (text == "latest") return RunSelection::latest_experiment;
    if (text == "all") return RunSelection::all_experiments;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        if (std::to_string(experiment.id) == text) return experiment.id;
    }
    throw BadInput("\"" + text + "\" is not an experiment of " + lab.path().string() +
                   "; it must be latest, all or the number of an experiment.");
}

}  // namespace

bool SelectionFlags::changes() const {
    return !experiment.empty() || unfinished || only_finished || !split_by.empty() || !exclude.empty() ||
           !include.empty() || merged;
}

RunSelection selection_of(const SelectionFlags& flags, const LabFile& lab) {
    RunSelection selection = stored_selection(lab);
    // Labs are merged because their runs belong together.
    if (flags.merged) selection.experiment = RunSelection::all_experiments;
    if (!flags.experiment.empty()) selection.experiment = parsed_experiment(flags.experiment, lab);
    if (flags.unfinished || flags.only_finished) selection.unfinished = flags.unfinished;
    if (!flags.split_by.empty()) {
        selection.split_by = flags.split_by;
        std::erase(selection.split_by, "nothing");
        check_split(selection.split_by);
    }
    for (const RunId run : flags.exclude) selection.excluded.insert(lab.run(run).id);
    for (const RunId run : flags.include) selection.excluded.erase(lab.run(run).id);
    return selection;
}

void add_selection_options(CLI::App& verb, SelectionFlags& flags) {
    verb.add_option("--experiment", flags.experiment,
                    "Experiment whose runs are included: latest, all or its number. The lab stores this choice and "
                    "the four below, and the window uses them; --merge chooses all");
    CLI::Option* unfinished = verb.add_flag("--unfinished", flags.unfinished, "Include stopped and failed runs");
    verb.add_flag("--no-unfinished", flags.only_finished, "Exclude stopped and failed runs again")
        ->excludes(unfinished);
    verb.add_option("--split-by", flags.split_by,
                    "Separate groups by the precision, device or kernels of their runs (several: precision,device); "
                    "nothing: no longer")
        ->delimiter(',');
    verb.add_option("--exclude-run", flags.exclude, "Number of a run that is excluded from the results")
        ->allow_extra_args(false);
    verb.add_option("--include-run", flags.include, "Number of a run that is no longer excluded")
        ->allow_extra_args(false);
}

std::vector<SweepPredictions> selected_predictions(const LabFile& lab, const SelectedRuns& selected) {
    std::vector<SweepPredictions> sweeps = sweep_predictions_of(lab);
    if (selected.experiment == RunSelection::all_experiments) return sweeps;
    std::erase_if(sweeps,
                  [&](const SweepPredictions& sweep) { return sweep.stored.experiment != selected.experiment; });
    return sweeps;
}

void remember(const RunSelection& selection, const std::string& lab) {
    try {
        LabFile::open(lab)->set_choice(selection_choice, to_text(selection));
    } catch (const std::exception&) {  // a read-only folder, a full disk
        std::cerr << "The choice of runs is not stored, because " + lab + " cannot be written." << std::endl;
    }
}

nlohmann::json selection_json(const LabRuns& runs, const std::string& words) {
    const std::int64_t experiment = runs.selected.experiment;
    return {{"experiment",
             experiment == RunSelection::all_experiments ? nlohmann::json("all") : nlohmann::json(experiment)},
            {"unfinished", runs.selection.unfinished},
            {"excluded", runs.selection.excluded},
            {"split_by", runs.selection.split_by},
            {"words", words}};
}

}  // namespace ropelab::terminal
