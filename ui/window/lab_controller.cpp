#include "ui/window/lab_controller.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QUrl>

#include "ui/common/actions.h"
#include "ui/common/banners.h"
#include "ui/common/format.h"
#include "ui/session/workspace.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

namespace {

constexpr int kReportCloseTimeoutMs = 3000;
const QString kReportBanner = QStringLiteral("report");
const QString kReadOnlyBanner = QStringLiteral("readonly");
const QString kFoundBanner = QStringLiteral("found");

}  // namespace

LabController::LabController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_actions(actions),
      m_window(window),
      m_program(QCoreApplication::applicationDirPath() + QStringLiteral("/ropelab-cli")) {
    connect(&m_workspace, &Workspace::problem, this, &LabController::showProblem);
    connect(&m_workspace, &Workspace::solved, &m_banners, &BannerArea::dismiss);
    connect(&m_workspace.lab(), &LabDocument::opened, this, &LabController::showState);
    connect(&m_workspace, &Workspace::labSaved, this, [this] { m_banners.dismiss(kReadOnlyBanner); });
    SweepSession& session = m_workspace.session();
    connect(&session, &SweepSession::started, this, [this] { m_failedRuns = 0; });
    connect(&session, &SweepSession::delivered, this, &LabController::reportFailedRuns);
    connect(&m_process, &QProcess::finished, this, &LabController::endReport);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;  // after all other errors, finished() follows
        refuseReport(
            tr("The report cannot be written: %1 does not start (%2).").arg(m_program, m_process.errorString()));
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
                   .text = tr("Start new lab"),
                   .shortcuts = {QKeySequence::New},
                   .handler = [this] { m_workspace.newLab(); }});
    m_actions.add({.id = "lab.open",
                   .menu = "File",
                   .text = tr("Open lab …"),
                   .shortcuts = {QKeySequence::Open},
                   .handler = [this] {
                       const QString path =
                           dialogs().open(m_window, {.title = tr("Open a lab"), .filters = tr("Labs (*.ropelab)")});
                       if (!path.isEmpty()) m_workspace.openLab(path);
                   }});
    m_actions.add({.id = "lab.save",
                   .menu = "File",
                   .text = tr("Save lab as …"),
                   .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_S), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                   .handler = [this] { save(); }});
}

void LabController::save() {
    const QString path = dialogs().save(m_window, {.title = tr("Save the lab as"),
                                                   .path = QStringLiteral("untitled.ropelab"),
                                                   .filters = tr("Labs (*.ropelab)")});
    if (!path.isEmpty()) m_workspace.saveLabAs(path);
}

void LabController::addRecentLabs() {
    auto* recent = new QMenu(tr("Open recent lab"), m_window);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { listRecent(recent); });
    m_actions.menu(QStringLiteral("File"))->insertMenu(m_actions.action(QStringLiteral("lab.save")), recent);
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
    if (labs.isEmpty()) menu->addAction(tr("No recent labs"))->setEnabled(false);
}

void LabController::reopenUnsaved() {
    if (!m_workspace.reopenUnsaved()) return;
    const auto runs = static_cast<std::int64_t>(m_workspace.runs().runs().size());
    const std::size_t unfinished = m_workspace.unfinishedRuns().size();
    QString text = tr("Recovered an unsaved lab with %1.").arg(countText(runs, tr("run")));
    if (unfinished > 0) text += QLatin1Char(' ') + tr("%1 of its runs can be resumed.").arg(unfinished);
    m_banners.show(
        kFoundBanner, BannerArea::Kind::information, text,
        {{tr("Save lab as …"), [this] { save(); }}, {tr("Start new lab"), [this] { m_workspace.newLab(); }}});
}

void LabController::showState() {
    m_banners.dismiss(kFoundBanner);
    m_banners.dismiss(kReadOnlyBanner);
    const LabDocument& lab = m_workspace.lab();
    if (!lab.isReadOnly() || !lab.isOwn()) return;
    m_banners.show(kReadOnlyBanner, BannerArea::Kind::warning,
                   tr("%1 is open read-only, because another window has it open or the file cannot be written. To work "
                      "on a copy, save it under another name.")
                       .arg(lab.name()),
                   {{tr("Save lab as …"), [this] { save(); }}});
}

void LabController::showProblem(const QString& id, const QString& sentence) {
    QList<BannerArea::Choice> choices;
    if (id == QStringLiteral("sweep") && !m_workspace.unfinishedRuns().empty()) {
        choices.append({tr("Resume runs"), [this] { m_workspace.resumeRuns(m_workspace.unfinishedRuns()); }});
    }
    m_banners.show(id, BannerArea::Kind::error, sentence, choices);
}

void LabController::reportFailedRuns(const std::vector<Delivery>& deliveries) {
    for (const Delivery& delivery : deliveries) {
        const auto* event = std::get_if<Event>(&delivery);
        const auto* end = event ? std::get_if<event::RunEnded>(event) : nullptr;
        if (!end || end->state != RunState::failed) continue;
        const RunView* run = m_workspace.runs().find(end->run);
        const QString name = run ? run->name : QString::number(end->run);
        const QString text = tr("The run %1 failed: %2").arg(name, QString::fromStdString(end->message));
        ++m_failedRuns;
        m_banners.show(
            QStringLiteral("failed"), BannerArea::Kind::warning,
            m_failedRuns == 1 ? text : tr("%1 runs failed. The last failure: %2").arg(m_failedRuns).arg(text));
    }
}

void LabController::addReportAction() {
    m_actions.add({.id = "lab.report",
                   .menu = "File",
                   .text = tr("Write report …"),
                   .handler = [this] { writeReport(); },
                   .enabled = [this] { return !m_workspace.runs().runs().empty() && !isReporting(); }});
}

void LabController::writeReport() {
    const QString folder = dialogs().folder(m_window, {.title = tr("Folder in which the report is written")});
    if (folder.isEmpty() || isReporting()) return;
    m_folder = QDir(folder).filePath(m_workspace.lab().name() + tr("-report"));
    m_process.start(m_program, {QStringLiteral("report"), QStringLiteral("--lab"), m_workspace.lab().path(),
                                QStringLiteral("--output"), m_folder, QStringLiteral("--force")});
    m_banners.show(kReportBanner, BannerArea::Kind::information,
                   tr("The report of this lab is being written to %1.").arg(m_folder));
}

void LabController::endReport(int code, QProcess::ExitStatus status) {
    if (status != QProcess::NormalExit || code != 0) {
        QString reason = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
        const QString mark = QStringLiteral("ropelab-cli: ");
        if (reason.startsWith(mark)) reason = reason.mid(mark.size());
        if (reason.isEmpty()) reason = tr("The program ended without a message.");
        return refuseReport(tr("The report cannot be written. %1").arg(reason));
    }
    m_actions.refresh();
    const QString page = QDir(m_folder).filePath(QStringLiteral("report.html"));
    m_banners.show(kReportBanner, BannerArea::Kind::information,
                   tr("The report was written to %1 as Markdown, HTML and LaTeX.").arg(m_folder),
                   {{tr("Open report"), [page] { QDesktopServices::openUrl(QUrl::fromLocalFile(page)); }}});
}

void LabController::refuseReport(const QString& sentence) {
    m_actions.refresh();
    m_banners.show(kReportBanner, BannerArea::Kind::error, sentence);
}

}  // namespace ropelab::ui
