#pragma once

#include <QWidget>
#include <vector>

#include "ui/rotary/context/context_criteria.h"

class QLabel;

namespace ropelab::ui {

/// Criteria one beneath the other: a sign (check, cross, dots), a sentence, and why as its tooltip.
class CriteriaList : public QWidget {
    Q_OBJECT

 public:
    explicit CriteriaList(int count, QWidget* parent = nullptr);

    void setCriteria(const std::vector<Criterion>& criteria);
    QString text(int index) const;

 private:
    class Sign;
    struct Row {
        Sign* sign;
        QLabel* text;
    };
    std::vector<Row> m_rows;
};

}  // namespace ropelab::ui
