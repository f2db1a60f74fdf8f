// Actions and pages (empty page, curves, runs and queue) of the Train room.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "ui/common/actions.h"
#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/train/plot_toolbar.h"
#include "ui/rooms/train/queue_view.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/second_picture.h"
#include "ui/rooms/train/sweep_panel.h"
#include "ui/rooms/train/sweep_preview.h"
#include "ui/rooms/train/train_room.h"
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

void TrainRoom::addActions(ActionRegistry& registry, const RoomHandle<TrainRoom>& room) {
    // In another room the user cannot see which run is picked here.
    const auto picked = [room] { return room.isVisible() && room->m_list->picked() != 0; };
    const auto pictures = [room] { return room.isVisible() && !room->isEmpty() && !room->m_planShown; };
    const auto curves = [room, pictures] {
        return pictures() && !room->m_picture->isHidden() && !room->m_toolbar->isRoofline();
    };
    registry.add({.id = "run.rename",
                  .menu = "Edit",
                  .text = tr("Rename picked run"),
                  .handler = [room] { room->m_list->rename(room->m_list->picked()); },
                  .enabled = picked,
                  .separatorBefore = true});
    registry.add({.id = "run.rename_setting",
                  .menu = "Edit",
                  .text = tr("Rename setting of picked run …"),
                  .handler = [room] { room->m_list->renameSetting(room->m_list->picked()); },
                  .enabled = picked});
    registry.add({.id = "run.annotate",
                  .menu = "Edit",
                  .text = tr("Edit note of picked run"),
                  .handler = [room] { room->m_list->annotate(room->m_list->picked()); },
                  .enabled = picked});
    registry.add({.id = "run.delete",
                  .menu = "Edit",
                  .text = tr("Delete picked run"),
                  .handler = [room] { room->m_actions.deleteRun(room->m_list->picked()); },
                  .enabled = picked});
    registry.add(
        {.id = "run.stop_picked",
         .menu = "Run",
         .text = tr("Stop picked run"),
         .handler = [room] { room->m_access.session.stopRun(room->m_list->picked()); },
         .enabled = [room] { return room.isVisible() && room->m_access.session.isTraining(room->m_list->picked()); }});
    registry.add({.id = "run.plan",
                  .menu = "Run",
                  .text = tr("Show runs and queue"),
                  .handler =
                      [room, &registry] {
                          const bool show = !room.isVisible() || !room->m_planShown;
                          registry.action(QStringLiteral("room.train"))->trigger();
                          room->showPlan(show);
                      },
                  .checked = [room] { return room.made() && room->m_planShown; }});
    registry.add({.id = "plot.log",
                  .menu = "View",
                  .text = tr("Logarithmic y axis"),
                  .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_L)},
                  .handler = [room] { room->m_plot->setYLogarithmic(!room->m_plot->isYLogarithmic()); },
                  .enabled = curves,
                  .checked = [room] { return room.made() && room->m_plot->isYLogarithmic(); },
                  .separatorBefore = true});
    registry.add({.id = "plot.reset",
                  .menu = "View",
                  .text = tr("Reset plot view"),
                  .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_R)},
                  .handler = [room] { room->m_plot->resetView(); },
                  .enabled = curves});
    registry.add({.id = "plot.curves",
                  .menu = "View",
                  .text = tr("Show plot of the curves"),
                  .handler = [room] { room->m_second->foldButton()->toggle(); },
                  .enabled = [room, pictures] { return pictures() && !room->m_second->isNone(); },
                  .checked = [room] { return !room.made() || !room->m_picture->isHidden(); }});
    for (const SecondPicture::Choice& choice : SecondPicture::choices()) {
        const QString name = choice.name;
        registry.add({.id = QStringLiteral("plot.second.") + name,
                      .menu = {},
                      .text = tr("Second picture: %1").arg(choice.title),
                      .handler = [room, &registry, name] {
                          registry.action(QStringLiteral("room.train"))->trigger();
                          room->showPlan(false);
                          room->m_second->choose(name);
                      }});
    }
}

std::vector<RoomControl> TrainRoom::controls() {
    using Scope = RunScope::Scope;
    constexpr std::array<std::pair<const char*, Scope>, 3> scopes = {
        {{"all", Scope::all}, {"sweep", Scope::sweep}, {"run", Scope::run}}};
    const auto setScope = [this, scopes](const QString& word) {
        for (const auto& [name, scope] : scopes) {
            if (word == QLatin1String(name)) return m_scope->showRuns(scope);
        }
        throw BadInput("The control scope is \"" + word.toStdString() + "\", but it must be all, sweep or run.");
    };
    const auto shownScope = [this, scopes] {
        for (const auto& [name, scope] : scopes) {
            if (m_scope->scope() == scope) return QVariant(QString::fromLatin1(name));
        }
        return QVariant(QStringLiteral("other"));
    };
    return {{QStringLiteral("quantity"), [this](const QString& id) { m_toolbar->showQuantity(id); },
             [this] { return m_toolbar->quantity()->currentData(); }, m_toolbar->quantity()},
            {QStringLiteral("scope"), setScope, shownScope, m_scope->choice()}};
}

QList<QWidget*> TrainRoom::bars() {
    return {m_toolbar, m_scope};
}

std::function<void()> TrainRoom::restorer() {
    return [this, plan = m_planShown, restore = Room::restorer()] {
        showPlan(plan);
        restore();
    };
}

QWidget* TrainRoom::makeEmptyState() {
    auto* page = new QFrame(this);
    page->setProperty("paper", true);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {48, 24, 48, 24}, 16);
    column->addStretch(2);
    auto* title = new QLabel(tr("Train small models and compare their curves"), page);
    title->setProperty("roomTitle", true);
    title->setAlignment(Qt::AlignCenter);
    title->setWordWrap(true);
    column->addWidget(title);
    m_emptyText = new QLabel(page);
    m_emptyText->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_emptyText->setWordWrap(true);
    keepLines(m_emptyText, 4);  // the button below keeps its place with every sweep
    column->addWidget(m_emptyText);
    m_emptyStart = new QPushButton(tr("Start"), page);
    m_emptyStart->setProperty("primary", true);
    setIcon(m_emptyStart, outline::kStart);
    m_emptyStart->setFocusPolicy(Qt::TabFocus);
    scaleWidth(m_emptyStart, 160);
    connect(m_emptyStart, &QPushButton::clicked, this, [this] { m_actions.start(); });
    column->addWidget(m_emptyStart, 0, Qt::AlignCenter);
    column->addStretch(3);
    return page;
}

QWidget* TrainRoom::makePlan() {
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setChildrenCollapsible(false);
    m_queue = new QueueView(m_actions, m_access, split);
    m_preview = new SweepPreview(m_actions, m_access, m_experiment, split);
    split->addWidget(m_queue);
    split->addWidget(m_preview);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 2);
    return split;
}

void TrainRoom::showPlan(bool shown) {
    m_planShown = shown;
    renewPages();
    if (m_panel) m_panel->setPlanShown(shown);
}

void TrainRoom::showPart(const QString& part) {
    const QString plan = QStringLiteral("plan");
    if (part != plan) throw noPart(part, {plan});
    showPlan(true);
}

bool TrainRoom::isPlanShown() const {
    return m_planShown;
}

void TrainRoom::renewPages() {
    m_toolbar->setVisible(!m_planShown);  // the toolbar applies only to the plot
    m_scope->setVisible(!m_planShown && !isEmpty());
    m_pages->setCurrentIndex(m_planShown ? 2 : isEmpty() ? 0 : 1);
}

}  // namespace ropelab::ui
