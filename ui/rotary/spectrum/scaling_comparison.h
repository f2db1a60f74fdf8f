#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "core/rope/rotary_setup.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace ropelab::ui {

/// Which scalings are compared, and what each does to the fastest and the slowest pair and to the attention.
class ScalingComparison : public QWidget {
    Q_OBJECT

 public:
    explicit ScalingComparison(QWidget* parent = nullptr);

    /// Those that are ticked, in the order of F18–F24.
    std::vector<ScalingMethod> chosen() const;
    void choose(ScalingMethod method, bool on);
    /// The numbers for another setup.
    void renew(const RotarySetup& setup);
    /// "×4" of one method, as shown; "–" where it cannot be had.
    QString slowestText(ScalingMethod method) const;

 signals:
    void changed();

 private:
    struct Row {
        ScalingMethod method = ScalingMethod::none;
        QPushButton* chip = nullptr;
        QLabel* fastest = nullptr;
        QLabel* slowest = nullptr;
        QLabel* attention = nullptr;
    };
    void addRow(QGridLayout* grid, ScalingMethod method);
    void recolor();

    QLabel* m_words = nullptr;
    std::vector<Row> m_rows;
};

}  // namespace ropelab::ui
