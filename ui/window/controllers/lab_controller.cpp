#include "ui/window/controllers/lab_controller.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QUrl>
#include <utility>

#include "core/lecture/lecture.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kReportCloseTimeoutMs = 3000;
const QString kReportBanner = u"report"_s;
const QString kReadOnlyBanner = u"readonly"_s;
const QString kFoundBanner = u"found"_s;
const QString kExampleBanner = u"example"_s;
const QString kTrainingBanner = u"training"_s;  // refusals that end with the sweep

}  // namespace

LabController::LabController(Workspace& workspace, BannerArea& banners, BannerArea& doors, ActionRegistry& actions,
                             QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_doors(doors),
      m_actions(actions),
      m_window(window),
      m_program(QCoreApplication::applicationDirPath() + u"/ropelab-cli"_s) {
    connect(&m_workspace, &Workspace::problem, this, &LabController::showProblem);
    connect(&m_workspace, &Workspace::solved, &m_banners, &BannerArea::dismiss);
    connect(&m_workspace.lab(), &LabDocument::opened, this, &LabController::showState);
    connect(&m_workspace, &Workspace::labSaved, this, [this] { m_banners.dismiss(kReadOnlyBanner); });
    // The room Train offers to get it where the example is explained.
    connect(&m_workspace, &Workspace::libTorchMissing, this, [this] { m_doors.dismiss(kExampleBanner); });
    SweepSession& session = m_workspace.session();
    // start() emits it once more when the user's lab is shown.
    connect(&m_workspace, &Workspace::starting, this, [this] { m_leavesExample |= m_workspace.showsExample(); });
    connect(&session, &SweepSession::started, this, [this] {
        m_failedRuns = 0;
        if (std::exchange(m_leavesExample, false)) tellOwnLab();
    });
    connect(&session, &SweepSession::ended, this, [this] { m_banners.dismiss(kTrainingBanner); });
    connect(&session, &SweepSession::delivered, this, &LabController::reportFailedRuns);
    connect(&m_process, &QProcess::finished, this, &LabController::endReport);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;  // after all other errors, finished() follows
        refuseReport(
            u"The report cannot be written: %1 does not start (%2)."_s.arg(m_program, m_process.errorString()));
    });
}

LabController::~LabController() {
    if (!isReporting()) return;
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished(kReportCloseTimeoutMs);
}

void LabController::addActions() {
    m_actions.add({.id = "lab.new",
                   .menu = "File",
                   .text = u"Start new lab"_s,
                   .shortcuts = {QKeySequence::New},
                   .handler = [this] { m_workspace.newLab(); }});
    m_actions.add({.id = "lab.open",
                   .menu = "File",
                   .text = u"Open lab …"_s,
                   .shortcuts = {QKeySequence::Open},
                   .handler = [this] {
                       const QString path =
                           dialogs().open(m_window, {.title = u"Open a lab"_s, .filters = u"Labs (*.ropelab)"_s});
                       if (!path.isEmpty()) m_workspace.openLab(path);
                   }});
    m_actions.add({.id = "lab.openModel", .menu = "File", .text = u"Open model …"_s, .handler = [this] {
                       const QString path = dialogs().open(
                           m_window,
                           {.title = u"Open a model: its config.json, or a file of weights"_s,
                            .filters = u"Models (config.json *.gguf *.safetensors *.safetensors.index.json)"_s});
                       if (!path.isEmpty()) m_workspace.openModel(path);
                   }});
    m_actions.add({.id = "lab.openCheckpoints", .menu = "File", .text = u"Open checkpoints …"_s, .handler = [this] {
                       const QString path = dialogs().folder(
                           m_window,
                           {.title = u"Open the checkpoints of a training: a folder with a folder for each"_s});
                       if (!path.isEmpty()) m_workspace.openModel(path);
                   }});
    m_actions.add(
        {.id = "lab.example", .menu = "File", .text = u"Open example lab"_s, .handler = [this] { showExample(); }});
    m_actions.add({.id = "lab.save",
                   .menu = "File",
                   .text = u"Save lab as …"_s,
                   .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_S), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                   .handler = [this] { save(); }});
}

void LabController::save() {
    const QString path = dialogs().save(
        m_window, {.title = u"Save the lab as"_s, .path = u"untitled.ropelab"_s, .filters = u"Labs (*.ropelab)"_s});
    if (!path.isEmpty()) m_workspace.saveLabAs(path);
}

void LabController::addRecentLabs() {
    auto* recent = new QMenu(u"Open recent lab"_s, m_window);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { listRecent(recent); });
    m_actions.menu(u"File"_s)->insertMenu(m_actions.action(u"lab.save"_s), recent);
}

void LabController::listRecent(QMenu* menu) {
    menu->clear();
    const QStringList labs = m_workspace.settings().recentLabs();
    for (const QString& path : labs) {
        QAction* action = menu->addAction(QFileInfo(path).completeBaseName());
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { m_workspace.openLab(path); });
    }
    if (labs.isEmpty()) menu->addAction(u"No recent labs"_s)->setEnabled(false);
}

void LabController::restore() {
    const Settings& settings = m_workspace.settings();
    const QString last = settings.value("lab/last").toString();
    const bool isNew = settings.recentLabs().isEmpty() && settings.value("lab/unsaved").toString().isEmpty();
    if (reopenUnsaved()) return;
    if (QFileInfo::exists(last)) return m_workspace.openLab(last);
    if (isNew) showExample();
}

void LabController::showExample() {
    const std::vector<ShippedLecture> lectures = shipped_lectures();
    if (lectures.empty()) return;
    const QString lab = fromPath(lectures.front().file.parent_path() / "labs" / "lecture-minute.ropelab");
    if (!QFileInfo::exists(lab)) return;
    const LabDocument& shown = m_workspace.lab();
    const bool hasOwn = shown.isOwn() ? !m_workspace.runs().runs().empty() : !shown.ownPath().isEmpty();
    const auto explain = [this, hasOwn](const QString& failure) {
        if (!failure.isEmpty()) return;
        const auto trigger = [this](const QString& id) {
            m_doors.dismiss(kExampleBanner);
            if (QAction* action = m_actions.action(id)) action->trigger();
        };
        m_doors.show(kExampleBanner, BannerArea::Kind::information,
                     u"This lab file is an example: the 30 runs of the sweep on the right, trained on another machine, "
                     u"so yours may differ a little. "_s +
                         (hasOwn ? u"Your own runs are kept. Explore it, or:"_s : u"Explore it, or:"_s),
                     {{u"RoPE in one minute"_s, [trigger] { trigger(u"help.tour"_s); }},
                      {hasOwn ? u"Back to your own runs"_s : u"Train such models yourself"_s,
                       [this] { m_workspace.showOwnLab({}); }},
                      {u"Lecture: Clocks"_s,
                       [trigger] {
                           trigger(u"lecture.open.clocks"_s);
                           trigger(u"lecture.present"_s);
                       }},
                      {u"Settings of a known model"_s, [trigger] { trigger(u"rotary.models"_s); }}});
    };
    m_workspace.attempt(kTrainingBanner, [&] { m_workspace.showExample(lab, explain); });
}

void LabController::tellOwnLab() {
    const LabDocument& lab = m_workspace.lab();
    m_doors.show(kExampleBanner, BannerArea::Kind::information,
                 u"Your runs are in a lab file of your own (%1), not in the example, which stays as it is."_s.arg(
                     lab.isUnsaved() ? u"unnamed until you choose “Save lab as …”"_s : lab.name()),
                 {{u"Open example lab"_s, [this] { showExample(); }}});
}

bool LabController::reopenUnsaved() {
    if (!m_workspace.reopenUnsaved()) return false;
    const auto runs = static_cast<std::int64_t>(m_workspace.runs().runs().size());
    const std::size_t unfinished = m_workspace.unfinishedRuns().size();
    QString text = u"An unsaved lab file with %1 was recovered."_s.arg(countText(runs, u"run"_s));
    if (unfinished > 0) text += QLatin1Char(' ') + u"%1 of the recovered runs can be resumed."_s.arg(unfinished);
    m_banners.show(kFoundBanner, BannerArea::Kind::information, text,
                   {{u"Save lab as …"_s, [this] { save(); }}, {u"Start new lab"_s, [this] { m_workspace.newLab(); }}});
    return true;
}

void LabController::showState() {
    m_banners.dismiss(kFoundBanner);
    m_banners.dismiss(kReadOnlyBanner);
    m_doors.dismiss(kExampleBanner);
    const LabDocument& lab = m_workspace.lab();
    if (!lab.isReadOnly() || !lab.isOwn()) return;
    m_banners.show(
        kReadOnlyBanner, BannerArea::Kind::warning,
        u"The lab file %1 is open read-only, because another window has it open or the file cannot be written. To work "
        "on a copy, save it under another name."_s.arg(lab.name()),
        {{u"Save lab as …"_s, [this] { save(); }}});
}

void LabController::showProblem(const QString& id, const QString& sentence) {
    QList<BannerArea::Choice> choices;
    if (id == u"sweep"_s && !m_workspace.unfinishedRuns().empty()) {
        choices.append({u"Resume runs"_s, [this] { m_workspace.resumeRuns(m_workspace.unfinishedRuns()); }});
    }
    if (id == kTrainingBanner) choices.append({u"Stop sweep"_s, [this] { m_workspace.session().stop(); }});
    m_banners.show(id, BannerArea::Kind::error, sentence, choices);
}

void LabController::reportFailedRuns(const std::vector<Delivery>& deliveries) {
    for (const Delivery& delivery : deliveries) {
        const auto* event = std::get_if<Event>(&delivery);
        const auto* end = event ? std::get_if<event::RunEnded>(event) : nullptr;
        if (!end || end->state != RunState::failed) continue;
        const RunView* run = m_workspace.runs().find(end->run);
        const QString name = run ? run->name : QString::number(end->run);
        const QString text = u"The run %1 failed: %2"_s.arg(name, QString::fromStdString(end->message));
        ++m_failedRuns;
        m_banners.show(
            u"failed"_s, BannerArea::Kind::warning,
            m_failedRuns == 1 ? text : u"%1 runs failed. The last failure: %2"_s.arg(m_failedRuns).arg(text));
    }
}

void LabController::addReportAction() {
    m_actions.add({.id = "lab.report",
                   .menu = "File",
                   .text = u"Write report …"_s,
                   .handler = [this] { writeReport(); },
                   .enabled = [this] { return !m_workspace.runs().runs().empty() && !isReporting(); }});
}

void LabController::writeReport() {
    const QString folder = dialogs().folder(m_window, {.title = u"Folder in which the report is written"_s});
    if (folder.isEmpty() || isReporting()) return;
    m_folder = QDir(folder).filePath(m_workspace.lab().name() + u"-report"_s);
    m_process.start(m_program,
                    {u"report"_s, u"--lab"_s, m_workspace.lab().path(), u"--output"_s, m_folder, u"--force"_s});
    m_banners.show(kReportBanner, BannerArea::Kind::information,
                   u"The report of this lab is being written to %1."_s.arg(m_folder));
}

void LabController::endReport(int code, QProcess::ExitStatus status) {
    if (status != QProcess::NormalExit || code != 0) {
        QString reason = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
        const QString mark = u"ropelab-cli: "_s;
        if (reason.startsWith(mark)) reason = reason.mid(mark.size());
        if (reason.isEmpty()) reason = u"The program that writes the report ended without a message."_s;
        return refuseReport(u"The report cannot be written. %1"_s.arg(reason));
    }
    m_actions.refresh();
    const QString page = QDir(m_folder).filePath(u"report.html"_s);
    m_banners.show(kReportBanner, BannerArea::Kind::information,
                   u"The report was written to %1 as Markdown, HTML and LaTeX."_s.arg(m_folder),
                   {{u"Open report"_s, [page] { QDesktopServices::openUrl(QUrl::fromLocalFile(page)); }}});
}

void LabController::refuseReport(const QString& sentence) {
    m_actions.refresh();
    m_banners.show(kReportBanner, BannerArea::Kind::error, sentence);
}

}  // namespace ropelab::ui

#include "moc_lab_controller.cpp"
