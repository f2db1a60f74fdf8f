#pragma once

#include "ui/lecture/questions/answer_field.h"

class QLabel;
class QPushButton;

namespace ropelab::ui {

class CurveCanvas;

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
    QPushButton* m_clear;
};

}  // namespace ropelab::ui
