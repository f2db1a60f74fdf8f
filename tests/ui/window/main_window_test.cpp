#include "ui/window/main_window.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QToolButton>

#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/workbench.h"
#include "ui/help/command_palette.h"
#include "ui/models/model_map.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/anatomy/anatomy_panel.h"
#include "ui/rooms/anatomy/anatomy_room.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/train_room.h"
#include "ui/shell/findables.h"
#include "ui/theme/page_styles.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/lab_controller.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/tour.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/corner.h"
#include "ui/window/frame/rail.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {
namespace {

class Window : public Workbench {
 protected:
    std::unique_ptr<MainWindow> open() {
        auto window = std::make_unique<MainWindow>(options());
        window->show();
        return window;
    }
    static TrainRoom& train(MainWindow& window) { return static_cast<TrainRoom&>(window.room()); }
    static QList<double> curve(MainWindow& window, RunId run) {
        return train(window).plot().yValues({run, Quantity::training_loss});
    }
    std::unique_ptr<MainWindow> openWith(const Experiment& experiment) {
        auto window = open();
        window->workspace().experiment().replace(experiment);
        return window;
    }
};

TEST_F(Window, FirstStartFitsTheScreenAndLaterStartsRestoreTheSize) {
    {
        MainWindow window(options());
        window.resize(5000, 5000);
        window.restoreSettings();
        EXPECT_LE(window.width(), window.screen()->availableSize().width());
        EXPECT_LE(window.height(), window.screen()->availableSize().height());
        EXPECT_TRUE(window.isMaximized());
        window.setWindowState(Qt::WindowNoState);
        window.resize(700, 650);
        window.close();
    }
    MainWindow window(options());
    window.restoreSettings();
    EXPECT_EQ(window.size(), QSize(700, 650));
    EXPECT_FALSE(window.isMaximized());
}

TEST_F(Window, RoomsAreMadeWhenFirstNeeded) {
    auto window = open();
    const auto made = [&window] {
        QStringList names;
        for (const Room* room : window->roomStack().made()) names << room->objectName();
        return names.join(' ').toStdString();
    };
    window->actions().refresh();
    EXPECT_EQ(made(), "train");
    window->showRoom("memory");
    EXPECT_EQ(made(), "train memory");
    window->actions().action("results.predictions")->trigger();
    EXPECT_EQ(window->room().objectName(), "results");
    EXPECT_EQ(window->room().shownPart(), "predictions");
    EXPECT_EQ(made(), "train memory results");
    window->commandPalette().open();
    EXPECT_EQ(made(), "train memory results") << "the palette opens first";
    // Then it makes one room per turn of the event loop, so that the user can type meanwhile.
    int turn = 0;
    QList<int> turns;
    QTimer everyTurn;
    QObject::connect(&everyTurn, &QTimer::timeout, [&] { ++turn; });
    everyTurn.start(0);
    QObject::connect(&window->roomStack(), &RoomStack::roomMade, &everyTurn, [&] { turns << turn; });
    EXPECT_TRUE(waitUntil([&] { return window->commandPalette().isLoaded(); }));
    EXPECT_EQ(turns.size(), static_cast<qsizetype>(rooms().size()) - 3);
    EXPECT_EQ(QSet<int>(turns.begin(), turns.end()).size(), turns.size());
    EXPECT_EQ(window->roomStack().made().size(), rooms().size()) << "the palette finds the fields of all rooms";
}

TEST_F(Window, ChangeOfTheTextSizePolishesEachVisibleWidgetOnce) {
    auto window = open();
    for (const RoomEntry& room : rooms()) window->showRoom(QString::fromLatin1(room.id));
    window->showRoom("train");
    const auto polishedBy = [](const std::function<void()>& work) {
        const auto before = polishedWidgets();
        work();
        return polishedWidgets() - before;
    };
    ThemeManager& theme = ThemeManager::instance();
    const auto all = window->findChildren<QWidget*>().size();
    const auto pixels = [&](const char* room) {
        Room& made = window->roomStack().room(RoomStack::indexOf(QString::fromLatin1(room)));
        return made.findChild<QToolButton*>()->fontMetrics().height();
    };
    const int before = pixels("rotation");
    const auto changed = polishedBy([&] { theme.setScale(150); });
    EXPECT_GT(changed, 50);
    EXPECT_LT(changed, all / 2) << "hidden pages are polished when they are shown";
    EXPECT_GT(polishedBy([] { QApplication::processEvents(); }), 0) << "closed lists follow the visible widgets";
    EXPECT_GT(polishedBy([&] { window->showRoom("rotation"); }), 50);
    EXPECT_GT(pixels("rotation"), before);
    EXPECT_EQ(polishedBy([&] { window->showRoom("train"); }), 0) << "no page is polished again";
    theme.setScale(100);
    EXPECT_GT(polishedBy([&] { window->showRoom("rotation"); }), 50);
    EXPECT_EQ(pixels("rotation"), before);
}

TEST_F(Window, ATabTakesALargerTextSizeWhenItIsShown) {
    auto window = open();
    window->showRoom("reproduce");
    const QComboBox* inTab = nullptr;
    for (const QComboBox* each : window->room().findChildren<QComboBox*>()) {
        if (each->accessibleName() == "Measure") inTab = each;
    }
    ASSERT_NE(inTab, nullptr);
    window->room().showPart("comparison");
    window->room().showPart("effects");
    const int before = inTab->fontMetrics().height();
    ThemeManager::instance().setScale(150);
    EXPECT_EQ(inTab->fontMetrics().height(), before) << "a hidden tab waits";
    window->room().showPart("comparison");
    EXPECT_GT(inTab->fontMetrics().height(), before);
    ThemeManager::instance().setScale(100);
    EXPECT_EQ(inTab->fontMetrics().height(), before);
}

TEST_F(Window, FoldedSettingsTakeALargerTextSizeWhenTheyAreUnfolded) {
    auto window = open();
    QPushButton* unfold = nullptr;
    for (auto* each : window->roomStack().panels().findChildren<QPushButton*>()) {
        if (each->text().startsWith("More settings")) unfold = each;
    }
    ASSERT_NE(unfold, nullptr);
    QList<QComboBox*> hidden = window->roomStack().panels().findChildren<QComboBox*>();
    hidden.removeIf([](const QComboBox* each) { return each->isVisible(); });
    unfold->click();
    hidden.removeIf([](const QComboBox* each) { return !each->isVisible(); });
    ASSERT_FALSE(hidden.isEmpty());
    const QComboBox* folded = hidden.first();
    unfold->click();
    const int before = folded->fontMetrics().height();
    ThemeManager::instance().setScale(110);
    EXPECT_EQ(folded->fontMetrics().height(), before) << "a folded group waits";
    unfold->click();
    EXPECT_TRUE(folded->isVisible());
    EXPECT_GT(folded->fontMetrics().height(), before);
    const auto polished = polishedWidgets();
    unfold->click();
    unfold->click();
    EXPECT_EQ(polishedWidgets(), polished) << "no group is polished again";
    ThemeManager::instance().setScale(100);
    EXPECT_EQ(folded->fontMetrics().height(), before);
}

TEST_F(Window, TabVisitsARoomThatWasMadeLaterBeforeTheStripAndTheCorner) {
    auto window = open();
    window->showRoom("memory");
    const auto first = [&window](const QWidget& part) {
        int place = 0;
        for (QWidget* each = window->nextInFocusChain(); each != window.get(); each = each->nextInFocusChain()) {
            ++place;
            if (each->focusPolicy() != Qt::NoFocus && part.isAncestorOf(each)) return place;
        }
        return 0;
    };
    EXPECT_GT(first(window->rail()), 0);
    EXPECT_LT(first(window->rail()), first(window->room()));
    for (const QWidget* part : std::initializer_list<QWidget*>{&window->room(), &window->roomStack().panels()}) {
        EXPECT_LT(first(*part), first(window->strip()));
    }
    EXPECT_LT(first(window->strip()), first(window->corner()));
}

TEST_F(Window, DefaultSweepStartsWithOneClickAndFinishes) {
    auto window = open();
    EXPECT_TRUE(train(*window).isEmpty());
    // The default sweep with fewer steps.
    window->workspace().experiment().edit("short", [](Experiment& experiment) {
        experiment.set("iterations", {"60"});
        experiment.set("decay_iterations", {"60"});
    });
    auto* start = window->findChild<QPushButton*>("start");
    ASSERT_TRUE(start->isEnabled());
    start->click();
    EXPECT_TRUE(window->workspace().session().isActive());
    EXPECT_EQ(start->text(), "Add to the queue");
    const auto* bar = window->strip().findChild<QProgressBar*>();
    EXPECT_EQ(bar->maximum(), 0);  // a busy bar moves until the first step
    ASSERT_TRUE(waitForEnd(window->workspace()));
    EXPECT_EQ(bar->value(), bar->maximum());
    EXPECT_GT(bar->maximum(), 0);

    ASSERT_EQ(window->workspace().runs().runs().size(), 30u);
    for (const RunView& run : window->workspace().runs().runs()) {
        EXPECT_EQ(run.record.state, RunState::finished) << run.record.name << ": " << run.record.message;
        const QList<double> losses = curve(*window, run.record.id);
        ASSERT_EQ(losses.size(), 60) << run.record.name;
        EXPECT_DOUBLE_EQ(losses.last(), testing::FakeEngine::loss(run.spec, 60));
        ASSERT_TRUE(run.last);
        EXPECT_EQ(run.last->iteration, 60);
        EXPECT_TRUE(train(*window).plot().isRunVisible(run.record.id));
    }
    EXPECT_FALSE(train(*window).sampleText().isEmpty());
    EXPECT_TRUE(window->banners().texts().isEmpty()) << window->banners().texts().join(' ').toStdString();
    EXPECT_TRUE(window->strip().summary().contains("60 / 60")) << window->strip().summary().toStdString();
}

TEST_F(Window, PauseStopsTheCurvesAndResumeContinuesThem) {
    engine.step_microseconds = 2000;
    auto window = openWith(smallSweep(2000));
    Workspace& workspace = window->workspace();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 20; }));
    EXPECT_EQ(workspace.runs().find(1)->record.state, RunState::running);

    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(workspace.session().state(), SweepSession::State::paused);
    ASSERT_TRUE(waitUntil([&] { return workspace.runs().find(1)->record.state == RunState::paused; }));
    const auto paused = curve(*window, 1).size();
    QTest::qWait(200);
    EXPECT_EQ(curve(*window, 1).size(), paused);

    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > paused + 20; }));
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.runs().find(1)->record.state, RunState::stopped);
    EXPECT_EQ(workspace.unfinishedRuns(), (std::vector<RunId>{1, 2}));
    EXPECT_GT(window->stalls().longestWork(), 0);
}

TEST_F(Window, ReopenedLabShowsTheSameCurvesAndResumesToTheSameLosses) {
    engine.step_microseconds = 1000;
    const QString lab = file("kept.ropelab");
    QList<double> before;
    {
        auto window = openWith(smallSweep(400));
        Workspace& workspace = window->workspace();
        workspace.start();
        ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 50; }));
        workspace.session().stop();
        ASSERT_TRUE(waitForEnd(workspace));
        workspace.saveLabAs(lab);
        ASSERT_TRUE(waitUntil([&] { return !workspace.isBusy(); }));
        before = curve(*window, 1);
    }
    ASSERT_FALSE(before.isEmpty());
    ASSERT_LT(before.size(), 400);

    auto window = open();
    Workspace& workspace = window->workspace();
    workspace.openLab(lab);
    EXPECT_TRUE(window->windowTitle().startsWith("kept"));
    EXPECT_EQ(curve(*window, 1), before);
    EXPECT_EQ(workspace.experiment().value().to_json(), smallSweep(400).to_json());
    EXPECT_FALSE(train(*window).sampleText().isEmpty());

    engine.step_microseconds = 50;
    window->actions().refresh();
    window->actions().action("run.continue")->trigger();
    ASSERT_TRUE(waitForEnd(workspace));
    for (const RunView& run : workspace.runs().runs()) {
        EXPECT_EQ(run.record.state, RunState::finished) << run.record.message;
        const QList<double> losses = curve(*window, run.record.id);
        ASSERT_EQ(losses.size(), 400);
        for (int i = 0; i < 400; ++i) EXPECT_DOUBLE_EQ(losses[i], testing::FakeEngine::loss(run.spec, i + 1)) << i;
    }
}

TEST_F(Window, ClosingDuringTrainingSavesFirst) {
    engine.step_microseconds = 2000;
    QString lab;
    {
        auto window = openWith(smallSweep(5000));
        window->workspace().start();
        ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 20; }));
        lab = window->workspace().lab().path();
        EXPECT_FALSE(window->close()) << "the window saves before it closes";
        EXPECT_TRUE(window->strip().summary().contains("Saving"));
        ASSERT_TRUE(waitUntil([&] { return !window->isVisible(); }));
        EXPECT_FALSE(window->workspace().session().isActive());
    }
    const auto read = LabFile::open(lab.toStdString(), LabFile::Mode::read);
    for (const RunRecord& run : read->runs()) {
        EXPECT_EQ(run.state, RunState::stopped);
        EXPECT_TRUE(std::filesystem::exists(read->checkpoint_path(run.id)));
        EXPECT_EQ(static_cast<std::int64_t>(read->metrics(run.id).steps.iteration.size()), run.iteration);
    }
}

TEST_F(Window, DestroyingTheWindowDuringTrainingStopsTheSweep) {
    engine.step_microseconds = 2000;
    auto window = openWith(smallSweep(5000));
    window->workspace().start();
    ASSERT_TRUE(waitUntil([&] { return !curve(*window, 1).isEmpty(); }));
    const QString lab = window->workspace().lab().path();
    window.reset();
    EXPECT_FALSE(LabFile::open(lab.toStdString(), LabFile::Mode::read)->metrics(1).steps.iteration.empty());
}

TEST_F(Window, UnsavedLabIsReopened) {
    QString lab;
    {
        auto window = openWith(smallSweep(40));
        window->workspace().start();
        ASSERT_TRUE(waitForEnd(window->workspace()));
        lab = window->workspace().lab().path();
    }
    auto window = open();
    window->labs().restore();
    ASSERT_EQ(window->banners().texts().size(), 1);
    EXPECT_TRUE(window->banners().texts().first().contains("An unsaved lab file with 2 runs was recovered"));
    EXPECT_EQ(window->workspace().lab().path(), lab);
    EXPECT_EQ(curve(*window, 2).size(), 40);

    ASSERT_TRUE(window->banners().choose("found", "Start new lab"));
    EXPECT_TRUE(train(*window).isEmpty());
    EXPECT_TRUE(window->banners().texts().isEmpty());
    auto again = open();
    again->labs().restore();
    EXPECT_TRUE(again->banners().texts().isEmpty());
}

TEST_F(Window, ReopenedUnsavedLabCanBeSaved) {
    {
        auto window = openWith(smallSweep(40));
        window->workspace().start();
        ASSERT_TRUE(waitForEnd(window->workspace()));
    }
    auto window = open();
    window->labs().restore();
    AnsweredDialogs answers;
    answers.path = file("named.ropelab");
    ASSERT_TRUE(window->banners().choose("found", "Save lab as …"));
    ASSERT_TRUE(waitUntil([&] { return window->workspace().lab().name() == "named"; }));
    EXPECT_EQ(window->workspace().settings().recentLabs(), QStringList{file("named.ropelab")});
    auto again = open();
    again->labs().restore();
    EXPECT_TRUE(again->banners().texts().isEmpty());
}

TEST_F(Window, FirstStartShowsAFinishedLabAndStartTrainsInAnother) {
    auto window = openWith(smallSweep(40));
    window->labs().restore();
    ASSERT_TRUE(waitUntil([&] { return window->doors().texts().size() == 1; }));
    EXPECT_TRUE(window->doors().texts().first().startsWith("This lab file is an example: the 30 runs"));
    EXPECT_EQ(window->workspace().runs().runs().size(), 30U);
    EXPECT_FALSE(window->workspace().lab().isOwn());
    ASSERT_TRUE(window->doors().choose("example", "Settings of a known model"));
    ASSERT_TRUE(waitUntil([&] { return window->findChild<ModelMap*>() != nullptr; }));
    EXPECT_TRUE(window->findChild<ModelMap*>()->isVisible());
    EXPECT_TRUE(window->doors().texts().isEmpty());

    const QString example = window->workspace().lab().path();
    window->lectures().present("theta-and-fraction", "find-the-head", 1);
    ASSERT_TRUE(waitUntil([&] { return window->workspace().lab().path().endsWith("three-thetas.ropelab"); }));
    window->lectures().end();
    EXPECT_TRUE(waitUntil([&] { return window->workspace().lab().path() == example; })) << "as before the lecture";

    engine.step_microseconds = 2000;
    window->workspace().start();
    ASSERT_TRUE(waitUntil([&] { return window->workspace().session().isActive(); }));
    EXPECT_TRUE(window->doors().texts().first().startsWith("Your runs are in a lab file of your own (unnamed"));
    window->actions().action("lab.example")->trigger();
    EXPECT_TRUE(window->banners().texts().first().contains("so the example cannot be shown"));
    ASSERT_TRUE(waitForEnd(window->workspace()));
    EXPECT_EQ(window->workspace().runs().runs().size(), 2U) << "of the panel's sweep, in the user's own lab";
    EXPECT_TRUE(window->banners().texts().isEmpty()) << "the sweep that the notice names has ended";
    ASSERT_TRUE(window->doors().choose("example", "Open example lab"));
    ASSERT_TRUE(waitUntil([&] { return window->workspace().showsExample(); }));
    EXPECT_TRUE(window->strip().summary().startsWith("no sweep is active")) << "of this lab";
    EXPECT_TRUE(window->doors().texts().first().contains("Your own runs are kept."));
    ASSERT_TRUE(window->doors().choose("example", "Back to your own runs"));
    ASSERT_TRUE(waitUntil([&] { return window->workspace().runs().runs().size() == 2U; }));
}

TEST_F(Window, AMinuteLeadsThroughFiveRoomsAndCanBeLeft) {
    auto window = openWith(smallSweep(40));
    window->show();
    window->actions().action("help.tour")->trigger();
    QStringList shown;
    for (int stop = 0; stop < 5; ++stop) {
        EXPECT_EQ(window->tour().stop(), stop);
        ASSERT_EQ(window->doors().texts().size(), 1);
        EXPECT_TRUE(window->doors().texts().first().startsWith(QStringLiteral("%1 of 5: ").arg(stop + 1)));
        EXPECT_TRUE(window->banners().texts().isEmpty()) << window->banners().texts().join(' ').toStdString();
        shown << window->room().objectName();
        EXPECT_EQ(window->doors().choose("tour", "Back"), stop > 0);
        if (stop > 0) {
            EXPECT_EQ(window->tour().stop(), stop - 1);
            ASSERT_TRUE(window->doors().choose("tour", "Next"));
        }
        ASSERT_TRUE(window->doors().choose("tour", stop < 4 ? "Next" : "End"));
    }
    EXPECT_EQ(shown, (QStringList{"rotation", "spectrum", "context", "rotation", "train"}));
    EXPECT_TRUE(window->doors().texts().isEmpty());
    EXPECT_EQ(window->tour().stop(), -1);
    window->actions().action("help.tour")->trigger();
    ASSERT_TRUE(window->doors().choose("tour", "Skip the rest"));
    EXPECT_TRUE(window->doors().texts().isEmpty());
    EXPECT_EQ(window->room().objectName(), "rotation");
}

TEST_F(Window, TheMinuteFollowsWhoLeavesItsRoom) {
    auto window = openWith(smallSweep(40));
    window->show();
    window->actions().action("help.tour")->trigger();
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    window->showRoom("memory");
    ASSERT_EQ(window->doors().texts().size(), 1);
    EXPECT_EQ(window->doors().texts().first(), "2 of 5: This step of “RoPE in one minute” is on the page Spectrum.");
    ASSERT_TRUE(window->doors().choose("tour", "Back to the step"));
    EXPECT_EQ(window->room().objectName(), "spectrum");
    EXPECT_TRUE(window->doors().texts().first().startsWith("2 of 5: θ is RoPE's base"));
    window->showRoom("memory");
    window->showRoom("spectrum");
    EXPECT_TRUE(window->doors().texts().first().startsWith("2 of 5: θ is RoPE's base"));
    window->showRoom("results");
    auto* stage = window->findChild<WindowStage*>();
    stage->begin();
    window->showRoom("spectrum");
    EXPECT_TRUE(window->doors().texts().first().startsWith("2 of 5: This step")) << "a lecture shows its page";
    stage->end();
    stage->finishTurns();
    EXPECT_EQ(window->room().objectName(), "results");
    ASSERT_TRUE(window->doors().choose("tour", "End"));
    EXPECT_TRUE(window->doors().texts().isEmpty());
    EXPECT_EQ(window->tour().stop(), -1);
}

TEST_F(Window, TheMinutesFirstSentenceSaysWhatADragShows) {
    auto window = openWith(smallSweep(40));
    window->show();
    window->actions().action("help.tour")->trigger();
    const auto said = [&] { return window->doors().texts().first(); };
    EXPECT_TRUE(said().contains("Drag “q at m”")) << said().toStdString();
    auto* room = window->findChild<RotationRoom*>();
    EXPECT_TRUE(room->positionBar()->locksDistance());
    EXPECT_TRUE(isLit(room->positionBar()->query()));
    const auto [m, n] = std::pair(room->scene().state.m, room->scene().state.n);
    room->editor().scrub(Arrow::query, m + 7);
    EXPECT_TRUE(said().contains("Both moved by 7 tokens and the hands turned, yet the logit is still ") &&
                said().contains(QStringLiteral("m − n = %1 only").arg(m - n)))
        << said().toStdString();
    room->editor().moveTo(m, n + 1);
    EXPECT_TRUE(said().contains(QStringLiteral("The distance m − n is %1 instead of %2").arg(m - n - 1).arg(m - n)));
    room->editor().sampleAgain();
    EXPECT_TRUE(said().contains("Drag “q at m”"))
        << "another query and key are no comparison: " << said().toStdString();
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    EXPECT_FALSE(room->positionBar()->locksDistance()) << "the tour's lock ends with its stop";
    EXPECT_FALSE(isLit(room->positionBar()->query()));
}

TEST_F(Window, TheMinuteSaysWhatADragOfASettingShows) {
    auto window = openWith(smallSweep(40));
    window->show();
    RotaryModel& rotary = window->workspace().rotary();
    const auto said = [&] { return window->doors().texts().first().section('\n', 1); };
    const auto drag = [&](const char* setting, const char* value) {
        RotarySetup setup = rotary.setup();
        set_setting(setup, setting, value);
        rotary.change("test", setup);
        return said();
    };
    window->actions().action("help.tour")->trigger();
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    EXPECT_TRUE(said().startsWith("Drag θ:")) << said().toStdString();
    EXPECT_EQ(
        drag("theta", "1M"),
        "θ is 1,000,000 instead of 10,000: the slowest pair completes a period in 4,080,185 instead of 47,117 tokens; "
        "pair 0 rotates as before.");
    EXPECT_TRUE(drag("head_dim", "128").startsWith("Drag θ:")) << "another setting is no comparison";
    drag("head_dim", "64");
    drag("theta", "10k");
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    EXPECT_EQ(drag("context", "4096"),
              "Within 4,096 instead of 1,024 tokens, 46 instead of 36 of the 64 rotated channels complete a full "
              "period.");
    EXPECT_TRUE(drag("context", "1025").contains("1,025 instead of 1,024 tokens, still 36 of the 64"));
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    EXPECT_EQ(
        drag("fraction", "25%"),
        "Of 32 pairs, 8 instead of 32 rotate; the slowest completes a period in 19,869 instead of 47,117 tokens.");
    EXPECT_TRUE(drag("fraction", "0").startsWith("No pair rotates"));
    ASSERT_TRUE(window->doors().choose("tour", "Next"));
    EXPECT_EQ(said(), "") << "a changed setup trains nothing";
    drag("theta", "500");
    EXPECT_EQ(said(), "");
}

TEST_F(Window, ARunThatIsPickedInOneRoomIsPickedInAll) {
    auto window = openWith(smallSweep(40));
    window->show();
    window->workspace().start();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    RunStore& runs = window->workspace().runs();
    for (const char* room : {"results", "inspect", "anatomy", "train"}) window->showRoom(room);
    auto* list = window->findChild<RunList*>();
    auto* results = window->findChild<ResultsRoom*>();
    auto* anatomy = window->findChild<AnatomyRoom*>();
    for (const RunId run : {RunId{2}, RunId{1}}) {
        list->pick(run);
        EXPECT_EQ(runs.picked(), run);
        window->showRoom("results");
        results->refreshNow();
        EXPECT_EQ(results->pickedGroup(), run - 1);
        window->showRoom("anatomy");
        anatomy->refreshNow();
        EXPECT_TRUE(
            window->findChild<AnatomyPanel*>()->source()->currentText().startsWith(QStringLiteral("Run %1:").arg(run)));
        window->showRoom("train");
    }
    results->pickGroup(1);
    EXPECT_EQ(runs.picked(), 2);
    EXPECT_EQ(list->picked(), 2);
}

TEST_F(Window, NextStartContinuesWhereTheUserLeft) {
    {
        auto window = openWith(smallSweep(40));
        window->workspace().start();
        ASSERT_TRUE(waitForEnd(window->workspace()));
        window->workspace().saveLabAs(file("kept.ropelab"));
        ASSERT_TRUE(waitUntil([&] { return window->workspace().lab().name() == "kept"; }));
        window->showRoom("results");
        ASSERT_TRUE(window->close());
    }
    auto window = open();
    window->labs().restore();
    window->restoreRoom();
    EXPECT_TRUE(waitUntil([&] { return window->workspace().lab().name() == "kept"; }));
    EXPECT_EQ(window->room().objectName(), "results");
    EXPECT_TRUE(window->banners().texts().isEmpty());
}

TEST_F(Window, WritesAReportOfTheLabInAnotherProcess) {
    auto window = openWith(smallSweep(40));
    QAction* action = window->actions().action("lab.report");
    window->actions().refresh();
    EXPECT_FALSE(action->isEnabled()) << "there are no runs yet";
    window->workspace().start();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    AnsweredDialogs answers;
    answers.path = folder.path();
    // A program that records its arguments; with a file "refuse" it fails.
    QFile program(file("program.sh"));
    ASSERT_TRUE(program.open(QIODevice::WriteOnly));
    program.write(
        "#!/bin/sh\nd=$(dirname \"$0\")\nif [ -e \"$d/refuse\" ]; then\n  echo 'ropelab-cli: The disk is "
        "full.' >&2\n  exit 2\nfi\necho \"$@\" >\"$d/arguments\"\n");
    program.close();
    ASSERT_TRUE(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    window->labs().setReportProgram(program.fileName());
    window->actions().refresh();
    ASSERT_TRUE(action->isEnabled());
    action->trigger();
    const auto text = [&] { return window->banners().texts().join(' '); };
    ASSERT_TRUE(waitUntil([&] { return text().contains("was written to"); })) << text().toStdString();
    QFile arguments(file("arguments"));
    ASSERT_TRUE(arguments.open(QIODevice::ReadOnly));
    const QString given = QString::fromUtf8(arguments.readAll());
    EXPECT_TRUE(given.startsWith("report --lab " + window->workspace().lab().path())) << given.toStdString();
    EXPECT_TRUE(given.contains("-report --force")) << given.toStdString();

    QFile refuse(file("refuse"));
    ASSERT_TRUE(refuse.open(QIODevice::WriteOnly));
    refuse.close();
    action->trigger();
    ASSERT_TRUE(waitUntil([&] { return text().contains("The disk is full."); })) << text().toStdString();
    window->labs().setReportProgram(file("none"));
    action->trigger();
    EXPECT_TRUE(waitUntil([&] { return text().contains("does not start"); })) << text().toStdString();
}

TEST_F(Window, RenameNoteAndDeleteCanBeUndone) {
    auto window = openWith(smallSweep(40));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    const std::string before = workspace.runs().find(1)->record.name;
    RunTable& table = train(*window).runList().table();
    ASSERT_TRUE(table.setData(table.index(0, RunTable::Name), "small base", Qt::EditRole));
    ASSERT_TRUE(table.setData(table.index(0, RunTable::Note), "try again with 500", Qt::EditRole));
    EXPECT_EQ(workspace.runs().find(1)->record.name, "small base");
    EXPECT_EQ(workspace.lab().file()->run(1).note, "try again with 500");

    train(*window).runList().pick(1);
    window->actions().refresh();
    window->actions().action("run.delete")->trigger();
    EXPECT_EQ(workspace.runs().find(1), nullptr);
    EXPECT_EQ(train(*window).plot().runs(), std::vector<RunId>{2});

    QAction* undo = window->actions().action("edit.undo");
    EXPECT_EQ(undo->text(), "Undo: delete small base");
    undo->trigger();
    ASSERT_NE(workspace.runs().find(1), nullptr);
    EXPECT_EQ(curve(*window, 1).size(), 40) << "its curve is restored";
    undo->trigger();
    EXPECT_EQ(workspace.lab().file()->run(1).note, "");
    undo->trigger();
    EXPECT_EQ(workspace.runs().find(1)->record.name, before);
    window->actions().action("edit.redo")->trigger();
    EXPECT_EQ(workspace.lab().file()->run(1).name, "small base");
}

TEST_F(Window, TrainingRunCannotBeDeletedButStopped) {
    engine.step_microseconds = 2000;
    auto window = openWith(smallSweep(1000));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 5; }));
    workspace.deleteRun(1);
    EXPECT_NE(workspace.runs().find(1), nullptr);
    EXPECT_EQ(window->banners().texts().size(), 1);

    workspace.session().stopRun(1);
    ASSERT_TRUE(waitUntil([&] { return workspace.runs().find(1)->record.state == RunState::stopped; }));
    EXPECT_TRUE(workspace.session().isTraining(2));
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
}

TEST_F(Window, AModelAndCheckpointsAreOpenedWhereTheUserChoosesThem) {
    auto window = open();
    AnsweredDialogs answers;
    answers.path = file("none");
    QSignalSpy problems(&window->workspace(), &Workspace::problem);
    for (const char* id : {"lab.openModel", "lab.openCheckpoints"}) {
        window->actions().action(id)->trigger();
        ASSERT_TRUE(waitUntil([&] { return !problems.isEmpty(); })) << id;
        EXPECT_TRUE(problems.takeFirst().at(1).toString().contains(answers.path)) << id;
    }
}

TEST_F(Window, SavingDuringTrainingContinuesInTheNewFile) {
    engine.step_microseconds = 1000;
    auto window = openWith(smallSweep(300));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 20; }));
    workspace.saveLabAs(file("during.ropelab"));
    ASSERT_TRUE(waitUntil([&] { return workspace.lab().name() == "during"; }));
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.runs().find(1)->record.state, RunState::finished);
    EXPECT_EQ(workspace.lab().file()->metrics(1).steps.iteration.size(), 300u);
    EXPECT_EQ(curve(*window, 1).size(), 300);
}

TEST_F(Window, SavingThenClosingDuringTrainingDoesBoth) {
    engine.step_microseconds = 1000;
    auto window = openWith(smallSweep(100000));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 20; }));
    workspace.saveLabAs(file("kept.ropelab"));
    window->close();
    EXPECT_TRUE(window->isVisible());
    ASSERT_TRUE(waitUntil([&] { return !window->isVisible(); }));
    window.reset();
    for (const RunRecord& run : LabFile::open(file("kept.ropelab").toStdString())->runs()) {
        EXPECT_EQ(run.state, RunState::stopped);
        EXPECT_GT(run.iteration, 20);
    }
}

TEST_F(Window, LabThatIsBeingReadAtTheEndIsShownAtTheNextStart) {
    const QString large = file("large.ropelab");
    {
        const auto lab = LabFile::create(large.toStdString());
        lab->annotate_run(
            lab->add_run(lab->add_experiment("large", smallSweep().to_json().dump()), "run", to_json(RunSpec()).dump()),
            std::string(9'000'000, 'x'));
    }
    auto window = open();
    window->workspace().openLab(large);
    window->close();
    EXPECT_EQ(window->workspace().settings().value("lab/last").toString(), large);
}

TEST_F(Window, SavingThenOpeningAnotherLabDuringTrainingKeepsBothIntact) {
    engine.step_microseconds = 1000;
    const QString other = file("other.ropelab");
    {
        auto lab = LabFile::create(other.toStdString());
        lab->add_run(lab->add_experiment("other", smallSweep().to_json().dump()), "other run",
                     to_json(RunSpec()).dump());
    }
    auto window = openWith(smallSweep(100000));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return curve(*window, 1).size() > 20; }));
    workspace.saveLabAs(file("kept.ropelab"));
    workspace.openLab(other);
    ASSERT_TRUE(waitUntil([&] { return workspace.lab().name() == "other"; }));
    EXPECT_FALSE(workspace.session().isActive());
    ASSERT_EQ(workspace.runs().runs().size(), 1u);
    EXPECT_EQ(workspace.runs().find(1)->record.iteration, 0);
    EXPECT_TRUE(curve(*window, 1).isEmpty());
    EXPECT_GT(LabFile::open(file("kept.ropelab").toStdString())->run(1).iteration, 20);
}

TEST_F(Window, FailedRunIsExplainedAndOtherRunsFinish) {
    engine.failing_theta = 100;
    auto window = openWith(smallSweep(60));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.runs().find(1)->record.state, RunState::failed);
    EXPECT_EQ(workspace.runs().find(2)->record.state, RunState::finished);
    EXPECT_EQ(window->banners().texts().filter(" failed: ").size(), 1);
}

TEST_F(Window, SeveralFailedRunsShareOneBanner) {
    engine.failing_theta = 100;
    Experiment experiment = smallSweep(60);
    experiment.set("theta", {"100"});
    experiment.set("seed", {"1", "2", "3"});
    auto window = openWith(experiment);
    window->workspace().start();
    ASSERT_TRUE(waitForEnd(window->workspace()));
    EXPECT_EQ(window->banners().texts().filter("3 runs failed. The last failure: ").size(), 1);
    EXPECT_LE(window->banners().texts().size(), 2);  // the other banner is of the sweep
}

TEST_F(Window, EngineErrorIsShownAsBanner) {
    WorkspaceOptions broken = options();
    broken.engine = []() -> Engine& { throw std::runtime_error("The training engine does not open."); };
    MainWindow window(std::move(broken));
    window.workspace().experiment().replace(smallSweep());
    window.workspace().start();
    ASSERT_TRUE(waitForEnd(window.workspace()));
    ASSERT_FALSE(window.banners().texts().isEmpty());
    EXPECT_TRUE(window.banners().texts().join(' ').contains("engine does not open"));
    EXPECT_EQ(window.workspace().unfinishedRuns().size(), 2u) << "the runs can be resumed";
}

TEST_F(Window, OpeningAnotherLabReplacesCurvesOfEqualRunIds) {
    for (const auto& [name, steps] : {std::pair{"long.ropelab", 80}, std::pair{"short.ropelab", 40}}) {
        auto window = openWith(smallSweep(steps));
        window->workspace().start();
        ASSERT_TRUE(waitForEnd(window->workspace()));
        window->workspace().saveLabAs(file(name));
        ASSERT_TRUE(waitUntil([&] { return !window->workspace().isBusy(); }));
    }
    auto window = open();
    window->workspace().openLab(file("long.ropelab"));
    EXPECT_EQ(curve(*window, 1).size(), 80);
    window->workspace().openLab(file("short.ropelab"));
    EXPECT_EQ(curve(*window, 1).size(), 40);
    window->workspace().openLab(textFile());
    EXPECT_EQ(curve(*window, 1).size(), 40) << "an invalid file does not replace the lab";
    EXPECT_EQ(window->banners().texts().size(), 1);
}

TEST_F(Window, NewSweepHidesEarlierRunsAndColoursStay) {
    auto window = openWith(smallSweep(20));
    Workspace& workspace = window->workspace();
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    ASSERT_EQ(workspace.runs().runs().size(), 4u);
    EXPECT_FALSE(train(*window).plot().isRunVisible(1));
    EXPECT_TRUE(train(*window).plot().isRunVisible(3));
    workspace.deleteRun(1);
    EXPECT_EQ(workspace.runs().find(2)->ink, workspace.runs().find(4)->ink) << "equal settings, equal seeds";
    EXPECT_EQ(workspace.runs().find(3)->ink.index, 0) << "the colour of the deleted run, which had the same settings";
}

}  // namespace
}  // namespace ropelab::ui
