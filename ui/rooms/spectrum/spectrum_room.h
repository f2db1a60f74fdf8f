#pragma once

#include <optional>

#include "ui/common/latest_job.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/spectrum/spectrum_figures.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/run_access.h"

class QStackedWidget;
class QAbstractButton;

namespace ropelab::ui {

class EncodingsPage;
class ExperimentModel;
class SpectrumPanel;

/// Shows the wavelength of each pair relative to the context, slice compared with truncate, scalings compared with each
/// other, and the kernel with its spectrum. A second page shows encodings other than RoPE, the attention mask, and all
/// encodings side by side; learned ones as the lab's newest runs have learned them.
class SpectrumRoom : public RotaryRoom {
    Q_OBJECT

 public:
    /// Without runs, learned encodings show only what is fixed before training.
    explicit SpectrumRoom(RotaryModel& rotary, QWidget* parent = nullptr);
    /// With an experiment, the receptive field can follow the layers of its sweep. The parts are "frequencies" (the
    /// page with its three figures), these figures "spectrum", "kernel" and "kernel-spectrum", and the figures of the
    /// page of encodings, for example "alibi-bias". The controls are pair, part, head, distances, layers, full_every
    /// and attention_layers.
    SpectrumRoom(RotaryModel& rotary, std::optional<RunAccess> runs, ExperimentModel* experiment,
                 QWidget* parent = nullptr);

    QWidget* controlWidget(const QString& name) override;

    FigureView* spectrumView() const { return m_spectrum; }
    FigureView* kernelView() const { return m_kernel; }
    FigureView* kernelSpectrumView() const { return m_kernelSpectrum; }
    EncodingsPage* encodings() const { return m_encodings; }
    QAbstractButton* encodingsTab() const { return m_encodingsTab; }
    bool isShowingEncodings() const;
    SpectrumPanel* fields() const { return m_fields; }
    QAbstractButton* frequencyChoice() const { return m_frequency; }

 protected:
    void renew() override;
    /// Figures side by side become small enough to be seen together.
    void fitOnlyPart() override;
    /// Includes the choices of the page of encodings and the lab of its learned encodings.
    FigureOrigin originOf(const Figure& figure) override;

 private:
    QWidget* makeTabs();
    QWidget* makeFrequencies();
    QWidget* makeBar();
    QWidget* makeOptions();
    void addParts();
    void addControls();
    void connectFrequencies();
    void connectEncodings();
    void followSweep(const ExperimentModel& experiment);
    void showPage(bool encodings);
    Readout readout(Side side, QPointF place) const;
    Readout kernelReadout(Side side, QPointF place) const;
    void dragLine(const QString& handle, double at);
    void renewEncodings();
    /// Works in the background unless the room is refreshed now.
    void renewLearned();
    void renewTexts();
    QString pairsSentence(Side side) const;
    QString comparedSentence() const;

    /// The kernel of a setup; its length is 0 before it is computed.
    struct Kernel {
        RotarySetup setup;
        KernelCurves curves;

        bool isSame(const Kernel& as) const {
            return setup == as.setup && curves.kernelLength == as.curves.kernelLength;
        }
    };
    std::int64_t kernelLength() const;
    void renewKernel();
    void showKernel();
    bool showsBothKernels() const;
    void showKernels(FigureView* view, const std::function<Figure(const Kernel&)>& make);

    QWidget* m_quantity = nullptr;  // wavelength or frequency
    QWidget* m_tabs = nullptr;
    QAbstractButton* m_frequenciesTab = nullptr;
    QAbstractButton* m_encodingsTab = nullptr;
    QStackedWidget* m_pages = nullptr;
    EncodingsPage* m_encodings = nullptr;
    FigureView* m_spectrum = nullptr;
    FigureView* m_kernel = nullptr;
    FigureView* m_kernelSpectrum = nullptr;
    QAbstractButton* m_wavelength = nullptr;
    QAbstractButton* m_frequency = nullptr;
    QWidget* m_below = nullptr;         // the kernel and its spectrum
    SpectrumPanel* m_fields = nullptr;  // of the page of frequencies
    QWidget* m_encodingFields = nullptr;

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

    bool m_showsRatio = false;        // of a lecture
    std::optional<Range> m_dragEnds;  // ends of the y axis of the spectrum while a line is dragged
    BothSides<Kernel> m_kernels;
    std::vector<RotarySetup> m_jobSetups;  // what the background job computes
    std::int64_t m_jobLength = 0;
    LatestJob m_learnedJob;  // jobs are declared last, so that they are destroyed first
    LatestJob m_job;
};

}  // namespace ropelab::ui
