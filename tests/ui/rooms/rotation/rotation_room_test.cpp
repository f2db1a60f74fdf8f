#include "ui/rooms/rotation/rotation_room.h"

#include <qcustomplot.h>

#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/ui/support/workbench.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/circuit_page.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_pages.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/rooms/rotation/vectors_panel.h"
#include "ui/rotary/setup_panel.h"

namespace ropelab::ui {
namespace {

class RotationRoomTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<RotationRoom>(workspace->rotary(), workspace->runAccess());
        room->resize(760, 560);
        room->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(room.get()));
        room->refreshNow();
    }
    RotaryModel& model() { return workspace->rotary(); }
    void change(const char* setup) {
        model().change("change", parse_setup(setup));
        model().endDrag();
        room->refreshNow();
    }
    /// Returns the child widget of a view at a point, which receives the mouse events there.
    static QWidget* surface(FigureView* view, const QPointF& place) { return view->childAt(place.toPoint()); }
    static QPoint inSurface(FigureView* view, const QPointF& place) {
        return surface(view, place)->mapFrom(view, place.toPoint());
    }
    static void click(FigureView* view, const QPointF& place) {
        QTest::mouseClick(surface(view, place), Qt::LeftButton, Qt::NoModifier, inSurface(view, place));
    }
    static void drag(FigureView* view, const QPointF& from, const QPointF& to) {
        QWidget* widget = surface(view, from);
        QTest::mousePress(widget, Qt::LeftButton, Qt::NoModifier, inSurface(view, from));
        // QTest::mouseMove sends events without pressed buttons.
        for (const QPointF& place : {(from + to) / 2, to}) {
            const QPointF at = widget->mapFrom(view, place.toPoint());
            QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                             Qt::NoModifier);
            QApplication::sendEvent(widget, &move);
        }
        QTest::mouseRelease(widget, Qt::LeftButton, Qt::NoModifier, widget->mapFrom(view, to.toPoint()));
    }
    QPointF dialPlace(int dial) const {
        FigureView* view = room->dialsView();
        return gridOf(room->scene(), view->canvasRect(), view->style()).centreOf(dial, view->style());
    }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<RotationRoom> room;
};

TEST_F(RotationRoomTest, FollowsTheSetup) {
    change("theta=500 head_dim=32");
    EXPECT_EQ(room->scene().setup.head_dim, 32);
    EXPECT_EQ(room->dialsView()->figure().table.columns[0].size(), 16);
    EXPECT_DOUBLE_EQ(room->dialsView()->figure().table.columns[1][1], std::pow(500.0, -2.0 / 32));
    change("fraction=0");
    EXPECT_EQ(room->dialsView()->figure().table.columns[0].size(), 0);
    EXPECT_FALSE(room->figure().summary.isEmpty());
    workspace->rotaryUndo().undo();
    room->refreshNow();
    EXPECT_EQ(room->scene().setup.head_dim, 32);
}

TEST_F(RotationRoomTest, PositionsReturnWithTheContext) {
    room->editor().moveTo(306, 60);
    change("context=16");
    EXPECT_EQ(room->scene().state.m, 15);
    EXPECT_EQ(room->scene().state.n, 15);
    EXPECT_TRUE(std::ranges::any_of(room->findChildren<QLabel*>(), [](const QLabel* each) {
        return each->text().endsWith("; the context limits m and n");
    }));
    change("context=100");
    change("context=4096");
    EXPECT_EQ(room->scene().state.m, 306);
    EXPECT_EQ(room->scene().state.n, 60);
    change("context=16");
    room->editor().moveTo(3, 2);
    change("context=4096");
    EXPECT_EQ(room->scene().state.m, 3) << "the user chose other positions meanwhile";
}

TEST_F(RotationRoomTest, HiddenRoomComputesNothing) {
    room->editor().play(true);
    room->hide();
    EXPECT_FALSE(room->editor().isPlaying());
    model().change("change", parse_setup("theta=500"));
    QTest::qWait(50);
    EXPECT_EQ(room->scene().setup.theta, 10000);
    room->show();
    EXPECT_TRUE(waitUntil([&] { return room->scene().setup.theta == 500; }));
}

TEST_F(RotationRoomTest, DialSelectsItsPair) {
    const QPointF place = dialPlace(5);
    QTest::mouseMove(surface(room->dialsView(), place), inSurface(room->dialsView(), place));
    EXPECT_TRUE(waitUntil([&] { return model().highlightedPair() == 5; }));
    click(room->dialsView(), place);
    EXPECT_EQ(model().pickedPair(), 5);
    model().hoverPair(std::nullopt);
    room->refreshNow();
    EXPECT_EQ(room->scene().enlargedPair(), 5);
    EXPECT_EQ(room->pairView()->figure().table.columns[0][0], 5);
    QTest::keyClick(room->dialsView(), Qt::Key_Right);
    EXPECT_EQ(model().pickedPair(), 6);
    room->refreshNow();
    QTest::keyClick(room->dialsView(), Qt::Key_End);
    EXPECT_EQ(model().pickedPair(), 31);
}

TEST_F(RotationRoomTest, ExportedFigureShowsTheSelectedPairAndNotTheHoveredOne) {
    model().pickPair(9);
    for (FigureView* view : {room->dialsView(), room->pairView(), room->logitView()}) {
        emit view->chosen();
        model().hoverPair(4);
        room->refreshNow();
        EXPECT_EQ(room->scene().enlargedPair(), 4);
        const Figure preview = room->figure();
        EXPECT_EQ(preview.settings["pair"].toInt(), 9) << preview.name.toStdString();
        EXPECT_EQ(room->figure().settings["pair"].toInt(), 9);
        EXPECT_EQ(room->scene().enlargedPair(), 9);
    }
}

TEST_F(RotationRoomTest, BarHighlightsItsPair) {
    FigureView* view = room->logitView();
    const QPointF place(view->pixelOf({7, 0}).x(), view->canvasRect().center().y());
    QTest::mouseMove(surface(view, place), inSurface(view, place));
    EXPECT_TRUE(waitUntil([&] { return model().highlightedPair() == 7; }));
    click(view, place);
    EXPECT_EQ(model().pickedPair(), 7);
}

TEST_F(RotationRoomTest, DraggedArrowSetsQuery) {
    model().pickPair(10);
    room->refreshNow();
    FigureView* view = room->pairView();
    const EnlargedDial dial = enlargedDialOf(room->scene(), view->canvasRect(), view->style());
    const QPointF from = dial.pointOf(room->scene().rotatedQuery(10));
    const QPointF to = dial.centre + QPointF(-0.5 * dial.radius, 0.1 * dial.radius);
    const std::complex<double> key = room->scene().rotatedKey(10);
    drag(view, from, to);
    EXPECT_EQ(room->scene().state.source, VectorSource::handEdited);
    EXPECT_NEAR(std::abs(room->scene().rotatedQuery(10) - dial.valueAt(to)), 0, 2 / dial.unit);
    EXPECT_EQ(room->scene().rotatedKey(10), key);
    EXPECT_FALSE(room->scene().state.fixedRim.has_value());
    // An edited vector does not change with theta.
    const std::vector<double> query = room->scene().state.query;
    change("theta=500");
    EXPECT_EQ(room->scene().state.query, query);

    const double before = std::arg(room->scene().rotatedKey(10));
    view->setFocus();
    QTest::keyClick(view, Qt::Key_K);
    QTest::keyClick(view, Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_NEAR(std::remainder(std::arg(room->scene().rotatedKey(10)) - before, 6.283185307179586), 0.2617993877991494,
                1e-9);
}

TEST_F(RotationRoomTest, DragFarFromArrowsChangesNothing) {
    FigureView* view = room->pairView();
    const EnlargedDial dial = enlargedDialOf(room->scene(), view->canvasRect(), view->style());
    const std::vector<double> query = room->scene().state.query;
    const int pair = *room->scene().enlargedPair();
    // This point is opposite to both arrows.
    const std::complex<double> away = -(room->scene().rotatedQuery(pair) + room->scene().rotatedKey(pair));
    const QPointF place = dial.pointOf(away / std::abs(away) * (0.9 * dial.radius / dial.unit));
    drag(view, place, dial.centre);
    EXPECT_EQ(room->scene().state.source, VectorSource::random);
    EXPECT_EQ(room->scene().state.query, query);
}

TEST_F(RotationRoomTest, FormulaIsCopiedFromTheButtonAndTheContextMenu) {
    const PairTerm term = room->scene().term(*room->scene().enlargedPair());
    EXPECT_EQ(room->formulaButton()->text(), "Copy formula");
    const QList<QAction*> actions = room->formulaButton()->menu()->actions();
    ASSERT_EQ(actions.size(), 2);
    actions[0]->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), pairFormulaText(term));
    actions[1]->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), pairFormulaLatex(term));

    const auto contextMenu = [this](FigureView* view) {
        emit view->contextMenuRequested(view->mapToGlobal(view->rect().center()));
        QStringList texts;
        for (QMenu* menu : room->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly)) {
            for (const QAction* action : menu->actions()) texts << action->text();
            menu->close();
            delete menu;
        }
        return texts;
    };
    EXPECT_TRUE(contextMenu(room->pairView()).contains("Copy formula as LaTeX"));
    EXPECT_FALSE(contextMenu(room->dialsView()).contains("Copy formula as LaTeX"));
    change("fraction=0");
    EXPECT_FALSE(room->formulaButton()->isEnabled());
    EXPECT_FALSE(contextMenu(room->pairView()).contains("Copy formula as LaTeX"));
}

TEST_F(RotationRoomTest, PositionsAreTypedSteppedAndLocked) {
    PositionBar* bar = room->positionBar();
    bar->query()->commit("512");
    bar->key()->commit("0.5k");
    EXPECT_EQ(room->scene().state.m, 512);
    EXPECT_EQ(room->scene().state.n, 500);
    bar->query()->commit("1,024");
    EXPECT_EQ(room->scene().state.m, 512);
    EXPECT_TRUE(bar->query()->problem().contains("from 0 to 1,023")) << bar->query()->problem().toStdString();
    bar->query()->commit("12.5");
    EXPECT_FALSE(bar->query()->problem().isEmpty());
    bar->query()->commit("20");
    EXPECT_TRUE(bar->query()->problem().isEmpty());
    QTest::keyClick(room.get(), Qt::Key_Period);
    EXPECT_EQ(room->scene().state.m, 21);
    EXPECT_EQ(room->scene().state.n, 500);
    bar->lockBox()->setChecked(true);
    QTest::keyClick(room->dialsView(), Qt::Key_Comma);
    EXPECT_EQ(room->scene().state.m, 20);
    EXPECT_EQ(room->scene().state.n, 499);
    bar->query()->commit("700");
    EXPECT_EQ(room->scene().state.n - room->scene().state.m, 479);
    EXPECT_EQ(room->scene().state.n, 1023);
}

TEST_F(RotationRoomTest, PlaybackUsesItsSpeedAndStopsAtTheEnd) {
    room->editor().moveTo(0, 0);
    EXPECT_FALSE(room->editor().isPlaying());
    QTest::keyClick(room.get(), Qt::Key_P);
    EXPECT_TRUE(room->editor().isPlaying());
    EXPECT_EQ(room->positionBar()->playButton()->text(), "Pause");  // the bars are an icon, not a sign of a font
    EXPECT_FALSE(room->positionBar()->playButton()->icon().isNull());
    EXPECT_TRUE(waitUntil([&] { return room->scene().state.m > 0; }));
    QTest::keyClick(room.get(), Qt::Key_P);
    EXPECT_FALSE(room->editor().isPlaying());
    room->editor().moveTo(10, 3);
    const double speed = room->positionBar()->speed();
    for (int i = 0; i < 60; ++i) room->editor().advance(1.0 / 60);
    EXPECT_NEAR(static_cast<double>(room->scene().state.m), 10 + speed, 1);
    EXPECT_EQ(room->scene().state.n, 3);
    room->positionBar()->lockBox()->setChecked(true);
    room->editor().moveTo(1020, 1010);
    QTest::mouseClick(room->positionBar()->playButton(), Qt::LeftButton);
    room->editor().advance(1);
    EXPECT_EQ(room->scene().state.m, 1023);
    EXPECT_EQ(room->scene().state.n, 1013);
    room->editor().advance(1);
    EXPECT_FALSE(room->editor().isPlaying());
    room->editor().play(true);  // restarts at the beginning
    EXPECT_EQ(room->scene().state.m, 10);
    EXPECT_EQ(room->scene().state.n, 0);
    room->editor().play(false);
}

// While the positions played, the axis of the logit followed the bars, and the number above the figures was a frame
// ahead of them.
TEST_F(RotationRoomTest, PositionsChangeNoAxisAndAllShowOneState) {
    const Axis before = room->logitView()->figure().y;
    EXPECT_EQ(before.minimum, -before.maximum);
    double largest = 0;
    for (const std::int64_t m : {0, 1, 37, 325, 326, 1023}) {
        room->editor().moveTo(m, 60);
        room->refreshNow();
        const Figure& figure = room->logitView()->figure();
        EXPECT_EQ(figure.y.maximum, before.maximum) << m;
        for (const FigureCurve& curve : figure.curves) {
            for (const double y : curve.y) {
                if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
            }
        }
    }
    EXPECT_LE(largest, before.maximum);
    EXPECT_GT(largest, before.maximum / 4);

    struct Probe : QObject {
        std::function<void()> painted;
        bool eventFilter(QObject*, QEvent* event) override {
            if (event->type() == QEvent::Paint) painted();
            return false;
        }
    } probe;
    QLabel* text = nullptr;
    for (QLabel* each : room->findChildren<QLabel*>()) {
        if (each->text().startsWith("Δ = ")) text = each;
    }
    ASSERT_NE(text, nullptr);
    int frames = 0;
    int mixed = 0;
    probe.painted = [&] {
        // The last point of the cumulative sum is the logit that the plot shows.
        const auto* plot = room->logitView()->findChild<QCustomPlot*>();
        double shown = 0;
        for (int i = 0; i < plot->graphCount(); ++i) {
            const auto data = plot->graph(i)->data();
            if (data->size() > 20) shown = (data->constEnd() - 1)->value;
        }
        ++frames;
        if (!text->text().endsWith(readableNumber(shown))) ++mixed;
    };
    text->installEventFilter(&probe);
    for (int m = 100; m < 130; ++m) {
        room->editor().moveTo(m, 60);
        QTest::qWait(25);
    }
    EXPECT_GE(frames, 10);
    EXPECT_EQ(mixed, 0) << "of " << frames;
}

TEST_F(RotationRoomTest, ThePanelIsMadeWhereItIsShown) {
    QStackedWidget panels;
    QWidget* panel = room->panel(&panels);
    EXPECT_EQ(panel->parentWidget(), &panels);
    EXPECT_EQ(room->panel(), panel);
}

TEST_F(RotationRoomTest, DialsFillTheStageAndFieldsOfAPageAreInThePanel) {
    room->resize(844, 742);
    QApplication::processEvents();
    room->refreshNow();
    const QRectF dials = room->dialsView()->canvasRect();
    EXPECT_GT(dials.width() * dials.height(), 0.35 * room->width() * room->height());
    const DialGrid grid = gridOf(room->scene(), dials, room->dialsView()->style());
    EXPECT_EQ(32 % grid.columns, 0) << "full rows";
    QWidget* panel = room->panel();
    EXPECT_TRUE(panel->isAncestorOf(room->shiftCard()));
    const auto isShown = [panel](const QWidget* widget) { return widget->isVisibleTo(panel); };
    EXPECT_TRUE(isShown(room->shiftCard()));
    room->showPage(RotationRoom::Circuit);
    EXPECT_FALSE(isShown(room->shiftCard()));
    EXPECT_TRUE(isShown(room->circuitPage()->textField()));
    QApplication::processEvents();
    room->refreshNow();
    const QRectF map = room->circuitView()->canvasRect();
    EXPECT_GT(map.width() * map.height(), 0.25 * room->width() * room->height());
    room->showPage(RotationRoom::Aim);
    EXPECT_TRUE(isShown(room->aimPage()->aimButton()));
}

TEST_F(RotationRoomTest, ShiftsPositionsBy1000AndUndoesTheShift) {
    ShiftCard* card = room->shiftCard();
    EXPECT_TRUE(card->text().isEmpty());
    card->shiftButton()->click();
    room->refreshNow();
    EXPECT_EQ(room->scene().state.m, 1100);
    EXPECT_EQ(room->scene().state.n, 1060);
    EXPECT_EQ(room->positionBar()->query()->last(), 1100);
    const QStringList lines = card->text().split('\n');
    ASSERT_EQ(lines.size(), 5);
    EXPECT_TRUE(lines[0].endsWith(" 0")) << lines[0].toStdString();
    EXPECT_TRUE(lines[3].contains("float32: unchanged except for rounding")) << lines[3].toStdString();
    EXPECT_TRUE(
        lines[3].contains("bfloat16: changed. bfloat16 represents positions exactly up to 256; the first position that "
                          "it rounds is 257"));
    // Both rotations of the enlarged pair change, but not the angle between the rotated vectors.
    const PairTerm before = room->scene().term(16, *room->scene().state.shiftedFrom);
    const PairTerm after = room->scene().term(16);
    for (const double angle : {before.query_rotation, after.query_rotation, before.key_rotation, after.key_rotation}) {
        EXPECT_TRUE(lines[4].contains(degreesText(angle))) << lines[4].toStdString();
    }
    EXPECT_TRUE(lines[4].endsWith(QStringLiteral("stays %1.").arg(betweenText(before.angle))));
    EXPECT_EQ(before.angle, after.angle);
    EXPECT_TRUE(room->pairView()->figure().summary.contains("m and n + 1,000"));
    card->undoButton()->click();
    room->refreshNow();
    EXPECT_EQ(room->scene().state.m, 100);
    EXPECT_EQ(room->scene().state.n, 60);
    EXPECT_TRUE(card->text().isEmpty());
}

TEST_F(RotationRoomTest, AimingPutsTheLargestLogitAtR) {
    room->showPage(RotationRoom::Aim);
    room->refreshNow();
    AimPage* page = room->aimPage();
    page->distance()->commit("300");
    room->refreshNow();
    EXPECT_EQ(room->scene().state.source, VectorSource::aimed);
    EXPECT_TRUE(page->text().contains("distance of 300")) << page->text().toStdString();
    emit room->aimView()->lineDragged(kAimHandle, 123.4);
    room->refreshNow();
    EXPECT_EQ(room->scene().state.distance, 123);
    // The key remains aimed at r when theta changes.
    change("theta=500");
    EXPECT_EQ(room->aimView()->figure().curves[1].x, QList<double>{123});
    page->aimButton()->click();
    EXPECT_EQ(room->scene().state.distance, 123);
}

TEST_F(RotationRoomTest, UndoOfASmallerSetupBringsBackPositionsDistancePairAndVectors) {
    auto* panel = room->panel()->findChild<SetupPanel*>();
    ASSERT_NE(panel, nullptr);
    room->positionBar()->query()->commit("900");
    room->positionBar()->key()->commit("800");
    room->showPage(RotationRoom::Aim);
    room->refreshNow();
    room->aimPage()->distance()->commit("700");
    room->showPage(RotationRoom::Logit);
    model().pickPair(30);
    room->refreshNow();
    emit room->pairView()->keyPressed(Qt::Key_Up, {});  // edits a channel that a smaller head does not have
    room->refreshNow();
    const RotationState before = room->scene().state;
    ASSERT_EQ(before.m, 900);
    ASSERT_EQ(before.source, VectorSource::handEdited);
    const auto expectBefore = [&] {
        room->refreshNow();
        const RotationState& now = room->scene().state;
        EXPECT_EQ(now.m, 900);
        EXPECT_EQ(now.n, 800);
        EXPECT_EQ(now.distance, 700);
        EXPECT_EQ(now.query, before.query);
        EXPECT_EQ(now.key, before.key);
        EXPECT_EQ(model().pickedPair(), 30);
    };
    panel->slider("head_dim")->commit("8");
    room->refreshNow();
    panel->slider("context")->commit("100");
    room->refreshNow();
    EXPECT_EQ(room->scene().state.m, 99);
    EXPECT_EQ(room->scene().state.distance, 99);
    EXPECT_EQ(room->scene().state.query.size(), 8u);
    const std::vector<double> smaller = room->scene().state.query;
    for (int i = 0; i < 2; ++i) {
        workspace->rotaryUndo().undo();
        workspace->rotaryUndo().undo();
        expectBefore();
        workspace->rotaryUndo().redo();
        workspace->rotaryUndo().redo();
        room->refreshNow();
        EXPECT_EQ(room->scene().state.m, 99);
        EXPECT_EQ(room->scene().state.query, smaller);
    }
    workspace->rotaryUndo().undo();
    workspace->rotaryUndo().undo();
    // The steps of one drag are one step, which brings back the state before the drag.
    for (const int context : {500, 50, 2000}) {
        RotarySetup dragged = model().setup();
        dragged.context = context;
        model().change("change context", dragged);
        room->refreshNow();
    }
    EXPECT_EQ(room->scene().state.m, 900) << "positions return with the context";
    EXPECT_EQ(room->scene().state.distance, 49);
    workspace->rotaryUndo().undo();
    expectBefore();
    delete room->panel();
}

TEST_F(RotationRoomTest, LongContextIsComputedInTheBackground) {
    room->showPage(RotationRoom::Aim);
    change("context=1M head_dim=64");
    EXPECT_TRUE(room->aimPage()->isWorking());
    EXPECT_TRUE(room->aimView()->figure().note.contains("computed every"));
    EXPECT_TRUE(waitUntil([&] { return !room->aimPage()->isWorking(); }));
    EXPECT_EQ(room->aimView()->figure().note, "random q and k are aimed at no distance");
    change("context=1M head_dim=128");
    room->showPage(RotationRoom::Helix);
    EXPECT_FALSE(room->aimPage()->isWorking());
}

TEST_F(RotationRoomTest, VectorSourceIsChosenAndSampledAgain) {
    auto* panel = room->panel()->findChild<VectorsPanel*>();
    ASSERT_NE(panel, nullptr);
    const std::vector<double> first = room->scene().state.query;
    panel->button(VectorSource::equal)->click();
    EXPECT_EQ(room->scene().state.key, first);
    panel->sampleButton()->click();
    EXPECT_NE(room->scene().state.query, first);
    EXPECT_EQ(room->scene().state.key, room->scene().state.query);
    panel->button(VectorSource::random)->click();
    EXPECT_NE(room->scene().state.key, room->scene().state.query);
    panel->button(VectorSource::aimed)->click();
    room->refreshNow();
    EXPECT_TRUE(panel->button(VectorSource::aimed)->isChecked());
    EXPECT_TRUE(panel->text()->text().contains("aimed at r = 40"));
    delete room->panel();
}

TEST_F(RotationRoomTest, DragRotatesTheHelixAndSmallMatrixIsComplete) {
    room->showPage(RotationRoom::Helix);
    room->refreshNow();
    EXPECT_EQ(room->figure().name, "helices");  // the one that is exported
    room->showPart("helix");
    EXPECT_EQ(room->figure().name, "helix");
    const double yaw = room->scene().state.yaw;
    const QPointF middle = room->helixView()->canvasRect().center();
    drag(room->helixView(), middle, middle + QPointF(-30, 0));
    EXPECT_LT(room->scene().state.yaw, yaw);
    room->showPage(RotationRoom::Matrix);
    change("head_dim=16");
    EXPECT_EQ(room->figure().name, "rotation-matrix");
    EXPECT_GE(room->matrixView()->minimumHeight(), 16 * 17);
    EXPECT_EQ(room->matrixView()->figure().table.columns[0].size(), 32);
}

// The field said r = 0 beside a head that attends at distance 1.
TEST_F(RotationRoomTest, TheFieldOfTheDistanceIsThatOfTheSceneOnEveryPage) {
    room->showPage(RotationRoom::Circuit);
    ASSERT_TRUE(room->setControl("vectors", "head"));
    ASSERT_TRUE(room->setControl("distance", "3"));
    room->refreshNow();
    EXPECT_EQ(room->scene().state.distance, 3);
    EXPECT_EQ(room->aimPage()->distance()->value(), 3);
}

}  // namespace
}  // namespace ropelab::ui
