#include "ui/lecture/questions/answer_field.h"

#include <QButtonGroup>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QRadioButton>
#include <QSpinBox>
#include <cmath>

#include "ui/common/scaled.h"
#include "ui/lecture/lecture_formulas.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Without Markdown; formulas, between dollar signs, become Unicode text.
QString withPlainFormulas(const QString& text) {
    const SplitMarkdown split = splitFormulas(text);
    QString result = split.between.first();
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        result += unicodeOfTex(split.formulas[i]) + split.between[i + 1];
    }
    return withFixedSpaces(result);
}

}  // namespace

ChoiceField::ChoiceField(const QStringList& choices, int right, bool withHands, QWidget* parent)
    : AnswerField(parent), m_choices(choices), m_right(right), m_group(new QButtonGroup(this)) {
    auto* grid = new QGridLayout(this);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    for (int i = 0; i < choices.size(); ++i) {
        // A radio button does not wrap its text, so that a label beside it shows it.
        auto* button = new QRadioButton(QString::number(i + 1), this);
        button->setAccessibleName(u"Choice %1: %2"_s.arg(i + 1).arg(choices[i]));
        m_group->addButton(button, i);
        grid->addWidget(button, i, 0, Qt::AlignTop);
        m_buttons.append(button);
        auto* label = new QLabel(withPlainFormulas(choices[i]), this);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);  // beside its number, also in a row with spare height
        label->setProperty("choice", true);
        label->setIndent(0);
        label->installEventFilter(this);
        grid->addWidget(label, i, 1);
        m_texts.append(label);
        if (withHands) {
            auto* hands = new QSpinBox(this);
            hands->setRange(0, 9999);
            hands->setSpecialValueText(u"hands"_s);  // a bare 0 would not say what is counted
            hands->setButtonSymbols(QAbstractSpinBox::NoButtons);
            hands->installEventFilter(this);
            hands->setAccessibleName(u"Raised hands for choice %1"_s.arg(i + 1));
            hands->setToolTip(
                u"Number of raised hands: people in the class who choose this answer to the question. Or select one answer."_s);
            keepSpace(hands);
            grid->addWidget(hands, i, 2, Qt::AlignTop);
            m_hands.append(hands);
            connect(hands, &QSpinBox::valueChanged, this, &AnswerField::changed);
        }
        auto* mark = new QLabel(i == right ? u"✓ right"_s : u"✗ chosen"_s, this);
        mark->setProperty("choice", true);
        mark->setIndent(0);
        mark->hide();
        keepSpace(mark);
        grid->addWidget(mark, i, 2, Qt::AlignTop);
        m_marks.append(mark);
    }
    connect(m_group, &QButtonGroup::idToggled, this, &AnswerField::changed);
}

bool ChoiceField::eventFilter(QObject* watched, QEvent* event) {
    auto* hands = event->type() == QEvent::KeyPress ? qobject_cast<QSpinBox*>(watched) : nullptr;
    if (hands && hands->value() == 0) hands->selectAll();  // a digit takes the place of the word
    if (event->type() == QEvent::MouseButtonRelease) {
        for (int i = 0; i < m_texts.size(); ++i) {
            if (watched == m_texts[i]) pressDigit(i + 1);
        }
    }
    return AnswerField::eventFilter(watched, event);
}

int ChoiceField::raisedHands() const {
    int sum = 0;
    for (const QSpinBox* hands : m_hands) sum += hands->value();
    return sum;
}

bool ChoiceField::hasAnswer() const {
    return m_group->checkedId() >= 0 || raisedHands() > 0;
}

QWidget* ChoiceField::focusTarget() {
    if (m_buttons.isEmpty()) return this;
    const int checked = m_group->checkedId();
    return m_buttons[checked >= 0 ? checked : 0];
}

std::vector<AnswerRecord> ChoiceField::records(const AnswerTruth& truth) const {
    std::vector<AnswerRecord> result;
    const auto add = [&](int choice, int people) {
        AnswerRecord record;
        record.kind = "choice";
        record.given = nlohmann::json(m_choices[choice].toStdString()).dump();
        record.truth = truth.value.dump();
        nlohmann::json choices = nlohmann::json::array();
        for (const QString& text : m_choices) choices.push_back(text.toStdString());
        record.details = nlohmann::json{{"choices", choices}}.dump();
        record.right = choice == m_right;
        record.people = people;
        result.push_back(std::move(record));
    };
    for (int i = 0; i < m_hands.size(); ++i) {
        if (m_hands[i]->value() > 0) add(i, m_hands[i]->value());
    }
    if (result.empty() && m_group->checkedId() >= 0) add(m_group->checkedId(), 1);
    return result;
}

QString ChoiceField::reveal(const AnswerTruth&, const std::vector<AnswerRecord>& records) {
    for (int i = 0; i < m_buttons.size(); ++i) {
        m_buttons[i]->setEnabled(false);
        if (i < m_hands.size()) {
            m_hands[i]->setEnabled(false);
            m_hands[i]->setVisible(raisedHands() > 0);
            if (i == m_right) m_hands[i]->setPrefix(u"✓ "_s);
        }
        const bool isMarked = i == m_right || m_buttons[i]->isChecked();
        m_marks[i]->setVisible(m_hands.isEmpty() ? isMarked : i == m_right && raisedHands() == 0);
    }
    const QString right = u"The right answer is “%1”."_s.arg(m_choices.value(m_right));
    if (records.empty()) return right;
    std::int64_t people = 0;
    std::int64_t rightPeople = 0;
    for (const AnswerRecord& record : records) {
        people += record.people;
        rightPeople += record.right ? record.people : 0;
    }
    if (people == 1) return rightPeople == 1 ? u"Right."_s : u"Wrong. %1"_s.arg(right);
    const auto percent = std::lround(100.0 * static_cast<double>(rightPeople) / static_cast<double>(people));
    return u"%1 of %2 (%3 %) chose the right answer, “%4”."_s.arg(rightPeople)
        .arg(people)
        .arg(percent)
        .arg(m_choices.value(m_right));
}

bool ChoiceField::pressDigit(int digit) {
    if (digit < 1 || digit > m_buttons.size() || !m_buttons[digit - 1]->isEnabled()) return false;
    m_buttons[digit - 1]->setChecked(true);
    m_buttons[digit - 1]->setFocus(Qt::ShortcutFocusReason);
    return true;
}

}  // namespace ropelab::ui

#include "moc_answer_field.cpp"
