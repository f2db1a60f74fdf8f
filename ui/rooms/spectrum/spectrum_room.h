#pragma once

#include <optional>

#include "ui/common/latest_job.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/spectrum/encoding_panels.h"
#include "ui/rooms/spectrum/kernel_figures.h"
#include "ui/rooms/spectrum/spectrum_figures.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/run_access.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class EncodingsPage;
class ExperimentModel;
class NumberSlider;
class ScalingComparison;

/// Shows the wavelength of each pair relative to the context, slice compared with truncate, scalings compared with each
/// other, and the kernel with its spectrum. A second page shows encodings other than RoPE, the attention mask, and all
/// encodings side by side; learned ones as the lab's newest runs have learned them.
class SpectrumRoom : public RotaryRoom {
    Q_OBJECT

 public:
    /// Without runs, learned encodings show only what is fixed before training.
    explicit SpectrumRoom(RotaryModel& rotary, QWidget* parent = nullptr);
    /// With an experiment, the receptive field can follow the layers of its sweep.
    SpectrumRoom(RotaryModel& rotary, std::optional<RunAccess> runs, ExperimentModel* experiment,
                 QWidget* parent = nullptr);
    ~SpectrumRoom() override;

    void refreshNow() override;
    /// The parts are "frequencies", its figures "spectrum", "kernel" and "kernel-spectrum", and the figures of the page
    /// of encodings, for example "alibi-bias".
    void showPart(const QString& part) override;
    /// "frequencies" is the page with its three figures.
    QString shownPart() const override;
    /// Figures side by side become small enough to be seen together.
    void showOnlyPart(const QString& part) override;
    /// These are pair, part, head, distances, layers, full_every and attention_layers.
    std::vector<RoomControl> controls() override;
    QWidget* controlWidget(const QString& name) override;
    QList<QWidget*> bars() override;

    FigureView* spectrumView() const { return m_spectrum; }
    FigureView* kernelView() const { return m_kernel; }
    FigureView* kernelSpectrumView() const { return m_kernelSpectrum; }
    EncodingsPage* encodings() const { return m_encodings; }
    QToolButton* encodingsTab() const { return m_encodingsTab; }
    bool isShowingEncodings() const;
    ScalingComparison* comparison() const { return m_comparison; }
    QCheckBox* otherPartial() const { return m_otherPartial; }
    QPushButton* useOtherPartial() const { return m_useOther; }
    /// The sentences that compare slice with truncate.
    QString partialWords() const;
    QString words() const;
    QToolButton* frequencyChoice() const { return m_frequency; }
    /// In tokens; 0 means the context of the setup.
    void setKernelLength(std::int64_t tokens);

 protected:
    void renew() override;
    QWidget* options() override;
    /// Includes the choices of the page of encodings and the lab of its learned encodings.
    FigureOrigin originOf(const Figure& figure) override;

 private:
    QWidget* makeTabs();
    QWidget* makeFrequencies();
    void connectEncodings();
    void followSweep(const ExperimentModel& experiment);
    void renewEncodings();
    /// Works in the background unless the room is refreshed now.
    void renewLearned();
    RoomControl choiceControl(const char* name, std::function<std::int64_t(const EncodingChoices&)> get,
                              std::function<void(EncodingChoices&, std::int64_t)> set, std::int64_t least,
                              std::int64_t most);
    void showPage(bool encodings);
    /// Null if the part is not one of the page of frequencies.
    FigureView* frequencyView(const QString& part) const;
    QWidget* makeBar();
    QWidget* makeOptions();
    QWidget* makePartial(QWidget* parent);
    QWidget* makeKernelOptions(QWidget* parent);
    std::optional<int> pairAt(double x) const;
    Readout readout(const RotarySetup& setup, const Frequencies& now, QPointF place) const;
    Readout kernelReadout(QPointF place) const;
    void dragLine(const QString& handle, double at);
    void changeSetup(const QString& what, const RotarySetup& setup);
    /// At the same θ, with the scaling of the setup.
    QString partialSentence(const RotarySetup& setup) const;
    void renewPartialTexts();
    void renewTexts();
    void renewKernel();
    void showKernel();
    void showKernelSpectrum();
    bool showsBothKernels() const;
    struct Kernels {
        RotarySetup setup;
        KernelCurves curves;
        std::optional<RotarySetup> otherSetup;
        KernelCurves otherCurves;
    };
    Kernels computedKernels(std::int64_t length) const;
    std::optional<RotarySetup> otherSetup() const;
    QString pairsSentence(const RotarySetup& setup) const;
    QString comparedSentence() const;
    std::int64_t kernelLength() const;

    QWidget* m_tabs = nullptr;
    QToolButton* m_frequenciesTab = nullptr;
    QToolButton* m_encodingsTab = nullptr;
    QStackedWidget* m_pages = nullptr;
    EncodingsPage* m_encodings = nullptr;
    FigureView* m_spectrum = nullptr;
    FigureView* m_kernel = nullptr;
    FigureView* m_kernelSpectrum = nullptr;
    QToolButton* m_wavelength = nullptr;
    QToolButton* m_frequency = nullptr;
    QWidget* m_below = nullptr;  // the kernel and its spectrum
    QLabel* m_summary = nullptr;
    QPointer<QWidget> m_options;  // owned by the room until the panel takes ownership
    QWidget* m_frequencyOptions = nullptr;
    QWidget* m_encodingFields = nullptr;
    QCheckBox* m_otherPartial = nullptr;
    QLabel* m_coincide = nullptr;
    QPushButton* m_useOther = nullptr;
    ScalingComparison* m_comparison = nullptr;
    QCheckBox* m_usesContext = nullptr;
    NumberSlider* m_kernelLength = nullptr;
    QLabel* m_kernelNote = nullptr;
    QProgressBar* m_busy = nullptr;

    std::optional<RunAccess> m_runs;
    LearnedPanels m_learned;
    /// Inputs of m_learned: the file, the choices of head and distances, and how often the runs changed.
    struct LearnedKey {
        QString lab;
        int head = 0;
        std::vector<std::int64_t> distances;
        int changes = 0;

        bool operator==(const LearnedKey&) const = default;
    };
    LearnedKey m_learnedKey;
    int m_runChanges = 0;  // how often runs were loaded or trained

    std::optional<Range> m_dragEnds;  // ends of the y axis of the spectrum while a line is dragged
    Kernels m_kernels;
    RotarySetup m_jobSetup;  // setup that the background job computes
    std::optional<RotarySetup> m_jobOther;
    std::int64_t m_jobLength = 0;  // kernel length that the background job computes
    bool m_isSynchronous = false;  // true while refreshNow() computes without a background job
    LatestJob m_learnedJob;        // jobs are declared last, so that they are destroyed first
    LatestJob m_job;
};

}  // namespace ropelab::ui
