#pragma once

#include <QElapsedTimer>
#include <QJsonObject>
#include <QTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/spec/event.h"
#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/plot/curve_bands.h"
#include "ui/plot/curve_data.h"
#include "ui/plot/quantity.h"

class QCustomPlot;
class QMouseEvent;

namespace ropelab::ui {

class FigureRenderer;
class Legend;
class PlotReadout;

/// One curve: a quantity of a run.
struct CurveId {
    RunId run = 0;
    Quantity quantity = Quantity::validation_loss;
    auto operator<=>(const CurveId&) const = default;  // NOLINT(modernize-use-nullptr): clang 14 misreads it
};

/// Live curves of many runs over the iterations: legend on top, plot below. Append from the window's thread as events
/// come; painting is queued, at most 30 times a second, less often where painting is slow, and the legend follows with
/// it. Its controls (linear or log, smoothing, unit, quantity) are the room's; every one is a slot here.
///
/// Mouse: wheel zooms, drag pans, double click resets, hovering lights a run and reads the values, a click picks one.
/// Keys: arrows pan, + and − zoom, R or Home resets, L toggles the logarithmic axis, Escape unpicks.
class CurvePlot : public QWidget {
    Q_OBJECT

 public:
    /// Stands for "no run" in signals and in pickRun.
    static constexpr RunId kNoRun = 0;

    explicit CurvePlot(QWidget* parent = nullptr);
    ~CurvePlot() override;

    // Runs. An unknown run in any other call is ignored: its events may arrive after it was deleted.
    /// Adds a run or changes its label and colour; `colorIndex` from 0, the same in every room.
    void addRun(RunId run, const QString& label, int colorIndex);
    void removeRun(RunId run);
    /// A run that failed, as by diverging, has a red point where it was last seen.
    void setRunFailed(RunId run, bool failed);
    /// Forgets all runs, the floor and the view.
    void clear();
    std::vector<RunId> runs() const;

    // Data, losses in nats.
    /// Adds a point. Where x is not past the curve's last x, the points from x on are replaced: a run continued from
    /// its checkpoint measures them again. Any y may come, also NaN and infinity.
    void append(CurveId curve, double x, double y);
    /// Replaces a whole curve (a lab file reopened). Throws std::invalid_argument unless both are equally long and x
    /// ascends.
    void setCurve(CurveId curve, const QList<double>& x, const QList<double>& y);
    /// What Step and Evaluated carry, in one call each.
    void append(const event::Step& step);
    void append(const event::Evaluated& evaluated);
    /// Forgets what a run measured past lastX, of every quantity.
    void truncate(RunId run, double lastX);
    /// One curve a group in place of one a run: the mean of its visible runs, with a band of mean ± standard deviation
    /// where two or more were measured. Empty: one curve a run. Runs of no group are not drawn while there are groups.
    void setGroups(std::vector<CurveGroup> groups);
    const std::vector<CurveGroup>& groups() const { return m_groups; }
    QList<double> xValues(CurveId curve) const;
    /// As measured, in nats.
    QList<double> yValues(CurveId curve) const;

    // What is shown.
    /// One quantity, or validation and training loss together (the second drawn thinner).
    const std::vector<Quantity>& shownQuantities() const { return m_quantities; }
    double smoothing() const { return m_smoothing; }
    bool isYLogarithmic() const { return m_yLog; }
    bool isRunVisible(RunId run) const;
    RunId pickedRun() const { return m_picked; }
    RunId hoveredRun() const { return m_hovered; }
    /// False once the user zoomed or panned, until reset.
    bool followsData() const { return m_follows; }

    /// What is on screen as a figure: visible runs with all their points, units, smoothing and range. `settings` of the
    /// figure are setSettings's with the view's own added under "view".
    Figure toFigure() const;
    /// One sentence on the curves: how many, what, the best.
    QString summary() const;
    /// Brings the picture up to date now (screenshots, tests).
    void refreshNow();
    QCustomPlot* canvas() const { return m_plot; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 public slots:
    void setShownQuantities(const std::vector<ropelab::ui::Quantity>& shown);
    void setShownQuantity(ropelab::ui::Quantity quantity) { setShownQuantities({quantity}); }
    /// F36's weight, 0 (none) to 0.999, for what is measured at every iteration; a quantity measured every N iterations
    /// is smoothed with weight^N, so that one setting means one stretch of training for all. What was measured stays
    /// faintly underneath. The learning rate has no noise and stays as it is.
    void setSmoothing(double weight);
    void setYLogarithmic(bool on);
    /// How losses read: setLossUnit("nats", 1), or setLossUnit("bits per character", 1 / std::log(2)).
    void setLossUnit(const QString& unit, double perNat);
    /// The best possible loss in nats, drawn with its words ("entropy floor"; the value is added); nullopt removes it.
    void setFloor(std::optional<double> nats, const QString& label = QString());
    /// The iterations that the runs will have: the x axis reaches at least so far from the start. 0: follow the data.
    void setHorizon(double iterations);
    /// What the figure was made from; goes into exports.
    void setSettings(const QJsonObject& settings) { m_settings = settings; }
    /// The plot's name in exports and for screen readers ("training").
    void setName(const QString& name);
    void setRunVisible(ropelab::RunId run, bool visible);
    void pickRun(ropelab::RunId run);
    /// Lights a run as hovering does (a list elsewhere is hovered); kNoRun ends it.
    void hoverRun(ropelab::RunId run);
    void resetView();
    /// Below 1 zooms in, about the middle.
    void zoom(double factor);
    /// By shares of the visible range.
    void pan(double x, double y);

 signals:
    void runPicked(ropelab::RunId run);
    void runVisibilityChanged(ropelab::RunId run, bool visible);
    void yLogarithmicChanged(bool on);
    void followsDataChanged(bool follows);
    /// The legend's or the canvas's context menu was asked for, in global coordinates (the room offers export).
    void contextMenuAsked(const QPoint& where);

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    struct Run {
        QString label;
        int colorIndex = 0;
        bool visible = true;
        bool failed = false;
    };
    /// A curve as it stands in the figure on screen.
    struct Shown {
        CurveId id;  // of a group: its first visible run
        const CurveData* data;
        QString label;
    };
    void schedule();
    void refresh();
    void restyle();
    void fitLegend();
    /// What is drawn now, in the figure's order; fills `shown` where it is given.
    Figure figure(std::vector<Shown>* shown) const;
    void addEndsOfFailed(Figure& figure) const;
    void addCurve(Figure& figure, const Shown& shown) const;
    /// The curves of groups, with their bands.
    std::vector<Shown> addGroups(Figure& figure, Quantity quantity) const;
    /// The run that stands for this one in the figure: the first visible of its group.
    RunId standIn(RunId run) const;
    /// The run under which the legend names this one: the first of its group, hidden or not, so that a click does not
    /// put another entry in the place of the clicked one. kNoRun where none is left.
    RunId legendRun(RunId run) const;
    /// The runs of its group, or the run alone.
    std::vector<RunId> drawnWith(RunId run) const;
    void setAxesOf(Figure& figure) const;
    QString noteOf(const Figure& figure, bool forScreen) const;
    QString summaryOf(const Figure& figure) const;
    FigureCurve::Emphasis emphasisOf(RunId run) const;
    double factorOf(Quantity quantity) const { return isLoss(quantity) ? m_perNat : 1; }
    /// The weight for F36 as setSmoothing says.
    double weightOf(Quantity quantity, const CurveData& curve) const;
    /// Many runs change at once: the legend is made anew once, before it is next seen.
    void renewLegend();
    void updateLegend();
    void light(RunId run);
    void setFollows(bool follows);

    // Mouse, in the canvas's coordinates; true where the canvas must not see the event.
    bool mousePressed(QMouseEvent* event);
    bool mouseMoved(QMouseEvent* event);
    void mouseReleased(QMouseEvent* event);
    RunId runNear(const QPointF& where) const;
    void showReadout(const QPointF& where);

    std::map<RunId, Run> m_runs;
    std::map<CurveId, CurveData> m_curves;
    std::vector<CurveGroup> m_groups;
    mutable std::map<CurveId, CurveMean> m_means;  // of groups; m_shown points into it
    std::vector<Quantity> m_quantities{Quantity::validation_loss};
    double m_smoothing = 0;
    bool m_yLog = false;
    bool m_follows = true;
    QString m_lossUnit;
    double m_perNat = 1;
    std::optional<double> m_floor;
    QString m_floorLabel;
    double m_horizon = 0;
    QString m_name;
    QJsonObject m_settings;
    RunId m_picked = kNoRun;
    RunId m_hovered = kNoRun;

    Legend* m_legend;
    bool m_legendIsStale = false;
    QCustomPlot* m_plot;
    std::unique_ptr<FigureRenderer> m_renderer;
    PlotReadout* m_readout;  // owned by the canvas
    FigureStyle m_style;
    std::vector<Shown> m_shown;
    QTimer m_timer;
    QElapsedTimer m_sinceSummary;
    double m_refreshMs = 0;
    bool m_settingRanges = false;
    std::optional<QPointF> m_pressedAt;
    bool m_dragging = false;
};

}  // namespace ropelab::ui
