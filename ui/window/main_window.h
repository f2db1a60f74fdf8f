#pragma once

#include <QDateTime>
#include <QList>
#include <QMainWindow>
#include <QSet>
#include <QSize>
#include <vector>

#include "ui/common/actions.h"
#include "ui/common/banners.h"
#include "ui/session/workspace.h"
#include "ui/window/stall_meter.h"

class QFileSystemWatcher;
class QMimeData;
class QUndoStack;

namespace ropelab {
struct LectureScene;
}

namespace ropelab::ui {

class AnswersDialog;
class ClassPooler;
class CommandPalette;
class Corner;
class CourseDialog;
class FormulaBook;
struct FigureRecord;
class KeyboardSheet;
class LecturePlayer;
class LectureStage;
class ModelMap;
class Presentation;
class Rail;
class ReportWriter;
class Room;
class RoomStack;
class StatementCards;
class StatusStrip;
class ExplanationCard;
class ExportProcess;
class WindowStage;
struct PaletteEntry;

/// Without the frame; `available` is the part of the screen that is free of task bars.
QSize sizeWithinScreen(const QSize& screen, const QSize& available);

/// Connects the parts of the window; the rooms and the workspace contain the logic.
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

    Room& room();
    RoomStack& roomStack() { return *m_rooms; }
    /// `id` as in "train"; `part` may be empty. Throws BadInput for unknown ids.
    void showRoom(const QString& id, const QString& part = QString());
    void exportAnimation(const QString& figure, const RotarySetup& setup);
    /// Shows the spectrum room. A banner says why if the setup of the run cannot be shown.
    void compareWithRun(RunId run);
    /// Gives the picture of the current room the keyboard focus.
    void focusPicture();

    /// Created on first use.
    ModelMap& models();
    StatementCards& statements();
    void showStatements();
    /// Created on first use.
    FormulaBook& formulas();
    /// Scrolls to formula `number` if it is above 0.
    void showFormulas(int number = 0);

    /// Restores size, position, hidden panels, theme and scale, and stores later changes of theme and scale.
    void restoreSettings();
    /// The unsaved lab of the previous session, if there is one; a banner tells about it.
    void reopenUnsavedLab();
    /// Applies to a wide window.
    void setPanelFolded(bool folded);
    void setRailFolded(bool folded);
    /// A narrow window hides the panel until the user opens it, independently of the choice for wide windows.
    bool isPanelShown() const;

    const StallMeter& stalls() const { return m_stalls; }

    /// Opens what an exported figure was made from: the lab with its runs, or the rotary setup, and the room that shows
    /// the figure. If the lab is not found, asks for it. A banner says why a figure cannot be opened.
    void openFigure(const QString& path);

    /// The course for a student alone; created on first use.
    CourseDialog& course();
    /// A lecture that is open ends.
    void showCourse();
    /// The user's setup, controls and lab come back.
    void closeCourse();
    /// Adds the name of the group that the user typed. Throws BadInput if the lab cannot be written.
    void storeAnswer(AnswerRecord answer);
    void showAnswers();
    /// Null before showAnswers().
    AnswersDialog* answers() { return m_answers; }
    /// Pools labs and printed results of a class in a new lab, and shows their means.
    void poolResults(const QStringList& files);

    /// A path or the name of a lecture of the program. Throws BadInput and keeps the open lecture if it is not valid.
    void openLecture(const QString& path);
    /// From the title page or from the step at which the presentation was left.
    void presentLecture();
    /// `scene`: number or name ("": first page); `step` from 1 (0: before the first). Throws BadInput if there is none.
    void presentLecture(const QString& path, const QString& scene, int step);
    /// The user's setup, controls and lab come back.
    void endLecture();
    /// Appends a scene to the open lecture that shows the current room with its setup, part, picked pair and visible
    /// controls. Without an open lecture, asks for the file of a new one. Throws BadInput if that is not possible.
    void takeScene();
    LectureStage& stage();
    WindowStage& windowStage() { return *m_stage; }
    LecturePlayer& player() { return *m_player; }
    Presentation& presentation() { return *m_presentation; }
    ExportProcess& lectureExport() { return *m_lectureExport; }

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
    friend class WindowStage;
    void build();
    void addActions();
    void addLabActions();
    void addFigureActions();
    void addListenAction();
    void addReportAction();
    void addRotaryActions();
    void addViewActions();
    void addRunActions();
    void addHelpActions();
    void addCourseActions();
    void renewAnswers();
    /// The dragged files if they are several results of a class, otherwise empty.
    static QStringList droppedResults(const QMimeData* data);
    void addLectureActions();
    void makeLectures();
    void makeDocuments();
    void addDocumentActions();
    /// `kind` is "handout" or "slides". Does nothing without a path.
    void exportDocument(const char* kind, const QString& path);
    void watchLecture();
    void reloadLecture();
    void showLectureProblem(const QString& sentence);
    LectureScene shownScene();
    void connectWorkspace();
    void switchTo(int room);
    void connectRoom(Room& room);
    /// Tab goes from the bar at the left to the room, its panel, the strip below and the corner.
    void orderTabs();
    /// The fields and figures of all rooms, formulas and models.
    QList<PaletteEntry> paletteEntries();
    /// Entries of a room and its panel, except those that are in `ids`.
    void addRoomEntries(QList<PaletteEntry>& entries, QSet<QString>& ids, int room);
    void goTo(const QString& room, bool isInPanel, QWidget* target);
    void showModel(const QString& name);
    QUndoStack& undoStack();
    /// False while a lecture shows another lab, to which the steps of the user's lab do not belong.
    bool ownsUndo();
    void undo();
    void redo();
    bool openLabOf(const FigureRecord& record, const QString& figurePath);
    void showFigureRoom(const FigureRecord& record);
    void showRecent(QMenu* menu);
    void renewTitle();
    /// On the first start, so that all edges of the window are visible.
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
    RoomStack* m_rooms = nullptr;
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
    WindowStage* m_stage = nullptr;
    LecturePlayer* m_player = nullptr;
    Presentation* m_presentation = nullptr;
    ExportProcess* m_lectureExport = nullptr;
    QString m_documentPath;                       // of the handout or the slides that are or were exported
    QFileSystemWatcher* m_lectureFile = nullptr;  // watches the open lecture
    QDateTime m_lectureTime;                      // when the open lecture was last changed
    bool m_railFolded = false;
    bool m_panelFolded = false;
    bool m_panelOpened = false;  // the user opened the panel in a narrow window
    bool m_closing = false;
    int m_failedRuns = 0;  // number of failed runs of the current or last sweep
    bool m_painted = false;
};

}  // namespace ropelab::ui
