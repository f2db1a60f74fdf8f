#include "ui/lecture/questions/question_panel.h"

#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QShortcut>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <cmath>

#include "tests/ui/lecture/question_stage.h"
#include "ui/lecture/questions/answer_field.h"
#include "ui/lecture/questions/curve_canvas.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

class QuestionPanelTest : public ::testing::Test {
 protected:
    void SetUp() override {
        ThemeManager::instance().apply();
        stage.current.a.theta = 10000;
        stage.current.a.head_dim = 64;
        stage.current.a.context = 64;
    }

    QuestionPanel& open(QuestionPanel::Mode mode, const LectureQuestion& question) {
        panel = std::make_unique<QuestionPanel>(stage, mode);
        panel->resize(640, 480);
        panel->show();
        EXPECT_TRUE(QTest::qWaitForWindowActive(panel.get()));
        QObject::connect(panel.get(), &QuestionPanel::answered, panel.get(),
                         [this](const AnswerRecord& answer) { stored.push_back(answer); });
        panel->ask(question, {QStringLiteral("Clocks"), QStringLiteral("hands"), {}, QStringLiteral("2026")});
        panel->focusAnswer();
        return *panel;
    }
    static void press(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key), modifiers);
    }

    static LectureQuestion choiceQuestion() {
        LectureQuestion question;
        question.kind = LectureQuestion::Kind::choice;
        question.text = "Which hand is slowest?";
        question.choices = {"the first", "the last", "all are equal"};
        question.right = 1;
        question.hint = "Compare two hands.";
        question.answer = "Its frequency is the lowest.";
        return question;
    }
    static LectureQuestion numberQuestion() {
        LectureQuestion question;
        question.kind = LectureQuestion::Kind::number;
        question.text = "How long is the wavelength of pair 31?";
        question.quantity = "wavelength(31)";
        question.tolerance = 5;
        return question;
    }
    static LectureQuestion curveQuestion() {
        LectureQuestion question;
        question.kind = LectureQuestion::Kind::curve;
        question.text = "Draw the bound.";
        return question;
    }
    /// A figure whose curve falls from 1 to 0 over x from 0 to 100.
    static Figure fallingFigure() {
        Figure figure;
        figure.name = "bound";
        figure.x.label = "distance";
        figure.y.label = "B";
        figure.y.unit = "nats";
        FigureCurve curve;
        curve.label = "bound";
        for (int i = 0; i <= 100; ++i) {
            curve.x.append(i);
            curve.y.append(1 - i / 100.0);
        }
        figure.curves.push_back(curve);
        figure.verticalLines.push_back({.at = 40, .label = "first negative"});
        figure.y.minimum = 0;
        figure.y.maximum = 1;
        return figure;
    }
    CurveCanvas* canvas() { return static_cast<CurveField*>(panel->field())->canvas(); }
    QPoint onPlot(double x, double y) {
        return canvas()->canvas()->mapFrom(canvas(), canvas()->pixelOf({x, y}).toPoint());
    }

    QuestionStage stage;
    std::unique_ptr<QuestionPanel> panel;
    std::vector<AnswerRecord> stored;
};

TEST_F(QuestionPanelTest, AChoiceIsAnsweredWithTheKeyboardAlone) {
    open(QuestionPanel::Mode::alone, choiceQuestion());
    QSignalSpy finished(panel.get(), &QuestionPanel::finished);
    EXPECT_FALSE(panel->canSubmit());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_EQ(stored[0].kind, "choice");
    EXPECT_EQ(stored[0].given, "\"the last\"");
    EXPECT_EQ(stored[0].truth, "\"the last\"");
    EXPECT_EQ(stored[0].details, R"({"choices":["the first","the last","all are equal"]})");
    EXPECT_TRUE(stored[0].right);
    EXPECT_EQ(stored[0].lecture, "Clocks");
    EXPECT_EQ(stored[0].scene, "hands");
    EXPECT_EQ(stored[0].group, "2026");
    EXPECT_TRUE(panel->isRevealed());
    EXPECT_TRUE(panel->result().contains(QStringLiteral("Right")));
    EXPECT_TRUE(panel->result().contains(QStringLiteral("Its frequency is the lowest.")));
    EXPECT_FALSE(panel->revealButton()->isVisible());
    press(Qt::Key_Return);
    EXPECT_EQ(finished.count(), 1);
}

TEST_F(QuestionPanelTest, AWrongChoiceCanBeCorrectedAfterAHint) {
    open(QuestionPanel::Mode::alone, choiceQuestion());
    QTest::mouseClick(panel->hintButton(), Qt::LeftButton);
    EXPECT_TRUE(panel->isHintShown());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    EXPECT_FALSE(stored.at(0).right);
    EXPECT_FALSE(panel->isRevealed());
    EXPECT_TRUE(panel->result().startsWith(QStringLiteral("Your answer is wrong.")));
    EXPECT_FALSE(panel->result().contains(QStringLiteral("the last"))) << "the right answer stays hidden";
    EXPECT_TRUE(panel->revealButton()->isVisible());
    press(Qt::Key_Return);
    EXPECT_EQ(stored.size(), 1U) << "the same answer is no second attempt";
    press(Qt::Key_2);
    EXPECT_FALSE(panel->revealButton()->isVisible());
    press(Qt::Key_Return);
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_TRUE(stored[1].right);
    EXPECT_TRUE(panel->isRevealed());
}

TEST_F(QuestionPanelTest, AWrongAnswerShowsTheRightOneOnRequest) {
    open(QuestionPanel::Mode::alone, choiceQuestion());
    press(Qt::Key_1);
    press(Qt::Key_Return);
    QTest::mouseClick(panel->revealButton(), Qt::LeftButton);
    EXPECT_TRUE(panel->isRevealed());
    EXPECT_TRUE(panel->result().contains(QStringLiteral("Wrong")));
    EXPECT_TRUE(panel->result().contains(QStringLiteral("the last")));
    EXPECT_EQ(stored.size(), 1U);
    EXPECT_FALSE(panel->revealButton()->isVisible());
}

TEST_F(QuestionPanelTest, LongChoicesAreWrappedAndTheirTextCanBeClicked) {
    LectureQuestion question = choiceQuestion();
    for (std::string& choice : question.choices) {
        for (int i = 0; i < 40; ++i) choice += " and more words";
    }
    open(QuestionPanel::Mode::alone, question);
    panel->resize(400, 700);
    EXPECT_LE(panel->minimumSizeHint().width(), 400);
    for (QLabel* label : panel->field()->findChildren<QLabel*>()) {
        if (label->text().startsWith("the last")) QTest::mouseClick(label, Qt::LeftButton);
    }
    EXPECT_TRUE(static_cast<ChoiceField*>(panel->field())->buttons()[1]->isChecked());
}

TEST_F(QuestionPanelTest, AClassRaisesHands) {
    open(QuestionPanel::Mode::classroom, choiceQuestion());
    EXPECT_FALSE(panel->hintButton()->isVisible());
    auto* field = static_cast<ChoiceField*>(panel->field());
    ASSERT_EQ(field->hands().size(), 3);
    EXPECT_EQ(field->hands()[0]->text(), "hands") << "says what is counted";
    field->hands()[0]->setFocus();
    QTest::keyClicks(field->hands()[0], "6");
    EXPECT_EQ(field->hands()[0]->value(), 6);
    field->hands()[1]->setValue(18);
    panel->submit();
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[0].people, 6);
    EXPECT_FALSE(stored[0].right);
    EXPECT_EQ(stored[1].people, 18);
    EXPECT_TRUE(stored[1].right);
    EXPECT_TRUE(panel->result().contains(QStringLiteral("18 of 24 (75 %)")));
}

TEST_F(QuestionPanelTest, ANumberIsComparedWithTheComputedQuantity) {
    open(QuestionPanel::Mode::alone, numberQuestion());
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("50k"));
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel->revealButton()->isVisible(); }));
    EXPECT_FALSE(panel->result().contains(QStringLiteral("47,117")));
    panel->reveal();
    ASSERT_EQ(stored.size(), 1U);
    // 2π · 10000^(31/32) = 47,117.24
    EXPECT_NEAR(stored[0].distance, 50000 - 47117.24, 0.1);
    EXPECT_FALSE(stored[0].right);
    EXPECT_TRUE(panel->result().contains(QStringLiteral("47,117")));
    EXPECT_TRUE(panel->result().contains(QStringLiteral("tokens")));
}

TEST_F(QuestionPanelTest, TheNumberIsThatOfTheSetupAtTheTimeOfTheQuestion) {
    open(QuestionPanel::Mode::alone, numberQuestion());
    stage.current.a.theta = 500;  // the student changes it to find the answer
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("47117 tokens"));
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel->isRevealed(); }));
    EXPECT_TRUE(stored.at(0).right);
}

TEST_F(QuestionPanelTest, WhatIsNoNumberIsExplainedAndNothingStored) {
    open(QuestionPanel::Mode::alone, numberQuestion());
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("long"));
    press(Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !panel->error().isEmpty(); }));
    EXPECT_TRUE(panel->error().contains(QStringLiteral("long")));
    EXPECT_FALSE(panel->isRevealed());
    EXPECT_TRUE(stored.empty());
}

TEST_F(QuestionPanelTest, ACurveIsDrawnWithTheMouseOverEmptyAxes) {
    stage.shownFigures = {fallingFigure()};
    open(QuestionPanel::Mode::classroom, curveQuestion());
    ASSERT_TRUE(panel->coversPicture());
    canvas()->refreshNow();
    // Nothing of the answer is shown: neither the curve nor the lines with their labels.
    EXPECT_TRUE(canvas()->figure().verticalLines.empty());
    ASSERT_EQ(canvas()->figure().curves.size(), 1U);
    EXPECT_EQ(canvas()->figure().x.maximum, 100);
    QTest::mousePress(canvas()->canvas(), Qt::LeftButton, {}, onPlot(0, 1));
    QTest::mouseMove(canvas()->canvas(), onPlot(50, 0.7));
    QTest::mouseMove(canvas()->canvas(), onPlot(100, 0.4));
    QTest::mouseRelease(canvas()->canvas(), Qt::LeftButton, {}, onPlot(100, 0.4));
    ASSERT_TRUE(panel->canSubmit());
    press(Qt::Key_Return);
    ASSERT_EQ(stored.size(), 1U);
    // The drawn line is 0.4 · x/100 · … above: the difference rises from 0 to 0.4, so that its mean is 0.2 nats.
    EXPECT_NEAR(stored[0].distance, 0.2, 0.02);
    EXPECT_TRUE(stored[0].right);  // a horizontal line has 0.25
    const auto details = nlohmann::json::parse(stored[0].details);
    EXPECT_NEAR(details["null_distance"].get<double>(), 0.25, 0.01);
    EXPECT_EQ(details["unit"], "nats");
    EXPECT_TRUE(panel->result().contains(QStringLiteral("nats")));
    // Both curves are shown.
    EXPECT_EQ(canvas()->figure().curves.size(), 2U);
    EXPECT_EQ(canvas()->figure().curves[0].label, QStringLiteral("bound"));
}

TEST_F(QuestionPanelTest, ACurveIsDrawnWithTheArrowKeys) {
    stage.shownFigures = {fallingFigure()};
    open(QuestionPanel::Mode::alone, curveQuestion());
    canvas()->refreshNow();
    // A shortcut of the window for the same key must not take it.
    QShortcut next(QKeySequence(Qt::Key_Right), panel.get());
    QSignalSpy taken(&next, &QShortcut::activated);
    canvas()->setFocus(Qt::TabFocusReason);
    for (int i = 0; i < 5; ++i) press(Qt::Key_Up, Qt::ShiftModifier);  // to the top: 0.5 + 5 · 0.1
    for (int i = 0; i < 10; ++i) {
        press(Qt::Key_Right, Qt::ShiftModifier);
        press(Qt::Key_Down, Qt::ShiftModifier);
    }
    EXPECT_EQ(taken.count(), 0);
    EXPECT_EQ(canvas()->drawnPart(), 1);
    press(Qt::Key_Return);
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_NEAR(stored[0].distance, 0, 0.01);
    press(Qt::Key_Delete);  // draws no more
    EXPECT_TRUE(canvas()->hasCurve());
}

TEST_F(QuestionPanelTest, ACurveOverASmallPartIsRefused) {
    stage.shownFigures = {fallingFigure()};
    open(QuestionPanel::Mode::alone, curveQuestion());
    canvas()->refreshNow();
    canvas()->setFocus(Qt::TabFocusReason);
    press(Qt::Key_Right);
    press(Qt::Key_Return);
    EXPECT_FALSE(panel->isRevealed());
    EXPECT_TRUE(panel->error().contains(QStringLiteral("half")));
    EXPECT_TRUE(stored.empty());
}

TEST_F(QuestionPanelTest, ANamedCurveIsDrawnAndAHorizontalOneCanBeRight) {
    Figure figure = fallingFigure();
    FigureCurve flat = figure.curves[0];
    flat.label.clear();
    flat.quantity = "independent, expected";
    flat.companion = true;
    flat.y.fill(0.5);
    figure.curves.push_back(flat);
    stage.shownFigures = {figure};
    LectureQuestion question = curveQuestion();
    question.curve = "Independent";
    open(QuestionPanel::Mode::alone, question);
    canvas()->refreshNow();
    canvas()->setFocus(Qt::TabFocusReason);
    for (int i = 0; i < 10; ++i) press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Return);
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_NEAR(stored[0].distance, 0, 1e-9);
    EXPECT_TRUE(stored[0].right);
}

TEST_F(QuestionPanelTest, TheCurveIsTakenWhenTheRoomHasComputedIt) {
    stage.emptyRoom.busy = true;
    open(QuestionPanel::Mode::alone, curveQuestion());
    EXPECT_FALSE(canvas()->hasAxes());
    stage.shownFigures = {fallingFigure()};
    stage.emptyRoom.busy = false;
    EXPECT_TRUE(QTest::qWaitFor([&] { return canvas()->hasAxes(); }));
}

TEST_F(QuestionPanelTest, AxesHaveNoNumbersBeforeTheFigureIsComputed) {
    stage.emptyRoom.busy = true;
    open(QuestionPanel::Mode::alone, curveQuestion());
    canvas()->refreshNow();
    const auto* plot = canvas()->findChild<QCustomPlot*>();
    ASSERT_TRUE(plot);
    EXPECT_FALSE(plot->xAxis->tickLabels());
    EXPECT_FALSE(plot->yAxis->tickLabels());
    EXPECT_EQ(canvas()->figure().emptyText, QStringLiteral("Computing …"));
    stage.shownFigures = {fallingFigure()};
    stage.emptyRoom.busy = false;
    ASSERT_TRUE(QTest::qWaitFor([&] { return canvas()->hasAxes(); }));
    canvas()->refreshNow();
    EXPECT_TRUE(plot->xAxis->tickLabels());
    EXPECT_TRUE(plot->yAxis->tickLabels());
    EXPECT_EQ(plot->xAxis->range().upper, 100);
}

TEST_F(QuestionPanelTest, ACurveIsDrawnWhileTheFigureIsStillComputed) {
    stage.emptyRoom.busy = true;
    Figure unfinished = fallingFigure();
    unfinished.x.minimum = 0;
    stage.unfinishedFigures = {unfinished};  // the end of its x axis depends on the curves
    open(QuestionPanel::Mode::alone, curveQuestion());
    QTest::qWait(100);
    EXPECT_FALSE(canvas()->hasAxes());
    unfinished.x.maximum = 100;
    stage.unfinishedFigures = {unfinished};
    ASSERT_TRUE(QTest::qWaitFor([&] { return canvas()->hasAxes(); }));
    EXPECT_EQ(canvas()->figure().x.maximum, 100);
    canvas()->setFocus(Qt::TabFocusReason);
    for (int i = 0; i < 10; ++i) press(Qt::Key_Right, Qt::ShiftModifier);
    press(Qt::Key_Return);
    EXPECT_FALSE(panel->isRevealed()) << "the right curve is not known yet";
    // What was drawn stays, and is compared with the figure when it is complete.
    stage.shownFigures = {unfinished};
    stage.emptyRoom.busy = false;
    ASSERT_TRUE(QTest::qWaitFor([&] { return panel->revealButton()->isVisible(); }));
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_NEAR(stored[0].distance, 0.25, 0.02);  // a horizontal line at 0.5 and one that falls from 1 to 0
}

TEST_F(QuestionPanelTest, ARoomWithoutACurveSaysSoAndTheUserCanContinue) {
    open(QuestionPanel::Mode::alone, curveQuestion());
    EXPECT_TRUE(panel->error().contains(QStringLiteral("no curve")));
    EXPECT_TRUE(panel->isRevealed());
    EXPECT_TRUE(panel->submitButton()->isEnabled());
}

TEST_F(QuestionPanelTest, RevealShowsTheTruthWithoutAnAnswer) {
    stage.shownFigures = {fallingFigure()};
    open(QuestionPanel::Mode::classroom, curveQuestion());
    panel->reveal();
    EXPECT_TRUE(panel->isRevealed());
    EXPECT_TRUE(stored.empty());
    EXPECT_GE(canvas()->figure().curves.size(), 1U);
    open(QuestionPanel::Mode::classroom, choiceQuestion());
    panel->reveal();
    EXPECT_FALSE(panel->result().contains(QStringLiteral("“the last”"))) << "the mark at the choice says it";
    QStringList seen;
    for (const QLabel* label : panel->findChildren<QLabel*>()) seen << (label->isHidden() ? QString() : label->text());
    EXPECT_TRUE(seen.contains(QStringLiteral("✓ right")));
    for (const QSpinBox* hands : panel->findChildren<QSpinBox*>()) EXPECT_TRUE(hands->isHidden()) << "nobody voted";
    EXPECT_TRUE(stored.empty());
}

TEST_F(QuestionPanelTest, RevealSubmitsWhatWasEntered) {
    open(QuestionPanel::Mode::classroom, choiceQuestion());
    press(Qt::Key_3);
    panel->reveal();
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_EQ(stored[0].given, "\"all are equal\"");
}

}  // namespace
}  // namespace ropelab::ui
