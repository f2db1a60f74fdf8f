#pragma once

#include <QMainWindow>
#include <functional>
#include <vector>

#include "ui/window/actions.h"
#include "ui/window/banners.h"
#include "ui/window/stall_meter.h"
#include "ui/window/workspace.h"

class QStackedWidget;

namespace ropelab::ui {

class CommandPalette;
class Corner;
class FormulaBook;
class KeyboardSheet;
class ModelMap;
class Rail;
class Room;
class StatementCards;
class StatusStrip;
class WhyCard;

/// The window: menu, rail of rooms, the room, its panel, what is running. It wires; rooms and workspace do the work.
class MainWindow : public QMainWindow {
    Q_OBJECT

 public:
    explicit MainWindow(WorkspaceOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    Workspace& workspace() { return m_workspace; }
    ActionRegistry& actions() { return *m_actions; }
    BannerArea& banners() { return *m_banners; }
    StatusStrip& strip() { return *m_strip; }
    CommandPalette& commandPalette() { return *m_palette; }
    KeyboardSheet& keyboardSheet() { return *m_sheet; }
    Corner& corner() { return *m_corner; }
    WhyCard& whyCard() { return *m_why; }

    Room& room() const;
    /// By its id ("train"). Throws BadInput, naming the rooms there are.
    void showRoom(const QString& id, const QString& part = QString());

    /// The window of known models, made when it is first asked for.
    ModelMap& models();
    /// Wrong statements about RoPE, and the rooms that refute them.
    StatementCards& statements();
    void showStatements();
    /// The window of formulas.
    FormulaBook& formulas();
    /// Shows it, at one of them where `number` is above 0.
    void showFormulas(int number = 0);

    /// Size, place, folds, theme and scale as they were left.
    void restoreSettings();
    /// Opens the lab without a name that the last window left, and says so.
    void findAgain();
    void setPanelFolded(bool folded);
    void setRailFolded(bool folded);
    /// In a narrow window the panel folds away by itself until it is asked for, whatever was chosen for a wide one.
    bool isPanelShown() const;

    /// How long this thread kept its events waiting while the last sweep trained.
    const StallMeter& stalls() const { return m_stalls; }

    /// Ask for file names; tests answer for the person. "" where the person thought better of it.
    std::function<QString()> askOpen;
    std::function<QString()> askSave;

 signals:
    /// The window has painted itself for the first time.
    void ready();

 protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

 private:
    void build();
    void addActions();
    void addLabActions();
    void addFigureActions();
    void addRotaryActions();
    void addViewActions();
    void addRunActions();
    void connectWorkspace();
    void showRecent(QMenu* menu);
    void renewTitle();
    /// Of the first start: no edge is out of sight.
    void fitScreen();
    void fitSides();
    void makeCorner();
    bool isNarrow() const;
    void togglePanel();
    void reportFailedRuns(const std::vector<Delivery>& deliveries);

    Workspace m_workspace;
    StallMeter m_stalls;
    ActionRegistry* m_actions;
    BannerArea* m_banners = nullptr;
    Rail* m_rail = nullptr;
    std::vector<Room*> m_rooms;  // in the order of the stacks
    QStackedWidget* m_roomStack = nullptr;
    QStackedWidget* m_panelStack = nullptr;
    StatusStrip* m_strip = nullptr;
    Corner* m_corner = nullptr;
    CommandPalette* m_palette = nullptr;
    KeyboardSheet* m_sheet = nullptr;
    WhyCard* m_why = nullptr;
    ModelMap* m_models = nullptr;
    StatementCards* m_statements = nullptr;
    FormulaBook* m_formulas = nullptr;
    bool m_railFolded = false;
    bool m_panelFolded = false;
    bool m_panelAsked = false;  // for, in a narrow window
    bool m_closing = false;
    int m_failedRuns = 0;  // of the present or last sweep
    bool m_painted = false;
};

}  // namespace ropelab::ui
