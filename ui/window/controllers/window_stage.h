#pragma once

#include <QElapsedTimer>
#include <QHash>
#include <QMargins>
#include <QObject>
#include <QTemporaryDir>
#include <QTimer>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/common/latest_job.h"
#include "ui/lecture/stage.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

class QMainWindow;

namespace ropelab::ui {

class ControlStrip;
class ControlsOnly;
class RoomStack;
class RotaryController;
class Workspace;

/// What a lecture changes is no change of the user's: end() restores room, setup, controls and lab.
class WindowStage : public QObject, public LectureStage {
    Q_OBJECT

 public:
    /// Created after the rooms of the window; their controls have their standard values now.
    WindowStage(Workspace& workspace, RoomStack& rooms, RotaryController& rotary, QMainWindow& window);
    ~WindowStage() override;

    void begin() override;
    void end() override;
    bool hasBegun() const { return !m_users.empty(); }
    bool isPresenting() const { return m_isPresenting; }
    /// Otherwise the window keeps its size while it presents.
    void setUsesFullScreen(bool uses) { m_usesFullScreen = uses; }

    void resetControls() override;
    void beginGlide(const std::function<void()>& toEnd) override;
    void endGlide() override;
    void showRoom(const QString& room, const QString& part) override;
    Room& room() override;
    ComparedSetups setups() override;
    void setSetups(const ComparedSetups& setups) override;
    double control(const QString& key) override;
    void setControl(const QString& key, const QString& value) override;
    void showLab(const QString& path) override;
    void startTraining(const LectureTraining& training) override;
    void showRuns(const QString& lab, const LectureTraining* training) override;
    Runs runs() override;
    QString progress() override;
    QString whyRecorded() override;
    void trainAnyway() override;
    const LabFile* lab() override;
    QString ownLabPath() override;
    void showControls(const QStringList& names, bool all) override;
    void pointAt(const QString& what) override;
    std::vector<Figure> figures() override;
    std::vector<Figure> figuresSoFar() override;
    void setPresenting(bool presenting, bool fullScreen) override;
    void setInsets(const QMargins& insets, bool isCovered) override;
    void changeSize(int by) override;
    QWidget* canvas() override;

    void fitSides();
    /// Does immediately what is left of the end of a presentation or a lecture.
    void finishTurns();

 signals:
    /// Something that takes time failed: a recorded lab cannot be opened.
    void problem(const QString& sentence);
    /// The bars around the rooms are hidden while the window presents.
    void presentingChanged(bool presenting);
    /// The window has to give the panel and the bar at the left their widths again.
    void sidesChanged();

 private:
    struct Look {
        Qt::WindowStates state;
        ThemeManager::Choice theme;
        int scale;
        QSize size;
    };
    /// While presenting; "" shows the whole room. All other rooms are whole.
    void setPart(const QString& part);
    /// Shows only the part of the scene in a presentation, and where only the controls of the scene are shown.
    void applyPart();
    /// Of the rooms that are made, and first of the picked pair, which the rooms of the rotary setup share.
    std::vector<std::function<void()>> restorers(bool standard = false);
    /// From the last to the first: the picked pair is the one of the beginning, whatever it was when a room was made.
    static void restoreAll(const std::vector<std::function<void()>>& restorers);
    void applyControls();
    /// An unknown name is tried `again` once, because a room draws figures some frames after a change; then problem().
    void pointAtFigure(const QString& name, bool again);
    /// For a canvas of this size; a change of the scale restyles all widgets that are not hidden.
    void chooseScale(const QSize& canvas);
    /// Reduces the scale where the room that is shown now is cut.
    void fitScale();
    bool isCut() const;
    /// A temporary copy of a recorded lab: opening a lab of an earlier version changes its file, and the folder of the
    /// lectures may be read-only. Throws BadInput if the lab cannot be copied.
    QString copyOf(const QString& path);
    void showRecording(const QString& path);
    /// In a lab of its own, which is planned in the background. Of a scene without a recording, it is shown while it
    /// trains; otherwise when it has all that the recording has.
    void train(const Experiment& experiment);
    void showTrained(RunState how);
    /// In place of the recording.
    void showLive();
    void fixAxes(const std::optional<Range>& x, const std::optional<Range>& y);
    void applyAxes();  // none while the lecture is paused
    void reportTo(const QString& error);
    /// Calls `work` in a later turn of the event loop, after what was passed before, and again until it returns true.
    /// The window so handles events between parts of work that take longer than a frame together.
    void later(std::function<bool()> work);

    Workspace& m_workspace;
    RoomStack& m_rooms;
    RotaryController& m_rotary;
    QMainWindow& m_window;
    std::deque<std::function<bool()>> m_turns;
    QTimer m_turn;
    std::vector<std::function<void()>> m_standard;  // restore the controls of each room as at the start of the program
    std::vector<std::function<void()>> m_users;     // the same as at the start of the lecture; empty without a lecture
    QString m_usersRoom;
    QString m_example;  // the lab that comes with the program, if the user had it open
    bool m_isPresenting = false;
    bool m_isLarge = false;  // type for a class, and not for one person
    bool m_usesFullScreen = true;
    std::optional<Look> m_before;
    std::optional<ThemeManager::Choice> m_theme;  // theme of the presentation; nullopt until it was left once
    int m_larger = 0;                             // steps by which the lecturer changed the size
    QSize m_size;                                 // of the window at the last change of the scale
    bool m_isPlaced = false;                      // the room has its final size for the current scene
    bool m_isFitted = false;                      // a scale was chosen for this presentation and window size
    std::unique_ptr<ControlsOnly> m_hidden;
    ControlStrip* m_strip;
    QString m_scenePart;         // part of the room that the scene names
    Room* m_partRoom = nullptr;  // the room of that scene, which the user may have left
    QString m_part;              // part of the room that is shown alone; "" for the whole room
    QStringList m_controls;
    std::optional<Range> m_axes[2];  // x and y, as the lecture fixed them
    bool m_showsAll = true;
    bool m_pointsAtPair = false;
    QString m_recording;  // path of the recorded lab of the scene; "" for none
    std::unique_ptr<QTemporaryDir> m_copyFolder;
    QHash<QString, QString> m_copies;  // copies of recorded labs, by the path of the lab
    QString m_liveLab;                 // path of the lab that trains, or trained, in front of the class
    QString m_liveKey;                 // experiment of that lab
    QString m_sceneKey;                // experiment of the scene that is shown; "" without one
    bool m_isTooSlow = false;
    bool m_isTrained = false;                          // the lab that trained beside a recording is complete
    std::optional<Experiment> m_experiment;            // what the scene trains
    std::optional<ExtrapolationPlan> m_extrapolation;  // what it measures then
    double m_trainingPart = 1;                         // of the time that both take
    std::atomic<double> m_measured = 0;                // part of the measurement, from 0 to 1
    double m_expected = 0;                             // how long both take, in seconds
    double m_planned = 0;                              // longest time of the training in seconds
    QElapsedTimer m_trainsSince;
    std::function<void()> m_nextTraining;  // starts when the one before has stopped
    std::unique_ptr<SweepSession> m_beside;
    LatestJob m_measuring;  // plans what trains, then measures; declared last: its thread ends first
};

}  // namespace ropelab::ui
