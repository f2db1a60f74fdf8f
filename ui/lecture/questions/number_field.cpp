#include "ui/lecture/questions/answer_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <cmath>

#include "core/data/json_text.h"
#include "core/lecture/answer.h"
#include "ui/common/scaled.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

NumberField::NumberField(const QString& unit, double tolerance, QWidget* parent)
    : AnswerField(parent), m_tolerance(tolerance), m_edit(new QLineEdit(this)), m_unit(new QLabel(unit, this)) {
    auto* row = scaledRow(this, 8);
    m_edit->setAccessibleName(unit.isEmpty() ? u"Number"_s : u"Number (%1)"_s.arg(unit));
    m_edit->setToolTip(
        u"Type a number such as 47117, 0.25, 2*pi, 1/3, 10k or 25 %. Type “none” if no such value exists."_s);
    m_edit->setPlaceholderText(u"your number"_s);
    scaleWidth(m_edit, 160);
    m_unit->setProperty("quiet", true);
    row->addWidget(m_edit);
    row->addWidget(m_unit);
    row->addStretch(1);
    connect(m_edit, &QLineEdit::textChanged, this, &AnswerField::changed);
}

bool NumberField::hasAnswer() const {
    return !m_edit->text().trimmed().isEmpty();
}

QWidget* NumberField::focusTarget() {
    return m_edit;
}

std::vector<AnswerRecord> NumberField::records(const AnswerTruth& truth) const {
    const nlohmann::json given = parse_answer(m_edit->text().toStdString(), truth.unit.toStdString());
    AnswerRecord record;
    record.kind = "number";
    record.given = given.dump();
    record.truth = truth.value.dump();
    record.details = nlohmann::json{{"unit", truth.unit.toStdString()}, {"tolerance", m_tolerance}}.dump();
    record.right = is_right_number(given, truth.value, m_tolerance);
    if (given.is_number() && truth.value.is_number()) {
        record.distance = std::abs(given.get<double>() - truth.value.get<double>());
    }
    return {record};
}

QString NumberField::words(const nlohmann::json& value, const QString& unit) const {
    if (value.is_null()) return u"none"_s;
    const QString number = readableCount(value.get<double>());
    return unit.isEmpty() ? number : number + QChar(0x00A0) + unit;
}

QString NumberField::reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) {
    m_edit->setEnabled(false);
    m_edit->setPlaceholderText({});
    m_unit->setText(truth.unit);
    const QString right = words(truth.value, truth.unit);
    if (records.empty()) return u"The right answer is %1."_s.arg(right);
    const AnswerRecord& record = records.front();
    const QString given = words(parse_bounded(record.given), truth.unit);
    if (record.right) {
        return given == right
                   ? u"Right: %1."_s.arg(right)
                   : u"Right: the exact value is %1, and your answer %2 is close enough."_s.arg(right, given);
    }
    if (!std::isfinite(record.distance)) return u"Wrong: the right answer is %1, not %2."_s.arg(right, given);
    return u"Wrong: the right answer is %1. Your answer %2 differs by %3."_s.arg(right, given,
                                                                                 words(record.distance, truth.unit));
}

}  // namespace ropelab::ui
