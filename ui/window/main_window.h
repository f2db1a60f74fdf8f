#pragma once

#include <QList>
#include <QMainWindow>
#include <QSet>
#include <QSize>
#include <functional>
#include <vector>

#include "ui/common/actions.h"
#include "ui/common/banners.h"
#include "ui/session/workspace.h"
#include "ui/window/stall_meter.h"

class QMimeData;
class QStackedWidget;
class QUndoStack;

namespace ropelab::ui {

class AnswersDialog;
class ClassPooler;
class CommandPalette;
class Corner;
class CourseDialog;
class FormulaBook;
struct FigureRecord;
class KeyboardSheet;
class ModelMap;
class Rail;
class ReportWriter;
class Room;
class StatementCards;
class StatusStrip;
class ExplanationCard;
struct PaletteEntry;

/// Returns the largest size of a window without its frame on a screen of the size `screen`, of which `available` is
/// free of task bars.
QSize sizeWithinScreen(const QSize& screen, const QSize& available);

/// The main window: menu bar, bar of rooms, the current room with its panel, and the status strip. It only connects
/// these parts; the rooms and the workspace contain the logic.
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
    ExplanationCard& whyCard() { return *m_why; }

    /// Returns the room that is shown.
    Room& room() const;
    /// Shows the room with this id ("train") and, if `part` is not empty, that part of the room. Throws BadInput for
    /// unknown ids.
    void showRoom(const QString& id, const QString& part = QString());
    /// Compares the rotary setup with that of a run and shows the spectrum room. A banner says why if the setup of the
    /// run cannot be shown.
    void compareWithRun(RunId run);
    /// Gives the keyboard focus to the picture of the current room.
    void focusPicture();

    /// Returns the window of known models and creates it on first use.
    ModelMap& models();
    /// Returns the window with wrong statements about RoPE, each linked to the room that refutes it.
    StatementCards& statements();
    /// Shows the window with wrong statements about RoPE.
    void showStatements();
    /// Returns the window of formulas and creates it on first use.
    FormulaBook& formulas();
    /// Shows the window of formulas, scrolled to formula `number` if it is above 0.
    void showFormulas(int number = 0);

    /// Restores size, position, hidden panels, theme and scale from the settings, and stores later changes of theme and
    /// scale.
    void restoreSettings();
    /// Reopens the unsaved lab of the previous session, if there is one, and shows a banner about it.
    void reopenUnsavedLab();
    /// Sets whether the settings panel is hidden in a wide window.
    void setPanelFolded(bool folded);
    /// Sets whether the bar of rooms shows only icons.
    void setRailFolded(bool folded);
    /// Returns whether the settings panel is visible. A narrow window hides it until the user opens it, independently
    /// of the choice for wide windows.
    bool isPanelShown() const;

    /// Returns the delays of the GUI thread during the last sweep.
    const StallMeter& stalls() const { return m_stalls; }

    /// Opens what an exported figure was made from: the lab with its runs, or the rotary setup, and the room that shows
    /// the figure. If the lab is not found, asks for it. A banner says why a figure cannot be opened.
    void openFigure(const QString& path);

    /// Returns the window of the course for a student alone and creates it on first use.
    CourseDialog& course();
    /// Shows the window of the course beside this one; a lecture that is open ends.
    void showCourse();
    /// Closes the window of the course: the user's setup, controls and lab come back.
    void closeCourse();
    /// Shows the answers to questions of lectures that the lab stores.
    void showAnswers();
    /// Returns the window of the answers, or null before showAnswers().
    AnswersDialog* answers() { return m_answers; }
    /// Pools the results of a class, labs and printed results, in a new lab, and shows their means.
    void poolResults(const QStringList& files);
    /// Asks for the results of a class; returns an empty list if the user cancels. Tests replace it.
    std::function<QStringList()> askResults;

    /// Functions that ask the user for a file to open or to save; they return "" if the user cancels. Tests replace
    /// them.
    std::function<QString()> askOpen;
    std::function<QString()> askSave;
    /// Asks where the lab of a figure is; the argument is its path at the time of the export.
    std::function<QString(const QString& path)> askLab;
    /// Asks the user for a folder; returns "" if the user cancels. Tests replace it.
    std::function<QString()> askFolder;
    /// Returns the writer of *File > Write report …*.
    ReportWriter& reportWriter() { return *m_report; }

 signals:
    /// The window was painted for the first time.
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
    void addReportAction();
    void addRotaryActions();
    void addViewActions();
    void addRunActions();
    void addHelpActions();
    void addCourseActions();
    /// Returns the dragged files if they are several results of a class, otherwise an empty list.
    static QStringList droppedResults(const QMimeData* data);
    void connectWorkspace();
    void switchTo(int room);
    /// Returns what the palette finds beside the actions: the fields and figures of all rooms, formulas and models.
    QList<PaletteEntry> paletteEntries();
    /// Adds the entries of a room and its panel, except those that are in `ids`.
    void addRoomEntries(QList<PaletteEntry>& entries, QSet<QString>& ids, int room);
    /// Shows a room and lights a widget of the room or of its panel.
    void goTo(const QString& room, bool isInPanel, QWidget* target);
    /// Shows the window of known models with this model selected.
    void showModel(const QString& name);
    /// Returns the undo stack of the current room.
    QUndoStack& undoStack();
    void undo();
    void redo();
    bool openLabOf(const FigureRecord& record, const QString& figurePath);
    void showFigureRoom(const FigureRecord& record);
    void showRecent(QMenu* menu);
    void renewTitle();
    /// Fits the window to the screen on the first start, so that all its edges are visible.
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
    std::vector<Room*> m_rooms;  // in the order of m_roomStack and m_panelStack
    QStackedWidget* m_roomStack = nullptr;
    QStackedWidget* m_panelStack = nullptr;
    StatusStrip* m_strip = nullptr;
    Corner* m_corner = nullptr;
    CommandPalette* m_palette = nullptr;
    KeyboardSheet* m_sheet = nullptr;
    ExplanationCard* m_why = nullptr;
    ModelMap* m_models = nullptr;
    StatementCards* m_statements = nullptr;
    FormulaBook* m_formulas = nullptr;
    ReportWriter* m_report;
    ClassPooler* m_pooler;
    CourseDialog* m_course = nullptr;
    AnswersDialog* m_answers = nullptr;
    bool m_railFolded = false;
    bool m_panelFolded = false;
    bool m_panelOpened = false;  // the user opened the panel in a narrow window
    bool m_closing = false;
    int m_failedRuns = 0;  // number of failed runs of the current or last sweep
    bool m_painted = false;
};

}  // namespace ropelab::ui
