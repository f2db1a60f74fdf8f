#include "ui/session/workspace.h"

#include <QFileInfo>
#include <QScopedValueRollback>
#include <QUndoCommand>
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/experiment/setting_names.h"
#include "core/interop/model_steps.h"
#include "core/machine/libtorch.h"
#include "core/sweep/lab_growth.h"
#include "ui/common/paths.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

class LabCommand : public QUndoCommand {
 public:
    LabCommand(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), m_redo(std::move(redo)), m_undo(std::move(undo)) {}
    void redo() override { m_redo(); }
    void undo() override { m_undo(); }

 private:
    std::function<void()> m_redo;
    std::function<void()> m_undo;
};

}  // namespace

Workspace::Workspace(WorkspaceOptions options, QObject* parent)
    : SessionActions(parent),
      m_options(std::move(options)),
      m_settings(m_options.settingsFile),
      m_lab(m_options.labsFolder.isEmpty() ? LabDocument::standardFolder() : m_options.labsFolder),
      m_experiment(presets().front().experiment, &m_undo),
      m_session(engine()),
      m_meter(engine()) {
    connect(&m_meter, &SweepMeter::ended, this, [this] {
        if (auto plan = std::exchange(m_afterMeter, std::nullopt)) {
            attempt(u"start"_s, [&] { train(std::move(*plan)); });
        }
    });
    connect(&m_session, &SweepSession::queueChanged, this, &Workspace::storeQueue);
    connect(&m_session, &SweepSession::delivered, &m_runs, &RunStore::apply);
    connect(&m_session, &SweepSession::ended, this, &Workspace::sweepEnded);
    connect(&m_session, &SweepSession::trouble, this, [this](const QString& message) {
        if (message.isEmpty()) return emit solved(u"recorder"_s);
        emit problem(
            u"recorder"_s,
            u"The lab file cannot be written at the moment: %1 Training continues; its measurements stay in memory, "
            "and writing is retried."_s.arg(message));
    });
    connect(&m_lab, &LabDocument::opened, this, [this] {
        if (!m_isExchanging) m_undo.clear();
        if (auto loaded = std::exchange(m_loaded, std::nullopt)) {
            m_runs.adopt(std::move(*loaded));
        } else {
            m_runs.reload(m_lab.file(), false);
        }
        storeColors();
        if (m_isExchanging) return;
        attempt(u"experiment"_s, [this] {
            SweepOptions stored;
            if (auto latest = m_lab.latestExperiment(&stored)) m_experiment.replace(*latest, stored);
        });
    });
    connect(&m_lab, &LabDocument::runsChanged, this, [this](const RunChanges& changes) {
        changes.areOfAll() ? m_runs.reload(m_lab.file(), true)
                           : m_runs.renewRuns(*m_lab.file(), changes.renewed, changes.deleted);
        storeColors();
    });
    connect(&m_lab, &LabDocument::lookChanged, &m_runs, &RunStore::setLook);
    connect(&m_lab, &LabDocument::renamed, this, &Workspace::storeLabPath);
}

Workspace::~Workspace() = default;

bool Workspace::hasLibTorch() {
    if (m_options.engine || !lacks_libtorch()) return true;
    emit libTorchMissing();
    return false;
}

void Workspace::start() {
    if (m_session.isActive() || m_afterMeter || m_lab.isAdding() || !hasLibTorch()) return;
    cancelOpening();
    if (m_lab.isSaving()) return whenIdle([this] { start(); });
    emit starting();
    if (m_isExample) return showOwnLab([this] { start(); });
    attempt(u"start"_s, [this] {
        const SweepOptions& options = m_experiment.options();
        if (sampledExperiment(m_experiment.value(), options).expand().empty())
            throw BadInput("The sweep has no runs to train; add a run to the sweep.");
        addSweep([this, extends = options.extends](Plan plan) {
            // Runs of earlier sweeps are hidden, so that the plot shows only the new sweep, unless it extends them.
            std::set<RunId> added;
            for (const PlannedRun& run : plan.runs) added.insert(run.id);
            if (!extends) m_runs.setVisible([&](const RunView& run) { return added.contains(run.record.id); });
            train(std::move(plan));
        });
    });
}

void Workspace::addSweep(std::function<void(Plan plan)> then) {
    m_lab.addSweepInBackground(m_experiment.value(), m_experiment.options(), m_options.dataDir,
                               [this, then = std::move(then)](const Plan& plan, const QString& error) {
                                   attempt(u"start"_s, [&] {
                                       if (!error.isEmpty()) throw BadInput(error.toStdString());
                                       then(plan);
                                   });
                               });
}

void Workspace::resumeRuns(const std::vector<RunId>& runs) {
    if (m_session.isActive() || m_afterMeter || runs.empty() || !hasLibTorch()) return;
    m_lab.waitForSweep();  // which is trained first; whenIdle() would stop it
    if (m_lab.isSaving()) return whenIdle([this, runs] { resumeRuns(runs); });
    attempt(u"start"_s, [this, &runs] {
        if (m_lab.isReadOnly()) {
            throw BadInput(
                "This lab file is open read-only, because another window has it open or the file cannot be written. To "
                "resume its runs here, save it under another name.");
        }
        const std::set<RunId> resumed(runs.begin(), runs.end());
        m_runs.setVisible([&](const RunView& run) { return run.visible || resumed.contains(run.record.id); });
        Plan plan = m_lab.planToResume(runs);
        m_session.isActive() || m_afterMeter ? append(plan) : train(std::move(plan));
    });
}

std::vector<RunId> Workspace::unfinishedRuns() const {
    std::vector<RunId> result;
    if (m_session.isActive()) return result;
    for (const RunView& run : m_runs.runs()) {
        if (LabDocument::isUnfinished(run.record)) result.push_back(run.record.id);
    }
    const QStringList left = m_settings.value("train/queue").toStringList();
    if (left.isEmpty() || left.front() != m_lab.path()) return result;
    const auto place = [&left](RunId run) {
        return left.indexOf(QString::number(run));
    };  // −1: the run had already started
    std::stable_sort(result.begin(), result.end(), [&](RunId a, RunId b) { return place(a) < place(b); });
    return result;
}

void Workspace::enqueue() {
    if (!m_session.isActive()) return start();
    if (m_lab.isAdding()) return;
    attempt(u"start"_s, [this] { addSweep([this](const Plan& plan) { append(plan); }); });
}

void Workspace::append(const Plan& plan) {
    if (m_afterMeter) {
        m_afterMeter->runs.insert(m_afterMeter->runs.end(), plan.runs.begin(), plan.runs.end());
    } else if (m_session.append(plan.runs)) {
        for (const PlannedRun& run : plan.runs) m_training.push_back(run.id);
    } else {  // No sweep is active any more.
        whenIdle([this, plan] { attempt(u"start"_s, [&] { train(plan); }); });
    }
}

void Workspace::removeWaiting(std::int64_t cohort) {
    const std::vector<WaitingCohort> waiting = m_session.waiting();
    const auto found =
        std::find_if(waiting.begin(), waiting.end(), [&](const auto& each) { return each.id == cohort; });
    if (found == waiting.end() || !m_session.removeWaiting(cohort)) return;
    std::vector<RunId> fresh;
    for (const RunId id : found->runs) {
        const RunView* run = m_runs.find(id);
        if (run && run->record.iteration == 0) fresh.push_back(id);
    }
    if (fresh.empty()) return;
    change(
        u"remove waiting runs"_s, [this, fresh] { deleteNow(fresh); },
        [this, fresh] {
            for (const RunId id : fresh) m_lab.restoreRun(id);
        });
}

void Workspace::measure(std::vector<std::vector<RunSpec>> cohorts) {
    if (m_session.isActive() || m_meter.isActive() || !hasLibTorch()) return;
    m_meter.measure(std::move(cohorts), m_options.dataDir);
}

void Workspace::pauseOrResume() {
    if (m_session.state() == SweepSession::State::running) {
        m_session.pause();
    } else if (m_session.state() == SweepSession::State::paused) {
        m_session.resume();
    }
}

void Workspace::renameRun(RunId id, const QString& name) {
    const RunView* run = m_runs.find(id);
    const QString before = run ? QString::fromStdString(run->record.name) : QString();
    if (!run || name.trimmed().isEmpty() || name == before) return;
    change(
        u"rename %1"_s.arg(before), [this, id, name] { m_lab.renameRun(id, name); },
        [this, id, before] { m_lab.renameRun(id, before); });
}

void Workspace::annotateRun(RunId id, const QString& note) {
    const RunView* run = m_runs.find(id);
    const QString before = run ? QString::fromStdString(run->record.note) : QString();
    if (!run || note == before) return;
    change(
        u"edit note of %1"_s.arg(run->name), [this, id, note] { m_lab.annotateRun(id, note); },
        [this, id, before] { m_lab.annotateRun(id, before); });
}

void Workspace::changeLook(const QString& text, const SettingLook& look) {
    const std::optional<std::string> setting = setting_key(look);
    if (!setting) return;
    const SettingLook before = m_runs.colors().lookOf(*setting);
    if (before.settings != look.settings || before == look) return;
    change(
        text, [this, look] { m_lab.setLook(look); }, [this, before] { m_lab.setLook(before); });
}

void Workspace::renameSetting(const std::string& setting, const QString& name) {
    attempt(u"lab"_s, [&] {
        SettingLook look = m_runs.colors().lookOf(setting);
        look.name = name.trimmed().toStdString();
        for (const RunView& run : m_runs.runs()) {
            if (look.name.empty() || run.setting == setting || run.settingName != look.name) continue;
            throw BadInput("Another setting (group of runs) of this lab already has the name \"" + look.name +
                           "\"; choose another name.");
        }
        changeLook(u"rename setting"_s, look);
    });
}

void Workspace::deleteRun(RunId id) {
    const RunView* run = m_runs.find(id);
    if (!run || !attempt(u"training"_s, [&] { requireEnded({id}); })) return;
    change(
        u"delete %1"_s.arg(run->name), [this, id] { deleteNow({id}); }, [this, id] { m_lab.restoreRun(id); });
}

void Workspace::requireEnded(const std::vector<RunId>& runs) const {
    for (const RunId id : runs) {
        const RunView* run = m_runs.find(id);
        if (!run || !m_session.isTraining(id)) continue;
        throw BadInput("The run " + run->record.name + " is training; stop the run before you delete it.");
    }
}

void Workspace::deleteNow(const std::vector<RunId>& runs) {
    requireEnded(runs);
    for (const RunId id : runs) m_lab.deleteRun(id);
}

void Workspace::change(const QString& text, std::function<void()> redo, std::function<void()> undo) {
    attempt(u"lab"_s, [&] {
        auto command = std::make_unique<LabCommand>(text, std::move(redo), std::move(undo));
        m_undo.push(command.get());  // calls redo(), which may throw
        command.release();
    });
}

void Workspace::newLab() {
    whenIdle([this] {
        m_labJob.cancel();
        exchangeLab([this] { m_lab.returnToOwn(); });
        addUnsavedToRecent();
        m_lab.startEmptyLab();
        m_settings.setValue("lab/unsaved", QString());
    });
}

void Workspace::openLab(const QString& path) {
    if (!LabDocument::isLarge(path) || isSameFile(path, m_lab.ownPath())) return openLabNow(path);
    whenIdle([this, path] {
        if (isSameFile(path, openingLab())) return;  // a second reading would find the file locked
        m_opening = QFileInfo(path).absoluteFilePath();
        m_labJob.start([this, path](const Cancelled& cancelled) -> std::function<void()> {
            const auto lab = std::make_shared<LabDocument::Read>();
            const auto runs = std::make_shared<LoadedRuns>();
            const QString why = problemOf([&] {
                *lab = LabDocument::read(path);
                if (!cancelled()) *runs = RunStore::load(*lab->file);
            });
            // Here, because the colours of thousands of new settings would stop the window.
            const auto storeLooks = [&] { lab->file->set_setting_looks(runs->colors.unstored()); };
            if (lab->lock && !cancelled() && problemOf(storeLooks).isEmpty()) runs->colors.setStored();
            return [this, lab, runs, why] {
                showLab([&] {
                    if (!why.isEmpty()) throw BadInput(why.toStdString());
                    m_loaded = std::move(*runs);
                    m_lab.show(std::move(*lab));
                });
            };
        });
    });
}

void Workspace::openLabNow(const QString& path) {
    whenIdle([this, path] {
        if (!isSameFile(path, openingLab())) m_labJob.cancel();
        const bool isRead = isOpeningLab();
        m_labJob.wait();  // also for a cancelled job, which may have locked the file
        if (!isRead) showLab([&] { readAndShow(path); });
    });
}

void Workspace::readAndShow(const QString& path) {
    if (isSameFile(path, m_lab.path())) return;
    LabDocument::Read lab = LabDocument::read(path);
    m_loaded = RunStore::load(*lab.file);
    m_lab.show(std::move(lab));
}

void Workspace::cancelOpening() {
    const QString path = openingLab();
    if (path.isEmpty()) return;
    m_labJob.cancel();
    emit problem(
        u"opening"_s,
        u"%1 has not been opened, because a sweep started while the file was being read. Open it again."_s.arg(path));
}

void Workspace::showLab(const std::function<void()>& show) {
    emit solved(u"opening"_s);
    attempt(u"lab"_s, [&] {
        exchangeLab([this] { m_lab.returnToOwn(); });
        addUnsavedToRecent();
        show();
    });
}

bool Workspace::isModel(const QString& path) {
    return QFileInfo(path).isDir() || path.endsWith(u".gguf"_s) || path.endsWith(u".safetensors"_s);
}

void Workspace::openModel(const QString& path) {
    const QString model = path.endsWith(u".json"_s) ? QFileInfo(path).absolutePath() : path;
    m_modelJob.start([this, model](const Cancelled&) -> std::function<void()> {
        const auto mark = std::make_shared<ModelMark>();
        const QString why = problemOf([&] { *mark = mark_of_path(toPath(model)); });
        return [this, mark, why] {
            if (!attempt(u"model"_s, [&why] {
                    if (!why.isEmpty()) throw BadInput(why.toStdString());
                }))
                return;
            const RunId id = m_lab.addModel(*mark);
            m_runs.pick(id);
            emit inspectAsked(id, 0);
        };
    });
}

void Workspace::addUnsavedToRecent() {
    if (m_lab.isUnsaved() && m_lab.hasFile() && !m_runs.runs().empty()) m_settings.addRecentLab(m_lab.path());
}

void Workspace::prepareEngine() {
    m_preparation.start([this](const Cancelled&) -> std::function<void()> {
        try {
            m_engineLock.hold([](Engine&) {});
        } catch (const std::exception&) {
            // Training reports the same problem.
        }
        return [] {};
    });
}

void Workspace::saveLabAs(const QString& path) {
    m_lab.waitForSweep();
    const bool trains = m_session.isActive();
    const bool paused = m_session.state() == SweepSession::State::paused;
    std::vector<RunId> unfinished;
    std::vector<RunId> queued;
    for (const WaitingCohort& cohort : m_session.waiting()) {
        queued.insert(queued.end(), cohort.runs.begin(), cohort.runs.end());
    }
    for (const RunId id : m_training) {
        const bool waits = std::find(queued.begin(), queued.end(), id) != queued.end();
        if (trains && m_session.isTraining(id) && !waits) unfinished.push_back(id);
    }
    if (m_afterMeter) {
        for (const PlannedRun& run : m_afterMeter->runs) queued.push_back(run.id);
    }
    unfinished.insert(unfinished.end(), queued.begin(), queued.end());
    whenIdle([this, path, unfinished, paused] {
        const QString opening = openingLab();  // after the shown lab has been saved
        m_labJob.cancel();
        m_lab.saveInBackground(path, [this, unfinished, paused, opening](const QString& error) {
            if (error.isEmpty()) {
                emit solved(u"lab"_s);
                emit labSaved();
            } else {
                emit problem(u"lab"_s, error);
            }
            // Runs that finished while the sweep was being stopped are not resumed.
            std::vector<RunId> left;
            for (const RunId id : unfinished) {
                const RunView* run = m_runs.find(id);
                if (run && LabDocument::canResume(run->record)) left.push_back(id);
            }
            if (!left.empty() && !paused) resumeRuns(left);
            if (error.isEmpty() && !opening.isEmpty()) openLab(opening);
            callWhenIdle();
        });
    });
}

void Workspace::whenIdle(std::function<void()> then) {
    m_lab.waitForSweep();
    m_afterMeter.reset();  // The sweep has not started; its runs stay in their lab and can be resumed.
    if (!isBusy()) return then();
    m_whenIdle.push_back(std::move(then));
    m_session.stop();
}

void Workspace::callWhenIdle() {
    // whenIdle() lets each function wait again if the previous one made the workspace busy (save, then close).
    for (auto& then : std::exchange(m_whenIdle, {})) whenIdle(std::move(then));
}

void Workspace::beginLecture() {
    if (m_beforeLecture) return;
    m_beforeLecture = m_rotary.state();
    m_rotary.setUndoStack(m_lectureUndo);
}

void Workspace::endLecture() {
    if (!m_beforeLecture) return;
    m_lectureUndo.clear();
    m_rotary.setUndoStack(m_rotaryUndo);
    m_rotary.show(*std::exchange(m_beforeLecture, std::nullopt));
    showOwnLab();
}

void Workspace::requireNoOwnSweep(const char* other) {
    m_lab.waitForSweep();
    if (!trainsOwnSweep()) return;
    throw BadInput("A sweep is training in your lab file, so " + std::string(other) +
                   " cannot be shown; stop the sweep first.");
}

void Workspace::exchangeLab(const std::function<void()>& change) {
    if (!m_lab.isOwn()) addUnsavedToRecent();  // what a lecture trained stays available
    const QScopedValueRollback exchanging(m_isExchanging, true);
    m_isExample = false;
    change();
}

void Workspace::showLabInstead(const QString& path, std::function<void(const QString& error)> then) {
    requireNoOwnSweep("the recorded lab of this scene of the lecture");
    whenIdle([this, path, then = std::move(then)] {
        m_labJob.wait();  // so that the user's lab is the one that was opened
        const QString failure = problemOf([&] { exchangeLab([this, &path] { m_lab.showInstead(path); }); });
        if (then) then(failure);
    });
}

void Workspace::showExample(const QString& path, std::function<void(const QString& error)> then) {
    requireNoOwnSweep("the example");
    showLabInstead(path, [this, then = std::move(then)](const QString& failure) {
        m_isExample = failure.isEmpty();
        then(failure);
    });
}

void Workspace::showOwnLab(std::function<void()> then) {
    if (m_lab.isOwn()) {
        if (then) then();
        return;
    }
    whenIdle([this, then = std::move(then)] {
        m_labJob.wait();
        if (!m_lab.isOwn()) exchangeLab([this] { m_lab.returnToOwn(); });
        if (then) then();
    });
}

void Workspace::trainInstead(const QString& lab, Plan plan, std::function<void(const QString& error)> then) {
    showLabInstead(lab, [this, lab, plan = std::move(plan), then = std::move(then)](const QString& failure) {
        const QString problem = failure.isEmpty() ? problemOf([&] { train(plan); }) : failure;
        if (problem.isEmpty()) m_settings.addRecentLab(lab);
        then(problem);
    });
}

bool Workspace::reopenUnsaved() {
    const QString path = m_settings.value("lab/unsaved").toString();
    if (path.isEmpty() || !QFileInfo::exists(path)) return false;
    try {
        readAndShow(path);
    } catch (const std::exception& error) {
        emit problem(u"lab"_s, QString::fromStdString(error.what()));
        return false;
    }
    if (m_lab.isReadOnly() || m_runs.runs().empty()) {
        // Another window has the lab open, or the lab is empty.
        m_lab.startEmptyLab();
        return false;
    }
    return true;
}

void Workspace::train(Plan plan) {
    cancelOpening();
    if (m_meter.isActive()) {
        m_meter.stop();
        m_afterMeter = std::move(plan);
        return;
    }
    m_training.clear();
    for (const PlannedRun& run : plan.runs) m_training.push_back(run.id);
    plan.data_dir = m_options.dataDir.empty() ? remembered_data_dir(*m_lab.file()) : m_options.dataDir;
    m_session.start(std::move(plan), toPath(m_lab.path()));
}

void Workspace::sweepEnded(RunState how, const QString& message) {
    if (m_lab.file()) m_runs.refreshRecords(*m_lab.file(), m_training);
    emit solved(u"recorder"_s);
    if (how == RunState::failed) {
        emit problem(u"sweep"_s, message);
    }
    if (how != RunState::stopped && m_whenIdle.empty()) {
        attempt(u"start"_s, [this] { resumeRuns(m_lab.addNextLooks()); });
    }
    callWhenIdle();
}

void Workspace::storeLabPath() {
    if (!m_lab.hasFile() || !m_lab.isOwn()) return;
    m_settings.setValue("lab/unsaved", m_lab.isUnsaved() ? m_lab.path() : QString());
    if (!m_lab.isUnsaved()) m_settings.addRecentLab(m_lab.path());
}

void Workspace::storeColors() {
    const std::vector<SettingLook> looks = m_runs.colors().unstored();
    if (!looks.empty() && m_lab.storeLooks(looks)) m_runs.colors().setStored();
}

void Workspace::storeQueue() {
    if (!m_session.isActive() || !m_lab.isOwn()) return;  // The stored queue stays, so that its runs can be resumed.
    QStringList queue = {m_lab.path()};
    for (const WaitingCohort& cohort : m_session.waiting()) {
        for (const RunId run : cohort.runs) queue << QString::number(run);
    }
    m_settings.setValue("train/queue", queue);
}

}  // namespace ropelab::ui

#include "moc_workspace.cpp"
