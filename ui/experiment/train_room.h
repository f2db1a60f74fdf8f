#pragma once

#include <QPointer>
#include <QTimer>

#include "ui/experiment/event_queue.h"
#include "ui/experiment/floor_finder.h"
#include "ui/window/room.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace ropelab::ui {

class CurvePlot;
class PlotToolbar;
class QueueView;
class RooflineView;
class RunList;
class SweepPanel;
class SweepPreview;
class TakeOver;

/// Train a sweep and watch: curves of every run, what the picked run writes, the list of runs; the sweep's settings on
/// the right.
class TrainRoom : public Room {
    Q_OBJECT

 public:
    TrainRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~TrainRoom() override;

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    Figure figure() override;
    void refreshNow() override;
    /// "plan": as showPlan. Throws BadInput for any other.
    void showPart(const QString& part) override;

    CurvePlot& plot() { return *m_plot; }
    /// What limits the speed; shown in the plot's place as the quantity "roofline".
    RooflineView& roofline() { return *m_roofline; }
    RunList& runList() { return *m_list; }
    /// What the picked run wrote last, as shown.
    QString sampleText() const;
    bool isEmpty() const;
    bool hasFigure() const override { return !isEmpty(); }
    /// In the picture's place: the runs of the sweep in the panel, and the cohorts that wait.
    void showPlan(bool shown);
    bool isPlanShown() const;
    SweepPreview& preview() { return *m_preview; }
    QueueView& queue() { return *m_queue; }
    TakeOver& takeOver() { return *m_takeOver; }
    /// As PlotToolbar::showQuantity.
    void showQuantity(const QString& id);
    /// While what the picture needs besides its curves is on its way.
    bool isBusy() const override;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeEmptyState();
    QWidget* makeSample();
    QWidget* makePlan();
    void renewPages();
    void renewGroups();
    void renewEmptyState();
    void syncRuns();
    /// What follows from which runs are on show: how far the axis goes, groups of seeds, the floor.
    void renewVisible();
    void take(const std::vector<Delivery>& deliveries);
    void showSample(RunId run);
    void renewFloor();
    /// Gives the list the width that its names want, within limits, until the person moves the border.
    void fitBelow();
    /// What F1 says of the plot.
    void renewWhy();

    Workspace& m_workspace;
    CurvePlot* m_plot = nullptr;
    RunList* m_list = nullptr;
    PlotToolbar* m_toolbar = nullptr;
    RooflineView* m_roofline = nullptr;
    QStackedWidget* m_picture = nullptr;  // plot or roofline
    QPointer<SweepPanel> m_panel;
    QStackedWidget* m_pages = nullptr;
    TakeOver* m_takeOver = nullptr;
    SweepPreview* m_preview = nullptr;
    QueueView* m_queue = nullptr;
    bool m_planShown = false;
    QSplitter* m_below = nullptr;
    bool m_belowMoved = false;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_emptyStart = nullptr;
    QLabel* m_sampleTitle = nullptr;
    QPlainTextEdit* m_sample = nullptr;
    QString m_labPath;
    RunId m_sampled = 0;
    std::vector<RunId> m_cohort;  // that trains at the moment
    QTimer m_visibleTimer;        // many runs are hidden at once: what follows is worked out once
    FloorFinder m_floor;
};

}  // namespace ropelab::ui
