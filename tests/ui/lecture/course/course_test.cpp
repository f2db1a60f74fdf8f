#include "ui/lecture/course/course.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <algorithm>

#include "core/lecture/quantities/quantity.h"
#include "tests/ui/lecture/question_stage.h"
#include "tests/ui/support/answered_dialogs.h"
#include "ui/lecture/course/course_progress.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/statement_lecture.h"
#include "ui/session/settings.h"
#include "ui/statements/statements.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

LectureStep choiceStepOf(const char* text, int right) {
    LectureQuestion question;
    question.kind = LectureQuestion::Kind::choice;
    question.text = text;
    question.choices = {"yes", "no"};
    question.right = right;
    question.hint = "Think.";
    LectureStep step;
    step.ask = question;
    return step;
}

/// A lecture with two scenes: one with a number, one with two choices.
Lecture smallLecture() {
    Lecture lecture;
    lecture.title = "Small";
    lecture.text = "An introduction.";
    LectureScene first;
    first.id = "first";
    first.title = "First scene";
    first.text = "Some text.";
    first.room = "spectrum";
    first.setup.a.theta = 10000;
    first.setup.a.head_dim = 64;
    LectureStep number;
    number.set.push_back({"theta", "500", 0});
    LectureQuestion question;
    question.kind = LectureQuestion::Kind::number;
    question.text = "How many pairs?";
    question.quantity = "pairs";
    number.ask = question;
    first.steps = {number};
    LectureScene second;
    second.id = "second";
    second.title = "Second scene";
    second.steps = {choiceStepOf("Is it so?", 0), choiceStepOf("And this?", 1)};
    lecture.scenes = {first, second};
    return lecture;
}

class CourseTest : public ::testing::Test {
 protected:
    void SetUp() override { ThemeManager::instance().apply(); }
    void open(std::vector<Lecture> lectures = {smallLecture()}) {
        course.reset();
        settings = std::make_unique<Settings>(folder.filePath("settings.ini"));
        course = std::make_unique<Course>(stage, *settings, std::move(lectures));
        stage.window.resize(1000, 700);
        stage.window.show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&stage.window));
        course->begin();
        if (!course->isIntroductionShown()) return;
        course->next();
        course->next();  // past the title page
    }
    void press(Qt::Key key) {
        QWidget* focused = QApplication::focusWidget();
        ASSERT_TRUE(focused);
        QTest::keyClick(focused, key);
    }
    bool waitForQuestion() {
        return QTest::qWaitFor([&] { return course->questions().hasQuestion(); });
    }
    bool waitForTruth() {
        return QTest::qWaitFor([&] { return course->questions().isRevealed(); });
    }

    QTemporaryDir folder;
    QuestionStage stage;
    std::unique_ptr<Settings> settings;
    std::unique_ptr<Course> course;
};

TEST_F(CourseTest, TheKeyboardAloneLeadsThroughTheCourse) {
    open();
    EXPECT_EQ(course->player().scene(), 0);
    EXPECT_EQ(course->player().step(), 0);
    ASSERT_TRUE(waitForQuestion());
    QTest::keyClicks(QApplication::focusWidget(), "32");
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_TRUE(course->questions().answers().at(0).right);
    press(Qt::Key_Return);  // the text of the scene
    EXPECT_TRUE(course->presentation().isPageShown());
    const auto counts = course->bar().findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(counts.begin(), counts.end(), [](const QLabel* each) {
        return each->text() == "scene 1 of 2, closing text";
    })) << "its text is no step";
    press(Qt::Key_Return);  // the next scene
    EXPECT_EQ(course->player().scene(), 1);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);  // wrong
    press(Qt::Key_Return);
    QPushButton* reveal = course->questions().revealButton();
    ASSERT_TRUE(QTest::qWaitFor([&] { return reveal->isVisible(); }));
    for (int tab = 0; tab < 10 && !reveal->hasFocus(); ++tab) press(Qt::Key_Tab);
    ASSERT_TRUE(reveal->hasFocus());
    press(Qt::Key_Space);
    ASSERT_TRUE(waitForTruth());
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    press(Qt::Key_Return);
    ASSERT_TRUE(course->isSummaryShown());
    const QString page = course->paper().toPlainText();
    EXPECT_TRUE(page.contains("You understood 2 of 3 questions")) << page.toStdString();
    EXPECT_TRUE(page.contains("✗ not yet understood: Is it so?")) << page.toStdString();
}

TEST_F(CourseTest, ALectureBeginsWithItsTitlePage) {
    open();
    course->previous();
    EXPECT_EQ(course->player().scene(), -1);
    EXPECT_TRUE(course->presentation().isPageShown());
    EXPECT_TRUE(course->presentation().page()->words().contains("An introduction."));
    EXPECT_TRUE(QApplication::focusWidget()->accessibleDescription().contains("An introduction."));
    course->end();
    course->begin();
    EXPECT_FALSE(course->isIntroductionShown());
    EXPECT_EQ(course->player().scene(), -1) << "the title page is a place to resume at";
    course->next();
    EXPECT_FALSE(course->presentation().isPageShown());
}

TEST_F(CourseTest, BeginsWithAnIntroductionAndLaterWhereTheUserStopped) {
    Lecture lecture = smallLecture();
    lecture.minutes = 90;
    EXPECT_TRUE(courseIntroduction({lecture, lecture}).contains("2 scenes, 3 questions, about 90 min"))
        << courseIntroduction({lecture, lecture}).toStdString();
    open();
    course->previous();
    course->previous();
    EXPECT_TRUE(course->isIntroductionShown());
    EXPECT_FALSE(course->questions().hasQuestion());
    EXPECT_FALSE(stage.emptyRoom.isEnabled()) << "figures below the page get no keys";
    course->previous();
    course->next();
    EXPECT_FALSE(course->isIntroductionShown());
    EXPECT_TRUE(stage.emptyRoom.isEnabled());
    course->next();
    EXPECT_EQ(course->player().scene(), 0);
    course->goTo(0, 1, 0);
    course->end();
    EXPECT_TRUE(course->bar().isHidden());
    course->begin();
    EXPECT_FALSE(course->isIntroductionShown());
    EXPECT_EQ(course->player().scene(), 1);
}

TEST_F(CourseTest, TheSummaryLinksToTheScenes) {
    open();
    course->showSummary();
    EXPECT_TRUE(course->paper().toHtml().contains("scene:0/1"));
    emit course->paper().anchorClicked(QUrl("scene:0/1"));
    EXPECT_FALSE(course->isSummaryShown());
    EXPECT_EQ(course->player().scene(), 1);
}

TEST_F(CourseTest, ProgressAndPlaceAreKept) {
    const Lecture lecture = smallLecture();
    open();
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    course->questions().showHint();
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    open();
    EXPECT_EQ(course->player().scene(), 1);
    EXPECT_EQ(course->player().step(), 0);
    using Grade = CourseProgress::Grade;
    EXPECT_EQ(course->progress().grade(lecture, lecture.scenes[1], *lecture.scenes[1].steps[0].ask), Grade::withHelp);
    EXPECT_EQ(course->progress().grade(lecture, lecture.scenes[1], *lecture.scenes[1].steps[1].ask), Grade::unanswered);
    EXPECT_EQ(sceneMark(lecture, lecture.scenes[1], course->progress()), "1 of 2 understood");
    EXPECT_TRUE(course->bar().findChild<QComboBox*>()->itemText(3).contains("1 of 2 understood"));
}

TEST_F(CourseTest, AWrongAnswerThatIsCorrectedCountsAsHelped) {
    const Lecture lecture = smallLecture();
    open();
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course->questions().revealButton()->isVisible(); }));
    using Grade = CourseProgress::Grade;
    const LectureQuestion& question = *lecture.scenes[1].steps[0].ask;
    EXPECT_EQ(course->progress().grade(lecture, lecture.scenes[1], question), Grade::wrong);
    press(Qt::Key_1);
    press(Qt::Key_Return);
    EXPECT_EQ(course->progress().grade(lecture, lecture.scenes[1], question), Grade::withHelp);
}

TEST_F(CourseTest, AWrongAnswerNamesItsMisconceptionAndStandsOnThePageOfMistakes) {
    Lecture lecture = smallLecture();
    lecture.scenes[1].steps[0].ask->wrong = {{1, "It is a common confusion."}};
    open({lecture});
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course->questions().revealButton()->isVisible(); }));
    EXPECT_TRUE(course->questions().result().startsWith("It is a common confusion."));
    EXPECT_TRUE(QApplication::focusWidget()->accessibleDescription().startsWith("It is a common confusion."));
    EXPECT_EQ(course->questions().accessibleName(), "Question: Is it so?");
    EXPECT_FALSE(course->questions().isRevealed());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    course->goTo(0, 1, 1);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_EQ(sceneMark(lecture, lecture.scenes[1], course->progress()), "✓ understood with help");
    open({lecture});  // what was stored
    course->showSummary();
    const QString page = course->paper().toPlainText();
    EXPECT_TRUE(page.contains("Your mistakes")) << page.toStdString();
    EXPECT_TRUE(page.contains("Your answer: no")) << page.toStdString();
    EXPECT_EQ(page.count("Your answer"), 1) << "only wrong answers";
}

TEST_F(CourseTest, TheStageKeepsToTheControlsOfTheScene) {
    open();
    ASSERT_TRUE(waitForQuestion());
    course->questions().reveal();
    ASSERT_TRUE(waitForTruth());
    EXPECT_FALSE(stage.showsAll) << "the whole room has numbers that answer other questions";
}

TEST_F(CourseTest, AnAnswerThatWasShownBeforeIsNotUnderstood) {
    const Lecture lecture = smallLecture();
    const LectureScene& scene = lecture.scenes[1];
    using Grade = CourseProgress::Grade;
    open();
    course->goTo(0, 1, 1);  // past the first question
    EXPECT_EQ(course->progress().grade(lecture, scene, *scene.steps[0].ask), Grade::unanswered);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course->questions().revealButton()->isVisible(); }));
    course->questions().reveal();
    ASSERT_TRUE(waitForTruth());
    open();
    for (const int step : {0, 1}) {
        course->goTo(0, 1, step);
        ASSERT_TRUE(waitForQuestion());
        press(step == 0 ? Qt::Key_1 : Qt::Key_2);
        press(Qt::Key_Return);
        ASSERT_TRUE(waitForTruth());
        EXPECT_TRUE(course->questions().answers().at(0).right);
        EXPECT_EQ(course->progress().grade(lecture, scene, *scene.steps[static_cast<std::size_t>(step)].ask),
                  Grade::shown);
    }
    EXPECT_EQ(sceneMark(lecture, scene, course->progress()), "0 of 2 understood");
}

TEST_F(CourseTest, StartingOverForgetsEverythingAfterAQuestion) {
    open();
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    AnsweredDialogs answers;
    QPushButton* reset = nullptr;
    for (QPushButton* button : course->bar().findChildren<QPushButton*>()) {
        if (button->text().startsWith("Start over")) reset = button;
    }
    ASSERT_TRUE(reset);
    EXPECT_FALSE(reset->isVisible());
    course->showSummary();
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_TRUE(course->isSummaryShown());
    answers.yes = true;
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(course->player().scene(), 0);
    course->showSummary();
    EXPECT_TRUE(course->paper().toPlainText().contains("You understood 0 of 3 questions"));
}

TEST_F(CourseTest, TheStepIsAppliedBeforeItsQuestion) {
    open();
    ASSERT_TRUE(waitForQuestion());
    EXPECT_TRUE(stage.controls.contains("theta=500")) << stage.controls.join(' ').toStdString();
    EXPECT_TRUE(stage.shown.contains("spectrum/"));
}

TEST_F(CourseTest, TheLastSceneOfALectureLeadsToTheNextOne) {
    Lecture other = smallLecture();
    other.title = "Other";
    open({smallLecture(), other});
    course->goTo(0, 1, 1);
    course->next();
    EXPECT_EQ(course->lecture(), 1);
    EXPECT_EQ(course->player().scene(), -1);
    course->previous();
    EXPECT_EQ(course->lecture(), 0);
    EXPECT_EQ(course->player().scene(), 1);
}

TEST_F(CourseTest, ThePictureIsHiddenUntilTheCurveIsDrawn) {
    Lecture lecture = smallLecture();
    LectureQuestion draw;
    draw.kind = LectureQuestion::Kind::curve;
    draw.text = "Draw it.";
    LectureStep step;
    step.ask = draw;
    lecture.scenes[0].steps = {LectureStep(), step};
    Figure figure;
    FigureCurve curve;
    curve.x = {0, 1};
    curve.y = {0, 1};
    figure.curves = {curve};
    stage.shownFigures = {figure};
    open({lecture});
    const Presentation& shown = course->presentation();
    EXPECT_TRUE(shown.isPictureCovered()) << "the next step asks for the curve";
    course->next();
    ASSERT_TRUE(waitForQuestion());
    EXPECT_TRUE(course->questions().coversPicture());
    course->questions().reveal();
    EXPECT_FALSE(shown.isPictureCovered());
    course->goTo(0, 0, 0);
    EXPECT_TRUE(shown.isPictureCovered());
    course->end();
    EXPECT_FALSE(shown.isPictureCovered());
}

TEST_F(CourseTest, WithoutTheLecturesTheFirstPageSaysSo) {
    Lecture found = smallLecture();
    found.file = "/lectures/small.md";
    EXPECT_TRUE(courseIntroduction({found}).contains("what the base θ"));
    const QString missing = courseIntroduction({smallLecture()});
    EXPECT_TRUE(missing.contains("were not found"));
    EXPECT_FALSE(missing.contains("what the base θ")) << "promises what is missing";
}

TEST_F(CourseTest, TheButtonsOfAQuestionStayInTheirPlace) {
    Lecture lecture = smallLecture();
    lecture.scenes[1].steps[0].ask->wrong = {{1, "It is a common confusion."}};
    open({lecture});
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    QCoreApplication::processEvents();
    const auto place = [&] {
        QTest::qWait(20);
        return course->questions().submitButton()->mapTo(&stage.window, QPoint());
    };
    const QPoint before = place();
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course->questions().revealButton()->isVisible(); }));
    EXPECT_EQ(place(), before);
    press(Qt::Key_1);
    EXPECT_EQ(place(), before) << "after a wrong answer was changed";
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_EQ(place(), before);
}

TEST_F(CourseTest, ADigitChoosesWhereverTheFocusIsAndAHiddenFigureStaysBesideItsQuestion) {
    Lecture lecture = smallLecture();
    lecture.scenes[1].room = "spectrum";
    lecture.scenes[1].text = "What follows from it.";
    lecture.scenes[1].steps[1].ask->hides = true;
    open({lecture});
    course->goTo(0, 1, 1);
    ASSERT_TRUE(waitForQuestion());
    EXPECT_TRUE(course->presentation().isPictureCovered());
    course->bar().findChild<QPushButton*>()->setFocus();
    press(Qt::Key_2);
    EXPECT_TRUE(course->questions().canSubmit());
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_FALSE(course->presentation().isPictureCovered());
    press(Qt::Key_PageDown);
    EXPECT_TRUE(course->presentation().isPageShown()) << "the text of a scene closes it, as in a lecture";
    press(Qt::Key_PageDown);
    EXPECT_TRUE(course->isSummaryShown());
    press(Qt::Key_Escape);
    EXPECT_FALSE(course->hasBegun());
}

TEST_F(CourseTest, AnAnswerThatNamesAFormulaLinksToIt) {
    Lecture lecture = smallLecture();
    lecture.scenes[1].steps[0].ask->answer = "Formula 16 of the guide shows why.";
    open({lecture});
    course->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    course->questions().reveal();
    ASSERT_TRUE(waitForTruth());
    int asked = 0;
    QObject::connect(course.get(), &Course::formulaRequested, [&](int number) { asked = number; });
    for (QLabel* label : course->questions().findChildren<QLabel*>()) {
        if (label->text().startsWith("<a href=")) emit label->linkActivated("16");
    }
    EXPECT_EQ(asked, 16);
}

TEST(StatementLecture, AsksForEachStatementAChoiceAndAComputedNumber) {
    const Lecture lecture = statementLecture();
    ASSERT_EQ(lecture.scenes.size(), wrongStatements().size());
    for (const LectureScene& scene : lecture.scenes) {
        const auto questions = questionsOf(scene);
        ASSERT_EQ(questions.size(), 2U);
        ASSERT_EQ(questions[0]->choices.size(), 3U);
        EXPECT_NE(questions[0]->choices[static_cast<std::size_t>(questions[0]->right)], "The statement is true.");
        const nlohmann::json value = evaluate_quantity(questions[1]->quantity, {scene.setup, nullptr});
        EXPECT_TRUE(value.is_number()) << questions[1]->quantity << ": " << value;
    }
    // The numbers are those of the statements' evidence.
    const auto value = [&](std::size_t scene) {
        const auto question = questionsOf(lecture.scenes[scene])[1];
        return evaluate_quantity(question->quantity, {lecture.scenes[scene].setup, nullptr}).get<double>();
    };
    EXPECT_NEAR(value(0), 0, 1e-9);
    const Statement& truncate = wrongStatements()[2];
    EXPECT_NEAR(value(2), truncate.compute(truncate.setup).values[1], 1e-6);
    EXPECT_NEAR(value(3), 1, 1e-12);
    const Statement& bound = wrongStatements()[4];
    EXPECT_EQ(value(4), bound.compute(bound.setup).values[0]);
    const Statement& table = wrongStatements()[5];
    // The evidence counts each cosine and sine once, the table of the room stores them for both channels of a pair.
    EXPECT_EQ(value(5), 2 * table.compute(table.setup).values[1]);
}

}  // namespace
}  // namespace ropelab::ui
