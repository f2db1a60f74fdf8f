#include "ui/session/experiment_model.h"

#include <QUndoStack>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/settings/keys.h"
#include "core/sweep/lab_growth.h"
#include "core/sweep/sequential_runs.h"
#include "ui/common/text.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

Experiment sampledExperiment(const Experiment& experiment, const SweepOptions& options, Search* search) {
    Experiment result = experiment;
    if (options.search) {
        Search applied = *options.search;
        apply_search(applied, result);
        if (search) *search = std::move(applied);
    }
    if (!options.stopping) return result;
    if (options.extends || (options.search && options.search->method == Search::Method::halving))
        throw BadInput(
            "A stopping rule decides the seeds of a new sweep, so it cannot be combined with successive halving or "
            "with adding only missing runs; switch one of them off.");
    set_sequential_seeds(result, *options.stopping);
    return result;
}

std::vector<RunSpec> runsToTrain(const Experiment& experiment, const SweepOptions& options, const LabFile* lab) {
    const Experiment sampled = sampledExperiment(experiment, options);
    std::vector<RunSpec> runs;
    if (options.stopping) {
        const std::vector<RunSpec> all = sampled.expand();
        for (const std::size_t i : first_runs(sampled, *options.stopping)) runs.push_back(all[i]);
        return runs;
    }
    if (!options.extends || !lab) return sampled.expand();
    for (AddedRun& added : growth_of(*lab, sampled, options.anew).added) {
        added.spec.iterations -= added.iteration;
        runs.push_back(std::move(added.spec));
    }
    if (runs.empty()) throw BadInput(kNoRunIsMissing);
    return runs;
}

namespace {

/// As the sweep panel shows it: "10k", "25 %".
QString shownValue(std::string_view key, const std::string& value) {
    try {
        if (key == "theta") return QString::fromStdString(short_number(parse_number(value)));
        if (key == "fraction" && value.find_first_of("%c") == std::string::npos) {
            return QString::fromStdString(fraction_text(parse_number(value), 0));
        }
    } catch (const BadInput&) {
        // A value like "auto" is shown as it is.
    }
    return QString::fromStdString(value);
}

QString shownValues(const Experiment& experiment, std::string_view key) {
    QStringList values;
    for (const std::string& value : experiment.values(key)) values << shownValue(key, value);
    return values.join(u", "_s);
}

QString experimentChanges(const Experiment& from, const Experiment& to) {
    if (from.explicit_runs() != to.explicit_runs() || from.zips() != to.zips() ||
        from.exclusions() != to.exclusions()) {
        return {};
    }
    QStringList changes;
    for (const Key& key : keys()) {
        const QString before = shownValues(from, key.name);
        const QString after = shownValues(to, key.name);
        const QString name = key.name == "theta" ? u"θ"_s : text(key.name).replace(QLatin1Char('_'), QLatin1Char(' '));
        if (before != after) changes << changedValue(name, before, after);
    }
    return changedValues(changes);
}

}  // namespace

class ExperimentModel::Edit : public UndoStep {
 public:
    Edit(ExperimentModel* model, const QString& text, Experiment after, SweepOptions optionsAfter)
        : UndoStep(text),
          m_model(model),
          m_before(model->m_value),
          m_after(std::move(after)),
          m_optionsBefore(model->m_options),
          m_optionsAfter(std::move(optionsAfter)) {}
    QString values(bool undone) const override {
        return undone ? experimentChanges(m_after, m_before) : experimentChanges(m_before, m_after);
    }
    void undo() override { m_model->set(m_before, m_optionsBefore); }
    void redo() override { m_model->set(m_after, m_optionsAfter); }

 private:
    ExperimentModel* m_model;
    Experiment m_before;
    Experiment m_after;
    SweepOptions m_optionsBefore;
    SweepOptions m_optionsAfter;
};

ExperimentModel::ExperimentModel(Experiment first, QUndoStack* undo, QObject* parent)
    : QObject(parent), m_value(std::move(first)), m_original(m_value), m_undo(undo) {}

void ExperimentModel::editOptions(const QString& text, const std::function<void(Experiment&, SweepOptions&)>& edit) {
    Experiment after = m_value;
    SweepOptions options = m_options;
    edit(after, options);
    if (after == m_value && options == m_options) return;
    m_undo->push(new Edit(this, text, std::move(after), std::move(options)));
}

void ExperimentModel::replace(const Experiment& value, const SweepOptions& options) {
    m_original = value;
    set(value, options);
}

void ExperimentModel::set(const Experiment& value, const SweepOptions& options) {
    m_value = value;
    m_options = options;
    emit changed();
}

}  // namespace ropelab::ui

#include "moc_experiment_model.cpp"
