#pragma once

#include "ui/plot/figure_view.h"
#include "ui/rotary/latest_job.h"
#include "ui/rotary/rotary_room.h"
#include "ui/rotary/spectrum/kernel_figures.h"
#include "ui/rotary/spectrum/spectrum_figures.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class EncodingsPage;
class NumberSlider;
class ScalingComparison;

/// Which pairs turn how fast: wavelengths against the context, slice beside truncate, scalings beside each other, and
/// beneath the kernel with its spectrum. A second page shows the encodings that are not frequencies.
class SpectrumRoom : public RotaryRoom {
    Q_OBJECT

 public:
    explicit SpectrumRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~SpectrumRoom() override;

    void refreshNow() override;
    /// "frequencies", or the name of a figure of the encodings ("alibi-bias").
    void showPart(const QString& part) override;

    FigureView* spectrumView() const { return m_spectrum; }
    FigureView* kernelView() const { return m_kernel; }
    FigureView* kernelSpectrumView() const { return m_kernelSpectrum; }
    EncodingsPage* encodings() const { return m_encodings; }
    QToolButton* encodingsTab() const { return m_encodingsTab; }
    bool isShowingEncodings() const;
    ScalingComparison* comparison() const { return m_comparison; }
    QCheckBox* otherPartial() const { return m_otherPartial; }
    QPushButton* useOtherPartial() const { return m_useOther; }
    QToolButton* frequencyChoice() const { return m_frequency; }
    /// The kernel's window: the context where `tokens` is 0.
    void setWindow(std::int64_t tokens);

 protected:
    void renew() override;
    QWidget* options() override;

 private:
    QWidget* makeTabs();
    QWidget* makeFrequencies();
    void connectEncodings();
    void showPage(bool encodings);
    QWidget* makeBar();
    QWidget* makeOptions();
    QWidget* makePartial(QWidget* parent);
    QWidget* makeWindow(QWidget* parent);
    std::optional<int> pairAt(double x) const;
    std::optional<FigureView::Readout> readout(QPointF place) const;
    std::optional<FigureView::Readout> kernelReadout(QPointF place) const;
    void dragLine(const QString& handle, double at);
    void changeSetup(const QString& what, const RotarySetup& setup);
    void renewWords();
    void renewKernel();
    void showKernel();
    std::int64_t window() const;

    QToolButton* m_frequenciesTab = nullptr;
    QToolButton* m_encodingsTab = nullptr;
    QStackedWidget* m_pages = nullptr;
    EncodingsPage* m_encodings = nullptr;
    FigureView* m_spectrum = nullptr;
    FigureView* m_kernel = nullptr;
    FigureView* m_kernelSpectrum = nullptr;
    QToolButton* m_wavelength = nullptr;
    QToolButton* m_frequency = nullptr;
    QLabel* m_words = nullptr;
    QPointer<QWidget> m_options;  // ours until the panel takes it
    QWidget* m_frequencyOptions = nullptr;
    QWidget* m_encodingFields = nullptr;
    QCheckBox* m_otherPartial = nullptr;
    QLabel* m_coincide = nullptr;
    QPushButton* m_useOther = nullptr;
    ScalingComparison* m_comparison = nullptr;
    QCheckBox* m_isContext = nullptr;
    NumberSlider* m_window = nullptr;
    QLabel* m_windowWords = nullptr;
    QProgressBar* m_busy = nullptr;

    std::optional<Range> m_heldEnds;  // of the spectrum's y axis while a line is in a hand
    RotarySetup m_kernelSetup;        // what m_curves are of
    KernelCurves m_curves;
    RotarySetup m_askedSetup;  // what a job works on
    std::int64_t m_asked = 0;
    bool m_atOnce = false;  // for a screenshot nothing is left to a job
    LatestJob m_job;        // last, so that it ends first
};

}  // namespace ropelab::ui
