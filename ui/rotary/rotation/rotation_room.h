#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include "ui/rotary/rotary_room.h"
#include "ui/rotary/rotation/rotation_state.h"
#include "ui/rotary/rotation/run_vectors.h"
#include "ui/rotary/rotation/vectors_panel.h"

class QButtonGroup;
class QLabel;
class QScrollArea;
class QStackedWidget;

namespace ropelab::ui {

class AimPage;
class PositionBar;
class ShiftCard;

/// What turns, and how fast: a dial for every pair with q at m and k at n, one pair large with arrows to drag, and
/// beneath them the logit split by pairs, the helix, the rotation matrix and aiming at a distance.
class RotationRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum Page { Logit, Helix, Matrix, Aim };

    explicit RotationRoom(Workspace& workspace, QWidget* parent = nullptr);

    void addActions(ActionRegistry& registry) override;
    /// "logit", "helix", "matrix" or "aim".
    void showPart(const QString& part) override;

    const RotationScene& scene() const { return m_scene; }
    Page page() const;
    void showPage(Page page);

    /// Sets positions, as far as the window goes.
    void moveTo(std::int64_t m, std::int64_t n);
    /// Moves m, and n where the distance is kept. Returns whether there was room.
    bool moveBy(std::int64_t by);
    bool isPlaying() const { return m_timer.isActive(); }
    void play(bool on);
    /// What the timer does after so many seconds.
    void advance(double seconds);

    void chooseVectors(VectorSource source);
    void drawAgain();
    /// Takes q and k of a trained run, and its setup.
    void takeTrained(const RotarySetup& setup, const HeadVectors& vectors, const QString& origin);
    /// Sets r and k = R_r q.
    void aimAt(std::int64_t distance);
    /// m + 1000, n + 1000, and back to where they stood.
    void shift();
    void shiftBack();

    FigureView* dialsView() const { return m_dials; }
    FigureView* pairView() const { return m_pair; }
    FigureView* logitView() const { return m_logit; }
    FigureView* helixView() const { return m_helix; }
    FigureView* matrixView() const { return m_matrix; }
    FigureView* aimView() const { return m_aim; }
    PositionBar* positionBar() const { return m_bar; }
    ShiftCard* shiftCard() const { return m_shift; }
    RunVectors* runVectors() const { return m_runVectors; }
    AimPage* aimPage() const { return m_aimPage; }

 protected:
    void renew() override;
    QWidget* options() override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    enum class Arrow { none, query, key };

    void makeViews();
    QWidget* makeStrip();
    void connectDials();
    void connectPair();
    void connectLogit();
    void connectHelix();
    void renewPage();
    void scrub(std::int64_t m, std::int64_t n, bool movesQuery);
    Arrow arrowNear(const QPointF& place) const;
    void dragArrow(const QPointF& place);
    void turnArrow(double radians, double stretch);
    void pickNeighbour(int by);
    void fitMatrix();
    void renewReading();

    RotationScene m_scene;
    FigureView* m_dials = nullptr;
    FigureView* m_pair = nullptr;
    FigureView* m_logit = nullptr;
    FigureView* m_helix = nullptr;
    FigureView* m_matrix = nullptr;
    FigureView* m_aim = nullptr;
    PositionBar* m_bar = nullptr;
    QButtonGroup* m_tabs = nullptr;
    QLabel* m_reading = nullptr;
    QStackedWidget* m_pages = nullptr;
    QScrollArea* m_matrixArea = nullptr;
    ShiftCard* m_shift = nullptr;
    AimPage* m_aimPage = nullptr;
    QPointer<VectorsPanel> m_vectors;
    QPointer<RunVectors> m_runVectors;

    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_rest = 0;  // of a position, while playing
    Arrow m_held = Arrow::none;
    Arrow m_chosen = Arrow::query;  // what keys turn
    QPointF m_lastDrag;             // of the helix
};

}  // namespace ropelab::ui
