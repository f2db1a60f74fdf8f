#pragma once

#include <QList>
#include <QWidget>
#include <optional>

#include "ui/common/latest_job.h"
#include "ui/figure/figure.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rotary/comparison.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QWidget;

namespace ropelab::ui {

class FigureView;
class PositionSlider;

/// The pages Tokens and Circuit show the tokens of this text.
QLineEdit* makeTextField(QWidget* parent);

/// Shifts m and n by kShift positions and shows the logit before and after in float64, float32 and bfloat16.
class ShiftCard : public QWidget {
    Q_OBJECT

 public:
    static constexpr int kShift = 1000;

    explicit ShiftCard(QWidget* parent = nullptr);

    /// Shows the table only while m and n are shifted. With `other`, two setups are compared.
    void show(const RotationScene& scene, const std::optional<RotationScene>& other = {}, bool editsB = false);
    QPushButton* shiftButton() const { return m_shift; }
    QPushButton* undoButton() const { return m_undo; }
    /// The rows of the table and the sentences below it; "" while m and n are not shifted.
    QString text() const;

 signals:
    void shiftRequested();
    void undoRequested();

 private:
    QPushButton* m_shift;
    QPushButton* m_undo;
    QWidget* m_table;
    QList<QList<QLabel*>> m_cells;  // one list per row: name, before, after, change
    QLabel* m_sentence;
    QLabel* m_angles;  // what the shift does to the angles of the enlarged pair
};

/// Plots the logit versus the distance and sets k = R_Δ q, so that the logit is largest at distance Δ. Where the full
/// curve takes longer than one frame, the page shows a coarse curve until a background job has computed the fine one.
class AimPage : public QWidget {
    Q_OBJECT

 public:
    /// Adds `view`, which shows the figure "aim", to the layout of this page, and fields and texts to the column of
    /// `fields`, which the panel of the room shows.
    AimPage(FigureView* view, QWidget* fields, QWidget* parent = nullptr);

    /// Computes the curve if the scene has changed, and that of another setup if there is one; the room then shows
    /// figure().
    void show(const RotationScene& scene, const std::optional<RotationScene>& other = {}, bool editsB = false);
    /// Only the field, which a lecture shows on other pages too.
    void showDistance(const RotationScene& scene);
    Figure figure(Side side) const;
    /// Cancels the background jobs.
    void stop();
    bool isWorking() const { return m_computed.edited.job.isRunning() || m_computed.other.job.isRunning(); }

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
    void renewText();

    QPushButton* m_aim;
    PositionSlider* m_distance;
    QLabel* m_text;
    bool m_editsB = false;
    BothSides<Computed> m_computed;
};

}  // namespace ropelab::ui
