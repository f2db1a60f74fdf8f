#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "ui/common/room.h"
#include "ui/window/rooms.h"

class QStackedWidget;

namespace ropelab::ui {

/// The rooms with their panels, of which one is shown. A room is made when it is first shown or asked for.
class RoomStack : public QObject {
    Q_OBJECT

 public:
    /// The first room is the current one; it is made by the first call of show(), room() or panel().
    RoomStack(Workspace& workspace, QWidget* parent);

    QStackedWidget& pages() { return *m_pages; }
    QStackedWidget& panels() { return *m_panels; }

    /// Throws BadInput for unknown ids.
    static int indexOf(const QString& id);
    int current() const { return m_current; }
    QString currentId() const { return idOf(m_current); }
    static QString idOf(int index) { return QString::fromLatin1(rooms()[static_cast<std::size_t>(index)].id); }
    void show(int index);

    Room& room() { return room(m_current); }
    Room& room(int index);
    QWidget& panel(int index);
    /// Null if the room was not needed yet.
    Room* made(int index) const { return m_made[static_cast<std::size_t>(index)].room; }
    std::vector<Room*> made() const;
    /// For those who exist before the room.
    template <typename R>
    RoomHandle<R> handle(int index) {
        return {[this, index]() -> Room& { return room(index); }, [this, index] { return made(index); }};
    }

 signals:
    /// The room has its panel and its initial controls, and is not shown yet.
    void roomMade(ropelab::ui::Room& room);
    void currentChanged();

 private:
    struct Made {
        Room* room = nullptr;
        QWidget* page = nullptr;
        QWidget* panel = nullptr;
    };
    Made& make(int index);

    Workspace& m_workspace;
    QStackedWidget* m_pages;
    QStackedWidget* m_panels;
    std::vector<Made> m_made;
    int m_current = 0;
};

}  // namespace ropelab::ui
