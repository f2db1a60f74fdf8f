#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace ropelab::ui {

class BannerArea;
struct FigureRecord;
class RoomStack;
class Workspace;

/// Opens what an exported figure was made from: the lab with its runs, or the rotary setup, and the room that shows the
/// figure.
class FigureOpener : public QObject {
    Q_OBJECT

 public:
    /// `showRoom` takes the id of a room and of its part.
    FigureOpener(Workspace& workspace, BannerArea& banners, RoomStack& rooms,
                 std::function<void(const QString& room, const QString& part)> showRoom, QWidget* window);
    /// If the lab is not found, asks for it. A banner says why a figure cannot be opened.
    void open(const QString& path);

 private:
    bool openLabOf(const FigureRecord& record, const QString& figurePath);
    void showRoomOf(const FigureRecord& record);

    Workspace& m_workspace;
    BannerArea& m_banners;
    RoomStack& m_rooms;
    std::function<void(const QString& room, const QString& part)> m_showRoom;
    QWidget* m_window;
};

}  // namespace ropelab::ui
