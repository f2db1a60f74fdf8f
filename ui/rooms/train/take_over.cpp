#include "ui/rooms/train/take_over.h"

#include <QStringList>
#include <algorithm>
#include <set>

#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

namespace {

const auto kBannerId = QStringLiteral("take-over");

}  // namespace

TakeOver::TakeOver(SessionActions& actions, RunAccess access, QWidget* parent)
    : BannerArea(parent), m_actions(actions), m_access(std::move(access)) {
    connect(&m_access.lab, &LabDocument::opened, this, &TakeOver::renew);
    connect(&m_access.session, &SweepSession::ended, this, &TakeOver::renew);
    renew();
}

void TakeOver::renew() {
    dismiss(kBannerId);
    m_runs.clear();
    const LabFile* file = m_access.lab.file();
    if (!file) return;
    m_runs = file->claimed_runs();
    std::erase_if(m_runs, [](const ClaimedRun& run) { return run.host.empty(); });
    if (m_runs.empty()) return;
    std::set<QString> hosts;
    for (const ClaimedRun& run : m_runs) hosts.insert(QString::fromStdString(run.host));
    const QString where = QStringList(hosts.begin(), hosts.end()).join(QStringLiteral(", "));
    QString text = tr("Another machine (%1) was training %2 of this lab. RoPE Lab cannot check from here whether that "
                      "training still runs.")
                       .arg(where, countText(std::ssize(m_runs), tr("run")));
    QList<Choice> choices;
    if (m_access.lab.isReadOnly()) {
        text += QLatin1Char(' ') + tr("This lab is open read-only, so its runs cannot be taken over.");
    } else {
        text +=
            QLatin1Char(' ') + tr("If it has ended, take the runs over to resume them from their last checkpoints.");
        choices.append({tr("Take over"), [this] { takeOver(); }});
    }
    show(kBannerId, Kind::warning, text, choices);
}

void TakeOver::takeOver() {
    std::vector<RunId> left;
    try {
        const auto file = LabFile::open(toPath(m_access.lab.path()));
        file->recover(true);
        m_access.runs.refreshRecords(*file);
    } catch (const std::exception& error) {
        emit m_actions.problem(kBannerId, QString::fromStdString(error.what()));
        return renew();
    }
    emit m_actions.solved(kBannerId);
    for (const ClaimedRun& claimed : m_runs) {
        const RunView* run = m_access.runs.find(claimed.id);
        if (run && LabDocument::isUnfinished(run->record)) left.push_back(claimed.id);
    }
    renew();
    m_actions.resumeRuns(left);
}

}  // namespace ropelab::ui
