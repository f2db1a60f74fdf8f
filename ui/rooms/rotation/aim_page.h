#pragma once

#include <QWidget>
#include <optional>

#include "ui/common/latest_job.h"
#include "ui/figure/figure.h"
#include "ui/rooms/rotation/logit_curve.h"

class QLabel;
class QPushButton;

namespace ropelab::ui {

class FigureView;
class PositionSlider;

/// Plots the logit versus the distance and sets k = R_Δ q, so that the logit is largest at distance Δ. Where the full
/// curve takes longer than one frame, the page shows a coarse curve until a background job has computed the fine one.
class AimPage : public QWidget {
    Q_OBJECT

 public:
    /// Adds `view`, which shows the figure "aim", to the layout of this page.
    AimPage(FigureView* view, QWidget* parent = nullptr);

    /// Computes the curve if the scene has changed. With the scene of another setup, computes both curves and their
    /// texts; the room then shows figure() and otherFigure() together.
    void show(const RotationScene& scene, const std::optional<RotationScene>& other = {}, bool editsB = false);
    Figure figure() const;
    Figure otherFigure() const;
    /// Cancels the background jobs.
    void stop();
    bool isWorking() const { return m_mine.job.isRunning() || m_theirs.job.isRunning(); }

    QPushButton* aimButton() const { return m_aim; }
    PositionSlider* distance() const { return m_distance; }
    /// The summary of the curve, or an input error.
    QString text() const;

 signals:
    /// The user asks for k = R_Δ q with Δ = `distance`, in tokens.
    void aimed(qint64 distance);
    void refined();
    /// The user ended a drag, entered a distance or pressed the button.
    void finished();

 private:
    struct Computed {
        std::optional<RotationScene> scene;
        LogitCurve curve;
        LatestJob job;
    };
    void compute(Computed& computed, const RotationScene& scene);
    void present();
    QString currentText() const;

    FigureView* m_view;
    QPushButton* m_aim;
    PositionSlider* m_distance;
    QLabel* m_text;
    bool m_editsB = false;
    Computed m_mine;
    Computed m_theirs;  // of the other of two compared setups
};

}  // namespace ropelab::ui
