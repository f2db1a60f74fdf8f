// What the palette (Ctrl+K) of the main window finds beside the actions, and where it goes.
#include <QPointer>
#include <QSet>
#include <QStackedWidget>

#include "ui/common/findables.h"
#include "ui/common/room.h"
#include "ui/models/model_entry.h"
#include "ui/models/model_map.h"
#include "ui/rotary/setup_panel.h"
#include "ui/window/command_palette.h"
#include "ui/window/formula_book.h"
#include "ui/window/main_window.h"
#include "ui/window/room_stack.h"
#include "ui/window/rooms.h"

namespace ropelab::ui {

namespace {

bool isInSetupPanel(const QWidget* widget) {
    for (const QWidget* each = widget; each; each = each->parentWidget()) {
        if (qobject_cast<const SetupPanel*>(each)) return true;
    }
    return false;
}

}  // namespace

QList<PaletteEntry> MainWindow::paletteEntries() {
    QList<PaletteEntry> entries;
    QSet<QString> ids;
    // The current room comes first. The fields of the rotary setup, which several rooms have, are listed once.
    const int current = m_rooms->current();
    addRoomEntries(entries, ids, current);
    for (int room = 0; room < static_cast<int>(rooms().size()); ++room) {
        if (room != current) addRoomEntries(entries, ids, room);
    }
    int number = 0;
    for (const RoomEntry& room : rooms()) {  // adds the purposes of the rooms to the words of their actions
        ++number;
        entries.append({QStringLiteral("room.") + QLatin1String(room.id),
                        tr("Room: %1").arg(room.title),
                        roomShortcut(number).toString(QKeySequence::NativeText),
                        room.purpose,
                        {}});
    }
    for (const FormulaTitle& formula : formulaTitles()) {
        entries.append({QStringLiteral("formula.%1").arg(formula.number),
                        tr("Formula %1: %2").arg(formula.number).arg(formula.title), tr("Formulas"), formula.section,
                        [this, number = formula.number] { showFormulas(number); }});
    }
    for (const ModelEntry& model : knownModels()) {
        entries.append({QStringLiteral("model.") + model.name, model.name, tr("Known models"), model.source,
                        [this, name = model.name] { showModel(name); }});
    }
    return entries;
}

void MainWindow::addRoomEntries(QList<PaletteEntry>& entries, QSet<QString>& ids, int number) {
    const QWidget* panel = &m_rooms->panel(number);
    const QString id = RoomStack::idOf(number);
    const QString title = rooms()[static_cast<std::size_t>(number)].title;
    for (const QWidget* part : {static_cast<const QWidget*>(&m_rooms->room(number)), panel}) {
        const bool isPanel = part == panel;
        for (const Findable& item : findablesIn(part)) {
            const bool isSetup = isPanel && isInSetupPanel(item.target);
            const QString entryId = isSetup ? QStringLiteral("find.setup.") + item.title
                                            : QStringLiteral("find.%1.%2.%3").arg(id).arg(isPanel).arg(item.title);
            if (ids.contains(entryId)) continue;
            ids.insert(entryId);
            entries.append(
                {entryId, item.title, isPanel ? tr("%1, settings").arg(title) : title, item.words,
                 [this, id, isPanel, target = QPointer<QWidget>(item.target)] { goTo(id, isPanel, target); }});
        }
    }
}

void MainWindow::goTo(const QString& id, bool isInPanel, QWidget* target) {
    showRoom(id);
    if (isInPanel && !isPanelShown()) togglePanel();
    if (target) goToWidget(target);
}

void MainWindow::showModel(const QString& name) {
    ModelMap& map = models();
    map.show();
    map.raise();
    map.activateWindow();
    if (map.pick(name)) map.lightPicked();
}

}  // namespace ropelab::ui
