#include "ui/rooms/train/queue_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
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

constexpr int kCohortRole = Qt::UserRole;

}  // namespace

QueueView::QueueView(SessionActions& actions, RunAccess access, QWidget* parent)
    : QFrame(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_list(new QListWidget(this)),
      m_earlier(new QPushButton(tr("Move earlier"), this)),
      m_later(new QPushButton(tr("Move later"), this)),
      m_remove(new QPushButton(tr("Remove"), this)) {
    setProperty("panel", true);
    setAccessibleName(tr("Queue"));
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 12}, 8);
    column->addWidget(makeHeading(tr("Waiting cohorts"), this));
    m_list->setAccessibleName(tr("Waiting cohorts in the order in which they will train"));
    m_list->setTextElideMode(Qt::ElideRight);
    column->addWidget(m_list, 1);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_remove->setToolTip(
        tr("Removes the cohort from the queue. Its runs are also removed from the lab, except those that have already "
           "trained."));
    for (QPushButton* button : {m_earlier, m_later, m_remove}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    row->addStretch(1);
    column->addLayout(row);
    connect(m_earlier, &QPushButton::clicked, this, &QueueView::moveEarlier);
    connect(m_later, &QPushButton::clicked, this, &QueueView::moveLater);
    connect(m_remove, &QPushButton::clicked, this, &QueueView::removePicked);
    connect(m_list, &QListWidget::currentRowChanged, this, &QueueView::renewButtons);
    connect(&m_access.session, &SweepSession::queueChanged, this, &QueueView::renew);
    connect(&m_access.runs, &RunStore::reloaded, this, &QueueView::renew);
    renew();
}

void QueueView::removePicked() {
    if (picked() != 0) m_actions.removeWaiting(picked());
}

void QueueView::renew() {
    const std::int64_t keep = picked();
    const std::vector<WaitingCohort> waiting = m_access.session.waiting();
    m_list->clear();
    for (const WaitingCohort& cohort : waiting) {
        auto* item = new QListWidgetItem(textOf(cohort), m_list);
        item->setData(kCohortRole, static_cast<qlonglong>(cohort.id));
        item->setToolTip(item->text());
        if (cohort.id == keep) m_list->setCurrentItem(item);
    }
    setVisible(!waiting.empty());
    renewButtons();
}

void QueueView::renewButtons() {
    const int row = m_list->currentRow();
    m_earlier->setEnabled(row > 0);
    m_later->setEnabled(row >= 0 && row + 1 < m_list->count());
    m_remove->setEnabled(row >= 0);
}

std::int64_t QueueView::picked() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item ? item->data(kCohortRole).toLongLong() : 0;
}

void QueueView::move(int by) {
    const int target = m_list->currentRow() + by;
    if (picked() == 0 || target < 0 || target >= m_list->count()) return;
    m_access.session.moveWaiting(picked(), static_cast<std::size_t>(target));
}

QString QueueView::textOf(const WaitingCohort& cohort) const {
    QStringList names;
    for (const RunId id : cohort.runs) {
        if (const RunView* run = m_access.runs.find(id)) names << run->name;
    }
    return tr("%1: %2").arg(countText(std::ssize(cohort.runs), tr("run")), names.join(QStringLiteral("; ")));
}

}  // namespace ropelab::ui
