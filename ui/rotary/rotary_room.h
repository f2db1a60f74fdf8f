#pragma once

#include <QHash>
#include <QList>
#include <QPointF>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <optional>
#include <span>

#include "ui/common/room.h"
#include "ui/rotary/comparison.h"
#include "ui/session/rotary_model.h"

class QMenu;

namespace ropelab::ui {

class PairedView;
class PanelGrid;

/// The command line and tests find figures by name, for example "spectrum".
struct RotaryFigure {
    const char* name;
    Figure (*make)(const RotarySetup& setup, const ModelShape& shape);
    /// Null if the figure of two setups follows from the figures of each.
    Figure (*compare)(const ShapedSetup& a, const ShapedSetup& b) = nullptr;

    Figure ofBoth(const ShapedSetup& a, const ShapedSetup& b) const;
};

/// Shows the shared rotary setup; the panel has its fields and the room's options. A hidden room computes nothing.
class RotaryRoom : public Room {
    Q_OBJECT

 public:
    /// `id` is the object name, for example "spectrum".
    RotaryRoom(RotaryModel& model, const QString& id, QWidget* parent);

    QWidget* panel() override;
    /// From the view that the user chose last, with both setups; the pair under the mouse is not highlighted in it.
    Figure figure() override;
    void refreshNow() override;
    QWidget* picture() override;
    UndoScope undoScope() const override { return UndoScope::rotary; }
    /// The picked pair; rooms add their own controls.
    std::vector<RoomControl> controls() override;
    /// Also finds the fields of the rotary setup.
    QWidget* controlWidget(const QString& name) override;
    void endEdit() override { m_model.endDrag(); }

    const QList<FigureView*>& views() const { return m_views; }

    /// By default emits animationRequested(), because only the Rotation room has more to animate than theta.
    virtual void openAnimation();

 signals:
    void animationRequested(const QString& figure, const ropelab::RotarySetup& setup);

 protected:
    RotaryModel& model() { return m_model; }
    const RotaryModel& model() const { return m_model; }
    /// The figure of the view can be exported. The caller adds the view to a layout.
    FigureView* addView(const QString& accessibleName);
    /// Like addView(); shows the figures of two setups side by side.
    PairedView* addPair(const QString& accessibleName);
    /// Like addView(), for a figure with panels, which is exported as a whole.
    PanelGrid* addGrid(const QString& accessibleName);

    using MakeFigure = std::function<Figure(const ShapedSetup&)>;
    /// `mine` is the figure of the edited setup; `make` makes that of the other setup if there is one.
    void showFigure(FigureView* view, Figure mine, const MakeFigure& make);
    /// `both` is a figure of both setups if comparedFigure() returned it.
    void showBothIn(FigureView* view, Figure both);
    void showPanels(PanelGrid* grid, Figure figure);
    /// `mine` belongs to the edited setup and `theirs` to the other one, here and below.
    Figure bothFigures(const Figure& mine, const Figure& theirs) const;
    QString bothValues(const QString& mine, const QString& theirs) const;
    QString bothSentences(const QString& mine, const QString& theirs) const;
    using Readout = std::optional<FigureView::Readout>;
    Readout bothReadouts(const Readout& mine, const Readout& theirs) const;
    /// "quantity: B / A = 2".
    QString bothQuotient(const QString& quantity, double mine, double theirs) const;

    /// Hover highlights, click selects, arrow keys select neighbours. `pairAt` returns the pair at a point of the view.
    void connectPairs(FigureView* view, const std::function<std::optional<int>(QPointF)>& pairAt);
    void schedule();
    bool isScheduled() const { return m_stale && m_timer.isActive(); }
    /// Updates the figures of all views. Must take less than one frame; longer computations belong in a LatestJob.
    virtual void renew() = 0;
    /// Shown below the fields of the setup; may be null. Called once.
    virtual QWidget* options() { return nullptr; }
    virtual void addToMenu(const FigureView* /*view*/, QMenu& /*menu*/) {}

    std::vector<Figure> pageFigures() override;
    FigureOrigin originOf(const Figure& figure) override;
    void showEvent(QShowEvent* event) override;

 private:
    void showMenu(FigureView* view, const QPoint& where);
    void stepPair(int key);

    RotaryModel& m_model;
    QList<FigureView*> m_views;
    QHash<FigureView*, PairedView*> m_pairs;
    QHash<FigureView*, Figure> m_sideBySide;  // figures with panels, for exports, by their first view
    QList<PanelGrid*> m_grids;
    QPointer<FigureView> m_chosen;
    QPointer<QWidget> m_panel;
    QTimer m_timer;
    bool m_stale = true;
};

}  // namespace ropelab::ui
