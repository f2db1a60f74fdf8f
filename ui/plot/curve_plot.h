#pragma once

#include <QElapsedTimer>
#include <QJsonObject>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/contract/event.h"
#include "ui/figure/figure.h"
#include "ui/plot/curve_bands.h"
#include "ui/plot/curve_data.h"
#include "ui/plot/plot_widget.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

struct CurveId {
    RunId run = 0;
    Quantity quantity = Quantity::validation_loss;
    auto operator<=>(const CurveId&) const = default;  // NOLINT(modernize-use-nullptr): clang 14 misreads it
};

/// Live curves of many runs versus the iterations. All methods must be called from the GUI thread. Painting is queued,
/// at most 30 times per second and less often if painting is slow.
///
/// Mouse: the wheel zooms, dragging pans, a double click resets the view, hovering highlights a run and shows its
/// values, and a click selects a run. Keys: arrows pan, + and − zoom, R or Home resets the view, L toggles the
/// logarithmic axis, Escape clears the selection.
class CurvePlot : public PlotWidget {
    Q_OBJECT

 public:
    /// "No run" in signals and in pickRun.
    static constexpr RunId kNoRun = 0;

    explicit CurvePlot(QWidget* parent = nullptr);

    // Runs. All other methods ignore unknown runs, because events of a run may arrive after it was removed.
    struct State {
        bool visible = true;
        /// The last finite point of a failed run (for example, a diverged one) is red.
        bool failed = false;
        /// The run trains no more. The mean over the seeds of a setting ends at the last step that all its runs with
        /// points have, except those that failed; the note says so if one of them has ended.
        bool ended = false;
        /// Rung of successive halving at which the run was stopped, counted from 1; 0: it was not stopped.
        int rung = 0;
        /// Mean bytes per token, by which a unit per byte divides the run's losses; NaN: unknown.
        double bytesPerToken = std::numeric_limits<double>::quiet_NaN();
    };
    /// Adds or changes a run. The ink's shade distinguishes the runs of a setting and does not apply to groups. Returns
    /// whether the run is new.
    bool addRun(RunId run, const QString& label, Ink ink);
    void removeRun(RunId run);
    /// Without runVisibilityChanged().
    void setState(RunId run, const State& state);
    /// Removes all runs, rungs and the entropy floor, and resets the view. Ghosts stay.
    void clear();
    /// The curves that are on the canvas stay there, faint and without labels, until dropGhosts() or until another
    /// quantity or unit is chosen, so that the next sweep begins beside them and not on blank axes. Exports do not
    /// contain them.
    void keepGhosts();
    void dropGhosts();
    bool hasGhosts() const { return !m_ghosts.empty(); }
    std::vector<RunId> runs() const;
    std::size_t runCount() const { return m_runs.size(); }

    // Data; losses are in nats.
    /// If x is not greater than the last x of the curve, the points from x on are replaced, because a run that resumes
    /// from its checkpoint measures them again. y may be NaN or infinite.
    void append(CurveId curve, double x, double y);
    /// Throws std::invalid_argument unless both lists have equal length and x ascends.
    void setCurve(CurveId curve, const QList<double>& x, const QList<double>& y);
    /// Training loss, gradient norm and learning rate.
    void append(const event::Step& step);
    void append(const event::Evaluated& evaluated);
    void truncate(RunId run, double lastX);
    /// Draws one curve per group: the mean of its visible runs, with a band of mean ± standard deviation where at least
    /// two runs were measured. Runs outside all groups are not drawn. An empty list draws one curve per run again.
    void setGroups(std::vector<CurveGroup> groups);
    const std::vector<CurveGroup>& groups() const { return m_groups; }
    /// Paints only these of the visible runs, where more curves would hide each other; nullopt paints all. The note
    /// says how many curves are painted, and `which`. Exports contain all.
    void setPainted(std::optional<std::set<RunId>> runs, const QString& which = QString());
    /// Nearest to x, as drawn: smoothed, in the shown unit; NaN for a hidden run or an x outside the curve.
    double shownValue(RunId run, double x) const;
    /// Also without points.
    bool hasCurve(CurveId curve) const { return m_curves.contains(curve); }
    /// Iterations; empty for an unknown curve.
    QList<double> xValues(CurveId curve) const;
    /// Losses are in nats.
    QList<double> yValues(CurveId curve) const;

    // State of the view.
    /// One quantity, or validation and training loss together (the second is drawn thinner).
    const std::vector<Quantity>& shownQuantities() const { return m_quantities; }
    double smoothing() const { return m_smoothing; }
    bool isYLogarithmic() const { return m_yLog; }
    bool isRunVisible(RunId run) const;
    RunId pickedRun() const { return m_picked; }
    RunId hoveredRun() const { return m_hovered; }
    /// False after the user has zoomed or panned, until the view is reset.
    bool followsData() const { return m_follows; }

    /// Visible runs with all points, units, smoothing and range; the settings of the view are under "view".
    Figure toFigure() const { return toFigure(false); }
    /// With only the painted runs, if `painted`.
    Figure toFigure(bool painted) const;
    /// One sentence: number of curves, quantity, lowest and highest value.
    QString summary() const;
    void refreshNow() override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 public slots:
    /// One quantity, or two losses together. An empty list is ignored.
    void setShownQuantities(const std::vector<ropelab::ui::Quantity>& shown);
    void setShownQuantity(ropelab::ui::Quantity quantity) { setShownQuantities({quantity}); }
    /// Weight of formula 36: 0 (none) to 0.999, per iteration. A quantity measured every N iterations is smoothed with
    /// weight^N, so that the weight covers the same number of iterations for all quantities. The measured values are
    /// drawn faintly below. The learning rate is never smoothed.
    void setSmoothing(double weight);
    /// For figures that earlier versions exported, whose curves are averages.
    void setSmoothingKind(ropelab::Smoothing kind) { m_smoothingKind = kind; }
    /// Also resets the view.
    void setYLogarithmic(bool on);
    /// With a unit per byte, runs whose bytes per token are unknown have no curve, which the note says.
    void setLossUnit(const ropelab::ui::LossUnit& unit);
    /// The note says that losses per token cannot be compared: runs use different tokenizers on one data set.
    void setTokenizersDiffer(bool differ);
    /// False if a shown run was imported: its losses may be in any unit.
    void setLossUnitKnown(bool isKnown);
    /// Horizontal line at the best possible loss, with a label such as "entropy floor". nullopt removes the line.
    void setFloor(std::optional<double> nats, const QString& label = QString());
    /// Rungs of successive halving, ascending.
    void setRungs(const QList<double>& iterations);
    /// Smallest number of iterations on the x axis; 0 makes the axis follow the data.
    void setHorizon(double iterations);
    /// Exported figures contain these settings.
    void setSettings(const QJsonObject& settings) { m_settings = settings; }
    /// For exports and screen readers, for example "training".
    void setName(const QString& name);
    void setRunVisible(ropelab::RunId run, bool visible);
    /// kNoRun or an unknown run clears the selection.
    void pickRun(ropelab::RunId run);
    /// Like hovering over the curve. kNoRun removes the highlight.
    void hoverRun(ropelab::RunId run) { highlight(m_runs.contains(run) ? run : kNoRun); }
    /// Makes both axes follow the data again.
    void resetView();
    /// Zooms about the centre of the view; a factor below 1 zooms in.
    void zoom(double factor);
    /// In fractions of the visible range.
    void pan(double x, double y);

 signals:
    /// kNoRun if none is selected.
    void runPicked(ropelab::RunId run);
    void runVisibilityChanged(ropelab::RunId run, bool visible);
    void yLogarithmicChanged(bool on);
    /// NaN: there is no crosshair any more.
    void crosshairMoved(double x);
    /// False: the user has zoomed or panned.
    void followsDataChanged(bool follows);

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void render() override;
    int repaintDelay() const override;
    void mouseReleased(const QPointF& where) override;
    void mouseMoved(const QPointF& where) override;

 private:
    struct Run : State {
        QString label;
        Ink ink;
    };
    struct Shown {
        CurveId id;  // for a group: its first visible run
        const CurveData* data;
        QString label;
        QString seeds = {};  // of a group: ", 3 of 5 seeds" while the others have no values
    };
    /// If `shown` is not null, of the painted curves, which are appended in the order of the figure.
    Figure figure(std::vector<Shown>* shown) const;
    /// A point at the last finite value of each run that failed (red) or that was stopped at a rung (grey).
    void addEnds(Figure& figure, bool painted) const;
    void addCurve(Figure& figure, const Shown& shown) const;
    std::vector<Shown> addGroups(Figure& figure, Quantity quantity, bool painted) const;
    bool isPainted(RunId run) const { return !m_painted || m_painted->contains(run); }
    /// The first visible run of the group.
    RunId representativeOf(RunId run) const;
    /// Only this run if it has no group; the result then refers to `run`.
    std::span<const RunId> groupOf(const RunId& run) const;
    void setAxesOf(Figure& figure) const;
    QString unitNote() const;
    /// On screen, the note also mentions the smoothing and omitted values.
    QString noteOf(const Figure& figure, bool forScreen) const;
    QString summaryOf(const Figure& figure) const;
    FigureCurve::Emphasis emphasisOf(RunId run) const;
    Ink inkOf(RunId run) const;
    /// From the stored values to those shown; NaN if the run has no values in this unit.
    double factorOf(CurveId curve) const;
    /// Null unless the run is visible, has points of this quantity, and they can be converted to the unit.
    const CurveData* shownData(CurveId curve) const;
    /// In the shown unit; nullopt if there is none, or if the visible runs have different factors.
    std::optional<double> shownFloor() const;
    double weightOf(Quantity quantity, const CurveData& curve) const;
    /// As shown, in the shown unit.
    const QList<double>& shownValues(CurveId curve, const CurveData& stored) const {
        return stored.smoothed(weightOf(curve.quantity, stored), factorOf(curve), m_smoothingKind);
    }
    void highlight(RunId run);
    void setFollows(bool follows);

    /// `where` is a point of this widget; kNoRun if no curve is near.
    RunId runNear(const QPointF& where) const;
    void showReadout(const QPointF& where);
    QPointF m_readoutAt;

    std::map<RunId, Run> m_runs;
    std::map<CurveId, CurveData> m_curves;
    std::map<Quantity, QList<double>> m_sharedSteps;  // runs of one sweep have the same steps, so one list serves all
    std::vector<CurveGroup> m_groups;
    std::optional<std::set<RunId>> m_painted;
    QString m_whichPainted;
    std::vector<FigureCurve> m_ghosts;
    std::map<RunId, std::size_t> m_groupOf;        // place of each run's group in m_groups
    mutable std::map<CurveId, CurveMean> m_means;  // means of the groups; m_shown points into this map
    std::vector<Quantity> m_quantities{Quantity::validation_loss};
    double m_smoothing = 0;
    Smoothing m_smoothingKind = Smoothing::line;
    bool m_yLog = false;
    bool m_follows = true;
    LossUnit m_lossUnit;
    bool m_tokenizersDiffer = false;
    bool m_isLossUnitKnown = true;
    std::optional<double> m_floor;
    QString m_floorLabel;
    QList<double> m_rungs;
    double m_horizon = 0;
    QString m_name;
    QJsonObject m_settings;
    RunId m_picked = kNoRun;
    RunId m_hovered = kNoRun;

    std::vector<Shown> m_shown;
    QElapsedTimer m_sinceSummary;
    double m_refreshMs = 0;
    bool m_settingRanges = false;
};

}  // namespace ropelab::ui
