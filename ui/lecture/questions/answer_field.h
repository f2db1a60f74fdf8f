#pragma once

#include <QString>
#include <QWidget>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

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

}  // namespace ropelab::ui
