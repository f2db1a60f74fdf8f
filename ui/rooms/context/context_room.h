#pragma once

#include "ui/common/latest_job.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/context/random_panel.h"
#include "ui/rooms/context/tuning_panel.h"
#include "ui/rotary/rotary_room.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class CriteriaList;

/// The context bound of the base, the feasible bases for each context, Su's bound, and the logits of random q and k.
class ContextRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum class Part { bound, bases, decay, random };

    explicit ContextRoom(RotaryModel& rotary, QWidget* parent = nullptr);
    ~ContextRoom() override;

    void refreshNow() override;
    void fitPage(const QSize& page) override;
    bool isBusy() const override;
    /// The parts are "bound", "bases", "bases-near" (a scan of one decade around theta), "decay" and "random". Throws
    /// BadInput for any other name.
    void showPart(const QString& part) override;
    QString shownPart() const override;
    /// Hides the criteria and the sentence above the figure.
    void showOnlyPart(const QString& part) override;
    /// These are pair, target, mean and correlation.
    std::vector<RoomControl> controls() override;
    QList<QWidget*> bars() override { return {m_toolbar}; }

    Part part() const { return m_part; }
    FigureView* view() const { return m_view; }
    CriteriaList* criteria() const { return m_criteria; }
    TuningPanel* tuning() const { return m_tuning; }
    RandomPanel* random() const { return m_random; }
    QCheckBox* logarithmic() const { return m_logarithmic; }
    QPushButton* finer() const { return m_finer; }
    QPushButton* sampleAgain() const { return m_sampleAgain; }
    const BaseProfile& profile() const { return m_profile; }
    const LogitSamples& samples() const { return m_samples; }
    QString words() const;

 protected:
    void renew() override;
    QWidget* options() override { return m_options; }
    void hideEvent(QHideEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeTabs(QWidget* parent);
    QWidget* makeTools(QWidget* parent);
    QList<QWidget*> makeScanTools();
    void connectView();
    void setPart(Part part);
    void changeSetup(const QString& what, const RotarySetup& setup);
    void dragContext(double at);
    void dragMarker(const QPointF& place);
    void stepMarker(int key);
    bool isOnMarker(const QPointF& place) const;
    std::function<std::optional<FigureView::Readout>(QPointF)> readoutOf(Part part) const;
    static Readout boundReadout(const BoundData& data, QPointF place);
    static Readout basesReadout(const BaseProfile& profile, const BoundData& data, QPointF place);
    static Readout randomReadout(const LogitSamples& samples, QPointF place);

    // Computations that take longer than a frame are in context_work.cpp.
    std::int64_t end() const;
    std::optional<RotarySetup> otherSetup() const;
    void renewBound();
    void renewOtherBound();
    /// Works in the background and passes the bound to `done`.
    void computeBound(LatestJob& job, const RotarySetup& setup, std::optional<std::int64_t> fixedEnd,
                      std::function<void(BoundData)> done);
    void renewCriteria();
    void renewWords(const QString& mine, const QString& theirs);
    QString supportedQuotient() const;
    bool isScanOpen() const;
    void renewProfile(BaseProfile& profile, const RotarySetup& setup, const BaseProfile::Range& range);
    void renewSamplesOf(LogitSamples& samples, const RotarySetup& setup, std::int64_t shown);
    void renewBases();
    void continueScan(double milliseconds);
    void renewSamples();
    void continueSampling();
    bool isScanning() const;
    bool isSampling() const;
    void showBusy();

    Part m_part = Part::bound;
    FigureView* m_view = nullptr;
    QWidget* m_toolbar = nullptr;
    QList<QToolButton*> m_parts;
    QStackedWidget* m_tools = nullptr;  // the controls of each part, in the order of Part
    QCheckBox* m_logarithmic = nullptr;
    QCheckBox* m_near = nullptr;
    QPushButton* m_finer = nullptr;
    QPushButton* m_sampleAgain = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_words = nullptr;
    CriteriaList* m_criteria = nullptr;
    QPointer<QWidget> m_options;  // owned by this room until the side panel reparents it
    TuningPanel* m_tuning = nullptr;
    RandomPanel* m_random = nullptr;  // shown with the part `random`

    BoundData m_bound;
    BaseProfile m_profile;
    LogitSamples m_samples;
    // Data of the other of two compared setups, which remain while the edited setup changes.
    BoundData m_otherBound;
    BaseProfile m_otherProfile;
    LogitSamples m_otherSamples;
    std::uint64_t m_seed = 1;
    bool m_isDragging = false;
    std::int64_t m_dragAxisEnd = 0;                 // end of the distance axis during a drag; 0 otherwise
    std::optional<BaseProfile::Range> m_dragRange;  // scanned range during a drag of the marker
    bool m_isSynchronous = false;                   // refreshNow() computes in the window's thread
    LatestJob m_otherBoundJob;
    LatestJob m_boundJob;  // jobs are the last members, so that they are destroyed first
    LatestJob m_basesJob;
    LatestJob m_samplesJob;
    QTimer m_nextRound;
};

}  // namespace ropelab::ui
