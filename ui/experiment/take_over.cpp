#include "ui/experiment/take_over.h"

#include <QStringList>
#include <algorithm>
#include <set>

#include "ui/window/format.h"
#include "ui/window/paths.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

const auto bannerId = QStringLiteral("take-over");

}  // namespace

TakeOver::TakeOver(Workspace& workspace, QWidget* parent) : BannerArea(parent), m_workspace(workspace) {
    connect(&workspace.lab(), &LabDocument::opened, this, &TakeOver::renew);
    connect(&workspace.session(), &SweepSession::ended, this, &TakeOver::renew);
    renew();
}

void TakeOver::renew() {
    dismiss(bannerId);
    m_runs.clear();
    const LabFile* file = m_workspace.lab().file();
    if (!file) return;
    m_runs = file->held_runs();
    std::erase_if(m_runs, [](const HeldRun& run) { return run.host.empty(); });
    if (m_runs.empty()) return;
    std::set<QString> hosts;
    for (const HeldRun& run : m_runs) hosts.insert(QString::fromStdString(run.host));
    const QString where = QStringList(hosts.begin(), hosts.end()).join(QStringLiteral(", "));
    QString text = tr("Another machine (%1) was training %2 of this lab, and it cannot be asked from here whether it "
                      "still does.")
                       .arg(where, countText(std::ssize(m_runs), tr("run")));
    QList<Choice> choices;
    if (m_workspace.lab().isReadOnly()) {
        text += QLatin1Char(' ') + tr("This lab can only be read here.");
    } else {
        text += QLatin1Char(' ') + tr("If it has ended, go on here from the last checkpoints.");
        choices.append({tr("Take over"), [this] { takeOver(); }});
    }
    show(bannerId, Kind::warning, text, choices);
}

void TakeOver::takeOver() {
    std::vector<RunId> left;
    try {
        const auto file = LabFile::open(toPath(m_workspace.lab().path()));
        file->recover(true);
        m_workspace.runs().refreshRecords(*file);
    } catch (const std::exception& error) {
        emit m_workspace.problem(bannerId, QString::fromStdString(error.what()));
        return renew();
    }
    emit m_workspace.solved(bannerId);
    for (const HeldRun& held : m_runs) {
        const RunView* run = m_workspace.runs().find(held.id);
        if (run && LabDocument::isUnfinished(run->record)) left.push_back(held.id);
    }
    renew();
    m_workspace.continueRuns(left);
}

}  // namespace ropelab::ui
