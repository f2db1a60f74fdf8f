#pragma once

#include <QWidget>
#include <vector>

#include "ui/rooms/context/context_criteria.h"

class QLabel;

namespace ropelab::ui {

/// One row per criterion: a neutral mark (a bullet, or dots while it is computed), a sentence, and a tooltip that
/// explains.
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
