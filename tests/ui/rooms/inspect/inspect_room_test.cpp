#include "ui/rooms/inspect/inspect_room.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include "tests/ui/rooms/inspect/inspect_room_fixture.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/inspect/inspect_pane.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/replay_bar.h"
#include "ui/shell/actions.h"

namespace ropelab::ui {
namespace {

TEST_F(InspectRoomTest, EmptyRoomLeadsToTrain) {
    room->show();
    room->refreshNow();
    EXPECT_TRUE(room->isEmpty());
    EXPECT_FALSE(room->hasFigure());
    QSignalSpy asked(room.get(), &InspectRoom::roomRequested);
    room->goToTrain()->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.front().front().toString(), "train");
}

TEST_F(InspectRoomTest, ShowsTheNewestSnapshotAndMovesTheCursor) {
    openLab(writeLab());
    EXPECT_TRUE(room->hasFigure());
    EXPECT_EQ(figure().name, "logit-contribution");
    EXPECT_EQ(room->data().iteration, 100);
    room->replay().slider()->setValue(0);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 1);
    EXPECT_TRUE(figure().note.contains("step 1"));
    // Dragging the line in the figure of the loss moves the same cursor.
    emit room->lossView().lineDragged("time", 60);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 50);
    QTest::keyClick(room.get(), Qt::Key_Period);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 100);
}

TEST_F(InspectRoomTest, OpensOnARunWithRotatedPairs) {
    openLab(writeLab(true, nlohmann::json::object(), true, {{"fraction", 0}}));
    EXPECT_EQ(room->data().run->id, 2);
    EXPECT_EQ(room->data().run->spec.fraction, 1);
}

TEST_F(InspectRoomTest, AnotherLabOpensOnItsOwnRunWithRotatedPairs) {
    openLab(writeLab());
    EXPECT_EQ(room->data().run->id, 1);
    openLab(writeLab(true, nlohmann::json::object(), true, {{"fraction", 0}}));
    ASSERT_TRUE(waitUntil([&] { return room->data().run && room->data().run->id == 2; }))
        << "run 1 of this lab has no rotated pairs";
}

TEST_F(InspectRoomTest, OpensOnARunWithProbes) {
    openLab(writeLab(true, nlohmann::json::object(), true, {{"probe_every", 0}}));
    EXPECT_EQ(room->data().run->id, 2);
}

TEST_F(InspectRoomTest, KeyOnAFigureActsOnce) {
    openLab(writeLab());
    const int last = room->replay().slider()->maximum();
    ASSERT_GE(last, 2);
    for (FigureView* view : {&room->mainPane().view(), &room->lossView()}) {
        room->replay().slider()->setValue(0);
        QTest::keyClick(view, Qt::Key_Period);
        EXPECT_EQ(room->replay().slider()->value(), 1);
        QTest::keyClick(view, Qt::Key_Comma);
        EXPECT_EQ(room->replay().slider()->value(), 0);
        QTest::keyClick(view, Qt::Key_P);
        EXPECT_TRUE(room->replay().isPlaying());
        QTest::keyClick(view, Qt::Key_P);
        EXPECT_FALSE(room->replay().isPlaying());
    }
    ASSERT_TRUE(settled());
}

TEST_F(InspectRoomTest, UpdateDoesNotCloseAnOpenList) {
    openLab(writeLab());
    QComboBox* runs = room->choices().form().field<QComboBox>("run");
    ASSERT_EQ(runs->currentIndex(), 0);
    ASSERT_GE(runs->count(), 2);
    runs->showPopup();
    runs->view()->setCurrentIndex(runs->model()->index(1, 0));
    room->refreshNow();
    EXPECT_EQ(runs->view()->currentIndex().row(), 1);
    QTest::keyClick(runs->view(), Qt::Key_Return);
    EXPECT_EQ(runs->currentIndex(), 1);
    EXPECT_FALSE(runs->view()->isVisible());
    ASSERT_TRUE(settled());
}

TEST_F(InspectRoomTest, FigureActionsOpenTheRoom) {
    QWidget window;
    ActionRegistry registry(&window);
    int opened = 0;
    registry.add({.id = "room.inspect", .menu = {}, .text = "Inspect", .handler = [&] { ++opened; }});
    InspectRoom::addActions(registry, *room);
    registry.action("inspect.figure.pair-dials")->trigger();
    EXPECT_EQ(room->mainPane().chosenName(), "pair-dials");
    EXPECT_EQ(opened, 1);
    registry.action("inspect.nextFigure")->trigger();
    registry.action("inspect.previousFigure")->trigger();
    EXPECT_EQ(room->mainPane().chosenName(), "pair-dials");
    EXPECT_EQ(opened, 3);
}

TEST_F(InspectRoomTest, LoadsNothingWhileHidden) {
    workspace->lab().open(writeLab());
    QTest::qWait(50);
    EXPECT_EQ(room->data().run, nullptr);
    EXPECT_FALSE(room->isBusy());
}

TEST_F(InspectRoomTest, FollowsTrainingUntilTheCursorIsMoved) {
    room->mainPane().choose("loss-by-position");
    room->show();
    engine.step_microseconds = 1000;
    workspace->experiment().replace(smallSweep(400));
    workspace->start();
    const auto snapshots = [&] { return room->data().run ? room->data().run->snapshots.size() : 0U; };
    ASSERT_TRUE(waitUntil([&] { return snapshots() > 6; }));
    EXPECT_TRUE(workspace->session().isActive());
    EXPECT_EQ(room->data().iteration, room->data().run->snapshots.back().iteration);
    room->replay().slider()->setValue(1);
    const std::int64_t cursor = room->replay().iteration();
    const std::size_t before = snapshots();
    ASSERT_TRUE(waitUntil([&] { return snapshots() > before; }));
    EXPECT_EQ(room->data().iteration, cursor);
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return room->data().run && settled(); }));
    EXPECT_EQ(room->data().run->snapshots.back().iteration, 400);
    EXPECT_EQ(room->data().iteration, cursor);
}

TEST_F(InspectRoomTest, ReplayStopsAtTheEnd) {
    openLab(writeLab());
    room->replay().pace()->setCurrentIndex(room->replay().pace()->count() - 1);
    room->replay().playButton()->click();
    EXPECT_TRUE(room->replay().isPlaying());
    EXPECT_EQ(room->replay().iteration(), 1);
    ASSERT_TRUE(waitUntil([&] { return !room->replay().isPlaying(); }));
    EXPECT_EQ(room->replay().iteration(), 100);
}

TEST_F(InspectRoomTest, SelectedPairIsSharedWithTheRotaryRooms) {
    openLab(writeLab());
    room->choices().form().field<QComboBox>("axis")->setCurrentIndex(1);  // pair
    workspace->rotary().pickPair(1);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().choices.pair, 1);
    EXPECT_TRUE(figure().verticalLines.at(0).label.contains("pair 1"));
    emit room->mainPane().view().clicked(QPointF(3, 0));
    EXPECT_EQ(workspace->rotary().pickedPair(), 3);
    emit room->mainPane().view().hovered(QPointF(0, 0));
    EXPECT_EQ(workspace->rotary().highlightedPair(), 0);
    emit room->mainPane().view().left();
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().choices.pair, 3);
    emit room->mainPane().view().clicked(QPointF(3, 0));
    EXPECT_EQ(workspace->rotary().pickedPair(), std::nullopt);
}

TEST_F(InspectRoomTest, ShowsTwoRunsSideBySideAndTheirDifference) {
    openLab(writeLab());
    room->mainPane().choose("query-spectrum");
    EXPECT_EQ(room->sidePane().chosenName(), "attention-map");
    room->choices().form().field<QComboBox>("axis")->setCurrentIndex(1);  // pair
    room->choices().form().setValue("ghost", 2);
    EXPECT_EQ(room->sidePane().chosenName(), "second-run") << "the chosen second run is shown immediately";
    ASSERT_TRUE(waitUntil([&] { return room->data().ghost && settled(); }));
    EXPECT_EQ(room->sidePane().picture().figure.name, "query-spectrum");
    EXPECT_TRUE(room->sidePane().picture().figure.note.contains("θ 10k"));
    EXPECT_EQ(room->sidePane().picture().figure.map->maximum,
              figure().map->maximum);  // both figures have the same colour scale
    room->choices().form().field<QCheckBox>("difference")->setChecked(true);
    ASSERT_TRUE(settled());
    EXPECT_EQ(figure().map->scale, FigureMap::Scale::diverging);
    EXPECT_FLOAT_EQ(figure().map->values[0], -3);
}

TEST_F(InspectRoomTest, RemovingTheSecondRunRestoresTheSideFigure) {
    openLab(writeLab());
    QComboBox* ghosts = room->choices().form().field<QComboBox>("ghost");
    room->sidePane().choose("attention-sink");
    ghosts->setCurrentIndex(ghosts->findData(2));
    EXPECT_EQ(room->sidePane().chosenName(), "second-run");
    EXPECT_EQ(workspace->settings().value("inspect/beside").toString(), "attention-sink");
    ghosts->setCurrentIndex(0);
    EXPECT_EQ(room->sidePane().chosenName(), "attention-sink");
    // A figure that was chosen in the meantime is kept.
    ghosts->setCurrentIndex(ghosts->findData(2));
    room->sidePane().choose("attention-map");
    ghosts->setCurrentIndex(0);
    EXPECT_EQ(room->sidePane().chosenName(), "attention-map");
    ASSERT_TRUE(settled());
}

TEST_F(InspectRoomTest, LagLearningRateAndReplaySpeedAreSaved) {
    InspectPanel& panel = room->choices();
    EXPECT_EQ(panel.form().field<QSpinBox>("lag")->value(), InspectChoices().lag);
    panel.form().field<QSpinBox>("lag")->setValue(77);
    room->choices().fineTune().form().field<QLineEdit>("rate")->setText("2e-4");
    emit room->choices().fineTune().form().field<QLineEdit>("rate")->editingFinished();
    room->replay().pace()->setCurrentIndex(room->replay().pace()->count() - 1);
    const QString pace = room->replay().pace()->currentText();
    room.reset();
    workspace.reset();
    workspace = std::make_unique<Workspace>(options());
    room =
        std::make_unique<InspectRoom>(*workspace, workspace->runAccess(), workspace->rotary(), workspace->settings());
    EXPECT_EQ(room->choices().form().field<QSpinBox>("lag")->value(), 77);
    EXPECT_DOUBLE_EQ(room->choices().fineTuning().learning_rate, 2e-4);
    EXPECT_EQ(room->replay().pace()->currentText(), pace);
}

TEST_F(InspectRoomTest, ClickedHeadAndTokenAreSelected) {
    openLab(writeLab());
    room->mainPane().choose("attention-heads");
    room->sidePane().choose("attention-map");
    ASSERT_TRUE(settled());
    room->refreshNow();
    const QRectF canvas = room->mainPane().view().canvasRect();
    emit room->mainPane().view().clicked(
        {canvas.left() + 0.75 * canvas.width(), canvas.top() + 0.75 * canvas.height()});
    EXPECT_EQ(room->choices().choices().layer, 1);
    EXPECT_EQ(room->choices().choices().head, 1);
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->textStrip().isVisible());
    emit room->textStrip().picked(2);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->textStrip().row().query, 2);
    EXPECT_EQ(room->sidePane().picture().figure.horizontalLines.at(0).at, 2);
    // The position of a token can change while the strip is laid out, so the test moves the mouse repeatedly.
    ASSERT_TRUE(waitUntil([&] {
        for (const int token : {1, 0}) {
            QTest::mouseMove(&room->textStrip(), room->textStrip().rectOf(token).center().toPoint());
        }
        return room->textStrip().row().query == 0;
    }));
}

TEST_F(InspectRoomTest, AttentionMapOpensOnOneHead) {
    openLab(writeLab());
    room->mainPane().choose("attention-map");
    ASSERT_TRUE(settled());
    // The contributions of the test's snapshots increase with layer and head.
    EXPECT_TRUE(figure().note.contains("layer 1, head 1 (the largest rotary logit contribution)"))
        << figure().note.toStdString();
    EXPECT_EQ(room->choices().form().field<QComboBox>("head")->currentText(), "automatic");
    room->choices().form().field<QComboBox>("head")->setCurrentIndex(
        room->choices().form().field<QComboBox>("head")->findText("mean"));
    ASSERT_TRUE(settled());
    EXPECT_TRUE(figure().note.contains("mean over layers and heads")) << figure().note.toStdString();
}

TEST_F(InspectRoomTest, AFigureOfOneHeadOffersNoMean) {
    openLab(writeLab());
    room->sidePane().choose("nothing");
    room->mainPane().choose("attention-map");
    ASSERT_TRUE(settled());
    EXPECT_GE(room->choices().form().field<QComboBox>("head")->findText("mean"), 0);
    room->choices().form().field<QComboBox>("head")->setCurrentIndex(
        room->choices().form().field<QComboBox>("head")->findText("mean"));
    room->mainPane().choose("head-components");
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->choices().form().field<QComboBox>("head")->findText("mean"), -1);
    EXPECT_EQ(room->choices().form().field<QComboBox>("head")->currentText(), "automatic");
    room->mainPane().choose("attention-map");
    ASSERT_TRUE(settled());
    EXPECT_GE(room->choices().form().field<QComboBox>("head")->findText("mean"), 0);
}

TEST_F(InspectRoomTest, PanelEnablesOnlyFieldsThatAffectTheFigures) {
    openLab(writeLab());
    InspectPanel& panel = room->choices();
    room->sidePane().choose("nothing");
    const auto show = [&](const char* figure) {
        room->mainPane().choose(figure);
        return settled();
    };
    ASSERT_TRUE(show("query-spectrum"));
    EXPECT_TRUE(panel.form().field<QComboBox>("rows")->isEnabled());
    EXPECT_TRUE(panel.form().field<QComboBox>("axis")->isEnabled());
    EXPECT_TRUE(panel.form().field<QComboBox>("head")->isEnabled());
    EXPECT_FALSE(panel.form().field<QComboBox>("layer")->isEnabled()) << "each layer has its own row";
    ASSERT_TRUE(show("retrieval-over-training"));
    for (QComboBox* choice : {panel.form().field<QComboBox>("rows"), panel.form().field<QComboBox>("layer"),
                              panel.form().field<QComboBox>("head"), panel.form().field<QComboBox>("axis")}) {
        EXPECT_FALSE(choice->isEnabled()) << choice->accessibleName().toStdString();
    }
    ASSERT_TRUE(show("attention-entropy"));
    EXPECT_EQ(panel.form().field<QComboBox>("layer")->currentText(), "all");
    ASSERT_TRUE(show("attention-by-distance"));
    EXPECT_TRUE(panel.form().field<QComboBox>("layer")->isEnabled());
    EXPECT_EQ(panel.form().field<QComboBox>("layer")->currentText(), "0") << "the figure shows one layer";
    EXPECT_EQ(panel.form().field<QComboBox>("layer")->findText("all"), -1);
    ASSERT_TRUE(show("ablation-loss"));
    EXPECT_TRUE(panel.form().field<QComboBox>("pairs")->isEnabled());
    ASSERT_TRUE(show("ablation-curve"));
    EXPECT_FALSE(panel.form().field<QComboBox>("pairs")->isEnabled()) << "the figure ablates pairs from both ends";
    EXPECT_TRUE(panel.form().field<QComboBox>("kind")->isVisibleTo(&panel));
    EXPECT_TRUE(panel.form().field<QComboBox>("pairs")->isVisibleTo(&panel))
        << "a field that is not used keeps its place";
    EXPECT_EQ(panel.form().field<QComboBox>("ghost")->findData(static_cast<qlonglong>(panel.run())), -1)
        << "a run is not its own second run";
}

TEST_F(InspectRoomTest, ExplainsMissingSnapshots) {
    openLab(writeLab(false, {{"probe_every", 0}}));
    EXPECT_FALSE(room->hasFigure());
    EXPECT_TRUE(figure().emptyText.contains("probe_every = 0"));
    EXPECT_FALSE(room->replay().playButton()->isEnabled());
}

TEST_F(InspectRoomTest, AblationUsesTheCheckpointAndTheLatestChoice) {
    openLab(writeLab());
    room->mainPane().choose("ablation-loss");
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->hasFigure()) << figure().emptyText.toStdString();
    EXPECT_TRUE(figure().summary.contains("pair 0 frozen"));
    InspectPanel& panel = room->choices();
    panel.form().field<QComboBox>("kind")->setCurrentIndex(1);
    panel.form().field<QComboBox>("pairs")->setCurrentIndex(panel.form().field<QComboBox>("pairs")->count() - 1);
    for (const int count : {1, 2, 3}) panel.form().field<QSpinBox>("first")->setValue(count);
    ASSERT_TRUE(settled());
    EXPECT_TRUE(figure().summary.contains("pairs 1–3 removed")) << figure().summary.toStdString();
    room->mainPane().choose("ablation-curve");
    ASSERT_TRUE(settled());
    EXPECT_EQ(figure().curves.at(0).x, (QList<double>{0, 1, 2, 3, 4}));
}

TEST_F(InspectRoomTest, ExtrapolationComparesScalingMethodsOfRopeModels) {
    openLab(writeLab());
    room->showPart("extrapolation-loss");
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->hasFigure()) << figure().emptyText.toStdString();
    EXPECT_EQ(figure().curves.size(), 8U);
    EXPECT_EQ(room->data().run->spec.context * 4, 64);
    EXPECT_GT(figure().curves.at(0).x.last(), 60);
    workspace->lab().open(writeLab(true, {{"position", "alibi"}}));
    ASSERT_TRUE(
        waitUntil([&] { return room->data().run && room->data().run->spec.position == Position::alibi && settled(); }));
    ASSERT_EQ(figure().curves.size(), 1U) << figure().emptyText.toStdString();
    EXPECT_EQ(figure().curves.at(0).label, "ALiBi");
    EXPECT_GT(figure().curves.at(0).x.last(), 60);
    workspace->lab().open(writeLab(true, {{"position", "learned"}}));
    ASSERT_TRUE(waitUntil([&] { return room->data().run && room->data().run->spec.learns_positions() && settled(); }));
    EXPECT_TRUE(figure().emptyText.contains("learned a position embedding for each of its 16 positions"))
        << figure().emptyText.toStdString();
    EXPECT_TRUE(refusal([&] {
                    (void)room->showPart("nonsense");
                }).contains("no part “nonsense” on this page (room); its parts are logit-contribution"));
}

TEST_F(InspectRoomTest, TypedTextIsProcessedOrRejected) {
    openLab(writeLab());
    room->mainPane().choose("attention-map");
    room->choices().form().field<QLineEdit>("text")->setText("the Quick");
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().text, nullptr);
    room->choices().form().field<QLineEdit>("text")->setText("the quick");
    ASSERT_TRUE(settled());
    EXPECT_TRUE(room->data().problem.isEmpty()) << room->data().problem.toStdString();
    ASSERT_NE(room->data().text, nullptr);
    EXPECT_EQ(room->data().text->length, 9);
    EXPECT_EQ(room->data().textIteration, 100);
    room->choices().form().field<QLineEdit>("text")->clear();
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().text, nullptr);
}

TEST_F(InspectRoomTest, RunInTrainingProcessesATypedText) {
    for (const char* probeEvery : {"1", "0"}) {
        room->mainPane().choose("attention-by-distance");
        room->show();
        engine.step_microseconds = 500;
        Experiment sweep = smallSweep(100000);
        sweep.set("probe_every", {probeEvery});
        workspace->experiment().replace(sweep);
        workspace->start();
        room->refreshNow();
        QComboBox* runs = room->choices().form().field<QComboBox>("run");
        runs->setCurrentIndex(runs->count() - 1);
        room->choices().form().field<QLineEdit>("text")->setText("the lazy dog");
        ASSERT_TRUE(waitUntil([&] { return room->data().text != nullptr; })) << room->data().problem.toStdString();
        EXPECT_TRUE(workspace->session().isActive());
        EXPECT_TRUE(room->data().textWhileTraining);
        EXPECT_EQ(room->data().text->length, 12);
        const std::int64_t first = room->data().textIteration;
        ASSERT_TRUE(waitUntil([&] { return room->data().textIteration > first; })) << "the text is not processed again";
        room->choices().form().field<QLineEdit>("text")->setText("the Ω");
        ASSERT_TRUE(waitUntil([&] { return room->data().problem.contains("Ω"); }));
        room->choices().form().field<QLineEdit>("text")->setText("the dog");
        ASSERT_TRUE(waitUntil([&] { return room->data().text && room->data().text->length == 7; }));
        workspace->session().stop();
        ASSERT_TRUE(waitForEnd(*workspace));
        // The result now comes from the checkpoint.
        ASSERT_TRUE(waitUntil([&] { return room->data().text && !room->data().textWhileTraining && settled(); }))
            << room->data().problem.toStdString();
        EXPECT_EQ(room->data().text->length, 7);
        room->choices().form().field<QLineEdit>("text")->clear();
        ASSERT_TRUE(settled());
    }
}

TEST_F(InspectRoomTest, PanelStartsAndCancelsFineTuning) {
    openLab(writeLab());
    InspectPanel& panel = room->choices();
    FineTunePanel& tuning = panel.fineTune();
    room->showPart("fine-tuned-loss");
    ASSERT_TRUE(settled());
    EXPECT_FALSE(room->hasFigure());
    EXPECT_TRUE(figure().emptyText.contains("at 4 × its context")) << figure().emptyText.toStdString();
    tuning.form().field<QSpinBox>("steps")->setValue(7);
    tuning.button()->click();
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->hasFigure()) << figure().emptyText.toStdString();
    EXPECT_EQ(figure().curves.size(), 2U);
    EXPECT_TRUE(figure().curves.at(0).companion);
    EXPECT_TRUE(figure().curves.at(1).label.contains("YaRN, 7 steps")) << figure().curves.at(1).label.toStdString();
    EXPECT_EQ(figure().verticalLines.at(0).at, kTestLength);
    EXPECT_DOUBLE_EQ(figure().settings.value("learning_rate").toDouble(), RunSpec().learning_rate / 10);
    panel.form().field<QComboBox>("length")->setCurrentIndex(0);
    ASSERT_TRUE(settled());
    EXPECT_FALSE(room->hasFigure());  // there is no fine-tuning at this length

    engine.step_microseconds = 2000;
    tuning.form().field<QSpinBox>("steps")->setValue(100000);
    tuning.button()->click();
    ASSERT_TRUE(waitUntil([&] { return !tuning.form().field<QSpinBox>("steps")->isEnabled(); }));
    ASSERT_TRUE(waitUntil([&] { return tuning.progress()->value() > 0; }));
    EXPECT_EQ(tuning.progress()->maximum(), 100000);
    EXPECT_EQ(tuning.training()->text(), "A copy of the run θ 100 is being fine-tuned.");
    tuning.button()->click();
    ASSERT_TRUE(settled());
    EXPECT_TRUE(tuning.form().field<QSpinBox>("steps")->isEnabled());
    tuning.form().field<QLineEdit>("rate")->setText("fast");
    EXPECT_FALSE(tuning.button()->isEnabled());
    tuning.form().field<QLineEdit>("rate")->setText("inf");
    EXPECT_FALSE(tuning.button()->isEnabled());
    EXPECT_TRUE(tuning.words()->text().contains("finite")) << tuning.words()->text().toStdString();
    tuning.form().field<QLineEdit>("rate")->setText("1e-3");
    EXPECT_TRUE(tuning.button()->isEnabled());
    EXPECT_DOUBLE_EQ(panel.fineTuning().learning_rate, 1e-3);
}

TEST_F(InspectRoomTest, FineTuningIsOfferedOnlyIfPossible) {
    room->showPart("fine-tuned-loss");
    openLab(writeLab(true, {{"position", "learned"}}));
    FineTunePanel& tuning = room->choices().fineTune();
    EXPECT_FALSE(tuning.button()->isEnabled());
    EXPECT_TRUE(tuning.words()->text().contains("learned a position embedding"))
        << tuning.words()->text().toStdString();
    EXPECT_EQ(tuning.button()->toolTip(), tuning.words()->text());
    workspace->lab().open(writeLab());
    ASSERT_TRUE(waitUntil([&] { return tuning.button()->isEnabled(); }));
    EXPECT_TRUE(tuning.words()->text().isEmpty()) << tuning.words()->text().toStdString();
    engine.step_microseconds = 2000;
    workspace->experiment().replace(smallSweep(100000));
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return !tuning.button()->isEnabled(); }));
    EXPECT_TRUE(tuning.words()->text().startsWith("While a sweep trains")) << tuning.words()->text().toStdString();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return tuning.button()->isEnabled(); })) << tuning.words()->text().toStdString();
}

TEST_F(InspectRoomTest, DialsShowTheLagAndSelectPairs) {
    openLab(writeLab());
    EXPECT_FALSE(room->choices().form().field<QSpinBox>("lag")->isVisibleTo(&room->choices()));
    room->mainPane().choose("pair-dials");
    ASSERT_TRUE(settled());
    EXPECT_TRUE(room->choices().form().field<QSpinBox>("lag")->isVisibleTo(&room->choices()));
    EXPECT_TRUE(figure().summary.contains("at a distance of 10 tokens"));
    room->choices().form().field<QSpinBox>("lag")->setValue(3);
    ASSERT_TRUE(settled());
    EXPECT_TRUE(figure().summary.contains("at a distance of 3 tokens"));
    room->refreshNow();
    const QRectF canvas = room->mainPane().view().canvasRect();
    std::optional<int> clicked;
    // The leftmost dial of the upper row is that of pair 0; clicks from the left find it.
    for (double x = canvas.left(); x < canvas.right() && !clicked; x += 4) {
        emit room->mainPane().view().clicked({x, canvas.top() + 0.35 * canvas.height()});
        clicked = workspace->rotary().pickedPair();
    }
    ASSERT_EQ(clicked, 0);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().choices.pair, 0);
}

TEST_F(InspectRoomTest, AFigureIsShownAloneInAPresentation) {
    room->resize(1400, 900);
    openLab(writeLab());
    room->sidePane().choose("query-spectrum");
    ASSERT_TRUE(room->lossView().isVisible());
    ASSERT_TRUE(room->sidePane().isVisible());
    room->showOnlyPart("logit-contribution");
    EXPECT_TRUE(room->mainPane().isVisible());
    EXPECT_FALSE(room->sidePane().isVisible());
    EXPECT_FALSE(room->lossView().isVisible());
    EXPECT_EQ(room->shownPart(), "logit-contribution");
    EXPECT_THROW(room->showOnlyPart("nothing-like-this"), BadInput);
    room->showOnlyPart("");
    EXPECT_TRUE(room->sidePane().isVisible());
    EXPECT_TRUE(room->lossView().isVisible());
}

TEST_F(InspectRoomTest, NarrowRoomShowsOneFigure) {
    openLab(writeLab());
    EXPECT_TRUE(room->sidePane().isVisible());
    room->resize(600, 500);
    QApplication::processEvents();
    EXPECT_FALSE(room->sidePane().isVisible());
}

}  // namespace
}  // namespace ropelab::ui
