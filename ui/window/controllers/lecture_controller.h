#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

class QFileSystemWatcher;

namespace ropelab {
struct LectureScene;
}

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class ExportProcess;
class LecturePlayer;
class Presentation;
class RoomStack;
class WindowStage;
class Workspace;

/// Opens, presents and ends lectures, follows the file of the open one, adds scenes to it, and exports its handout and
/// its slides.
class LectureController : public QObject {
    Q_OBJECT

 public:
    LectureController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, RoomStack& rooms,
                      WindowStage& stage, QWidget* window);

    void addActions();
    LecturePlayer& player() { return *m_player; }
    Presentation& presentation() { return *m_presentation; }
    ExportProcess& documents() { return *m_documents; }
    ExportProcess& curves() { return *m_curves; }
    /// Whether curves() shows a lecture that is opened, so that a banner names missing curves before the class is asked
    /// to draw them. Off unless a user opens the window.
    void setChecksCurves(bool checks) { m_checksCurves = checks; }

    /// A path or the name of a lecture of the program. Throws BadInput and keeps the open lecture if it is not valid.
    void open(const QString& path);
    /// As open(); then the presentation starts in the next two turns of the event loop.
    void openAndPresent(const QString& path);
    /// From the title page or from the step at which the presentation was left.
    void present();
    /// `scene`: number or name ("": first page); `step` from 1 (0: before the first). Throws BadInput if there is none.
    void present(const QString& path, const QString& scene, int step);
    /// The user's setup, controls and lab come back.
    void end();
    /// Appends a scene to the open lecture that shows the current room with its setup, part, picked pair and visible
    /// controls. Without an open lecture, asks for the file of a new one. Throws BadInput if that is not possible.
    void takeScene();
    void showProblem(const QString& sentence);

 signals:
    /// The stage is wanted by a lecture, or is given back: whatever else uses it must end.
    void stageTaken();

 private:
    void addDocumentActions();
    void connectDocuments();
    /// Without shipped lectures, a banner says where they come from.
    void askLecture();
    void chooseLecture(const QString& folder);
    /// `kind` is "handout" or "slides". Does nothing without a path.
    void exportDocument(const char* kind, const QString& path);
    void load(const QString& path);
    void checkCurves();
    void showPaused();
    void makeNextRoom();
    void watch();
    void reload();
    LectureScene shownScene();

    Workspace& m_workspace;
    BannerArea& m_banners;
    ActionRegistry& m_actions;
    RoomStack& m_rooms;
    WindowStage& m_stage;
    QWidget* m_window;
    LecturePlayer* m_player;
    Presentation* m_presentation;
    ExportProcess* m_documents;
    ExportProcess* m_curves;
    bool m_checksCurves = false;
    bool m_waitsForSweep = false;   // the shown step was refused while a sweep of the user trained
    QString m_documentPath;         // of the handout or the slides that are or were exported
    QFileSystemWatcher* m_watcher;  // of the file of the open lecture
    QDateTime m_changed;            // when that file was last changed
    bool m_isBeginning = false;     // openAndPresent() has turns left
    QTimer m_making;                // makes and styles the pages of the lecture, so that no key waits for one
};

}  // namespace ropelab::ui
