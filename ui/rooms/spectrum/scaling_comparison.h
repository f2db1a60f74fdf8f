#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "core/rope/rotary_setup.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace ropelab::ui {

/// Chooses the RoPE scalings to compare, and shows the effect of each one on the highest and the lowest frequency and
/// on the attention factor.
class ScalingComparison : public QWidget {
    Q_OBJECT

 public:
    explicit ScalingComparison(QWidget* parent = nullptr);

    /// In the order of formulas 18 to 24.
    std::vector<ScalingMethod> chosen() const;
    void choose(ScalingMethod method, bool on);
    /// With two setups the columns have the numbers of both, and the methods that can be selected are those of the
    /// edited one.
    void renew(const ComparedSetups& setups, bool editsB = false);
    /// The compared factor and contexts, and the effective stretch of dynamic NTK, which differs from the factor.
    QString summary() const;
    /// The factor of the longest wavelength: "×4", or "–" if the setup lacks inputs of the method.
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

    QLabel* m_summary = nullptr;
    std::vector<Row> m_rows;
};

}  // namespace ropelab::ui
