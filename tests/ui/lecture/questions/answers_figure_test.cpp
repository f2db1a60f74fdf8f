#include "ui/lecture/questions/answers_figure.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "ui/lecture/questions/answers_dialog.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

AnswerRecord answerOf(const char* kind, const std::string& given, const std::string& truth, const std::string& group,
                      std::int64_t people = 1) {
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.scene = "hands";
    answer.question = kind;
    answer.kind = kind;
    answer.given = given;
    answer.truth = truth;
    answer.group = group;
    answer.people = people;
    answer.created = "2026-03-01T10:00:00Z";
    answer.right = given == truth;
    return answer;
}

std::vector<AnsweredQuestion> choiceQuestions() {
    std::vector<AnswerRecord> answers = {answerOf("choice", "\"a\"", "\"b\"", "2025", 6),
                                         answerOf("choice", "\"b\"", "\"b\"", "2025", 2),
                                         answerOf("choice", "\"b\"", "\"b\"", "2026", 9)};
    for (AnswerRecord& answer : answers) answer.details = R"({"choices":["a","b"]})";
    return answered_questions(answers);
}

const FigureCurve* curveNamed(const Figure& figure, const QString& beginning) {
    for (const FigureCurve& curve : figure.curves) {
        if (curve.label.startsWith(beginning)) return &curve;
    }
    return nullptr;
}

TEST(AnswersFigure, ChoicesAreSharesByGroup) {
    const Figure figure = answersFigure(choiceQuestions().front());
    EXPECT_EQ(figure.x.categories, QStringList({"a", "b (correct)"}));
    const FigureCurve* first = curveNamed(figure, "2025");
    const FigureCurve* second = curveNamed(figure, "2026");
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->y.front(), 75);
    EXPECT_EQ(second->y.front(), 0);
    EXPECT_NE(first->x.front(), second->x.front());  // beside each other
    EXPECT_NE(first->ink, second->ink);
    EXPECT_EQ(first->label, QStringLiteral("2025 (n = 8)"));
    EXPECT_TRUE(figure.summary.contains(QStringLiteral("11 of 17")));
}

TEST(AnswersFigure, NumbersAreHistogramsWithTheRightOne) {
    std::vector<AnswerRecord> answers = {
        answerOf("number", "40000.0", "47117.0", "2026"), answerOf("number", "50000.0", "47117.0", "2026", 3),
        answerOf("number", "null", "47117.0", "2026"), answerOf("number", "47117.0", "47117.0", "2025")};
    for (AnswerRecord& answer : answers) answer.details = R"({"unit":"tokens"})";
    const Figure figure = answersFigure(answered_questions(answers).front());
    EXPECT_EQ(figure.x.unit, QStringLiteral("tokens"));
    EXPECT_FALSE(figure.x.logarithmic);
    ASSERT_EQ(figure.verticalLines.size(), 1U);
    EXPECT_EQ(figure.verticalLines[0].at, 47117);
    EXPECT_EQ(figure.note, QStringLiteral("answer “none”: 1"));
    const FigureCurve* outline = curveNamed(figure, "2026");
    ASSERT_TRUE(outline);
    // Four of the five people gave a number, and three of them the same one.
    EXPECT_EQ(*std::max_element(outline->y.begin(), outline->y.end()), 60);
    EXPECT_TRUE(std::is_sorted(outline->x.begin(), outline->x.end()));
}

TEST(AnswersFigure, NumbersOverDecadesAreOnALogarithmicAxis) {
    std::vector<AnswerRecord> answers = {answerOf("number", "10.0", "47117.0", "2026"),
                                         answerOf("number", "1000000.0", "47117.0", "2026")};
    const Figure figure = answersFigure(answered_questions(answers).front());
    EXPECT_TRUE(figure.x.logarithmic);
}

TEST(AnswersFigure, AllDrawnCurvesAreShownWithTheRightOne) {
    const std::string truth = R"({"x":[1,10],"y":[1,0.1]})";
    std::vector<AnswerRecord> answers = {answerOf("curve", R"({"x":[1,10],"y":[1,null]})", truth, "2026"),
                                         answerOf("curve", R"({"x":[1,10],"y":[1,1]})", truth, "2026")};
    for (AnswerRecord& answer : answers) {
        answer.details =
            R"({"x":{"label":"distance","unit":"tokens","logarithmic":true},"y":{"label":"B","logarithmic":false}})";
    }
    const Figure figure = answersFigure(answered_questions(answers).front());
    ASSERT_EQ(figure.curves.size(), 3U);
    EXPECT_TRUE(figure.x.logarithmic);
    EXPECT_EQ(figure.x.title(), QStringLiteral("distance (tokens)"));
    EXPECT_TRUE(std::isnan(figure.curves[0].y[1]));
    EXPECT_EQ(figure.curves[2].label, QStringLiteral("right"));
    EXPECT_EQ(figure.curves[2].emphasis, FigureCurve::Emphasis::picked);
}

TEST(AnswersDialogTest, ShowsTheFigureOfTheSelectedQuestion) {
    ThemeManager::instance().apply();
    AnswersDialog dialog(QStringLiteral("2026"));
    dialog.show();
    dialog.setQuestions({});
    EXPECT_TRUE(dialog.view()->figure().emptyText.contains(QStringLiteral("no answers")));
    std::vector<AnsweredQuestion> questions = choiceQuestions();
    AnswerRecord number = answerOf("number", "1.0", "2.0", "2026");
    questions.push_back(answered_questions({number}).front());
    dialog.setQuestions(questions);
    ASSERT_EQ(dialog.list()->count(), 2);
    EXPECT_EQ(dialog.list()->currentRow(), 1);
    EXPECT_EQ(dialog.view()->figure().verticalLines.size(), 1U);
    dialog.list()->setFocus();
    QTest::keyClick(dialog.list(), Qt::Key_Up);
    EXPECT_EQ(dialog.view()->figure().x.categories.size(), 2);
    EXPECT_TRUE(dialog.words()->text().contains(QStringLiteral("2025: 2 of 8 right")));
    QSignalSpy changed(&dialog, &AnswersDialog::groupChanged);
    dialog.group()->setText(QStringLiteral(" third year "));
    QTest::keyClick(dialog.group(), Qt::Key_Return);
    ASSERT_FALSE(changed.isEmpty());
    EXPECT_EQ(changed.last().at(0).toString(), QStringLiteral("third year"));
}

TEST(AnswersDialogTest, SelectedAnswersAreDeletedAndRestored) {
    ThemeManager::instance().apply();
    std::vector<AnswerRecord> stored;
    for (const char* given : {"1.0", "2.0", "3.0"}) {
        stored.push_back(answerOf("number", given, "2.0", "2026"));
        stored.back().id = given;
    }
    AnswersDialog dialog(QString{});
    QObject::connect(&dialog, &AnswersDialog::deletionRequested, &dialog, [&](const std::vector<AnswerRecord>& gone) {
        std::erase_if(stored, [&](const AnswerRecord& answer) {
            return std::any_of(gone.begin(), gone.end(), [&](const auto& each) { return each.id == answer.id; });
        });
        dialog.setQuestions(answered_questions(stored));
        dialog.setDeleted(gone);
    });
    QObject::connect(&dialog, &AnswersDialog::restorationRequested, &dialog,
                     [&](const std::vector<AnswerRecord>& back) {
                         stored.insert(stored.end(), back.begin(), back.end());
                         dialog.setQuestions(answered_questions(stored));
                         dialog.setDeleted({});
                     });
    dialog.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&dialog));
    dialog.setQuestions(answered_questions(stored));
    ASSERT_EQ(dialog.answers()->count(), 3);
    EXPECT_FALSE(dialog.deleteButton()->isEnabled());
    EXPECT_FALSE(dialog.undoButton()->isEnabled());
    dialog.answers()->item(0)->setSelected(true);
    dialog.answers()->item(2)->setSelected(true);
    dialog.answers()->setFocus();
    QTest::keyClick(dialog.answers(), Qt::Key_Delete);
    ASSERT_EQ(stored.size(), 1U);
    EXPECT_EQ(stored[0].id, "2.0");
    EXPECT_EQ(dialog.answers()->count(), 1);
    ASSERT_TRUE(dialog.undoButton()->isEnabled());
    QTest::mouseClick(dialog.undoButton(), Qt::LeftButton);
    EXPECT_EQ(stored.size(), 3U);
    EXPECT_EQ(dialog.answers()->count(), 3);
    EXPECT_FALSE(dialog.undoButton()->isEnabled());
}

}  // namespace
}  // namespace ropelab::ui
