#include "ui/session/lab_document.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QScopeGuard>
#include <QStandardPaths>
#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "core/experiment/halving.h"
#include "core/reproduce/sheet_lab.h"
#include "core/store/imported.h"
#include "core/sweep/lab_growth.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/search.h"
#include "core/sweep/sequential_runs.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Returns the absolute path of the file that a path names; a link is followed.
QString absoluteFile(const QString& path) {
    return fromPath(lab_file_of(toPath(QFileInfo(path).absoluteFilePath())));
}

QString withSuffix(const QString& target) {
    const QString suffix = u".ropelab"_s;
    return absoluteFile(target.endsWith(suffix) ? target : target + suffix);
}

}  // namespace

QString freeLabPath(const QString& stem) {
    QString path = stem + u".ropelab"_s;
    for (int i = 2; QFileInfo::exists(path); ++i) path = u"%1 (%2).ropelab"_s.arg(stem).arg(i);
    return path;
}

LabDocument::LabDocument(QString labs, QObject* parent) : QObject(parent), m_labs(std::move(labs)) {}

LabDocument::~LabDocument() {
    release();
}

QString LabDocument::standardFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + u"/ropelab/labs"_s;
}

QString LabDocument::name() const {
    return m_unsaved ? u"unnamed"_s : QFileInfo(path()).completeBaseName();
}

QString LabDocument::path() const {
    return m_file ? fromPath(m_file->path()) : QString();
}

void LabDocument::startEmptyLab() {
    release();
    m_models.clear();
    m_unsaved = true;
    m_readOnly = false;
    emit opened();
    emit renamed();
}

void LabDocument::open(const QString& path, bool readOnly) {
    if (!m_file || absoluteFile(path) != this->path()) show(read(path, readOnly));
}

LabDocument::Read LabDocument::read(const QString& path, bool readOnly) {
    const QString full = absoluteFile(path);
    // A missing file is not locked, otherwise a lock file would be left beside it.
    std::unique_ptr<QLockFile> lock = !readOnly && QFileInfo::exists(full) ? lockFor(full) : nullptr;
    auto file = LabFile::open(toPath(full), lock ? LabFile::Mode::write : LabFile::Mode::read);
    if (lock) {
        file->recover();
        file->purge();
    }
    return {std::move(file), std::move(lock)};
}

void LabDocument::show(Read lab) {
    const QString folder = QFileInfo(fromPath(lab.file->path())).absolutePath();
    adopt(std::move(lab.file), std::move(lab.lock), folder == QDir(m_labs).absolutePath());
    emit opened();
    emit renamed();
}

void LabDocument::showInstead(const QString& path) {
    if (isSaving())
        throw BadInput(
            "The current lab file is being saved; open the other lab file when the current "
            "one has been saved.");
    std::unique_ptr<LabFile> file;
    if (!path.isEmpty()) file = LabFile::open(toPath(QFileInfo(path).absoluteFilePath()), LabFile::Mode::read);
    if (!m_own) m_own = Own{std::move(m_file), std::move(m_lock), m_unsaved, m_readOnly};
    adopt(std::move(file), nullptr, path.isEmpty());
    m_readOnly = !path.isEmpty();
    emit opened();
    emit renamed();
}

void LabDocument::returnToOwn() {
    if (!m_own) return;
    Own own = *std::exchange(m_own, std::nullopt);
    adopt(std::move(own.file), std::move(own.lock), own.unsaved);
    m_readOnly = own.readOnly;
    emit opened();
    emit renamed();
}

QString LabDocument::ownPath() const {
    if (!m_own) return path();
    return m_own->file ? fromPath(m_own->file->path()) : QString();
}

void LabDocument::saveAs(const QString& target) {
    const QString full = withSuffix(target);
    if (m_file && full == path()) return;
    std::unique_ptr<QLockFile> lock = lockTarget(full);
    if (m_file) {
        m_file->save_as(toPath(full));
    } else {
        LabFile::create(toPath(full));
    }
    becomeCopy(full, std::move(lock));
}

void LabDocument::saveInBackground(const QString& target, std::function<void(const QString& error)> then) {
    QString full;
    auto lock = std::make_shared<std::unique_ptr<QLockFile>>();
    const QString refusal = problemOf([&] {
        full = withSuffix(target);
        if (!m_file) saveAs(full);  // creates an empty lab
        if (full != path()) *lock = lockTarget(full);
    });
    if (!refusal.isEmpty()) return then(refusal);
    if (full == path()) return then({});
    const auto copy = [old = toPath(path()), copied = toPath(full)] {
        return problemOf([&] { LabFile::open(old, LabFile::Mode::read)->save_as(copied); });
    };
    m_saving.start([this, copy, full, lock, then = std::move(then)](const Cancelled&) -> std::function<void()> {
        return [this, failure = copy(), full, lock, then]() mutable {
            if (failure.isEmpty()) failure = problemOf([&] { becomeCopy(full, std::move(*lock)); });
            storeLate();
            then(failure);
        };
    });
}

void LabDocument::becomeCopy(const QString& full, std::unique_ptr<QLockFile> lock) {
    const QString old = path();
    const bool wasUnsaved = m_unsaved;
    std::unique_ptr<LabFile> copy = LabFile::open(toPath(full));
    for (const auto& [name, value] : std::exchange(m_late, {})) copy->set_choice(name, value);
    adopt(std::move(copy), std::move(lock), false);
    if (wasUnsaved && !old.isEmpty()) {
        for (const char* suffix : {"", "-wal", "-shm"}) QFile::remove(old + QLatin1String(suffix));
        QDir(old + u".checkpoints"_s).removeRecursively();
    }
    emit renamed();
}

namespace {

std::vector<RunId> newestRuns(const LabFile& lab, std::size_t count) {
    std::vector<RunId> ids;
    for (const RunRecord& run : lab.runs()) ids.push_back(run.id);
    return {ids.end() - static_cast<std::ptrdiff_t>(count), ids.end()};
}

/// Only the runs that the lab lacks.
Plan extend(LabFile& lab, const Experiment& experiment, const SweepOptions& options,
            const std::filesystem::path& dataDir) {
    if (options.search && options.search->method == Search::Method::halving) {
        throw BadInput(
            "Successive halving compares the runs of one new sweep, so it cannot add runs to the lab; start it as a "
            "new sweep.");
    }
    const Growth growth = growth_of(lab, experiment, options.anew);
    if (growth.added.empty()) throw BadInput(kNoRunIsMissing);
    grow_lab(lab, experiment, growth, dataDir.empty() ? remembered_data_dir(lab) : dataDir,
             [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
                 if (options.search) store_search(file, id, *options.search, runs);
             });
    return plan_continued_runs(lab, newestRuns(lab, growth.added.size()));
}

Plan storeSweep(LabFile& lab, const Experiment& experiment, const SweepOptions& options,
                const std::filesystem::path& dataDir) {
    Search search;
    const Experiment sampled = sampledExperiment(experiment, options, &search);
    if (options.extends && newest_experiment(lab)) return extend(lab, sampled, options, dataDir);
    const StoreMore more = [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
        enter_predictions(file, id, runs);
        if (options.search) store_search(file, id, search, runs);
        if (options.stopping) file.add_document(id, stopping_document, to_json(*options.stopping).dump());
    };
    Plan plan = options.stopping ? plan_new_runs(lab, sampled, first_runs(sampled, *options.stopping), more)
                                 : plan_new_runs(lab, sampled, more);
    const std::vector<RunSpec> all = options.search ? sampled.expand() : std::vector<RunSpec>();
    for (PlannedRun& run : plan.runs) {
        if (options.search) run.stopping = halving_of(search, run.experiment, all);
    }
    return plan;
}

std::vector<RunId> idsOf(const Plan& plan) {
    std::vector<RunId> ids;
    for (const PlannedRun& run : plan.runs) ids.push_back(run.id);
    std::ranges::sort(ids);
    return ids;
}

}  // namespace

bool LabDocument::isLarge(const QString& path) {
    return QFileInfo(path).size() >= 8'000'000;
}

Plan LabDocument::addSweep(const Experiment& experiment, const SweepOptions& options,
                           const std::filesystem::path& dataDir) {
    sampledExperiment(experiment, options).expand();  // throws for an invalid experiment before a file is created
    Plan plan = storeSweep(writable(), experiment, options, dataDir);
    emit runsChanged({idsOf(plan)});
    return plan;
}

void LabDocument::addSweepInBackground(const Experiment& experiment, const SweepOptions& options,
                                       const std::filesystem::path& dataDir,
                                       std::function<void(Plan plan, const QString& error)> then) {
    if (!m_file || !isLarge(path())) {
        return then(addSweep(experiment, options, dataDir), {});
    }
    writable();
    m_isAdding = true;
    m_saving.start([this, experiment, options, dataDir, lab = m_file->path(),
                    then = std::move(then)](const Cancelled&) -> std::function<void()> {
        const auto plan = std::make_shared<Plan>();
        const QString error = problemOf([&] { *plan = storeSweep(*LabFile::open(lab), experiment, options, dataDir); });
        return [this, plan, error, then] {
            auto ends = qScopeGuard([this] { m_isAdding = false; });  // a damaged lab may throw
            if (error.isEmpty()) emit runsChanged({idsOf(*plan)});
            ends.dismiss();
            if (!m_isAdding) return;  // another lab was opened then
            // In a later turn of the event loop, so that neither of both stops the window for long.
            m_saving.start([this, plan, error, then](const Cancelled&) -> std::function<void()> {
                return [this, plan, error, then] {
                    m_isAdding = false;
                    storeLate();
                    then(std::move(*plan), error);
                };
            });
        };
    });
}

std::vector<RunId> LabDocument::addNextLooks() {
    std::vector<RunId> added;
    if (!m_file || m_readOnly || isSaving()) return added;
    if (const auto count = add_next_looks(*m_file); count > 0)
        added = newestRuns(*m_file, static_cast<std::size_t>(count));
    if (added.empty()) return added;
    emit runsChanged({added});
    return added;
}

Plan LabDocument::planToResume(const std::vector<RunId>& runs) const {
    return plan_continued_runs(*m_file, runs);
}

bool LabDocument::canResume(const RunRecord& run) {
    return run.state == RunState::stopped || run.state == RunState::failed || run.state == RunState::waiting;
}

bool LabDocument::isUnfinished(const RunRecord& run) {
    return canResume(run) && !stopped_at_rung(run) && (run.state != RunState::failed || run.iteration == 0);
}

std::optional<Experiment> LabDocument::latestExperiment(SweepOptions* options) const {
    const auto all = experiments();
    const auto newest = std::find_if(all.rbegin(), all.rend(),
                                     [](const auto& experiment) { return experiment.name != imported_experiment; });
    if (newest == all.rend()) return std::nullopt;
    Experiment latest = Experiment::from_text(newest->description);
    if (!options) return latest;
    options->search = stored_search(*m_file, newest->id);
    if (options->search && !options->search->ranges.empty()) latest.set_explicit_runs({});
    const auto rule = stored_stopping_rule(*m_file, newest->id);
    const SequentialDesign* design = sequential_in(rule);
    if (!design || m_file->document(newest->id, sheet_document)) return latest;
    options->stopping = *design;
    Experiment first = latest;  // its seeds begin the same list
    first.set("seed", {latest.values("seed").front()});
    Experiment full = first;
    set_sequential_seeds(full, *design);
    return full == latest ? first : latest;
}

void LabDocument::renameRun(RunId id, const QString& name) {
    writable().rename_run(id, name.toStdString());
    emit runsChanged({{id}});
}

void LabDocument::annotateRun(RunId id, const QString& note) {
    writable().annotate_run(id, note.toStdString());
    emit runsChanged({{id}});
}

void LabDocument::deleteRun(RunId id) {
    writable().delete_run(id);
    emit runsChanged({{}, {id}});
}

void LabDocument::restoreRun(RunId id) {
    writable().restore_run(id);
    emit runsChanged({{id}});
}

void LabDocument::setLook(const SettingLook& look) {
    writable().set_setting_looks(std::span(&look, 1));
    emit lookChanged(look);
}

void LabDocument::addAnswers(const std::vector<AnswerRecord>& answers) {
    if (!m_own) return writable().add_answers(answers);
    if (m_own->readOnly)
        throw BadInput(
            "Your lab file is open read-only, so the answers of the class cannot be stored in it; save your lab file "
            "under another name.");
    if (!m_own->file) std::tie(m_own->file, m_own->lock) = makeUnsaved();
    m_own->file->add_answers(answers);
}

void LabDocument::deleteAnswers(const std::vector<AnswerRecord>& answers) {
    if (m_own)
        throw BadInput(
            "Answers can only be deleted from your own lab file, not from that of a lecture; end the lecture first.");
    std::vector<std::string> ids;
    for (const AnswerRecord& answer : answers) ids.push_back(answer.id);
    writable().delete_answers(ids);
}

bool LabDocument::storeLooks(const std::vector<SettingLook>& looks) {
    if (!m_file || m_readOnly || isSaving()) return false;
    try {
        m_file->set_setting_looks(looks);
    } catch (const BadInput&) {
        return false;
    }
    return true;
}

std::string LabDocument::choice(const std::string& name) const {
    if (!m_file) return {};
    if (const auto late = m_late.find(name); late != m_late.end()) return late->second;
    try {
        return m_file->choice(name);
    } catch (const BadInput&) {
        return {};
    }
}

bool LabDocument::storeChoice(const std::string& name, const std::string& value) {
    if (!m_file || m_readOnly) return false;
    if (isSaving()) {
        m_late[name] = value;
        return true;
    }
    try {
        m_file->set_choice(name, value);
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

void LabDocument::storeLate() {
    for (const auto& [name, value] : std::exchange(m_late, {})) storeChoice(name, value);
}

LabFile& LabDocument::writable() {
    if (m_readOnly && m_own) {
        throw BadInput(
            "The open lab file is the recording of a lecture, which cannot be changed. End the lecture, or save the "
            "lab under another name.");
    }
    if (m_readOnly) {
        throw BadInput(
            "This lab file is open read-only, because another window has it open or the file cannot be written. To "
            "change it, save it under another name first.");
    }
    if (isSaving())
        throw BadInput(
            "The lab file cannot be changed while it is being saved under another name or while a sweep is being "
            "added.");
    if (!m_file) {
        auto [file, lock] = makeUnsaved();
        const std::vector<ModelMark> models = m_models;
        adopt(std::move(file), std::move(lock), true);
        for (const ModelMark& mark : models) addModel(mark);
        emit renamed();
    }
    return *m_file;
}

QString LabDocument::unusedPath() const {
    QDir().mkpath(m_labs);
    // The number distinguishes labs that are created in the same second.
    return freeLabPath(m_labs + QDateTime::currentDateTime().toString(u"/'lab' yyyy-MM-dd HH.mm.ss"_s));
}

std::pair<std::unique_ptr<LabFile>, std::unique_ptr<QLockFile>> LabDocument::makeUnsaved() const {
    const QString path = unusedPath();
    auto lock = lockFor(path);
    return {LabFile::create(toPath(path)), std::move(lock)};
}

void LabDocument::adopt(std::unique_ptr<LabFile> file, std::unique_ptr<QLockFile> lock, bool unsaved) {
    release();
    m_file = std::move(file);
    m_readOnly = lock == nullptr;
    m_lock = std::move(lock);
    m_unsaved = unsaved;
    // A damaged list is that of no models; opening one writes it anew.
    if (!problemOf([this] { m_models = marks_of_text(choice("models")); }).isEmpty()) m_models.clear();
}

const ModelMark* LabDocument::model(RunId id) const {
    const auto index = static_cast<std::size_t>(-1 - id);
    return id < 0 && index < m_models.size() ? &m_models[index] : nullptr;
}

RunId LabDocument::addModel(const ModelMark& mark) {
    const std::size_t place = keep_mark(m_models, mark);
    storeChoice("models", text_of_marks(m_models));
    emit modelsChanged();
    return -1 - static_cast<RunId>(place);
}

void LabDocument::release() {
    m_saving.cancel();
    m_isAdding = false;
    if (!m_late.empty()) m_saving.wait();  // a cancelled job may still write
    storeLate();
    m_file.reset();
    m_lock.reset();
}

std::unique_ptr<QLockFile> LabDocument::lockTarget(const QString& path) const {
    std::unique_ptr<QLockFile> lock = lockFor(path);
    if (!lock) {
        throw BadInput(
            u"%1 cannot be written because another window has it open or its folder is not "
            "writable; close the other window or choose another name."_s.arg(path)
                .toStdString());
    }
    return lock;
}

std::unique_ptr<QLockFile> LabDocument::lockFor(const QString& path) {
    auto lock = std::make_unique<QLockFile>(path + u".lock"_s);
    lock->setStaleLockTime(0);  // a lock is stale only if its program has ended
    if (!lock->tryLock(0)) return nullptr;
    return lock;
}

}  // namespace ropelab::ui

#include "moc_lab_document.cpp"
