#include "ui/window/room_stack.h"

#include <QStackedWidget>

#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "ui/common/scroll_page.h"
#include "ui/common/text.h"

namespace ropelab::ui {

RoomStack::RoomStack(Workspace& workspace, QWidget* parent)
    : QObject(parent),
      m_workspace(workspace),
      m_pages(new QStackedWidget(parent)),
      m_panels(new QStackedWidget(parent)),
      m_made(rooms().size()) {}

int RoomStack::indexOf(const QString& id) {
    const QString current = text(current_name(Alias::Kind::room, id.toLower().toStdString()));
    QStringList known;
    for (const RoomEntry& entry : rooms()) {
        known << QString::fromLatin1(entry.id);
        if (current == known.last()) return static_cast<int>(known.size()) - 1;
    }
    throw BadInput("There is no room \"" + id.toStdString() +
                   "\"; the rooms are: " + known.join(QStringLiteral(", ")).toStdString() + ".");
}

RoomStack::Made& RoomStack::make(int index) {
    Made& made = m_made[static_cast<std::size_t>(index)];
    if (made.room) return made;
    made.room = rooms()[static_cast<std::size_t>(index)].make(m_workspace, m_pages);
    // Without scrolling, the minimum height of the window would be that of the highest room.
    made.page = new ScrollPage(made.room, m_pages);
    m_pages->addWidget(made.page);
    QWidget* panel = made.room->panel();
    made.panel = panel ? panel : new QWidget;
    m_panels->addWidget(made.panel);
    emit roomMade(*made.room);
    return made;
}

Room& RoomStack::room(int index) {
    return *make(index).room;
}

QWidget& RoomStack::panel(int index) {
    return *make(index).panel;
}

std::vector<Room*> RoomStack::made() const {
    std::vector<Room*> result;
    for (const Made& each : m_made) {
        if (each.room) result.push_back(each.room);
    }
    return result;
}

void RoomStack::show(int index) {
    const Made& shown = make(index);
    m_current = index;
    m_pages->setCurrentWidget(shown.page);
    m_panels->setCurrentWidget(shown.panel);
    emit currentChanged();
}

}  // namespace ropelab::ui
