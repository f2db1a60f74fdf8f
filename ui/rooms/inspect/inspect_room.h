#pragma once

#include <QPointer>
#include <QTimer>
#include <optional>

#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/model_answers.h"
#include "ui/rooms/inspect/replay_job.h"
#include "ui/session/run_access.h"
#include "ui/shell/room.h"

class QPushButton;
class QSplitter;
class QStackedWidget;

namespace ropelab::ui {

class ActionRegistry;
class FigureView;
class InspectPane;
class InspectPanel;
class ReplayBar;
class ReplayDialog;
class ReplayWriter;
class RotaryModel;
class SessionActions;
class Settings;
class TextStrip;
struct FineTuneState;

/// Shows the internals of a run over training: usage of frequencies, attention, retrieval, ablation and length
/// extrapolation. A time axis over the stored snapshots can be replayed. The room is updated during training; while it
/// is hidden nothing is loaded or computed. Each figure is a part; the controls are run (a name), layer, head,
/// iteration, pair and part.
class InspectRoom : public Room {
    Q_OBJECT

 public:
    InspectRoom(SessionActions& actions, RunAccess access, RotaryModel& rotary, Settings& settings,
                QWidget* parent = nullptr);
    ~InspectRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    static void addActions(ActionRegistry& registry, const RoomHandle<InspectRoom>& room);
    FigureOrigin originOf(const Figure& figure) override;
    /// Unless `step` is negative, selects the snapshot at or before it.
    void showRun(RunId run, std::int64_t step);
    bool hasFigure() const override;
    bool isBusy() const override;
    void refreshNow() override;
    /// `figure` may have the name of an earlier version.
    void showPart(const QString& figure) override { Room::showPart(currentFigureName(figure)); }
    QAbstractButton* playButton() const override;
    UndoScope undoScope() const override { return UndoScope::rotary; }  // the room picks pairs of the rotary setup

    InspectPanel& choices() { return *m_panel; }
    InspectPane& mainPane() { return *m_main; }
    InspectPane& sidePane() { return *m_side; }
    FigureView& lossView() { return *m_loss; }
    TextStrip& textStrip() { return *m_text; }
    ReplayBar& replay() { return *m_bar; }
    const InspectData& data() const { return m_data; }
    bool isEmpty() const { return m_access.runs.runs().empty() && m_access.lab.models().empty(); }
    QPushButton* goToTrain() const { return m_goToTrain; }

    /// What the room shows, without the step.
    InspectRequest request() const;
    /// A job for the visible figures, without an output file.
    ReplayJob replayJob() const;
    /// Raises the dialog if it is open. Returns nullptr if there are no snapshots, or if the replay cannot be exported
    /// now; a banner then shows the reason.
    ReplayDialog* openReplayDialog();
    ReplayWriter& replayWriter() { return *m_writer; }

 protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    /// A presentation shows the main figure alone.
    void fitOnlyPart() override;
    QWidget* makeEmptyState();
    QWidget* makePictures();
    void connectPane(InspectPane& pane);
    void addPartsAndControls();
    Figure lossFigure() const;
    void schedule();
    void fitAxes() override { schedule(); }
    void renew();
    void requestAnswers();
    ModelInputs modelInputs() const;
    FineTuneState fineTuneState() const;
    InspectData dataAt(std::int64_t iteration) const;
    InspectPicture pictureOf(const InspectPane& pane, const InspectData& data) const;
    /// Says why the chosen run is not loaded.
    InspectPicture withoutRun(const char* name) const;
    std::vector<const InspectFigure*> shownFigures() const;
    std::optional<int> pairOf(std::optional<int> rotary) const;
    void fitSides();
    void connectWriter();
    void showSecondRun();
    QString whyNoReplay(const ReplayJob& job) const;

    SessionActions& m_actions;
    RunAccess m_access;
    RotaryModel& m_rotary;
    Settings& m_settings;
    InspectSource* m_source;
    ModelAnswers* m_answers;
    ReplayWriter* m_writer;
    QPointer<ReplayDialog> m_dialog;
    QString m_replayFile;  // the file of the current or last export
    InspectData m_data;
    InspectPanel* m_panel;
    QStackedWidget* m_pages;
    QPushButton* m_goToTrain = nullptr;
    QSplitter* m_split = nullptr;
    InspectPane* m_main = nullptr;
    InspectPane* m_side = nullptr;
    bool m_isSideChosen = false;  // the user chose the side figure; else it depends on the width
    bool m_isFitting = false;     // while the width chooses it
    QString m_besideBefore;       // name of the side figure before it was replaced by the second run; "" if it was not
    TextStrip* m_text = nullptr;
    FigureView* m_loss = nullptr;
    ReplayBar* m_bar = nullptr;
    QTimer m_timer;
    bool m_stale = true;
    std::optional<int> m_pair;  // the pair that was selected in this room; the rotary setup may have fewer pairs
    int m_query = -1;
    std::int64_t m_wantedStep = -1;  // step to which the cursor moves when the run is loaded; −1: none
    RunId m_cursorOf = 0;            // the run whose snapshots the replay bar shows
    int m_hoveredToken = -1;
};

}  // namespace ropelab::ui
