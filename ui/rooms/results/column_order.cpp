// The order of the columns of the results table: dragging their titles, and the menu of a title.
#include <QHeaderView>
#include <QMenu>
#include <QTableView>
#include <QTimer>

#include "ui/rooms/results/column_choice.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/rooms/results/results_room.h"
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

void ResultsRoom::takeColumnOrder(int moved) {
    QHeaderView* header = m_groupView->horizontalHeader();
    const QString name = m_groups->nameOf(moved);
    QStringList names;
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        const QString each = m_groups->nameOf(column);
        // The columns of the settings have one name and stay together, where the dragged one was dropped.
        if ((each != name || column == moved) && !names.contains(each)) names << each;
    }
    // The header is still in its own handling of the drag.
    QTimer::singleShot(0, this, [this, header, names] {
        m_isPlacingColumns = true;
        for (int column = 0; column < header->count(); ++column) {
            header->moveSection(header->visualIndex(column), column);
        }
        m_isPlacingColumns = false;
        m_panel->columns()->setShown(names);
    });
}

void ResultsRoom::moveColumn(const QString& name, int by) {
    QStringList names = m_panel->columns()->shown();
    const qsizetype place = names.indexOf(name);
    if (place < 0 || place + by < 0 || place + by >= names.size()) return;
    names.move(place, place + by);
    m_panel->columns()->setShown(names);
}

void ResultsRoom::showColumnMenu(int column, const QPoint& where) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("column-menu"));
    addColumnEntries(*menu, column);
    menu->popup(where);
}

void ResultsRoom::addColumnEntries(QMenu& menu, int column) {
    const QString name = m_groups->nameOf(column);
    if (!name.isEmpty()) {
        const QStringList shown = m_panel->columns()->shown();
        const auto place = shown.indexOf(name);
        menu.addAction(tr("Hide column"), this,
                        [this, name, shown] {
                            QStringList others = shown;
                            others.removeAll(name);
                            m_panel->columns()->setShown(others);
                        })
            ->setEnabled(shown.size() > 1);
        menu.addAction(tr("Move column left"), this, [this, name] { moveColumn(name, -1); })->setEnabled(place > 0);
        menu.addAction(tr("Move column right"), this, [this, name] { moveColumn(name, 1); })
            ->setEnabled(place >= 0 && place + 1 < shown.size());
        menu.addSeparator();
    }
    menu.addActions(m_panel->columns()->menu()->actions());
}

}  // namespace ropelab::ui
