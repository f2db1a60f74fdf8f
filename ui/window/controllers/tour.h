#pragma once

#include <QObject>
#include <QPointer>

class QCheckBox;

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class RoomStack;
class RotaryModel;

/// A minute in five rooms: at each stop one sentence and one control to move, which has a ring; a second sentence says
/// what the drag shows. What the user changes stays. It can be left at each stop and repeated from the menu Help.
class Tour : public QObject {
    Q_OBJECT

 public:
    Tour(BannerArea& banners, ActionRegistry& actions, RoomStack& rooms, RotaryModel& rotary, QWidget& window);

    void addActions();
    void start() { show(0); }
    /// Counted from 0; −1: no stop is shown.
    int stop() const { return m_stop; }

 private:
    /// The stop after the last one ends the tour.
    void show(int stop);
    /// Locks the distance m − n while the stop is shown; `words` are before the sentence that changes, as below.
    void followPositions(const QString& words);
    void followSetup(const QString& words);
    /// Says where the stop is if the user leaves its room.
    void followRoom();
    void leave();

    BannerArea& m_banners;
    ActionRegistry& m_actions;
    RoomStack& m_rooms;
    RotaryModel& m_rotary;
    QWidget& m_window;
    QPointer<QCheckBox> m_locked;  // if the tour locked the distance
    QMetaObject::Connection m_follows;
    int m_stop = -1;
};

}  // namespace ropelab::ui
