#pragma once

#include <QMainWindow>
#include <QSize>

#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/frame/stall_meter.h"

namespace ropelab::ui {

class ClassController;
class CommandPalette;
class Corner;
class ExplanationCard;
class FigureOpener;
class RunImport;
class KeyboardSheet;
class LabController;
class LectureController;
class Rail;
class RotaryController;
class StatusStrip;
class Tour;
class WindowStage;

/// Without the frame; `available` is the part of the screen that is free of task bars.
QSize sizeWithinScreen(const QSize& screen, const QSize& available);

/// The frame around the rooms: the bars, the panel, the settings of the window, and what is dropped onto it. The rooms
/// and the workspace contain the logic, and controllers what belongs to no room.
class MainWindow : public QMainWindow {
    Q_OBJECT

 public:
    explicit MainWindow(WorkspaceOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    Workspace& workspace() { return m_workspace; }
    ActionRegistry& actions() { return *m_actions; }
    RoomStack& roomStack() { return *m_rooms; }
    BannerArea& banners() { return *m_banners; }
    BannerArea& doors() { return *m_doors; }
    Tour& tour() { return *m_tour; }
    Rail& rail() { return *m_rail; }
    StatusStrip& strip() { return *m_strip; }
    Corner& corner() { return *m_corner; }
    CommandPalette& commandPalette() { return *m_palette; }
    KeyboardSheet& keyboardSheet() { return *m_sheet; }
    ExplanationCard& whyCard() { return *m_why; }
    WindowStage& windowStage() { return *m_stage; }
    LabController& labs() { return *m_labs; }
    RotaryController& rotary() { return *m_rotary; }
    LectureController& lectures() { return *m_lectures; }
    ClassController& classes() { return *m_classes; }
    const StallMeter& stalls() const { return m_stalls; }

    /// The room that is shown.
    Room& room() { return m_rooms->room(); }
    /// `id` as in "train"; `part` may be empty. Throws BadInput for unknown ids.
    void showRoom(const QString& id, const QString& part = QString()) { m_rooms->show(id, part); }
    /// Gives the picture of the current room the keyboard focus.
    void focusPicture(Qt::FocusReason reason);
    /// The room that was shown last when the program ended.
    void restoreRoom();

    /// Restores size, position, hidden panels, theme and scale, and stores later changes of theme and scale.
    void restoreSettings();
    /// Applies to a wide window.
    void setPanelFolded(bool folded);
    void setRailFolded(bool folded);
    bool isRailFolded() const { return m_railFolded; }
    /// A narrow window hides the panel until the user opens it, independently of the choice for wide windows.
    bool isPanelShown() const;
    void togglePanel();
    /// The widths of the bar at the left and of the panel, after the window or what it shows has changed.
    void fitSides();

 signals:
    /// The window was painted for the first time.
    void ready();

 protected:
    void closeEvent(QCloseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

 private:
    void build();
    void makeControllers();
    /// In the order of the menus, with those of the controllers and the rooms; fills the menu bar.
    void addActions();
    void addViewActions();
    void showGuideOfRoom();
    void addHelpActions();
    void makeCorner();
    void connectWorkspace();
    void connectRoom(Room& room);
    /// Tab goes from the bar at the left to the room, its panel, the strip below and the corner.
    void orderTabs();
    void renewTitle();
    /// On the first start, so that all edges of the window are visible.
    void fitScreen();
    bool isNarrow() const;

    Workspace m_workspace;
    StallMeter m_stalls;
    ActionRegistry* m_actions;
    RoomStack* m_rooms = nullptr;
    BannerArea* m_banners = nullptr;
    BannerArea* m_doors = nullptr;  // in the flow, for what is read for long
    Tour* m_tour = nullptr;
    Rail* m_rail = nullptr;
    StatusStrip* m_strip = nullptr;
    Corner* m_corner = nullptr;
    CommandPalette* m_palette = nullptr;
    KeyboardSheet* m_sheet = nullptr;
    ExplanationCard* m_why = nullptr;
    WindowStage* m_stage = nullptr;
    LabController* m_labs = nullptr;
    FigureOpener* m_figures = nullptr;
    RunImport* m_imports = nullptr;
    RotaryController* m_rotary = nullptr;
    LectureController* m_lectures = nullptr;
    ClassController* m_classes = nullptr;
    bool m_railFolded = false;
    bool m_panelFolded = false;
    bool m_panelOpened = false;  // the user opened the panel in a narrow window
    bool m_closing = false;
    bool m_painted = false;
};

}  // namespace ropelab::ui
