#pragma once

#include "ui/lecture/questions/answer_field.h"

class QLabel;
class QLineEdit;

namespace ropelab::ui {

/// Typed as in all fields of the program ("47117", "10k", "25 %"), or "none".
class NumberField : public AnswerField {
    Q_OBJECT

 public:
    /// `tolerance` is the largest absolute difference of a right answer.
    NumberField(const QString& unit, double tolerance, QWidget* parent = nullptr);

    bool hasAnswer() const override;
    QWidget* focusTarget() override;
    std::vector<AnswerRecord> records(const AnswerTruth& truth) const override;
    QString reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) override;

    QLineEdit* edit() const { return m_edit; }

 private:
    QString words(const nlohmann::json& value, const QString& unit) const;

    double m_tolerance;
    QLineEdit* m_edit;
    QLabel* m_unit;
};

}  // namespace ropelab::ui
