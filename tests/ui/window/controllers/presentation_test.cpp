// Lectures presented in the main window, with real key events.
#include <QDeadlineTimer>
#include <QDialog>
#include <QFrame>
#include <QLineEdit>
#include <QRadioButton>
#include <QSaveFile>
#include <QThread>

#include "tests/support/source_file.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/window/presentation_fixture.h"
#include "ui/lecture/questions/answer_field.h"
#include "ui/window/controllers/lecture_controller.h"

namespace ropelab::ui {
namespace {

TEST_F(PresentationTest, F5PresentsTheTitlePageAndPageDownGoesOn) {
    present();
    EXPECT_EQ(player().scene(), -1);
    EXPECT_TRUE(show().isPageShown());
    EXPECT_EQ(show().head()->title(), "Hands");
    EXPECT_TRUE(show().foot()->sentence().contains("Esc pause")) << "the keys";
    EXPECT_TRUE(show().page()->words().contains("Words of the title page."));
    EXPECT_FALSE(window->menuBar()->isVisible());
    EXPECT_FALSE(window->strip().isVisible());
    EXPECT_FALSE(window->findChild<Rail*>()->isVisible());

    press(Qt::Key_PageDown);
    EXPECT_EQ(player().scene(), 0);
    EXPECT_EQ(player().step(), 0) << "a scene begins at its first step";
    EXPECT_FALSE(show().isPageShown());
    EXPECT_EQ(show().head()->title(), "One hand");
    EXPECT_EQ(show().head()->question(), "") << "the scene asks another question";
    EXPECT_EQ(rotary().setup().theta, 500);
    EXPECT_EQ(show().foot()->sentence(), "The query stands at 10.");
    EXPECT_EQ(rotation().scene().state.m, 10);
    EXPECT_EQ(rotation().scene().state.n, 3);
    press(Qt::Key_Right);
    EXPECT_EQ(rotation().scene().state.m, 64);
    EXPECT_EQ(rotary().pickedPair(), 3);
    press(Qt::Key_PageUp);
    EXPECT_EQ(rotation().scene().state.m, 10);
    press(Qt::Key_Backspace);
    EXPECT_EQ(player().scene(), -1);
}

TEST_F(PresentationTest, AQuestionIsRevealedBeforeTheNextStep) {
    present();
    player().goTo(0, 2);
    ASSERT_TRUE(show().question()->isVisible());
    EXPECT_FALSE(show().question()->isRevealed());
    press(Qt::Key_PageDown);
    ASSERT_TRUE(waitUntil([&] { return show().question()->isRevealed(); }));
    EXPECT_EQ(player().step(), 2);
    ASSERT_TRUE(show().question()->isAncestorOf(QApplication::focusWidget()));
    press(Qt::Key_Right);  // an arrow of the answer before, now of the lecture
    EXPECT_TRUE(show().isPageShown()) << "the text of the scene closes it";
    EXPECT_EQ(show().page()->words(), "The logit is q · k.");
    press(Qt::Key_PageDown);
    EXPECT_EQ(player().scene(), 1);
    EXPECT_EQ(show().page()->words(), "Only words.");
}

TEST_F(PresentationTest, AQuestionGetsTheHeightOfItsError) {
    write(
        "---\ntitle: Number\n---\n\n## Pairs\n```yaml\nshow: spectrum\nsteps:\n"
        "  - ask: {text: \"How many?\", quantity: pairs, tolerance: 0}\n```\n");
    present();
    QuestionPanel& question = *show().question();
    ASSERT_TRUE(question.isVisible());
    question.findChild<QLineEdit*>()->setText(QString(20, u'x') + u" is not a number "_s.repeated(10));
    question.submit();
    ASSERT_TRUE(waitUntil([&] { return !question.error().isEmpty(); }));
    const auto isInside = [&] {
        const auto labels = question.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == question.error() && label->isVisible() &&
                   question.rect().contains(label->geometry());
        });
    };
    EXPECT_TRUE(waitUntil(isInside, 2000));
}

TEST_F(PresentationTest, ANoticeGetsItsHeight) {
    present();
    const int before = show().head()->height();
    show().head()->say(u"A sentence that is far too long for one line. "_s.repeated(20));
    EXPECT_TRUE(waitUntil([&] { return show().head()->height() > before; }, 2000));
}

TEST_F(PresentationTest, ACurveThatIsToBeDrawnIsHiddenBefore) {
    write(
        "---\ntitle: Curves\n---\n\n## Decay\n```yaml\nshow: context/decay\nsteps:\n"
        "  - ask: {text: \"How does it decay?\", draw: true, answer: So.}\n  - say: Now look.\n```\n");
    present();
    press(Qt::Key_PageDown);
    EXPECT_FALSE(show().isPictureCovered());
    EXPECT_TRUE(show().question()->isVisible());
    EXPECT_TRUE(show().question()->coversPicture());
    player().goTo(0, 1);
    EXPECT_FALSE(show().isPictureCovered());
}

TEST_F(PresentationTest, AFigureThatShowsTheAnswerIsHiddenBefore) {
    write(
        "---\ntitle: Bound\n---\n\n## First negative\n```yaml\nshow: context/bound\nsteps:\n"
        "  - ask: {text: \"Where?\", choices: [near, far], right: 1, hide: true}\n  - say: Now look.\n"
        "  - ask: {text: \"Where else?\", choices: [near, far], right: 1, hide: true}\n```\n");
    present();
    const auto isOver = [this] {  // the picture
        const QWidget& question = *show().question();
        return question.isVisible() &&
               question.geometry().contains(
                   QRect(window->room().mapTo(stage().canvas(), QPoint(0, 0)), window->room().size()));
    };
    EXPECT_TRUE(waitUntil(isOver)) << "the scene begins with the question, which has a page of its own";
    press(Qt::Key_PageDown);
    ASSERT_TRUE(waitUntil([&] { return show().question()->isRevealed(); }));
    QApplication::processEvents();
    EXPECT_TRUE(isOver()) << "the answer stays on this page, and the next step shows the picture at its full width";
    player().goTo(0, 1);
    EXPECT_FALSE(isOver()) << "only the question hides the figure";
    player().goTo(0, 2);
    EXPECT_TRUE(waitUntil(isOver));
}

TEST_F(PresentationTest, DigitsAndNamesJump) {
    present();
    type("3");
    EXPECT_EQ(show().head()->typed(), "→ 3");
    press(Qt::Key_Return);
    EXPECT_EQ(player().scene(), 2);
    EXPECT_EQ(window->room().objectName(), "context") << "the digit shows no room of its own";
    type("/one");
    press(Qt::Key_Return);
    EXPECT_EQ(player().scene(), 0);
    type("/nowhere");
    press(Qt::Key_Return);
    EXPECT_EQ(player().scene(), 0);
    EXPECT_EQ(show().head()->said(), "There is no scene “nowhere”.");
    type("2");
    press(Qt::Key_Escape);
    EXPECT_EQ(show().head()->typed(), "");
    EXPECT_TRUE(show().isActive()) << "Escape only discards what is typed";
}

TEST_F(PresentationTest, KeysOfTheToolsWork) {
    present();
    press(Qt::Key_PageDown);
    press(Qt::Key_B);
    EXPECT_TRUE(show().isBlank());
    press(Qt::Key_Period);
    EXPECT_FALSE(show().isBlank());

    using Choice = ThemeManager::Choice;
    ThemeManager& theme = ThemeManager::instance();
    theme.setChoice(Choice::light);
    for (const Choice wanted : {Choice::dark, Choice::contrast, Choice::light}) {
        press(Qt::Key_T);
        EXPECT_EQ(theme.choice(), wanted);
    }
    const int scale = theme.scale();
    press(Qt::Key_Minus);
    EXPECT_LT(theme.scale(), scale);
    press(Qt::Key_Plus);
    EXPECT_EQ(theme.scale(), scale);

    press(Qt::Key_D);
    EXPECT_TRUE(show().ink()->isDrawing());
    QTest::mousePress(show().ink(), Qt::LeftButton, {}, {200, 200});
    QTest::mouseMove(show().ink(), {260, 240});
    QTest::mouseRelease(show().ink(), Qt::LeftButton, {}, {260, 240});
    EXPECT_EQ(show().ink()->strokes(), 1);
    press(Qt::Key_C);
    EXPECT_EQ(show().ink()->strokes(), 0);
    press(Qt::Key_D);
    EXPECT_FALSE(show().ink()->isDrawing());
    press(Qt::Key_P);
    EXPECT_TRUE(show().ink()->hasPointer());

    press(Qt::Key_E);
    EXPECT_TRUE(show().isPageShown());
    press(Qt::Key_E);
    EXPECT_FALSE(show().isPageShown());
    press(Qt::Key_PageDown);
    rotation().editor().moveTo(99, 7);
    press(Qt::Key_R);
    EXPECT_EQ(player().step(), 0);
    EXPECT_EQ(rotation().scene().state.m, 10) << "the value of the first step";

    press(Qt::Key_S);
    ASSERT_FALSE(show().snapshot().isEmpty());
    EXPECT_FALSE(QImage(show().snapshot()).isNull());
    EXPECT_TRUE(show().snapshot().startsWith(pictures));
    const QString first = show().snapshot();
    press(Qt::Key_S);
    EXPECT_NE(show().snapshot(), first) << "an earlier snapshot is not replaced";
}

TEST_F(PresentationTest, NotesAreAStripOnOneScreen) {
    present();
    press(Qt::Key_PageDown);
    EXPECT_FALSE(show().areNotesShown());
    press(Qt::Key_N);
    EXPECT_TRUE(show().areNotesShown());
    EXPECT_TRUE(show().notes()->time().endsWith("of 10 min"));
    EXPECT_EQ(show().notes()->notes(), "") << "the class sees the strip, and a question follows";
    EXPECT_EQ(show().notes()->next(), "");
    for (int step = 0; step < 2; ++step) press(Qt::Key_PageDown);
    player().finishGlides();
    ASSERT_TRUE(waitUntil([&] { return show().question()->hasQuestion(); }));
    EXPECT_EQ(show().notes()->notes(), "");
    press(Qt::Key_PageDown);
    ASSERT_TRUE(waitUntil([&] { return show().question()->isRevealed(); }));
    EXPECT_EQ(show().notes()->notes(), "Wait for the answer.");
    EXPECT_EQ(show().notes()->next(), "Scene: A page");
    ASSERT_TRUE(waitUntil([&] { return show().notes()->find() == "To find: wavelength(0) = 6.283"; }))
        << show().notes()->find().toStdString();
    press(Qt::Key_N);
    EXPECT_FALSE(show().areNotesShown());
}

TEST_F(PresentationTest, EscapeGivesTheWindowBackAndF5ReturnsToTheStep) {
    const int scale = ThemeManager::instance().scale();
    present();
    player().goTo(0, 0);
    press(Qt::Key_Escape);
    EXPECT_FALSE(show().isActive());
    EXPECT_TRUE(window->menuBar()->isVisible());
    EXPECT_TRUE(window->findChild<Rail*>()->isVisible());
    EXPECT_TRUE(window->isPanelShown());
    EXPECT_EQ(ThemeManager::instance().scale(), scale);
    EXPECT_EQ(rotary().setup().theta, 500) << "everything stays as it is shown";
    EXPECT_EQ(rotation().scene().state.m, 10);
    EXPECT_TRUE(rotation().positionBar()->key()->isVisible()) << "all controls are back";
    rotation().editor().moveTo(77, 5);
    window->showRoom("memory");
    press(Qt::Key_F5);
    EXPECT_TRUE(show().isActive());
    EXPECT_EQ(window->room().objectName(), "rotation");
    EXPECT_EQ(rotation().scene().state.m, 10);
}

TEST_F(PresentationTest, EscapeLeavesAtOnceFromANumberThatNobodyTyped) {
    write(
        "---\ntitle: Number\nminutes: 5\n---\n\n## Number\n```yaml\nshow: rotation/logit\nsteps:\n"
        "  - ask: {text: \"How long?\", quantity: wavelength(0)}\n```\n");
    present();
    player().goTo(0, 0);
    type("5");
    press(Qt::Key_Escape);
    EXPECT_TRUE(show().isActive());
    player().goTo(0, 0);
    ASSERT_TRUE(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
    press(Qt::Key_Escape);
    EXPECT_FALSE(show().isActive());
}

TEST_F(PresentationTest, EndLectureRestoresTheUsersSetupControlsAndUndoHistory) {
    window->showRoom("rotation");
    RotarySetup own;
    own.theta = 12345;
    rotary().change("change theta", own);
    rotation().editor().moveTo(33, 22);
    const int steps = workspace().rotaryUndo().count();
    present();
    player().goTo(2, 0);
    EXPECT_EQ(rotary().setup().theta, 500000);
    press(Qt::Key_Escape);
    rotary().endDrag();
    rotary().change("change theta", own);  // a change of the user between Escape and the end
    endLecture();
    EXPECT_EQ(window->room().objectName(), "rotation");
    EXPECT_EQ(rotary().setup().theta, 12345);
    EXPECT_EQ(rotation().scene().state.m, 33);
    EXPECT_EQ(rotation().scene().state.n, 22);
    EXPECT_EQ(workspace().rotaryUndo().count(), steps) << "nothing is an undo step of the user";
    workspace().rotaryUndo().undo();
    EXPECT_EQ(rotary().setup().theta, RotarySetup().theta);
}

TEST_F(PresentationTest, ThemeAndScaleOfAPresentationAreNotStored) {
    window->restoreSettings();
    present();
    press(Qt::Key_T);
    press(Qt::Key_Plus);
    press(Qt::Key_Escape);
    EXPECT_EQ(workspace().settings().value("window/scale").toInt(), 100);
    EXPECT_EQ(workspace().settings().value("window/theme").toString(), "system");
}

TEST_F(PresentationTest, OnlyTheControlsOfTheSceneAreVisible) {
    present();
    player().goTo(0, -1);
    auto* panel = window->room().controlWidget("theta");
    ASSERT_NE(panel, nullptr);
    EXPECT_TRUE(panel->isVisible());
    EXPECT_FALSE(window->room().controlWidget("fraction")->isVisible());
    EXPECT_TRUE(rotation().positionBar()->query()->isVisible());
    EXPECT_FALSE(rotation().positionBar()->key()->isVisible());
    EXPECT_FALSE(rotation().positionBar()->playButton()->isVisible());
    rotary().change("change fraction", RotarySetup{.fraction = 0.5});
    QApplication::processEvents();
    EXPECT_FALSE(window->room().controlWidget("fraction")->isVisible()) << "what a room shows meanwhile stays hidden";
    press(Qt::Key_Escape);
    EXPECT_TRUE(window->room().controlWidget("fraction")->isVisible());
    EXPECT_TRUE(rotation().positionBar()->playButton()->isVisible());
}

TEST_F(PresentationTest, AFieldTakesDigitsButPageDownIsAlwaysTheNextStep) {
    present();
    player().goTo(0, -1);
    auto* field = window->room().controlWidget("theta")->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
    type("900");
    press(Qt::Key_Return);
    EXPECT_EQ(rotary().setup().theta, 900);
    EXPECT_EQ(player().scene(), 0);
    field->setFocus();
    press(Qt::Key_PageDown);
    EXPECT_EQ(player().step(), 0);
}

TEST_F(PresentationTest, NothingIsCutAtTheSizesOfProjectors) {
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        window->setMinimumSize(1, 1);
        window->resize(size);
        QApplication::processEvents();
        present();
        for (int scene = 0; scene < static_cast<int>(player().lecture().scenes.size()); ++scene) {
            player().goTo(scene, 0);
            QApplication::processEvents();
            EXPECT_EQ(ThemeManager::instance().leastText(), size.height() / 30) << "large type";
            const auto* page = window->room().parentWidget()->parentWidget();
            const auto* area = qobject_cast<const QScrollArea*>(page);
            ASSERT_NE(area, nullptr);
            EXPECT_LE(window->room().height(), area->viewport()->height()) << scene << " at " << size.width();
            EXPECT_LE(window->room().width(), area->viewport()->width()) << scene << " at " << size.width();
            EXPECT_EQ(window->size(), size);
        }
        window->lectures().end();
    }
}

TEST_F(PresentationTest, PointsAtControlsAndFigures) {
    stage().begin();
    stage().showRoom("spectrum", "");
    stage().pointAt("control theta");
    EXPECT_TRUE(isLit(window->room().controlWidget("theta")));
    stage().pointAt("figure spectrum");
    EXPECT_TRUE(waitUntil([&] { return isLit(window->room().picture()); })) << "one of several figures";
    QSignalSpy problem(&stage(), &WindowStage::problem);
    stage().pointAt("figure nothing");
    EXPECT_TRUE(problem.wait());
    stage().pointAt("pair 2");
    EXPECT_EQ(rotary().pickedPair(), 2);
    stage().pointAt("");
    EXPECT_FALSE(rotary().pickedPair().has_value());
    for (const char* what : {"pair 9999", "control nothing", "words"}) {
        EXPECT_THROW(stage().pointAt(what), BadInput) << what;
    }
    stage().showControls({}, false);
    stage().showRoom("context", "bound");
    stage().pointAt("figure context-bound");
    QTest::qWait(150);  // longer than a room needs to draw
    EXPECT_EQ(problem.size(), 1);
    for (FigureView* view : window->room().findChildren<FigureView*>()) {
        EXPECT_FALSE(isLit(view)) << "a ring around the only figure points at nothing";
    }
    stage().end();
}

TEST_F(PresentationTest, TheEndHasAPageOfItsOwn) {
    present();
    player().goTo(2, 0);
    press(Qt::Key_PageDown);
    EXPECT_TRUE(show().isPageShown());
    EXPECT_TRUE(show().page()->words().startsWith("The lecture ends here."));
    EXPECT_EQ(show().head()->title(), "Hands");
    press(Qt::Key_PageDown);
    EXPECT_TRUE(show().isPageShown());
    press(Qt::Key_PageUp);
    EXPECT_FALSE(show().isPageShown());
    EXPECT_EQ(show().head()->title(), "The bound");
    EXPECT_EQ(player().step(), 0);
}

TEST_F(PresentationTest, TheKeyOfTheTextLeavesTheEndAsItIs) {
    write("---\ntitle: End\n---\n\n## Pairs\n```yaml\nshow: spectrum\nsteps:\n  - say: One.\n```\n\nThe text.\n");
    present();
    press(Qt::Key_PageDown);
    EXPECT_EQ(show().page()->words(), "The text.");
    for (const Qt::Key key : {Qt::Key_PageDown, Qt::Key_E}) {
        press(key);
        EXPECT_TRUE(show().isPageShown());
        EXPECT_TRUE(show().page()->words().startsWith("The lecture ends here."));
    }
    press(Qt::Key_PageUp);
    EXPECT_EQ(show().page()->words(), "The text.");
}

TEST_F(PresentationTest, AnswersMoveNothingAndAnEmptyNumberHasNoUseForArrows) {
    write(
        "---\ntitle: Number\n---\n\n## Pairs\n```yaml\nshow: spectrum\nsteps:\n"
        "  - ask: {text: \"How many pairs?\", quantity: pairs, tolerance: 0, answer: \"Half of the channels.\"}\n"
        "  - ask: {text: \"Which?\", choices: [one, two], right: 2, hide: true, answer: \"The second.\"}\n```\n");
    present();
    for (int step = 0; step < 2; ++step) {
        const auto places = [&] {
            const AnswerField* field = show().question()->field();
            QList<QRect> result{field->geometry()};
            for (const QWidget* each : field->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
                const bool stays = qobject_cast<const QRadioButton*>(each) || qobject_cast<const QLineEdit*>(each);
                if (stays) result << each->geometry();
            }
            return result;
        };
        ASSERT_EQ(player().step(), step);
        ASSERT_TRUE(waitUntil([&] { return show().question()->isVisible(); }));
        QApplication::processEvents();
        const QList<QRect> before = places();
        const int type = show().question()->font().pixelSize();
        press(step == 0 ? Qt::Key_Right : Qt::Key_PageDown);
        ASSERT_TRUE(waitUntil([&] { return show().question()->isRevealed(); }));
        QApplication::processEvents();
        EXPECT_EQ(places(), before) << step;
        EXPECT_EQ(show().question()->font().pixelSize(), type);
        press(Qt::Key_PageDown);
    }
}

TEST_F(PresentationTest, EveryControlThatALectureCanNameExists) {
    stage().begin();
    for (const LectureRoom& known : lecture_rooms()) {
        window->showRoom(QString::fromUtf8(known.name.data(), static_cast<qsizetype>(known.name.size())));
        for (const auto& [name, words, range] : known.controls) {
            if (name == "model") continue;  // of the window
            const QString control = text(name);
            EXPECT_TRUE(window->room().control(control).isValid()) << known.name << " " << name;
        }
        for (const std::string_view part : known.parts) {
            EXPECT_NO_THROW(
                stage().showRoom(QString::fromUtf8(known.name.data(), static_cast<qsizetype>(known.name.size())),
                                 QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()))))
                << known.name << " " << part;
        }
    }
    stage().end();
}

TEST_F(PresentationTest, ControlsOfRoomsCheckTheirValues) {
    stage().begin();
    stage().showRoom("rotation", "");
    stage().setControl("vectors", "equal");
    EXPECT_EQ(rotation().scene().state.source, VectorSource::equal);
    EXPECT_DOUBLE_EQ(stage().control("m"), 100);
    EXPECT_TRUE(std::isnan(stage().control("vectors")));
    for (const auto& [key, value] : {std::pair("vectors", "odd"),
                                     {"m", "-1"},
                                     {"m", "x"},
                                     {"play", "maybe"},
                                     {"theta", "0"},
                                     {"mean", "0"},
                                     {"pair", "4000"}}) {
        EXPECT_THROW(stage().setControl(key, value), BadInput) << key << " " << value;
    }
    stage().showRoom("context", "random");
    stage().setControl("mean", "0.5");
    EXPECT_DOUBLE_EQ(stage().control("mean"), 0.5);
    stage().setControl("target", "4096");
    EXPECT_DOUBLE_EQ(stage().control("target"), 4096);
    stage().showRoom("memory", "");
    stage().setControl("layers", "7");
    EXPECT_EQ(rotary().shape().sizes.layers, 7);
    stage().setControl("heads", "4");
    EXPECT_EQ(rotary().setup().heads, RotarySetup().heads) << "the heads of the cache, not those of ALiBi";
    stage().showRoom("train", "");
    stage().setControl("quantity", "training_loss");
    EXPECT_THROW(stage().setControl("quantity", "nothing"), BadInput);
    stage().end();
    EXPECT_EQ(workspace().settings().value("train/quantity").toString(), "losses");
}

TEST_F(PresentationTest, ARecordedLabStandsInForTheUsersLab) {
    const QString recorded = recordedLab();
    workspace().experiment().replace(smallSweep(20));
    workspace().start();
    ASSERT_TRUE(waitForEnd(workspace()));
    const QString own = workspace().lab().path();
    const Experiment ownExperiment = workspace().experiment().value();
    const RunId renamed = workspace().runs().runs().front().record.id;
    workspace().renameRun(renamed, "mine");
    const int steps = workspace().undo().count();

    stage().begin();
    stage().showRuns(recorded, nullptr);
    EXPECT_EQ(QFileInfo(workspace().lab().path()).fileName(), QFileInfo(recorded).fileName());
    EXPECT_NE(workspace().lab().path(), recorded) << "a copy is shown, so the recording stays as it is";
    EXPECT_TRUE(workspace().lab().isReadOnly());
    EXPECT_EQ(stage().runs(), LectureStage::Runs::recorded);
    EXPECT_EQ(stage().ownLabPath(), own);
    EXPECT_EQ(workspace().settings().value("lab/unsaved").toString(), own) << "a crash loses nothing";
    EXPECT_TRUE(window->banners().texts().filter("read-only").isEmpty());
    window->showRoom("train");
    EXPECT_FALSE(window->actions().action("edit.undo")->isEnabled()) << "the steps belong to the user's lab";
    // What a published model gave was measured; printed values were not.
    for (const bool isMeasured : {true, false}) {
        const char* name = isMeasured ? "real-model" : "published-losses";
        stage().showRuns(
            QString::fromStdString(source_file("resources/lectures/labs/" + std::string(name) + ".ropelab")), nullptr);
        EXPECT_EQ(stage().runs(), isMeasured ? LectureStage::Runs::recorded : LectureStage::Runs::imported);
    }
    stage().showRuns("", nullptr);
    EXPECT_EQ(workspace().lab().path(), own);
    EXPECT_THROW(stage().setControl("nothing", "1"), BadInput);
    stage().showRuns(recorded, nullptr);
    stage().end();
    EXPECT_EQ(workspace().lab().path(), own);
    EXPECT_FALSE(workspace().lab().isReadOnly());
    EXPECT_EQ(workspace().experiment().value(), ownExperiment);
    EXPECT_EQ(workspace().undo().count(), steps);
    workspace().undo().undo();
    EXPECT_NE(workspace().runs().find(renamed)->record.name, "mine");
}

TEST_F(PresentationTest, ASweepOfTheUserRefusesALabScene) {
    const QString recorded = recordedLab();
    engine.step_microseconds = 2000;
    workspace().experiment().replace(smallSweep(5000));
    workspace().start();
    ASSERT_TRUE(workspace().session().isActive());
    stage().begin();
    EXPECT_THROW(stage().showRuns(recorded, nullptr), BadInput);
    EXPECT_TRUE(workspace().session().isActive()) << "the sweep goes on";
    stage().end();
    write(
        "---\ntitle: Runs\nminutes: 5\n---\n\n## Runs\n```yaml\nshow: results/learning-curves\nlab: recorded.ropelab\n"
        "steps:\n  - say: Look.\n```\n");
    present();
    player().goTo(0, 0);
    EXPECT_TRUE(workspace().lab().isOwn());
    workspace().session().stop();
    EXPECT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::recorded; }))
        << "the scene follows when the sweep has ended";
}

TEST_F(PresentationTest, ALiveSceneTrainsBesideTheUsersLab) {
    LectureTraining training;
    training.experiment = smallSweep(40).to_json();
    training.seconds = 3600;
    stage().begin();
    stage().showRuns("", &training);
    ASSERT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live; }));
    const QString live = workspace().lab().path();
    stage().showRuns("", &training);  // the scene is shown again
    EXPECT_EQ(workspace().lab().path(), live) << "the training does not begin again";
    ASSERT_TRUE(waitForEnd(workspace()));
    EXPECT_EQ(workspace().runs().runs().size(), 2U);
    stage().showRuns("", nullptr);
    EXPECT_EQ(stage().runs(), LectureStage::Runs::own);
    stage().showRuns("", &training);
    EXPECT_EQ(workspace().lab().path(), live) << "the trained runs come back";
    stage().end();
    EXPECT_EQ(stage().runs(), LectureStage::Runs::own);
    EXPECT_FALSE(workspace().lab().hasFile());
}

TEST_F(PresentationTest, CurvesOfALiveSceneGrowWhileItTrains) {
    engine.step_microseconds = 2000;
    LectureTraining training;
    training.experiment = smallSweep(100000).to_json();
    training.seconds = 1e9;
    stage().begin();
    stage().showRoom("results", "learning-curves");
    stage().showRuns("", &training);
    const auto& results = static_cast<ResultsRoom&>(window->room());
    EXPECT_TRUE(waitUntil([&] { return !results.isEmpty(); }));
    EXPECT_TRUE(workspace().session().isActive());
    workspace().session().stop();
    ASSERT_TRUE(waitForEnd(workspace()));
    stage().end();
}

TEST_F(PresentationTest, BannersWaitForTheEndOfAPresentation) {
    window->banners().show("example", BannerArea::Kind::information, "This lab file is an example.");
    EXPECT_FALSE(window->banners().isHidden());
    present();
    EXPECT_TRUE(window->banners().isHidden());
    window->banners().show("other", BannerArea::Kind::error, "The disk is full.");
    EXPECT_TRUE(window->banners().isHidden());
    press(Qt::Key_Escape);
    EXPECT_FALSE(window->banners().isHidden());
    EXPECT_TRUE(window->banners().texts().contains("The disk is full."));
}

TEST_F(PresentationTest, ABannerShowsTheBeginningAndTheEndOfAVeryLongText) {
    const QString text = "Begin. " + QString("many words ").repeated(500) + "End.";
    window->banners().show("long", BannerArea::Kind::error, text);
    const QString shown = window->banners().texts().last();
    EXPECT_LE(shown.size(), 1010);
    EXPECT_TRUE(shown.startsWith("Begin. many")) << shown.toStdString();
    EXPECT_TRUE(shown.endsWith("words End.")) << shown.toStdString();
    EXPECT_EQ(window->banners().findChild<QFrame*>("long")->accessibleName(), text) << "a screen reader has it whole";
}

TEST_F(PresentationTest, ARecordingTakesOverWhereTrainingTakesTooLong) {
    const QString recorded = recordedLab();
    LectureTraining training;
    training.experiment = smallSweep(40).to_json();
    training.seconds = 1e-9;  // every estimate is above
    stage().begin();
    stage().showRuns(recorded, &training);
    EXPECT_EQ(QFileInfo(workspace().lab().path()).fileName(), QFileInfo(recorded).fileName());
    EXPECT_NE(workspace().lab().path(), recorded) << "a copy is shown, so the recording stays as it is";
    EXPECT_EQ(stage().runs(), LectureStage::Runs::recorded);
    EXPECT_FALSE(workspace().session().isActive());
    stage().end();
}

TEST_F(PresentationTest, ARecordingStandsUntilTheTrainingIsComplete) {
    const QString recorded = recordedLab();
    engine.step_microseconds = 2000;
    LectureTraining training;
    training.experiment = smallSweep(200).to_json();
    training.seconds = 3600;
    stage().begin();
    stage().showRoom("results", "learning-curves");
    stage().showRuns(recorded, &training);
    const auto& results = static_cast<ResultsRoom&>(window->room());
    EXPECT_EQ(stage().runs(), LectureStage::Runs::recorded);
    EXPECT_TRUE(waitUntil([&] { return !results.isEmpty(); })) << "the recording is shown from the beginning";
    EXPECT_TRUE(waitUntil([&] { return stage().progress().startsWith("live runs: "); }));
    while (stage().runs() == LectureStage::Runs::recorded) {
        EXPECT_FALSE(results.isEmpty());
        ASSERT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live || results.isEmpty(); }, 30'000));
    }
    EXPECT_EQ(stage().progress(), "");
    stage().showRuns(recorded, nullptr);  // a later scene with the recording
    EXPECT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::recorded; }));
    stage().showRuns(recorded, &training);
    EXPECT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live; })) << "the trained runs come back";
    EXPECT_EQ(workspace().runs().runs().size(), 2U);
    stage().end();
    EXPECT_EQ(stage().runs(), LectureStage::Runs::own);
}

TEST_F(PresentationTest, ATrainingThatIsStillPlannedEndsWithItsSceneOrTheLecture) {
    const QString recorded = recordedLab();
    LectureTraining first;
    first.experiment = smallSweep(40).to_json();
    first.seconds = 3600;
    LectureTraining second = first;
    second.experiment = smallSweep(60).to_json();
    stage().begin();
    stage().showRuns(recorded, &first);
    EXPECT_EQ(stage().progress(), "live runs: starting …");
    stage().showRuns(recorded, &second);
    ASSERT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live; }));
    EXPECT_EQ(workspace().runs().runs().front().spec.iterations, 60) << "the first plan trains nothing";
    const QDir labs(workspace().lab().folder());
    EXPECT_EQ(labs.entryList({"*.ropelab"}).size(), 1) << "the first plan leaves no lab";
    stage().showRuns(recorded, &first);
    stage().end();
    QTest::qWait(50);
    EXPECT_EQ(stage().runs(), LectureStage::Runs::own);
    EXPECT_EQ(stage().progress(), "");
    stage().begin();
    stage().showRuns(recorded, &first);
    const QString folder = labs.path();
    window.reset();  // while the training is being planned
    EXPECT_EQ(QDir(folder).entryList({"*.ropelab"}).size(), 1);
}

TEST_F(PresentationTest, RunsThatAreStillPlannedAreNotShownAfterTheirScene) {
    LectureTraining training;
    training.experiment = smallSweep(40).to_json();
    training.seconds = 3600;
    const QDir labs(workspace().lab().folder());
    const auto count = [&labs] { return labs.entryList({"*.ropelab"}).size(); };
    stage().begin();
    stage().showRuns("", &training);
    EXPECT_FALSE(workspace().lab().isOwn() || workspace().lab().hasFile()) << "an empty lab until they are planned";
    EXPECT_EQ(stage().progress(), "live runs: starting …");
    stage().showRuns("", nullptr);  // a key meanwhile
    for (QDeadlineTimer end(20'000); count() == 0 && !end.hasExpired();) QThread::msleep(1);
    ASSERT_EQ(count(), 1) << "planned, but the window has not yet heard of it";
    EXPECT_TRUE(waitUntil([&] { return count() == 0; }));
    EXPECT_EQ(stage().runs(), LectureStage::Runs::own);
    EXPECT_FALSE(workspace().session().isActive());
    stage().showRuns("", &training);  // the scene again
    ASSERT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live; }));
    EXPECT_EQ(workspace().settings().value("lab/recent").toStringList(), QStringList(workspace().lab().path()));
    EXPECT_EQ(count(), 1) << "no lab of the first planning stays";
    training.experiment = smallSweep(60).to_json();
    stage().showRuns("", &training);  // a second training, while the first one ends
    ASSERT_TRUE(waitUntil([&] { return stage().runs() == LectureStage::Runs::live; }));
    EXPECT_EQ(workspace().runs().runs().front().spec.iterations, 60);
    EXPECT_EQ(count(), 2);
    training.experiment = smallSweep(80).to_json();
    stage().showRuns("", &training);
    stage().end();
    EXPECT_TRUE(waitUntil([&] { return workspace().lab().isOwn(); }));
    stage().begin();
    stage().showRuns("", &training);
    window.reset();  // while they are being planned
    EXPECT_EQ(count(), 2);
}

TEST_F(PresentationTest, AModelIsLoadedWithoutItsWindow) {
    stage().begin();
    stage().showRoom("memory", "");
    stage().setControl("model", "deepseek-v3");
    EXPECT_EQ(rotary().shape().name, "DeepSeek-V3");
    EXPECT_EQ(window->findChild<QDialog*>("models"), nullptr);
    EXPECT_THROW(stage().setControl("model", "no such model"), BadInput);
    stage().end();
    EXPECT_NE(rotary().shape().name, "DeepSeek-V3");
}

TEST_F(PresentationTest, PagesOfALectureAreMadeBeforeItsScenesShowThem) {
    const auto made = [this](const char* room) { return window->findChild<Room*>(room) != nullptr; };
    ASSERT_FALSE(made("rotation"));
    present();
    EXPECT_FALSE(made("rotation")) << "the first page is shown first";
    EXPECT_TRUE(waitUntil([&] { return made("rotation"); }, 2000));
    EXPECT_FALSE(made("anatomy")) << "no scene shows it";
}

TEST_F(PresentationTest, ARoomBelowAPageOfTextIsHidden) {
    present();
    EXPECT_FALSE(window->room().isVisible()) << "it would be styled, laid out and painted where nobody sees it";
    press(Qt::Key_PageDown);
    EXPECT_TRUE(window->room().isVisible());
    player().open(1);
    EXPECT_FALSE(window->room().isVisible());
    press(Qt::Key_Escape);
    EXPECT_TRUE(window->room().isVisible());
}

TEST_F(PresentationTest, ALectureOfTheMenuIsPresentedWithoutAFurtherStep) {
    window->actions().action("lecture.open.clocks")->trigger();
    ASSERT_TRUE(waitUntil([&] { return show().isActive(); }));
    EXPECT_TRUE(show().isPageShown());
    EXPECT_EQ(window->banners().texts(), QStringList());
}

TEST_F(PresentationTest, ALectureBeginsInTurnsThatItsEndAndItsKeysInterrupt) {
    const int scale = ThemeManager::instance().scale();
    const auto begin = [&](bool isPresenting) {
        window->actions().action("lecture.open.clocks")->trigger();
        EXPECT_FALSE(stage().isPresenting());
        return !isPresenting || waitUntil([&] { return stage().isPresenting(); });
    };
    for (const bool isPresenting : {false, true}) {
        ASSERT_TRUE(begin(isPresenting));
        endLecture();
        EXPECT_FALSE(waitUntil([&] { return show().isActive() || stage().isPresenting(); }, 100));
        EXPECT_TRUE(window->menuBar()->isVisible() && window->room().isVisible());
        EXPECT_EQ(ThemeManager::instance().scale(), scale);
        ASSERT_TRUE(begin(isPresenting));
        pressOnly(Qt::Key_F5);
        EXPECT_TRUE(show().isActive());
        pressOnly(Qt::Key_PageDown);
        EXPECT_FALSE(waitUntil([&] { return player().scene() != 0; }, 100)) << "the turns do not begin it again";
        endLecture();
    }
    ASSERT_TRUE(begin(true));
    window->close();
    EXPECT_FALSE(show().isActive() || stage().isPresenting());
    EXPECT_EQ(ThemeManager::instance().scale(), scale);
}

TEST_F(PresentationTest, APresentationEndsInTurnsThatItsReturnInterrupts) {
    const int scale = ThemeManager::instance().scale();
    present();
    player().goTo(0, 0);
    pressOnly(Qt::Key_Escape);
    EXPECT_FALSE(show().isActive());
    EXPECT_EQ(ThemeManager::instance().scale(), scale);
    EXPECT_FALSE(window->menuBar()->isVisible()) << "the bars follow";
    pressOnly(Qt::Key_F5);
    EXPECT_TRUE(show().isActive());
    EXPECT_FALSE(waitUntil([&] { return window->menuBar()->isVisible(); }, 100));
    EXPECT_TRUE(window->room().isVisible());
    pressOnly(Qt::Key_Escape);
    EXPECT_TRUE(waitUntil([&] { return window->menuBar()->isVisible() && window->room().isVisible(); }));
    EXPECT_TRUE(window->isPanelShown());
}

TEST_F(PresentationTest, ALectureEndsInTurnsThatTheUserInterrupts) {
    const auto isShown = [this](const char* room) { return window->room().objectName() == QLatin1String(room); };
    for (const bool picksRoom : {false, true}) {
        window->showRoom("train");
        present();
        player().goTo(2, 0);
        pressOnly(Qt::Key_Escape);
        window->lectures().end();
        ASSERT_TRUE(isShown("context")) << "the user's room follows";
        if (picksRoom) window->showRoom("memory");
        EXPECT_TRUE(waitUntil([&] { return isShown(picksRoom ? "memory" : "train"); }));
        EXPECT_FALSE(waitUntil([&] { return !isShown(picksRoom ? "memory" : "train"); }, 100));
    }
    present();
    player().goTo(2, 0);
    pressOnly(Qt::Key_Escape);
    window->close();
    EXPECT_EQ(workspace().settings().value("window/room").toString(), "memory");
}

TEST_F(PresentationTest, TheWindowHasItsSizeAgainAfterALecture) {
    const QSize before = window->size();
    present();
    window->resize(before + QSize(200, 0));  // as fields in large type do where there is no window manager
    press(Qt::Key_Escape);
    EXPECT_TRUE(waitUntil([&] { return window->size() == before; }));
}

TEST_F(PresentationTest, ALectureThatChangesOnDiskIsReloadedAtItsStep) {
    present();
    player().goTo(0, 0);
    QSaveFile replaced(lecturePath());  // as many editors save
    ASSERT_TRUE(replaced.open(QIODevice::WriteOnly));
    replaced.write(
        QByteArray(kLecture).replace("The query stands at 10.", "The query is at 10.").replace("m: 10", "m: 12"));
    ASSERT_TRUE(replaced.commit());
    ASSERT_TRUE(waitUntil([&] { return show().foot()->sentence() == "The query is at 10."; }));
    EXPECT_EQ(rotation().scene().state.m, 12);
    write("no lecture");
    ASSERT_TRUE(waitUntil([&] { return show().notes()->problem().contains("lecture"); }));
    EXPECT_EQ(show().head()->said(), "") << "the class does not see an error of the lecture";
    EXPECT_EQ(player().lecture().scenes.size(), 3U) << "the lecture stays as it was";
}

TEST_F(PresentationTest, TakesWhatIsShownAsAScene) {
    window->lectures().open(lecturePath());
    window->showRoom("rotation", "aim");
    RotarySetup setup;
    setup.theta = 7777;
    rotary().change("change theta", setup);
    rotation().editor().moveTo(9, 4);
    rotary().pickPair(5);
    window->lectures().takeScene();
    ASSERT_EQ(player().lecture().scenes.size(), 4U);
    const LectureScene& taken = player().lecture().scenes.back();
    EXPECT_EQ(taken.room, "rotation");
    EXPECT_EQ(taken.part, "aim");
    EXPECT_EQ(taken.setup.a.theta, 7777);
    EXPECT_NE(std::find(taken.controls.begin(), taken.controls.end(), "m"), taken.controls.end());
    EXPECT_NE(std::find(taken.controls.begin(), taken.controls.end(), "theta"), taken.controls.end());
    ASSERT_EQ(taken.steps.size(), 1U);
    EXPECT_EQ(taken.steps[0].point, "pair 5");
    rotation().editor().moveTo(1, 1);
    press(Qt::Key_F5);
    player().goTo(3, 0);
    EXPECT_EQ(rotation().scene().state.m, 9);
    EXPECT_EQ(rotation().page(), RotationRoom::Aim);
}

TEST_F(PresentationTest, TakesASceneIntoANewLecture) {
    AnsweredDialogs answers;
    answers.path = file("new");
    window->showRoom("spectrum");
    window->lectures().takeScene();
    EXPECT_TRUE(QFile::exists(file("new.md")));
    EXPECT_EQ(player().lecture().title, "new");
    EXPECT_EQ(player().lecture().scenes.size(), 1U);
}

TEST_F(PresentationTest, ABadLectureIsRefusedInASentence) {
    EXPECT_THROW(window->lectures().open(file("missing.md")), BadInput);
    EXPECT_FALSE(player().hasLecture());
    EXPECT_FALSE(window->actions().action("lecture.present")->isEnabled());
    window->lectures().open(lecturePath());
    EXPECT_TRUE(window->actions().action("lecture.present")->isEnabled());
    EXPECT_FALSE(window->actions().action("lecture.end")->isEnabled());
}

}  // namespace
}  // namespace ropelab::ui
