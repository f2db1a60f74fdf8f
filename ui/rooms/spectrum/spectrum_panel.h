#pragma once

#include <QWidget>

#include "ui/rooms/spectrum/scaling_comparison.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

class NumberSlider;

/// Fields for the page of frequencies: the comparison of slice with truncate and of the scalings, and the length of the
/// kernel.
class SpectrumPanel : public QWidget {
    Q_OBJECT

 public:
    explicit SpectrumPanel(QWidget* parent = nullptr);

    /// For the edited one of these setups.
    void renew(const RotarySetup& setup, const ComparedSetups& setups, bool editsB);
    ScalingComparison* comparison() const { return m_comparison; }
    QCheckBox* otherPartial() const { return m_otherPartial; }
    QPushButton* useOtherPartial() const { return m_useOther; }
    /// The sentences that compare slice with truncate.
    QString partialWords() const;
    void setPartialWords(const QString& words);
    /// In tokens; 0 means the context of the setup.
    std::int64_t kernelLength() const;
    void setKernelLength(std::int64_t tokens);
    void setKernelNote(const QString& note);
    void setBusy(bool isBusy);
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

    QCheckBox* m_otherPartial = nullptr;
    QLabel* m_coincide = nullptr;
    QPushButton* m_useOther = nullptr;
    ScalingComparison* m_comparison = nullptr;
    QWidget* m_kernelHeading = nullptr;
    QCheckBox* m_usesContext = nullptr;
    NumberSlider* m_kernelLength = nullptr;
    QLabel* m_kernelNote = nullptr;
    QProgressBar* m_busy = nullptr;
    std::int64_t m_contextLength = 0;  // kernel length of the setup's context, in tokens
};

}  // namespace ropelab::ui
