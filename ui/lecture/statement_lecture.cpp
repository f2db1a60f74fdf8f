#include "ui/lecture/statement_lecture.h"

#include <QObject>
#include <array>
#include <cstddef>

#include "ui/statements/statements.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Number that a student finds in the room, for each statement in the order of wrongStatements().
struct StatementNumber {
    QString text;
    const char* quantity;
    double tolerance;
    QString hint;
};

std::array<StatementNumber, 6> statementNumbers() {
    return {{
        {u"What is the expected attention logit of independent vectors q and k with mean 0 at a distance of 100 "
         "tokens?"_s,
         "expected_logit(100, 0, 0)", 0.05, u"Each product of a component of q and a component of k has the mean 0."_s},
        {u"At which distance Δ, in tokens, is the context bound B(Δ), the mean logit advantage of similar keys, "
         "first negative for θ = 1,850?"_s,
         "first_negative", 0.5, u"Look at the figure of the context bound for θ = 1,850 on the page Context."_s},
        {u"How long is the longest wavelength of the rotated pairs, in tokens, if the frequencies are truncated?"_s,
         "wavelength(7)", 1,
         u"The slowest rotated pair is pair 7; its wavelength is in the table of the page Spectrum."_s},
        {u"By which factor does YaRN multiply the frequency of the fastest pair, pair 0?"_s, "scaled_ratio(0)", 0.001,
         u"Compare the frequency of pair 0 with and without YaRN."_s},
        {u"At which distance Δ, in tokens, is the context bound B(Δ), the mean logit advantage of similar keys, "
         "first negative for θ = 10,000 and a head dimension of 128?"_s,
         "first_negative(62832)", 0.5, u"The distance at which B(Δ) is first negative is smaller than 4,096 tokens."_s},
        {u"How many bytes does the cos/sin table have at θ = 500,000?"_s, "table_bytes", 0.5,
         u"Change θ on the page Cos/sin table: which number changes?"_s},
    }};
}

std::string utf8(const QString& text) {
    return text.toStdString();
}

LectureStep choiceStep(const std::vector<Statement>& statements, std::size_t index) {
    LectureQuestion question;
    question.kind = LectureQuestion::Kind::choice;
    question.text =
        utf8(u"“%1” Is this statement true, or which answer says why it is wrong?"_s.arg(statements[index].claim));
    question.choices.push_back(utf8(u"The statement is true."_s));
    // The explanation of another statement does not refute this one.
    question.choices.push_back(utf8(statements[(index + 2) % statements.size()].why));
    const std::size_t right = 1 + index % 2;
    question.choices.insert(question.choices.begin() + static_cast<std::ptrdiff_t>(right), utf8(statements[index].why));
    question.right = static_cast<int>(right);
    question.hint = utf8(u"The statement is common but wrong."_s);
    question.wrong = {
        {0, utf8(u"The statement is common but wrong."_s)},
        {right == 1 ? 2.0 : 1.0, utf8(u"This is true, but it does not show what is wrong with this statement."_s)}};
    question.answer = utf8(u"Formula %1 of the guide shows why."_s.arg(statements[index].formula));
    LectureStep step;
    step.say = utf8(u"The picture shows a rotary setup that confirms or refutes this statement."_s);
    step.ask = std::move(question);
    return step;
}

LectureStep numberStep(const Statement& statement, const StatementNumber& number) {
    LectureQuestion question;
    question.kind = LectureQuestion::Kind::number;
    question.text = utf8(number.text);
    question.quantity = number.quantity;
    question.tolerance = number.tolerance;
    question.hint = utf8(number.hint);
    question.answer = utf8(statement.why);
    LectureStep step;
    step.ask = std::move(question);
    return step;
}

}  // namespace

Lecture statementLecture() {
    Lecture lecture;
    lecture.title = utf8(u"Wrong statements"_s);
    lecture.minutes = 20;
    lecture.text = utf8(
        u"Many texts about RoPE contain these six statements. Decide for each one whether it is true, and then find "
        u"the "
        "number that decides it."_s);
    const std::vector<Statement>& statements = wrongStatements();
    const std::array<StatementNumber, 6> numbers = statementNumbers();
    for (std::size_t i = 0; i < statements.size() && i < numbers.size(); ++i) {
        const Statement& statement = statements[i];
        LectureScene scene;
        scene.id = "statement-" + std::to_string(i + 1);
        scene.title = utf8(u"True or false? %1"_s.arg(statement.claim));
        scene.room = utf8(statement.room);
        scene.part = utf8(statement.part);
        scene.setup.a = statement.setup;
        scene.steps = {choiceStep(statements, i), numberStep(statement, numbers[i])};
        lecture.scenes.push_back(std::move(scene));
    }
    return lecture;
}

}  // namespace ropelab::ui
