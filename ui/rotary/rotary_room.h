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

/// A figure of a rotary room with its name, for example "spectrum". The command line and tests find figures by name.
struct RotaryFigure {
    const char* name;
    Figure (*make)(const RotarySetup& setup, const ModelShape& shape);
    /// Makes the figure of two setups A and B; null if it follows from the figures of each.
    Figure (*compare)(const ShapedSetup& a, const ShapedSetup& b) = nullptr;

    /// Returns the figure of two setups.
    Figure ofBoth(const ShapedSetup& a, const ShapedSetup& b) const;
};

/// Base class of the rooms that show the shared rotary setup. The figures are in the middle; the panel on the right
/// contains the fields of the setup and the options of the room. A hidden room computes nothing.
class RotaryRoom : public Room {
    Q_OBJECT

 public:
    /// Constructs a room with the object name `id`, for example "spectrum".
    RotaryRoom(RotaryModel& model, const QString& id, QWidget* parent);

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    /// Returns the figure of the view that the user chose last, with both setups if two are compared. The pair under
    /// the mouse is not highlighted in it.
    Figure figure() override;
    void refreshNow() override;
    /// Returns the view that the user chose last.
    QWidget* picture() override;
    UndoScope undoScope() const override { return UndoScope::rotary; }
    /// Returns the picked pair; rooms add their own controls.
    std::vector<RoomControl> controls() override;
    /// Returns also the fields of the rotary setup.
    QWidget* controlWidget(const QString& name) override;
    void endEdit() override { m_model.endDrag(); }

    const QList<FigureView*>& views() const { return m_views; }

    /// Lets the user export an animation of the figure that the user chose last. By default it emits
    /// animationRequested(), because only the Rotation room has more to animate than theta.
    virtual void openAnimation();

 signals:
    /// The user wants to export an animation of the figure with this name over theta, from `setup` on.
    void animationRequested(const QString& figure, const ropelab::RotarySetup& setup);

 protected:
    RotaryModel& model() { return m_model; }
    const RotaryModel& model() const { return m_model; }
    /// Creates a view whose figure can be exported. The caller adds it to a layout.
    FigureView* addView(const QString& accessibleName);
    /// Creates a view whose figure can be exported, and which shows the figures of two setups side by side. The caller
    /// adds it to a layout.
    PairedView* addPair(const QString& accessibleName);
    /// Creates a grid of views for a figure with panels, which is exported as a whole. The caller adds it to a layout.
    PanelGrid* addGrid(const QString& accessibleName);

    /// Makes the figure of a setup, with the options of the room.
    using MakeFigure = std::function<Figure(const ShapedSetup&)>;
    /// Shows `mine`, the figure of the edited setup, in a view; together with the figure that `make` makes of the other
    /// setup if there is one.
    void showFigure(FigureView* view, Figure mine, const MakeFigure& make);
    /// Shows a figure, which is one of both setups if comparedFigure() returned it.
    void showBothIn(FigureView* view, Figure both);
    /// Shows a figure with panels in a grid.
    void showPanels(PanelGrid* grid, Figure figure);
    /// Returns the figure of both setups from that of the edited setup and that of the other one.
    Figure bothFigures(const Figure& mine, const Figure& theirs) const;
    /// Returns the value, the text or the readout of both setups from that of the edited setup and that of the other
    /// one.
    QString bothValues(const QString& mine, const QString& theirs) const;
    QString bothSentences(const QString& mine, const QString& theirs) const;
    using Readout = std::optional<FigureView::Readout>;
    Readout bothReadouts(const Readout& mine, const Readout& theirs) const;
    /// Returns "quantity: B / A = 2" from the numbers of the edited setup and of the other one.
    QString bothQuotient(const QString& quantity, double mine, double theirs) const;

    /// Connects a view to the highlighted pair: hovering highlights a pair, clicking selects it, and arrow keys select
    /// its neighbours. `pairAt` returns the pair at a point of the view.
    void connectPairs(FigureView* view, const std::function<std::optional<int>(QPointF)>& pairAt);
    /// Schedules a call of renew() for the next frame.
    void schedule();
    /// Returns whether a call of renew() is scheduled.
    bool isScheduled() const { return m_stale && m_timer.isActive(); }
    /// Updates the figures of all views. Must take less than one frame; longer computations belong in a LatestJob.
    virtual void renew() = 0;
    /// Returns the options of the room, shown below the fields of the setup, or null. Called once.
    virtual QWidget* options() { return nullptr; }
    /// Adds actions for a view to its context menu, below those that export and copy its figure.
    virtual void addToMenu(const FigureView* /*view*/, QMenu& /*menu*/) {}

    /// Returns the figures of all visible views.
    std::vector<Figure> pageFigures() override;
    /// Returns the name of a figure and its setup.
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
