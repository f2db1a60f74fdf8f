#include "ui/lecture/course/course_dialog.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
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
#include "ui/lecture/lecture_text.h"
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

class CourseDialogTest : public ::testing::Test {
 protected:
    void SetUp() override { ThemeManager::instance().apply(); }
    void open(std::vector<Lecture> lectures = {smallLecture()}) {
        dialog.reset();
        settings = std::make_unique<Settings>(folder.filePath("settings.ini"));
        dialog = std::make_unique<CourseDialog>(stage, *settings, std::move(lectures));
        dialog->show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(dialog.get()));
        if (dialog->isIntroductionShown()) dialog->next();
    }
    void press(Qt::Key key) {
        QWidget* focused = QApplication::focusWidget();
        ASSERT_TRUE(focused);
        QTest::keyClick(focused, key);
    }
    bool waitForQuestion() {
        return QTest::qWaitFor([&] { return dialog->questions().hasQuestion(); });
    }
    bool waitForTruth() {
        return QTest::qWaitFor([&] { return dialog->questions().isRevealed(); });
    }

    QTemporaryDir folder;
    QuestionStage stage;
    std::unique_ptr<Settings> settings;
    std::unique_ptr<CourseDialog> dialog;
};

TEST_F(CourseDialogTest, TheKeyboardAloneLeadsThroughTheCourse) {
    open();
    EXPECT_EQ(dialog->player().scene(), 0);
    EXPECT_EQ(dialog->player().step(), 0);
    ASSERT_TRUE(waitForQuestion());
    QTest::keyClicks(QApplication::focusWidget(), "32");
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_TRUE(dialog->questions().answers().at(0).right);
    press(Qt::Key_Return);  // the next scene
    EXPECT_EQ(dialog->player().scene(), 1);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);  // wrong
    press(Qt::Key_Return);
    QPushButton* reveal = dialog->questions().revealButton();
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
    ASSERT_TRUE(dialog->isSummaryShown());
    const QString page = dialog->summary().toPlainText();
    EXPECT_TRUE(page.contains("You understood 2 of 3 questions")) << page.toStdString();
    EXPECT_TRUE(page.contains("Is it so?: ✗ not yet understood")) << page.toStdString();
}

TEST_F(CourseDialogTest, TheFirstPageIntroducesTheLecture) {
    open();
    const auto shows = [&] {
        const auto texts = dialog->findChildren<LectureText*>();
        return std::any_of(texts.begin(), texts.end(),
                           [](const LectureText* each) { return each->plainText() == "An introduction."; });
    };
    EXPECT_TRUE(shows());
    dialog->next();
    EXPECT_FALSE(shows());
}

TEST_F(CourseDialogTest, BeginsWithAnIntroductionAndLaterWhereTheUserStopped) {
    Lecture lecture = smallLecture();
    lecture.minutes = 90;
    EXPECT_TRUE(courseIntroduction({lecture, lecture})
                    .contains("2 scenes, 3 questions, about 90 min</li></ol><p>All parts take about 3 h 0 min."))
        << courseIntroduction({lecture, lecture}).toStdString();
    open();
    dialog->previous();
    EXPECT_TRUE(dialog->isIntroductionShown());
    EXPECT_FALSE(dialog->isPictureHidden());
    dialog->previous();
    dialog->next();
    EXPECT_FALSE(dialog->isIntroductionShown());
    EXPECT_EQ(dialog->player().scene(), 0);
    dialog->goTo(0, 1, 0);
    dialog->hide();
    dialog->show();
    EXPECT_FALSE(dialog->isIntroductionShown());
    EXPECT_EQ(dialog->player().scene(), 1);
}

TEST_F(CourseDialogTest, TheSummaryLinksToTheScenes) {
    open();
    dialog->showSummary();
    EXPECT_TRUE(dialog->summary().toHtml().contains("scene:0/1"));
    emit dialog->summary().anchorClicked(QUrl("scene:0/1"));
    EXPECT_FALSE(dialog->isSummaryShown());
    EXPECT_EQ(dialog->player().scene(), 1);
}

TEST_F(CourseDialogTest, ProgressAndPlaceAreKept) {
    const Lecture lecture = smallLecture();
    open();
    dialog->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    dialog->questions().showHint();
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    open();
    EXPECT_EQ(dialog->player().scene(), 1);
    EXPECT_EQ(dialog->player().step(), 0);
    using Grade = CourseProgress::Grade;
    EXPECT_EQ(dialog->progress().grade(lecture, lecture.scenes[1], *lecture.scenes[1].steps[0].ask), Grade::withHelp);
    EXPECT_EQ(dialog->progress().grade(lecture, lecture.scenes[1], *lecture.scenes[1].steps[1].ask), Grade::unanswered);
    EXPECT_EQ(sceneMark(lecture, lecture.scenes[1], dialog->progress()), "1 of 2 understood");
    EXPECT_TRUE(dialog->findChild<QComboBox*>()->itemText(1).contains("1 of 2 understood"));
}

TEST_F(CourseDialogTest, AWrongAnswerThatIsCorrectedCountsAsHelped) {
    const Lecture lecture = smallLecture();
    open();
    dialog->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog->questions().revealButton()->isVisible(); }));
    using Grade = CourseProgress::Grade;
    const LectureQuestion& question = *lecture.scenes[1].steps[0].ask;
    EXPECT_EQ(dialog->progress().grade(lecture, lecture.scenes[1], question), Grade::wrong);
    press(Qt::Key_1);
    press(Qt::Key_Return);
    EXPECT_EQ(dialog->progress().grade(lecture, lecture.scenes[1], question), Grade::withHelp);
}

TEST_F(CourseDialogTest, AWrongAnswerNamesItsMisconceptionAndStandsOnThePageOfMistakes) {
    Lecture lecture = smallLecture();
    lecture.scenes[1].steps[0].ask->wrong = {{1, "It is a common confusion."}};
    open({lecture});
    dialog->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog->questions().revealButton()->isVisible(); }));
    EXPECT_TRUE(dialog->questions().result().startsWith("It is a common confusion."));
    EXPECT_FALSE(dialog->questions().isRevealed());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    dialog->goTo(0, 1, 1);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    EXPECT_EQ(sceneMark(lecture, lecture.scenes[1], dialog->progress()), "✓ understood with help");
    open({lecture});  // what was stored
    dialog->showSummary();
    const QString page = dialog->summary().toPlainText();
    EXPECT_TRUE(page.contains("Your mistakes")) << page.toStdString();
    EXPECT_TRUE(page.contains("Your answer: no. It is a common confusion.")) << page.toStdString();
    EXPECT_EQ(page.count("Your answer"), 1) << "only wrong answers";
}

TEST_F(CourseDialogTest, TheStageKeepsToTheControlsOfTheScene) {
    open();
    ASSERT_TRUE(waitForQuestion());
    dialog->questions().reveal();
    ASSERT_TRUE(waitForTruth());
    EXPECT_FALSE(stage.showsAll) << "the whole room has numbers that answer other questions";
}

TEST_F(CourseDialogTest, AnAnswerThatWasShownBeforeIsNotUnderstood) {
    const Lecture lecture = smallLecture();
    const LectureScene& scene = lecture.scenes[1];
    using Grade = CourseProgress::Grade;
    open();
    dialog->goTo(0, 1, 1);  // past the first question
    EXPECT_EQ(dialog->progress().grade(lecture, scene, *scene.steps[0].ask), Grade::unanswered);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog->questions().revealButton()->isVisible(); }));
    dialog->questions().reveal();
    ASSERT_TRUE(waitForTruth());
    open();
    for (const int step : {0, 1}) {
        dialog->goTo(0, 1, step);
        ASSERT_TRUE(waitForQuestion());
        press(step == 0 ? Qt::Key_1 : Qt::Key_2);
        press(Qt::Key_Return);
        ASSERT_TRUE(waitForTruth());
        EXPECT_TRUE(dialog->questions().answers().at(0).right);
        EXPECT_EQ(dialog->progress().grade(lecture, scene, *scene.steps[static_cast<std::size_t>(step)].ask),
                  Grade::shown);
    }
    EXPECT_EQ(sceneMark(lecture, scene, dialog->progress()), "0 of 2 understood");
}

TEST_F(CourseDialogTest, StartingOverForgetsEverythingAfterAQuestion) {
    open();
    dialog->goTo(0, 1, 0);
    ASSERT_TRUE(waitForQuestion());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForTruth());
    AnsweredDialogs answers;
    QPushButton* reset = nullptr;
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
        if (button->text().startsWith("Start over")) reset = button;
    }
    ASSERT_TRUE(reset);
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(dialog->player().scene(), 1);
    answers.yes = true;
    QTest::mouseClick(reset, Qt::LeftButton);
    EXPECT_EQ(dialog->player().scene(), 0);
    dialog->showSummary();
    EXPECT_TRUE(dialog->summary().toPlainText().contains("You understood 0 of 3 questions"));
}

TEST_F(CourseDialogTest, TheStepIsAppliedBeforeItsQuestion) {
    open();
    ASSERT_TRUE(waitForQuestion());
    EXPECT_TRUE(stage.controls.contains("theta=500")) << stage.controls.join(' ').toStdString();
    EXPECT_TRUE(stage.shown.contains("spectrum/"));
}

TEST_F(CourseDialogTest, TheLastSceneOfALectureLeadsToTheNextOne) {
    Lecture other = smallLecture();
    other.title = "Other";
    open({smallLecture(), other});
    dialog->goTo(0, 1, 1);
    dialog->next();
    EXPECT_EQ(dialog->lecture(), 1);
    EXPECT_EQ(dialog->player().scene(), 0);
    dialog->previous();
    EXPECT_EQ(dialog->lecture(), 0);
    EXPECT_EQ(dialog->player().scene(), 1);
}

TEST_F(CourseDialogTest, ThePictureIsHiddenUntilTheCurveIsDrawn) {
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
    EXPECT_TRUE(dialog->isPictureHidden()) << "the next step asks for the curve";
    dialog->next();
    ASSERT_TRUE(waitForQuestion());
    EXPECT_TRUE(dialog->isPictureHidden());
    dialog->questions().reveal();
    EXPECT_FALSE(dialog->isPictureHidden());
    dialog->goTo(0, 0, 0);
    EXPECT_TRUE(dialog->isPictureHidden());
    dialog->hide();
    EXPECT_FALSE(dialog->isPictureHidden());
}

TEST_F(CourseDialogTest, WithoutLecturesItShowsTheResults) {
    open({});
    EXPECT_TRUE(dialog->isSummaryShown());
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
