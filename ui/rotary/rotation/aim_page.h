#pragma once

#include <QWidget>
#include <optional>

#include "ui/rotary/latest_job.h"
#include "ui/rotary/rotation/logit_curve.h"

class QLabel;
class QPushButton;

namespace ropelab::ui {

class FigureView;
class PositionSlider;

/// "Aim at a distance": the logit against the distance, r, and the button that sets k = R_r q. A curve that takes
/// longer than a frame is drawn coarsely at once, and finely when it is there.
class AimPage : public QWidget {
    Q_OBJECT

 public:
    /// Takes the view into its layout.
    AimPage(FigureView* view, QWidget* parent = nullptr);

    void show(const RotationScene& scene);
    /// Gives up the fine curve.
    void stop();
    bool isWorking() const { return m_job.isRunning(); }

    QPushButton* aimButton() const { return m_aim; }
    PositionSlider* distance() const { return m_distance; }
    QString text() const;

 signals:
    /// r is to be this, and k = R_r q.
    void aimed(qint64 distance);

 private:
    void present(const RotationScene& scene);

    FigureView* m_view;
    QPushButton* m_aim;
    PositionSlider* m_distance;
    QLabel* m_text;
    LatestJob m_job;
    std::optional<RotationScene> m_scene;  // that the curve is of
    LogitCurve m_curve;
};

}  // namespace ropelab::ui
