#pragma once

#include <QFrame>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/experiment/theta_plane.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

class ExperimentModel;
class FigureView;
class RunStore;
class SessionActions;

/// The sweep's settings as points of the plane θ × rotated fraction: a click adds one, a drag moves one, and Delete
/// removes the one that was clicked last. The visible finished runs of the lab lie on the plane with their mean loss.
class SweepPlane : public QFrame {
    Q_OBJECT

 public:
    SweepPlane(SessionActions& actions, ExperimentModel& experiment, const RunStore& runs, QWidget* parent = nullptr);

    FigureView& view() { return *m_view; }
    const std::vector<PlanePoint>& points() const { return m_points; }

    /// As the mouse does; in units of the axes.
    void press(const QPointF& place);
    void drag(const QPointF& place);
    void release();
    void add(const QPointF& place);
    void removePicked();

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renew();
    Figure figure() const;
    /// nullopt if no point is near.
    std::optional<std::size_t> pointNear(const QPointF& place) const;
    void change(const QString& text, const std::vector<PlanePoint>& points);

    SessionActions& m_actions;
    ExperimentModel& m_experiment;
    const RunStore& m_runs;
    FigureView* m_view;
    std::vector<PlanePoint> m_points;
    QString m_problem;                    // why the experiment has no points
    std::optional<std::size_t> m_picked;  // index of the point that was clicked last
    std::optional<PlanePoint> m_moved;    // where the picked point is while it is dragged
    bool m_isPressed = false;
    QTimer m_renewal;  // after runs were hidden or shown, or ended
};

}  // namespace ropelab::ui
