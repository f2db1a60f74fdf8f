#pragma once

#include <QList>
#include <QStringList>

#include "ui/lecture/questions/answer_field.h"

class QButtonGroup;
class QLabel;
class QRadioButton;
class QSpinBox;

namespace ropelab::ui {

class ChoiceField : public AnswerField {
    Q_OBJECT

 public:
    /// `right` is the index of the right choice.
    ChoiceField(const QStringList& choices, int right, bool withHands, QWidget* parent = nullptr);

    bool hasAnswer() const override;
    QWidget* focusTarget() override;
    std::vector<AnswerRecord> records(const AnswerTruth& truth) const override;
    QString reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) override;
    /// `digit` counts from 1.
    bool pressDigit(int digit) override;

    const QList<QRadioButton*>& buttons() const { return m_buttons; }
    /// Numbers of raised hands; empty for a single person.
    const QList<QSpinBox*>& hands() const { return m_hands; }

 protected:
    /// Selects the choice whose text is clicked.
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    int raisedHands() const;

    QStringList m_choices;
    int m_right;
    QButtonGroup* m_group;
    QList<QRadioButton*> m_buttons;
    QList<QLabel*> m_texts;
    QList<QSpinBox*> m_hands;
    QList<QLabel*> m_marks;  // "right" beside the right choice, after reveal()
};

}  // namespace ropelab::ui
