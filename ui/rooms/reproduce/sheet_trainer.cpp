#include "ui/rooms/reproduce/sheet_trainer.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <algorithm>

#include "core/base/error.h"
#include "core/reproduce/rules/measuring.h"
#include "core/sweep/lab_plan.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/session/engine_work.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSoonMs = 200;   // milliseconds after a run has ended, because several may end together
constexpr int kLaterMs = 700;  // milliseconds until the recorder has written everything to the lab
constexpr const char* kLabsKey = "reproduce/labs";

QString keyOf(const std::string& sheet, SheetScale scale) {
    return QString::fromStdString(sheet + "/" + to_string(scale));
}

QString freePath(const QString& folder, const SheetPlan& plan) {
    const QString stem =
        u"%1/%2 %3 %4"_s.arg(folder, QString::fromStdString(plan.sheet), QString::fromStdString(to_string(plan.scale)),
                             QDateTime::currentDateTime().toString(u"yyyy-MM-dd HH.mm.ss"_s));
    return freeLabPath(stem);
}

// The lab is created in a temporary folder and then moved: a lab at `path` either contains the whole sheet or does not
// exist.
void makeLab(const SheetPlan& plan, const QString& path, const std::filesystem::path& dataDir,
             const Cancelled& cancelled) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    const QTemporaryDir folder;
    if (!folder.isValid())
        throw BadInput("The program cannot create a temporary folder for the reproduction: " +
                       folder.errorString().toStdString());
    const auto lab = LabFile::create(toPath(folder.filePath(u"sheet.ropelab"_s)));
    enter_sheet(*lab, plan);
    Plan runs = plan_continued_runs(*lab, unfinished_runs(*lab));
    runs.data_dir = dataDir;
    settle_data(*lab, runs);
    if (cancelled()) return;
    lab->save_as(toPath(path));
}

}  // namespace

SheetProgress progressOf(const LabFile& lab, const StoredSheet& sheet) {
    const std::vector<SheetRun> runs = sheet_runs(lab, sheet.experiment);
    SheetProgress progress;
    progress.rows = evaluate(sheet.plan, runs);
    progress.predictions = score(sheet.plan, runs);
    progress.runs = static_cast<std::int64_t>(runs.size());
    for (const SheetRun& run : runs) {
        const bool isFailed = run.state == RunState::failed;
        progress.failed += isFailed ? 1 : 0;
        progress.ended += isFailed || run.state == RunState::finished ? 1 : 0;
    }
    progress.unmeasured = unmeasured_runs(sheet.plan, runs);
    return progress;
}

SheetTrainer::SheetTrainer(SessionActions& actions, RunAccess access, Settings& settings, QObject* parent)
    : QObject(parent), m_actions(actions), m_access(std::move(access)), m_settings(settings) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &SheetTrainer::load);
    LabDocument& lab = m_access.lab;
    connect(&lab, &LabDocument::opened, this, [this] {
        findSheet();
        const QString expected = std::exchange(m_labToContinue, {});
        if (!expected.isEmpty() && expected == m_access.lab.path()) continueSheet();
    });
    connect(&lab, &LabDocument::renamed, this, &SheetTrainer::rememberLab);
    connect(&lab, &LabDocument::runsChanged, this, &SheetTrainer::findSheet);
    SweepSession& session = m_access.session;
    connect(&session, &SweepSession::delivered, this, &SheetTrainer::handleDeliveries);
    connect(&session, &SweepSession::stateChanged, this, &SheetTrainer::changed);
    connect(&session, &SweepSession::started, this, [this] {
        if (m_isMeasuring) stop();  // other training would distort measured speeds
    });
    // Queued, so that the session handles the end first (it may save the lab under another name).
    connect(&session, &SweepSession::ended, this, &SheetTrainer::ended, Qt::QueuedConnection);
    findSheet();
}

SheetTrainer::~SheetTrainer() = default;

SheetTrainer::Step SheetTrainer::step() const {
    if (m_isPreparing) return Step::preparing;
    if (m_isMeasuring) return Step::measuring;
    if (m_isContinuing) return Step::training;
    if (!m_sheet || !m_access.session.isActive()) return Step::idle;
    const auto& runs = m_access.runs.runs();
    const bool isOurs = std::any_of(runs.begin(), runs.end(), [this](const RunView& run) {
        return run.record.experiment == m_sheet->experiment && m_access.session.isTraining(run.record.id);
    });
    return isOurs ? Step::training : Step::idle;
}

QString SheetTrainer::labOf(const std::string& sheet, SheetScale scale) const {
    const auto labs = QJsonDocument::fromJson(m_settings.value(kLabsKey).toString().toUtf8()).object();
    const QString path = labs.value(keyOf(sheet, scale)).toString();
    return QFileInfo::exists(path) ? path : QString();
}

void SheetTrainer::rememberLab() {
    m_lab = m_access.lab.path();
    if (!m_sheet || m_access.lab.isReadOnly()) return;
    auto labs = QJsonDocument::fromJson(m_settings.value(kLabsKey).toString().toUtf8()).object();
    labs[keyOf(m_sheet->plan.sheet, m_sheet->plan.scale)] = m_lab;
    m_settings.setValue(kLabsKey, QString::fromUtf8(QJsonDocument(labs).toJson(QJsonDocument::Compact)));
}

void SheetTrainer::findSheet() {
    const QString path = m_access.lab.path();
    const auto before = m_sheet ? m_sheet->experiment : -1;
    const bool isOther = path != m_lab;
    if (isOther) {
        m_work.cancel();
        m_isContinuing = m_isMeasuring = m_isPreparing = false;
        m_failure.clear();
    }
    m_sheet.reset();
    try {
        if (const LabFile* file = m_access.lab.file()) m_sheet = stored_sheet(*file);
    } catch (const std::exception& error) {
        m_failure = QString::fromStdString(error.what());
    }
    const bool isOtherSheet = isOther || (m_sheet ? m_sheet->experiment : -1) != before;
    if (isOtherSheet) {
        m_progress.reset();
        m_loading.cancel();
        rememberLab();
        emit sheetChanged();
    }
    load();
    emit changed();
}

void SheetTrainer::begin(const SheetPlan& plan) {
    if (step() != Step::idle || m_access.session.isActive()) return;
    m_failure.clear();
    m_isPreparing = true;
    const QString path = freePath(m_access.lab.folder(), plan);
    m_work.start([this, plan, path, dataDir = m_access.dataDir](const Cancelled& cancelled) {
        const QString errorText = problemOf([&] { makeLab(plan, path, dataDir, cancelled); });
        return [this, path, errorText] {
            m_isPreparing = false;
            if (!errorText.isEmpty()) return fail(errorText);
            open(path);
        };
    });
    emit changed();
}

void SheetTrainer::open(const QString& lab) {
    if (m_access.lab.path() == lab) return continueSheet();
    m_labToContinue = lab;
    m_actions.openLab(lab);
}

void SheetTrainer::continueSheet() {
    if (!m_sheet || step() != Step::idle || m_access.session.isActive()) return;
    if (m_access.lab.isReadOnly()) {
        return fail(u"This lab file is read-only. Save it under another name to continue its experiment."_s);
    }
    m_failure.clear();
    m_isContinuing = true;
    next();
}

void SheetTrainer::next() {
    if (!m_isContinuing || m_access.session.isActive()) return;
    std::vector<RunId> runs;
    const QString problem = problemOf([&] {
        for (const PlannedRun& run : remaining_plan(*m_access.lab.file(), *m_sheet).runs) runs.push_back(run.id);
    });
    if (!problem.isEmpty()) return fail(problem);
    if (runs.empty()) return measure();
    QString sentence;
    const auto connection = connect(&m_actions, &SessionActions::problem, this,
                                    [&sentence](const QString&, const QString& why) { sentence = why; });
    m_actions.resumeRuns(runs);
    disconnect(connection);
    if (!m_access.session.isActive()) return fail(sentence);
    emit changed();
}

void SheetTrainer::measure() {
    m_isMeasuring = true;
    EngineLock& engineLock = m_access.engineLock;
    engineLock.released();
    m_work.start([this, path = m_access.lab.path(), sheet = *m_sheet, dataDir = m_access.dataDir,
                  &engineLock](const Cancelled& cancelled) -> std::function<void()> {
        return [this, problem = measureWithLock(engineLock, path, {sheet}, dataDir, cancelled)] {
            m_isContinuing = m_isMeasuring = false;
            if (!problem.isEmpty()) return fail(problem);
            bool hasNextLook = false;
            const QString refusal = problemOf([&] { hasNextLook = !m_access.lab.addNextLooks().empty(); });
            if (!refusal.isEmpty()) return fail(refusal);
            if (hasNextLook) return continueSheet();
            load();
            emit changed();
        };
    });
    m_timer.start(kLaterMs);
    emit changed();
}

void SheetTrainer::stop() {
    m_isContinuing = false;
    if (m_isPreparing || m_isMeasuring) {
        m_isPreparing = m_isMeasuring = false;
        m_work.cancel();
        load();
    } else {
        m_access.session.stop();
    }
    emit changed();
}

void SheetTrainer::ended(RunState how, const QString& message) {
    load();
    if (m_access.session.isActive()) return;  // the runs of the next look train already
    if (m_isContinuing && how == RunState::failed) {
        // A diverged run fails alone and is part of the result. If no run has finished, there is no result.
        return hasResult() ? measure() : fail(message);
    }
    if (how != RunState::finished) m_isContinuing = false;
    if (m_isContinuing) next();
    emit changed();
}

bool SheetTrainer::hasResult() const {
    bool hasFinished = false;
    for (const RunRecord& run : m_access.lab.file()->runs()) {
        if (run.experiment != m_sheet->experiment) continue;
        if (run.state != RunState::finished && run.state != RunState::failed) return false;
        hasFinished = hasFinished || run.state == RunState::finished;
    }
    return hasFinished;
}

void SheetTrainer::handleDeliveries(const std::vector<Delivery>& deliveries) {
    const bool someEnded = std::any_of(deliveries.begin(), deliveries.end(), [](const Delivery& delivery) {
        const auto* event = std::get_if<Event>(&delivery);
        return event && std::holds_alternative<event::RunEnded>(*event);
    });
    if (someEnded && !m_timer.isActive()) m_timer.start(kSoonMs);
}

void SheetTrainer::fail(const QString& sentence) {
    m_isContinuing = m_isMeasuring = m_isPreparing = false;
    m_failure = sentence;
    load();
    emit changed();
}

void SheetTrainer::watch(bool on) {
    m_isWatched = on;
    if (on && m_isStale) load();
}

void SheetTrainer::load() {
    m_isStale = true;
    if (!m_isWatched || !m_sheet || m_loading.isRunning()) return;
    m_isStale = false;
    m_loading.start([this, path = m_access.lab.path(), sheet = *m_sheet](const Cancelled&) {
        std::optional<SheetProgress> progress;
        const QString errorText =
            problemOf([&] { progress = progressOf(*LabFile::open(toPath(path), LabFile::Mode::read), sheet); });
        return [this, progress = std::move(progress), errorText]() mutable {
            if (progress) return setProgress(std::move(*progress));
            m_failure = errorText;
            emit changed();
        };
    });
}

void SheetTrainer::loadNow() {
    if (!m_sheet) return;
    m_loading.cancel();
    m_isStale = false;
    setProgress(progressOf(*m_access.lab.file(), *m_sheet));
}

void SheetTrainer::setProgress(SheetProgress progress) {
    m_progress = std::move(progress);
    const auto& runs = m_access.runs.runs();
    const auto ended = std::count_if(runs.begin(), runs.end(), [this](const RunView& run) {
        const RunState state = run.record.state;
        return run.record.experiment == m_sheet->experiment &&
               (state == RunState::finished || state == RunState::failed);
    });
    // The recorder writes on another thread, and the measuring job reports no progress.
    const bool isBehind = m_access.session.isActive() && ended > m_progress->ended;
    if (isBehind || m_isMeasuring) {
        m_timer.start(kLaterMs);
    } else if (m_isStale) {
        m_timer.start(kSoonMs);
    }
    emit changed();
}

}  // namespace ropelab::ui

#include "moc_sheet_trainer.cpp"
