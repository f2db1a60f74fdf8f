#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/controls/form.h"

class QGridLayout;
class QLabel;
class QProgressBar;
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
    QLabel* summary() const { return m_summary; }
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

/// Fields for the page of frequencies: the comparison of slice with truncate and of the scalings, and the length of the
/// kernel.
class SpectrumPanel : public QWidget {
    Q_OBJECT

 public:
    explicit SpectrumPanel(QWidget* parent = nullptr);

    /// For the edited one of these setups.
    void renew(const RotarySetup& setup, const ComparedSetups& setups, bool editsB);
    ScalingComparison* comparison() const { return m_comparison; }
    /// "other-partial", "uses-context" and "kernel-length".
    Form& form() { return m_form; }
    QPushButton* useOtherPartial() const { return m_useOther; }
    /// The sentences that compare slice with truncate.
    QLabel* partialWords() const { return m_coincide; }
    /// In tokens; 0 means the context of the setup.
    std::int64_t kernelLength() const;
    void setKernelLength(std::int64_t tokens);
    QLabel* kernelNote() const { return m_kernelNote; }
    QProgressBar* busy() const { return m_busy; }
    /// Explains the kernel and its spectrum.
    QWidget* kernelHeading() const { return m_kernelHeading; }

 signals:
    void changed();
    /// The other method of partial rotation, with the base at which the frequencies are the same.
    void otherPartialRequested();

 private:
    QWidget* makePartial();
    QWidget* makeKernel();
    void renewPartial(const RotarySetup& setup);

    Form m_form{this};
    QLabel* m_coincide = nullptr;
    QPushButton* m_useOther = nullptr;
    ScalingComparison* m_comparison = nullptr;
    QWidget* m_kernelHeading = nullptr;
    QLabel* m_kernelNote = nullptr;
    QProgressBar* m_busy = nullptr;
    std::int64_t m_contextLength = 0;  // kernel length of the setup's context, in tokens
};

}  // namespace ropelab::ui
