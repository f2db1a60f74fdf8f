#pragma once

#include "ui/common/latest_job.h"
#include "ui/controls/form.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/run_access.h"

class QButtonGroup;
class QCheckBox;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace ropelab::ui {

class Tiles;
class MeasuredLossPanel;
class TuningPanel;

/// The context bound of the base, the feasible bases for each context, Su's bound, and the logits of random q and k
/// with the share of attention that a matching key gets.
class ContextRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum class Part { bound, bases, map, decay, random, share };

    /// The parts are "bound", "bases", "bases-near" (a scan of one decade around theta), "map", "decay", "random" and
    /// "share". The controls are pair, target, mean and correlation.
    /// With `runs`, the part "bound" also shows the measured loss of one of them, or of an opened model.
    explicit ContextRoom(RotaryModel& rotary, std::optional<RunAccess> runs = {}, QWidget* parent = nullptr);

    void fitPage(const QSize& page) override;
    bool isBusy() const override;

    Part part() const { return m_part; }
    FigureView* view() const { return m_view; }
    Tiles* criteria() const { return m_criteria; }
    TuningPanel* tuning() const { return m_tuning; }
    /// "mean" and "correlation" of random queries and keys.
    Form& random() { return m_randomForm; }
    /// Null without runs.
    MeasuredLossPanel* measured() const { return m_measured; }
    FigureView* lossView() const { return m_lossView; }
    QCheckBox* logarithmic() const { return m_logarithmic; }
    QPushButton* finer() const { return m_finer; }
    QPushButton* sampleAgain() const { return m_sampleAgain; }
    const BaseProfile& profile() const { return m_profile.edited; }
    const LogitSamples& samples() const { return m_samples.edited; }

 protected:
    void renew() override;
    void hideEvent(QHideEvent* event) override;

 private:
    QWidget* makeBar();
    QList<QWidget*> makeScanTools();
    void makeOptions(const std::optional<RunAccess>& runs);
    void addParts();
    void addControls();
    void connectView();
    void setPart(Part part);
    void dragMarker(const QPointF& place);
    void stepMarker(int key);
    bool isOnMarker(const QPointF& place) const;
    void renewReadout();

    /// End of the distance axis, in tokens.
    std::int64_t end() const;
    void renewBound(Side side);
    void renewLoss();
    /// Of the measured model, which must exist.
    RotarySetup measuredSetup() const;
    void renewCriteria();
    void renewWords(const std::function<QString(Side)>& sentence);
    void renewBases();
    void renewMap();
    void renewProfile(Side side, const BaseProfile::Range& range);
    bool isScanOpen(Side side) const;
    bool isScanning() const;
    void continueScan(double milliseconds);
    void renewSamples();
    void renewSamples(Side side, std::int64_t shown);
    bool isSampling() const;
    void continueSampling();
    /// What the attention weights of a key depend on.
    struct ShareChoices {
        RotarySetup edited;
        std::optional<RotarySetup> other;
        double correlation = 0;
        std::int64_t end = 0;
        bool isLogarithmic = false;
        bool operator==(const ShareChoices&) const = default;
    };
    ShareChoices shareChoices() const;
    bool lacksShares() const;
    void computeShares();
    void renewShares();
    void showBusy();

    Part m_part = Part::bound;
    FigureView* m_view = nullptr;
    QWidget* m_figures = nullptr;  // the figure and, below it, the measured loss
    FigureView* m_lossView = nullptr;
    QWidget* m_toolbar = nullptr;
    QButtonGroup* m_tabs = nullptr;     // in the order of Part
    QStackedWidget* m_tools = nullptr;  // the controls of each part, in the order of Part
    QCheckBox* m_logarithmic = nullptr;
    QCheckBox* m_near = nullptr;
    QPushButton* m_finer = nullptr;
    QPushButton* m_sampleAgain = nullptr;
    QProgressBar* m_progress = nullptr;
    Tiles* m_criteria = nullptr;
    QLabel* m_limits = nullptr;  // why the tiles have two limits
    TuningPanel* m_tuning = nullptr;
    MeasuredLossPanel* m_measured = nullptr;
    QWidget* m_random = nullptr;  // shown with the part `random`
    Form m_randomForm{this};

    // The data of the other setup remain while the edited setup changes.
    BothSides<BoundData> m_bound;
    BothSides<BaseProfile> m_profile;
    BothSides<LogitSamples> m_samples;
    struct Shares {
        ShareChoices choices;
        BothSides<KeyShareData> data;
        BothSides<Figure> figures;
    } m_shares;
    const std::vector<ContextPlace>* m_places = nullptr;  // knownPlaces() when they are computed
    std::uint64_t m_seed = 1;
    bool m_isDragging = false;
    std::int64_t m_dragAxisEnd = 0;                 // end of the distance axis during a drag; 0 otherwise
    std::optional<BaseProfile::Range> m_dragRange;  // scanned range during a drag of the marker
    BothSides<LatestJob> m_boundJob;                // jobs are the last members, so that they are destroyed first
    LatestJob m_basesJob;
    LatestJob m_placesJob;
    LatestJob m_samplesJob;
    QTimer m_nextRound;
};

}  // namespace ropelab::ui
