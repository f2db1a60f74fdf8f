#pragma once

#include <QObject>
#include <QString>

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
    FigureOpener(Workspace& workspace, BannerArea& banners, RoomStack& rooms, QWidget* window);
    /// If the lab is not found, asks for it. A banner says why a figure cannot be opened.
    void open(const QString& path);

 private:
    bool openLabOf(const FigureRecord& record, const QString& figurePath);
    void showRoomOf(const FigureRecord& record);

    Workspace& m_workspace;
    BannerArea& m_banners;
    RoomStack& m_rooms;
    QWidget* m_window;
};

}  // namespace ropelab::ui
