#pragma once

#include <QPointer>
#include <QTimer>
#include <array>

#include "ui/common/latest_job.h"
#include "ui/rooms/train/curves_page.h"
#include "ui/rooms/train/figures/training_figures.h"
#include "ui/session/run_access.h"
#include "ui/shell/room.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class ActionRegistry;
class BannerArea;
class CurvePlot;
class ExperimentModel;
class FittingLabel;
class LibTorchOffer;
class PlotToolbar;
class QueueView;
class RooflineView;
class RunList;
class RunScope;
class SecondPicture;
class SessionActions;
class Settings;
class SweepPanel;
class SweepPlane;
class SweepPreview;
class TakeOver;
struct RunsVerdict;

/// Trains a sweep and shows the curves of all runs, below them a second picture that follows training (a figure of the
/// newest probes, or the text that the picked run generates), and the list of runs, which is the legend; the panel on
/// the right edits the sweep.
class TrainRoom : public Room {
    Q_OBJECT

 public:
    TrainRoom(SessionActions& actions, RunAccess access, ExperimentModel& experiment, Settings& settings,
              QWidget* parent = nullptr);
    ~TrainRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    static void addActions(ActionRegistry& registry, const RoomHandle<TrainRoom>& room);
    Figure figure() override;
    FigureOrigin originOf(const Figure& figure) override;
    void refreshNow() override;

    CurvePlot& plot() { return *m_plot; }
    /// Replaces the plot while the quantity "roofline" is selected.
    RooflineView& roofline() { return *m_roofline; }
    RunList& runList() { return *m_list; }
    RunScope& scope() { return *m_scope; }
    /// What the runs show, or while they train what they show so far; "" for fewer than two settings.
    QString headline() const;
    SecondPicture& second() { return *m_second; }
    QString sampleText() const;
    bool isEmpty() const { return m_access.runs.runs().empty(); }
    bool hasFigure() const override { return !isEmpty(); }
    /// Replaces the plot by the page of runs and queue: the waiting cohorts, the settings of the sweep in the panel as
    /// a plane, and its runs as a table.
    void showPlan(bool shown);
    bool isPlanShown() const { return m_planShown; }
    SweepPreview& preview() { return *m_preview; }
    SweepPlane& plane() { return *m_plane; }
    QueueView& queue() { return *m_queue; }
    TakeOver& takeOver() { return *m_takeOver; }
    LibTorchOffer& libTorchOffer() { return *m_libTorch; }
    /// Offers bits per byte for runs with different tokenizers.
    BannerArea& unitAdvice() { return *m_unitAdvice; }
    /// The ids and errors are those of PlotToolbar::showQuantity().
    void showQuantity(const QString& id) { m_toolbar->showQuantity(id); }
    /// The plot waits for data besides its curves, for example for the entropy floor.
    bool isBusy() const override;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

 private:
    QWidget* makeEmptyState();
    QWidget* makePlan();
    void renewPages();
    void renewGroups();
    /// Shows the banner when the plot begins to show losses per token of runs with different tokenizers.
    void renewUnitAdvice();
    void renewEmptyState();
    void syncRuns();
    /// Work that grows with the runs is spread over several handlers.
    bool isLarge() const;
    /// Reads the steps that the plots paint and do not have yet, or those of all `visible` runs, of
    /// at most `most` curves. Returns whether all are read.
    bool showSteps(bool visible = false, int most = std::numeric_limits<int>::max());
    /// A part of those that are painted, and the rest in the next handlers.
    void readSteps();
    /// What waits for an update, now.
    void showAll(bool visible = false);
    void renewStale();
    /// Updates the runs of the plots, or the next `most` of them.
    void renewRuns(std::size_t most = std::numeric_limits<std::size_t>::max());
    /// Updates the runs, the range of the x axis, the groups of seeds and the entropy floor.
    void renewVisible();
    /// A hidden room is renewed when it is shown.
    void renewIfShown();
    void applyDeliveries(const std::vector<Delivery>& deliveries);
    void showSample(RunId run);
    QWidget* makePictures();
    QWidget* makeRuns();
    void connectPictures();
    void connectRuns();
    void addContents();
    /// One below the other or, without space for both, only one of them; the second picture is a strip until the user
    /// moves the splitter.
    void fitPictures();
    void setListShown(bool shown);
    void renewHeadline();
    /// Or, while runs train, what they show so far.
    void showVerdict(RunsVerdict verdict);
    void dropGhosts();
    /// Those of the toolbar's quantity and of the gradient norm.
    std::array<CurvePlot*, 2> plots() const;
    /// True if the second picture was clicked last, or the plot is folded.
    bool exportsSecond() const;
    void renewWhy();
    /// Replaces the sweep in the panel by the settings of a run, as an undoable step.
    void takeSettings(RunId run);

    SessionActions& m_actions;
    RunAccess m_access;
    ExperimentModel& m_experiment;
    Settings& m_settings;
    CurvePlot* m_plot = nullptr;
    RunList* m_list = nullptr;
    PlotToolbar* m_toolbar = nullptr;
    RunScope* m_scope = nullptr;
    RooflineView* m_roofline = nullptr;
    QStackedWidget* m_picture = nullptr;  // contains the plot and the roofline
    SecondPicture* m_second = nullptr;
    QSplitter* m_pictures = nullptr;  // contains m_picture and m_second
    QSplitter* m_split = nullptr;     // contains the pictures, and the list of runs below its row
    FittingLabel* m_headline = nullptr;
    bool m_picturesMoved = false;  // the user moved the splitter
    QPointer<SweepPanel> m_panel;
    QStackedWidget* m_pages = nullptr;
    TakeOver* m_takeOver = nullptr;
    LibTorchOffer* m_libTorch = nullptr;
    BannerArea* m_unitAdvice = nullptr;
    bool m_advisesUnit = false;
    bool m_tokenizersDiffer = false;       // of the visible runs
    bool m_isStarting = false;             // a sweep was asked for, and its runs do not train yet
    bool m_isStale = false;                // the visible runs changed while the room was hidden
    std::optional<std::size_t> m_nextRun;  // place of the first run that the plots show as it was before
    SweepPreview* m_preview = nullptr;
    SweepPlane* m_plane = nullptr;
    QueueView* m_queue = nullptr;
    bool m_planShown = false;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_emptyStart = nullptr;
    QString m_labPath;
    std::optional<std::set<RunId>> m_painted;  // runsToPaint
    RunId m_sampled = 0;
    std::vector<RunId> m_cohort;  // the runs that train at the moment
    QTimer m_headlineTimer;
    std::vector<CurveGroup> m_groups;  // the seeds of the visible runs
    QTimer m_stepsTimer;               // reads the next steps
    QTimer m_visibleTimer;             // combines the updates after many runs were hidden or shown together
    EntropyFloorJob m_floor;
    LatestJob m_verdict;
};

}  // namespace ropelab::ui
