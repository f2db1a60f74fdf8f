#pragma once

#include <QList>
#include <QPointF>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <optional>
#include <span>

#include "ui/rotary/rotary_model.h"
#include "ui/window/room.h"

class QVBoxLayout;

namespace ropelab::ui {

class FigureView;

/// A figure of a rotary room by its name ("spectrum"), for the terminal and for tests.
struct RotaryFigure {
    const char* name;
    Figure (*make)(const RotarySetup& setup, const ModelShape& shape);
};

/// A room that follows the one rotary setup: its pictures in the middle, the setup's fields with the room's own options
/// beneath on the right. While it is hidden nothing is computed.
class RotaryRoom : public Room {
    Q_OBJECT

 public:
    RotaryRoom(Workspace& workspace, const QString& id, QWidget* parent);

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    /// Of the view that was chosen last.
    Figure figure() override;
    void refreshNow() override;

    const QList<FigureView*>& views() const { return m_views; }

 protected:
    RotaryModel& model() { return m_model; }
    const RotaryModel& model() const { return m_model; }
    Workspace& workspace() { return m_workspace; }
    /// A view that can be exported; the room puts it into its layout.
    FigureView* addView(const QString& accessibleName);
    /// Lets a view's mouse light and pick pairs, and the arrow keys step through them. `pairAt` says which pair is at
    /// a place.
    void connectPairs(FigureView* view, const std::function<std::optional<int>(QPointF)>& pairAt);
    /// Asks for renew() at the next frame.
    void schedule();
    /// The setup's and the lit pair's new figures into the views; must take less than a frame. What takes longer goes
    /// to a LatestJob.
    virtual void renew() = 0;
    /// The room's own controls, shown beneath the setup's; null for none. Called once.
    virtual QWidget* options() { return nullptr; }

    void showEvent(QShowEvent* event) override;

 private:
    void showMenu(FigureView* view, const QPoint& where);
    void stepPair(int key);

    Workspace& m_workspace;
    RotaryModel& m_model;
    QList<FigureView*> m_views;
    QPointer<FigureView> m_chosen;
    QPointer<QWidget> m_panel;
    QTimer m_timer;
    bool m_stale = true;
};

}  // namespace ropelab::ui
