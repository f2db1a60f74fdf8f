#pragma once

#include <QObject>

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class RoomStack;
class WindowStage;

/// A minute in five rooms: at each stop one sentence and one control to move, which lights up. What the user changes
/// stays. It can be left at each stop and repeated from the menu Help.
class Tour : public QObject {
    Q_OBJECT

 public:
    Tour(BannerArea& banners, ActionRegistry& actions, RoomStack& rooms, WindowStage& stage, QObject* parent);

    void addActions();
    void start() { show(0); }
    /// Counted from 0; −1: no stop is shown.
    int stop() const { return m_stop; }

 private:
    /// The stop after the last one ends the tour.
    void show(int stop);

    BannerArea& m_banners;
    ActionRegistry& m_actions;
    RoomStack& m_rooms;
    WindowStage& m_stage;
    int m_stop = -1;
};

}  // namespace ropelab::ui
