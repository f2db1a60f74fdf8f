#pragma once

#include <qcustomplot.h>

#include <QApplication>
#include <QCursor>
#include <memory>

#include "tests/ui/support/workbench.h"
#include "ui/plot/figure_view.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

/// Fixture that shows a rotary room of class R in a workspace of its own.
template <typename R>
class RoomFixture : public Workbench {
 protected:
    void open(const RotarySetup& setup, const QSize& size) {
        QCursor::setPos(-1, -1);  // an earlier test of the process may have left it over the room
        workspace = std::make_unique<Workspace>(options());
        set(setup);
        room = std::make_unique<R>(workspace->rotary());
        room->resize(size);
        room->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(room.get()));
        room->refreshNow();
        QApplication::processEvents();  // the layout assigns the remaining height to the views after the texts
        room->refreshNow();
    }
    void TearDown() override {
        room.reset();
        workspace.reset();
    }

    RotaryModel& model() { return workspace->rotary(); }
    const RotarySetup& setup() { return model().setup(); }
    /// Changes the setup as one undo step.
    void set(const RotarySetup& setup) {
        model().endDrag();
        model().change("change setup", setup);
        model().endDrag();
    }
    static QCustomPlot* plotOf(FigureView* view) { return view->template findChild<QCustomPlot*>(); }
    static QPoint inPlot(FigureView* view, const QPointF& pixel) { return (pixel - plotOf(view)->pos()).toPoint(); }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<R> room;
};

}  // namespace ropelab::ui
