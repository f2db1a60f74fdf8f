#include "core/sweep/lab_growth.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/run/checkpoint.h"
#include "core/settings/run_names.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/search.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

constexpr const char* data_dir_document = "data_dir";

struct KnownRun {
    RunRecord record;
    RunSpec spec;
};

std::vector<KnownRun> known_runs(const LabFile& lab) {
    std::vector<KnownRun> known;
    for (RunRecord& record : lab.runs()) {
        if (is_imported(record)) continue;
        RunSpec spec = stored_spec(record);
        known.push_back({std::move(record), std::move(spec)});
    }
    return known;
}

// They differ in the number of iterations and in the iteration at which the decay ends.
bool same_but_length(const RunSpec& shorter, const RunSpec& longer) {
    RunSpec other = longer;
    other.iterations = shorter.iterations;
    other.decay_iterations = shorter.decay_iterations;
    return shorter == other;
}

std::int64_t decay_end(const RunSpec& spec) {
    return spec.decay_iterations > 0 ? spec.decay_iterations : spec.iterations;
}

// Selects the run that reached the most iterations.
void find_shorter(const LabFile& lab, const std::vector<KnownRun>& known, AddedRun& added) {
    std::string problem;
    const KnownRun* refused = nullptr;
    for (const KnownRun& run : known) {
        if (run.spec.iterations >= added.spec.iterations || !same_but_length(run.spec, added.spec)) continue;
        if (run.record.state != RunState::finished && run.record.state != RunState::stopped) continue;
        const auto head = read_checkpoint_head(run_checkpoint(lab, run.record));
        if (!head || head->iteration <= added.iteration) continue;
        const std::string why = why_not_continued(run.spec, added.spec);
        if (!why.empty()) {
            problem = why;
            refused = &run;
            continue;
        }
        added.continues = run.record.id;
        added.iteration = head->iteration;
    }
    if (added.continues || refused == nullptr) return;
    throw BadInput("The run \"" + refused->record.name + "\" cannot continue to iteration " +
                   std::to_string(added.spec.iterations) + ", because " + problem +
                   ", or add --anew to train the longer runs from the beginning.");
}

bool of_schedule(std::int64_t iteration, const RunSpec& spec) {
    return iteration >= 0 && iteration % spec.evaluate_every == 0;
}

// It took place only because the shorter run ended there. Returns its iteration; -1 if there was none.
std::int64_t remove_last_evaluation(Checkpoint& checkpoint, const RunMetrics::Evaluations& evaluations) {
    const std::int64_t without = checkpoint.evaluated;
    if (without < 0 || of_schedule(without, checkpoint.spec)) return -1;
    RunSummary& summary = checkpoint.summary;
    summary.best_validation_loss = summary.final_validation_loss = summary.final_training_loss = RunSummary::unknown;
    summary.best_iteration = 0;
    checkpoint.evaluated = -1;
    for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
        if (evaluations.iteration[i] >= without) break;
        checkpoint.evaluated = evaluations.iteration[i];
        summary.final_training_loss = evaluations.training_loss[i];
        summary.final_validation_loss = evaluations.validation_loss[i];
        if (improves(summary.best_validation_loss, evaluations.validation_loss[i])) {
            summary.best_validation_loss = evaluations.validation_loss[i];
            summary.best_iteration = evaluations.iteration[i];
        }
    }
    return without;
}

// Also copies the history of the shorter run.
Checkpoint take_over_history(LabFile& lab, const AddedRun& added, RunId run) {
    auto checkpoint = read_checkpoint(run_checkpoint(lab, lab.run(*added.continues)));
    if (!checkpoint || checkpoint->iteration != added.iteration) {
        throw BadInput("The checkpoint of the run \"" + lab.run(*added.continues).name +
                       "\" changed while the longer run was being prepared; try again.");
    }
    checkpoint->spec = added.spec;
    const std::int64_t without = remove_last_evaluation(*checkpoint, lab.metrics(*added.continues).evaluations);
    checkpoint->summary.whole_validation_loss.reset();
    checkpoint->summary.test_loss.reset();
    lab.copy_history(*added.continues, run, added.iteration, without, checkpoint->summary);
    return std::move(*checkpoint);
}

// They distinguish added runs from all runs of the lab.
std::vector<std::string> added_names(const LabFile& lab, const Growth& growth) {
    std::vector<RunSpec> specs;
    for (KnownRun& known : known_runs(lab)) specs.push_back(std::move(known.spec));
    const auto first = static_cast<std::ptrdiff_t>(specs.size());
    for (const AddedRun& added : growth.added) specs.push_back(added.spec);
    const std::vector<std::string> names = run_names(specs);
    return {names.begin() + first, names.end()};
}

}  // namespace

std::optional<Experiment> newest_experiment(const LabFile& lab) {
    const auto stored = lab.experiments();
    if (stored.empty()) return std::nullopt;
    return Experiment::from_text(stored.back().description);
}

bool stores_experiment(const LabFile& lab, const Experiment& experiment) {
    const auto stored = lab.experiments();
    const nlohmann::json wanted = experiment.to_json();
    // Parsed and written again, because an earlier version may have stored the description under earlier names.
    return std::any_of(stored.begin(), stored.end(), [&](const ExperimentRecord& record) {
        return Experiment::from_text(record.description).to_json() == wanted;
    });
}

std::string why_not_continued(const RunSpec& shorter, const RunSpec& longer) {
    if (shorter.theta_schedule != ThetaSchedule::constant) {
        return "its theta_schedule ends at iteration " + std::to_string(shorter.iterations) +
               "; set theta_schedule to constant";
    }
    const bool constant = shorter.learning_rate == shorter.final_learning_rate || shorter.iterations <= shorter.warmup;
    if (constant || decay_end(shorter) == decay_end(longer)) return "";
    const std::string end = std::to_string(decay_end(shorter));
    return "its learning rate schedule ends at iteration " + end + "; extend it with decay_iterations=" + end +
           ", which keeps the learning rate at final_learning_rate afterwards";
}

Growth growth_of(const LabFile& lab, const Experiment& experiment, bool anew) {
    for (const ExperimentRecord& stored : lab.experiments()) {
        if (sequential_in(stored_stopping_rule(lab, stored.id))) {
            throw BadInput("The lab file " + lab.path().string() +
                           " keeps the stopping rule that it began with, so no runs can be added; resume it, or name "
                           "another lab file.");
        }
        if (!lab.document(stored.id, "sheet")) continue;
        throw BadInput("The lab file " + lab.path().string() +
                       " contains the reproduction of a paper, which cannot be extended; name another lab file.");
    }
    const std::vector<KnownRun> known = known_runs(lab);
    Growth growth;
    for (RunSpec& spec : experiment.expand()) {
        const auto is_same = [&](const auto& run) { return run.spec == spec; };
        if (std::any_of(known.begin(), known.end(), is_same)) {
            ++growth.present;
            continue;
        }
        if (std::any_of(growth.added.begin(), growth.added.end(), is_same)) continue;
        AddedRun added{std::move(spec)};
        if (!anew) find_shorter(lab, known, added);
        growth.added.push_back(std::move(added));
    }
    return growth;
}

void grow_lab(LabFile& lab, const Experiment& experiment, const Growth& growth, const std::filesystem::path& data_dir,
              const StoreMore& more) {
    const std::vector<std::string> names = added_names(lab, growth);
    std::vector<std::pair<RunId, Checkpoint>> continued;
    lab.in_one_transaction([&] {
        const std::int64_t id = lab.add_experiment(experiment.name(), experiment.to_json().dump());
        Plan plan;
        plan.data_dir = data_dir;
        nlohmann::json origins = nlohmann::json::array();
        for (std::size_t i = 0; i < growth.added.size(); ++i) {
            const AddedRun& added = growth.added[i];
            const RunId run = lab.add_run(id, names[i], to_json(added.spec).dump());
            plan.runs.push_back({run, added.spec, lab.checkpoint_path(run), false, std::nullopt});
            if (!added.continues) continue;
            origins.push_back({{"run", run}, {"from", *added.continues}, {"iteration", added.iteration}});
        }
        lab.add_document(id, extension_document, nlohmann::json({{"continued", origins}}).dump());
        remember_data_dir(lab, id, data_dir);
        if (more) {
            std::vector<RunSpec> specs;
            for (const AddedRun& added : growth.added) specs.push_back(added.spec);
            more(lab, id, specs);
        }
        settle_data(lab, plan);
        // The added runs belong to those that the lab had, so that results must not show the added ones alone.
        RunSelection selection = stored_selection(lab);
        if (selection.experiment == RunSelection::latest_experiment) {
            selection.experiment = RunSelection::all_experiments;
            lab.set_choice(selection_choice, to_text(selection));
        }
        for (std::size_t i = 0; i < growth.added.size(); ++i) {
            if (!growth.added[i].continues) continue;
            const RunId run = plan.runs[i].id;
            continued.emplace_back(run, take_over_history(lab, growth.added[i], run));
        }
    });
    // After the transaction: no checkpoint without its run. A run without checkpoint starts from the beginning.
    for (const auto& [run, checkpoint] : continued) write_checkpoint(lab.checkpoint_path(run), checkpoint);
}

void remember_data_dir(LabFile& lab, std::int64_t experiment, const std::filesystem::path& data_dir) {
    if (data_dir.empty()) return;
    const std::string folder = std::filesystem::absolute(data_dir).lexically_normal().string();
    lab.add_document(experiment, data_dir_document, nlohmann::json({{"data_dir", folder}}).dump());
}

std::filesystem::path remembered_data_dir(const LabFile& lab) {
    const auto stored = lab.experiments();
    for (auto experiment = stored.rbegin(); experiment != stored.rend(); ++experiment) {
        const auto text = lab.document(experiment->id, data_dir_document);
        if (!text) continue;
        const auto json = parse_bounded(*text, nullptr, false);
        if (json.is_object() && json.contains("data_dir")) return json.value("data_dir", "");
    }
    return {};
}

}  // namespace ropelab
