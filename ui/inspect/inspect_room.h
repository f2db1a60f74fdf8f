#pragma once

#include <QPointer>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/inspect/inspect_source.h"
#include "ui/inspect/model_answers.h"
#include "ui/inspect/replay_job.h"
#include "ui/window/room.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace ropelab::ui {

class FigureView;
class InspectPane;
class InspectPanel;
class ReplayBar;
class ReplayDialog;
class ReplayWriter;
class TextStrip;
struct FineTuneState;

/// What training does to the inside of a run: spectra, curves, attention, knock-outs and what lies beyond the window,
/// over a time axis of stored snapshots that can be replayed. It follows training; while it is hidden nothing is read
/// or computed.
class InspectRoom : public Room {
    Q_OBJECT

 public:
    explicit InspectRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~InspectRoom() override;

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    /// Of the picture that was chosen last.
    Figure figure() override;
    bool hasFigure() const override;
    bool isBusy() const override;
    void refreshNow() override;
    /// A figure by its name.
    void showPart(const QString& figure) override;

    InspectPanel& choices() { return *m_panel; }
    InspectPane& mainPane() { return *m_main; }
    InspectPane& sidePane() { return *m_side; }
    FigureView& lossView() { return *m_loss; }
    TextStrip& textStrip() { return *m_text; }
    ReplayBar& replay() { return *m_bar; }
    const InspectData& data() const { return m_data; }
    /// Whether the lab has no run to look into.
    bool isEmpty() const;
    QPushButton* goToTrain() const { return m_goToTrain; }

    /// A replay of what is on show, without a file to write it to.
    ReplayJob replayJob() const;
    /// Asks how the replay is written, in one window at a time. Null, with the reason in a banner, where it cannot be
    /// written now; null without snapshots.
    ReplayDialog* askReplay();
    ReplayWriter& replayWriter() { return *m_writer; }

 signals:
    void trainAsked();

 protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    QWidget* makeEmptyState();
    QWidget* makePictures();
    void connectPane(InspectPane& pane);
    void schedule();
    void renew();
    void ask();
    FineTuneState fineTuneState() const;
    InspectData dataAt(std::int64_t iteration) const;
    InspectPicture pictureOf(const InspectPane& pane, const InspectData& data) const;
    std::vector<const InspectFigure*> shownFigures() const;
    std::optional<int> pairOf(std::optional<int> rotary) const;
    void fitSides();
    void connectWriter();
    void showSecondRun();
    QString whyNoReplay(const ReplayJob& job) const;

    Workspace& m_workspace;
    InspectSource* m_source;
    ModelAnswers* m_answers;
    ReplayWriter* m_writer;
    QPointer<ReplayDialog> m_dialog;
    QString m_replayFile;  // that is being written, or was last
    InspectData m_data;
    InspectPanel* m_panel;
    QStackedWidget* m_pages;
    QPushButton* m_goToTrain = nullptr;
    QSplitter* m_split = nullptr;
    InspectPane* m_main = nullptr;
    InspectPane* m_side = nullptr;
    InspectPane* m_chosen = nullptr;  // export means this one
    QString m_besideBefore;           // what stood there when the second run took its place; "" where it did not
    TextStrip* m_text = nullptr;
    FigureView* m_loss = nullptr;
    ReplayBar* m_bar = nullptr;
    QTimer m_timer;
    bool m_stale = true;
    std::optional<int> m_pair;  // picked here; the rotary setup may not have it
    int m_symbol = -1;
    RunId m_cursorOf = 0;  // the run whose time the bar shows
    int m_hoveredSymbol = -1;
};

}  // namespace ropelab::ui
