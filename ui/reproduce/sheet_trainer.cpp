#include "ui/reproduce/sheet_trainer.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <algorithm>

#include "core/experiment/lab_plan.h"
#include "core/experiment/sheets/measuring.h"
#include "core/spec/error.h"
#include "ui/results/ledger_page.h"
#include "ui/window/paths.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

constexpr int soonMs = 200;   // after a run has ended: several may end together
constexpr int laterMs = 700;  // the recorder has not written everything down yet
constexpr const char* labsKey = "reproduce/labs";

QString keyOf(const std::string& sheet, SheetScale scale) {
    return QString::fromStdString(sheet + "/" + to_string(scale));
}

QString freePath(const QString& folder, const SheetPlan& plan) {
    const QString stem =
        QStringLiteral("%1/%2 %3 %4")
            .arg(folder, QString::fromStdString(plan.sheet), QString::fromStdString(to_string(plan.scale)),
                 QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd HH.mm.ss")));
    QString path = stem + QStringLiteral(".ropelab");
    for (int i = 2; QFileInfo::exists(path); ++i) path = QStringLiteral("%1 (%2).ropelab").arg(stem).arg(i);
    return path;
}

// Entered elsewhere and moved: a lab by this name has its whole sheet, or is not there.
void makeLab(const SheetPlan& plan, const QString& path, const std::filesystem::path& dataDir,
             const Cancelled& cancelled) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    const QTemporaryDir folder;
    if (!folder.isValid())
        throw BadInput("A folder for the sheet cannot be made: " + folder.errorString().toStdString());
    const auto lab = LabFile::create(toPath(folder.filePath(QStringLiteral("sheet.ropelab"))));
    enter_sheet(*lab, plan);
    Plan runs = plan_continued_runs(*lab, unfinished_runs(*lab));
    runs.data_dir = dataDir;
    settle_texts(*lab, runs);
    if (cancelled()) return;
    lab->save_as(toPath(path));
}

}  // namespace

SheetStanding standingOf(const LabFile& lab, const StoredSheet& sheet) {
    const std::vector<SheetRun> runs = sheet_runs(lab, sheet.experiment);
    SheetStanding standing;
    standing.rows = evaluate(sheet.plan, runs);
    standing.predictions = score(sheet.plan, runs);
    standing.runs = static_cast<std::int64_t>(runs.size());
    for (const SheetRun& run : runs) {
        const bool isFailed = run.state == RunState::failed;
        standing.failed += isFailed ? 1 : 0;
        standing.ended += isFailed || run.state == RunState::finished ? 1 : 0;
    }
    standing.unmeasured = unmeasured_runs(sheet.plan, runs);
    return standing;
}

SheetTrainer::SheetTrainer(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &SheetTrainer::read);
    LabDocument& lab = workspace.lab();
    connect(&lab, &LabDocument::opened, this, &SheetTrainer::lookForSheet);
    connect(&lab, &LabDocument::renamed, this, &SheetTrainer::remember);
    connect(&lab, &LabDocument::runsChanged, this, &SheetTrainer::lookForSheet);
    SweepSession& session = workspace.session();
    connect(&session, &SweepSession::delivered, this, &SheetTrainer::take);
    connect(&session, &SweepSession::stateChanged, this, &SheetTrainer::changed);
    connect(&session, &SweepSession::started, this, [this] {
        if (m_isMeasuring) stop();  // measured speeds would be those of a busy machine
    });
    // After the workspace has done what waited for the end, as saving the lab elsewhere.
    connect(&session, &SweepSession::ended, this, &SheetTrainer::ended, Qt::QueuedConnection);
    lookForSheet();
}

SheetTrainer::~SheetTrainer() = default;

SheetTrainer::Step SheetTrainer::step() const {
    if (m_isPreparing) return Step::preparing;
    if (m_isMeasuring) return Step::measuring;
    if (m_isGoingOn) return Step::training;
    if (!m_sheet || !m_workspace.session().isActive()) return Step::idle;
    const auto& runs = m_workspace.runs().runs();
    const bool isOurs = std::any_of(runs.begin(), runs.end(), [this](const RunView& run) {
        return run.record.experiment == m_sheet->experiment && m_workspace.session().isTraining(run.record.id);
    });
    return isOurs ? Step::training : Step::idle;
}

QString SheetTrainer::labOf(const std::string& sheet, SheetScale scale) const {
    const auto labs = QJsonDocument::fromJson(m_workspace.settings().value(labsKey).toString().toUtf8()).object();
    const QString path = labs.value(keyOf(sheet, scale)).toString();
    return QFileInfo::exists(path) ? path : QString();
}

void SheetTrainer::remember() {
    m_lab = m_workspace.lab().path();
    if (!m_sheet || m_workspace.lab().isReadOnly()) return;
    auto labs = QJsonDocument::fromJson(m_workspace.settings().value(labsKey).toString().toUtf8()).object();
    labs[keyOf(m_sheet->plan.sheet, m_sheet->plan.scale)] = m_lab;
    m_workspace.settings().setValue(labsKey, QString::fromUtf8(QJsonDocument(labs).toJson(QJsonDocument::Compact)));
}

void SheetTrainer::lookForSheet() {
    const QString path = m_workspace.lab().path();
    const auto before = m_sheet ? m_sheet->experiment : -1;
    const bool isOther = path != m_lab;
    if (isOther) {
        m_work.cancel();
        m_isGoingOn = m_isMeasuring = m_isPreparing = false;
        m_failure.clear();
    }
    m_sheet.reset();
    try {
        if (const LabFile* file = m_workspace.lab().file()) m_sheet = stored_sheet(*file);
    } catch (const std::exception& error) {
        m_failure = QString::fromStdString(error.what());
    }
    const bool isOtherSheet = isOther || (m_sheet ? m_sheet->experiment : -1) != before;
    if (isOtherSheet) {
        m_standing.reset();
        m_reading.cancel();
        remember();
        emit sheetChanged();
    }
    const bool goesOn = !m_toGoOn.isEmpty() && m_toGoOn == path;
    m_toGoOn.clear();
    read();
    emit changed();
    if (goesOn) goOn();
}

void SheetTrainer::begin(const SheetPlan& plan) {
    if (step() != Step::idle || m_workspace.session().isActive()) return;
    m_failure.clear();
    m_isPreparing = true;
    const QString path = freePath(m_workspace.lab().folder(), plan);
    m_work.start([this, plan, path, dataDir = m_workspace.dataDir()](const Cancelled& cancelled) {
        QString trouble;
        try {
            makeLab(plan, path, dataDir, cancelled);
        } catch (const std::exception& error) {
            trouble = QString::fromStdString(error.what());
        }
        return [this, path, trouble] {
            m_isPreparing = false;
            if (!trouble.isEmpty()) return fail(trouble);
            open(path);
        };
    });
    emit changed();
}

void SheetTrainer::open(const QString& lab) {
    if (m_workspace.lab().path() == lab) return goOn();
    m_toGoOn = lab;
    m_workspace.openLab(lab);
}

void SheetTrainer::goOn() {
    if (!m_sheet || step() != Step::idle || m_workspace.session().isActive()) return;
    if (m_workspace.lab().isReadOnly()) {
        return fail(tr("This lab can only be read here; save it under another name to go on with its sheet."));
    }
    m_failure.clear();
    m_isGoingOn = true;
    next();
}

void SheetTrainer::next() {
    if (!m_isGoingOn || m_workspace.session().isActive()) return;
    std::vector<RunId> runs;
    try {
        for (const PlannedRun& run : remaining_plan(*m_workspace.lab().file(), *m_sheet).runs) runs.push_back(run.id);
    } catch (const std::exception& error) {
        return fail(QString::fromStdString(error.what()));
    }
    if (runs.empty()) return measure();
    QString sentence;
    const auto connection = connect(&m_workspace, &Workspace::problem, this,
                                    [&sentence](const QString&, const QString& said) { sentence = said; });
    m_workspace.continueRuns(runs);
    disconnect(connection);
    if (!m_workspace.session().isActive()) return fail(sentence);
    emit changed();
}

void SheetTrainer::measure() {
    m_isMeasuring = true;
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    m_work.start([this, path = m_workspace.lab().path(), sheet = *m_sheet, dataDir = m_workspace.dataDir(),
                  &turn](const Cancelled& cancelled) -> std::function<void()> {
        return [this, problem = measureAlone(turn, path, {sheet}, dataDir, cancelled)] {
            m_isGoingOn = m_isMeasuring = false;
            if (!problem.isEmpty()) return fail(problem);
            read();
            emit changed();
        };
    });
    m_timer.start(laterMs);
    emit changed();
}

void SheetTrainer::stop() {
    m_isGoingOn = false;
    if (m_isPreparing || m_isMeasuring) {
        m_isPreparing = m_isMeasuring = false;
        m_work.cancel();
        read();
    } else {
        m_workspace.session().stop();
    }
    emit changed();
}

void SheetTrainer::ended(RunState how, const QString& message) {
    read();
    if (m_isGoingOn && how == RunState::failed) {
        // A run that diverges fails alone and is part of the answer; where no run came through, there is none.
        return isAnswered() ? measure() : fail(message);
    }
    if (how != RunState::finished) m_isGoingOn = false;
    if (m_isGoingOn) next();
    emit changed();
}

bool SheetTrainer::isAnswered() const {
    bool hasFinished = false;
    for (const RunRecord& run : m_workspace.lab().file()->runs()) {
        if (run.experiment != m_sheet->experiment) continue;
        if (run.state != RunState::finished && run.state != RunState::failed) return false;
        hasFinished = hasFinished || run.state == RunState::finished;
    }
    return hasFinished;
}

void SheetTrainer::take(const std::vector<Delivery>& deliveries) {
    const bool someEnded = std::any_of(deliveries.begin(), deliveries.end(), [](const Delivery& delivery) {
        const auto* event = std::get_if<Event>(&delivery);
        return event && std::holds_alternative<event::RunEnded>(*event);
    });
    if (someEnded && !m_timer.isActive()) m_timer.start(soonMs);
}

void SheetTrainer::fail(const QString& sentence) {
    m_isGoingOn = m_isMeasuring = m_isPreparing = false;
    m_failure = sentence;
    read();
    emit changed();
}

void SheetTrainer::watch(bool on) {
    m_isWatched = on;
    if (on && m_isStale) read();
}

void SheetTrainer::read() {
    m_isStale = true;
    if (!m_isWatched || !m_sheet || m_reading.isRunning()) return;
    m_isStale = false;
    m_reading.start([this, path = m_workspace.lab().path(), sheet = *m_sheet](const Cancelled&) {
        std::optional<SheetStanding> standing;
        QString trouble;
        try {
            standing = standingOf(*LabFile::open(toPath(path), LabFile::Mode::read), sheet);
        } catch (const std::exception& error) {
            trouble = QString::fromStdString(error.what());
        }
        return [this, standing = std::move(standing), trouble]() mutable {
            if (standing) return keep(std::move(*standing));
            m_failure = trouble;
            emit changed();
        };
    });
}

void SheetTrainer::readNow() {
    if (!m_sheet) return;
    m_reading.cancel();
    m_isStale = false;
    keep(standingOf(*m_workspace.lab().file(), *m_sheet));
}

void SheetTrainer::keep(SheetStanding standing) {
    m_standing = std::move(standing);
    const auto& runs = m_workspace.runs().runs();
    const auto ended = std::count_if(runs.begin(), runs.end(), [this](const RunView& run) {
        const RunState state = run.record.state;
        return run.record.experiment == m_sheet->experiment &&
               (state == RunState::finished || state == RunState::failed);
    });
    // The recorder writes beside this thread; and measuring tells nothing of its progress.
    const bool isBehind = m_workspace.session().isActive() && ended > m_standing->ended;
    if (isBehind || m_isMeasuring) {
        m_timer.start(laterMs);
    } else if (m_isStale) {
        m_timer.start(soonMs);
    }
    emit changed();
}

}  // namespace ropelab::ui
