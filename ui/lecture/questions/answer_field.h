#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;
class QSpinBox;

namespace ropelab::ui {

class CurveCanvas;

struct AnswerTruth {
    nlohmann::json value;  // as AnswerRecord::truth
    QString unit;          // of a number
    Figure figure;         // of a curve: the room's figure, with all its curves
};

/// Takes the answer to a question and afterwards shows the right one.
class AnswerField : public QWidget {
    Q_OBJECT

 public:
    using QWidget::QWidget;

    virtual bool hasAnswer() const = 0;
    virtual QWidget* focusTarget() = 0;
    /// Called once the right answer is known, for example for the axes of a curve.
    virtual void prepare(const AnswerTruth& /*truth*/) {}
    /// For a figure that is still being computed, if that is enough; does nothing otherwise.
    virtual void prepareWith(const Figure& /*figure*/) {}
    virtual bool isReady() const { return true; }
    /// All of a record but the place of the question. Throws BadInput if the answer cannot be understood.
    virtual std::vector<AnswerRecord> records(const AnswerTruth& truth) const = 0;
    /// Takes no more input. `records` is what records() returned, or empty. Returns one or two sentences that compare
    /// them.
    virtual QString reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) = 0;
    /// Returns false if the field does not use the key.
    virtual bool pressDigit(int /*digit*/) { return false; }

 signals:
    void changed();
};

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
    /// Selects the choice whose text is clicked, and the text of a field of hands that is typed into.
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    int raisedHands() const;

    QStringList m_choices;
    int m_right;
    QButtonGroup* m_group;
    QList<QRadioButton*> m_buttons;
    QList<QLabel*> m_texts;
    QList<QSpinBox*> m_hands;
    QList<QLabel*> m_marks;  // "right" beside the right choice, in place of its hands, after reveal()
};

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

class CurveField : public AnswerField {
    Q_OBJECT

 public:
    /// `curve` is a part of the label or quantity of the right curve; "" for the first one.
    explicit CurveField(const QString& curve, QWidget* parent = nullptr);

    bool hasAnswer() const override;
    QWidget* focusTarget() override;
    void prepare(const AnswerTruth& truth) override;
    void prepareWith(const Figure& figure) override;
    bool isReady() const override;
    std::vector<AnswerRecord> records(const AnswerTruth& truth) const override;
    QString reveal(const AnswerTruth& truth, const std::vector<AnswerRecord>& records) override;

    CurveCanvas* canvas() const { return m_canvas; }
    /// The first whose label or quantity contains `name`; for "", the first that is not secondary; null if there is
    /// none.
    static const FigureCurve* curveOf(const Figure& figure, const QString& name);
    /// Says why no figure has such a curve, and which ones there are.
    static QString missingCurve(const std::vector<Figure>& figures, const QString& name);

 private:
    QString m_curve;
    CurveCanvas* m_canvas;
    QLabel* m_how;
    QPushButton* m_clear;
};

}  // namespace ropelab::ui
