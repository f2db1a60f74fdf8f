#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>
#include <span>
#include <vector>

#include "ui/shell/room.h"

class QStackedWidget;

namespace ropelab::ui {

class ActionRegistry;
class RoomStack;
class Workspace;

struct RoomEntry {
    const char* id;     // name of the room on the command line, for example "train"
    QString title;      // "Cos/sin table"
    QString purpose;    // one sentence for the tooltip
    const char* guide;  // its page of the guide, as in Guide::showPage()
    /// SVG path in a square of 24 units.
    const char* outline;
    std::function<Room*(Workspace&, QWidget* parent)> make;
    /// Actions that belong to the room; they exist before it. May be empty.
    std::function<void(ActionRegistry&, RoomStack&, int index)> addActions;
    /// For the bar at the left of the window, if the title must be shorter there.
    QString shortTitle = {};

    const QString& barTitle() const { return shortTitle.isEmpty() ? title : shortTitle; }
};

/// In the order of the bar at the left of the window.
std::span<const RoomEntry> rooms();

/// `number` counts from 1: the keys 1 to 9, then 0, then Alt+1 to Alt+9. A room beyond those has none.
QKeySequence roomShortcut(int number);

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
    /// `part` of the room may be empty. Throws BadInput as indexOf().
    void show(const QString& id, const QString& part = {});

    Room& room() { return room(m_current); }
    Room& room(int index);
    QWidget& panel(int index);
    /// Makes the room, or else its panel: a part of the work of panel(), so that neither takes long. Returns false if
    /// both were made before.
    bool makePart(int index);
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
    Made& makeRoom(int index);

    Workspace& m_workspace;
    QStackedWidget* m_pages;
    QStackedWidget* m_panels;
    std::vector<Made> m_made;
    int m_current = 0;
};

}  // namespace ropelab::ui
