#pragma once

#include "ui/plot/figure_view.h"
#include "ui/rotary/context/context_figures.h"
#include "ui/rotary/context/tuning_panel.h"
#include "ui/rotary/latest_job.h"
#include "ui/rotary/rotary_room.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

class CriteriaList;

/// How far a base reaches: the context bound, the bases that carry each context, Su's bound, and random q and k.
class ContextRoom : public RotaryRoom {
    Q_OBJECT

 public:
    enum class Part { bound, bases, decay, random };

    explicit ContextRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~ContextRoom() override;

    void refreshNow() override;
    bool isBusy() const override;
    /// "bound", "bases", "bases-near" (a decade around theta), "decay", "random".
    void showPart(const QString& part) override;

    Part part() const { return m_part; }
    FigureView* view() const { return m_view; }
    CriteriaList* criteria() const { return m_criteria; }
    TuningPanel* tuning() const { return m_tuning; }
    QCheckBox* logarithmic() const { return m_logarithmic; }
    QPushButton* finer() const { return m_finer; }
    QPushButton* drawAgain() const { return m_drawAgain; }
    const BaseProfile& profile() const { return m_profile; }
    const LogitDraws& draws() const { return m_draws; }
    /// The sentence above the picture.
    QString words() const;

 protected:
    void renew() override;
    QWidget* options() override { return m_options; }
    void hideEvent(QHideEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeTabs(QWidget* parent);
    QWidget* makeTools(QWidget* parent);
    void connectView();
    void setPart(Part part);
    void changeSetup(const QString& what, const RotarySetup& setup);
    void dragContext(double at);
    void dragMarker(const QPointF& place);
    void stepMarker(int key);
    bool isOnMarker(const QPointF& place) const;
    std::optional<FigureView::Readout> basesReadout(QPointF place) const;

    // In context_work.cpp: what takes longer than a frame.
    std::int64_t end() const;
    void renewBound();
    void renewBases();
    void scanOn(double milliseconds);
    void renewDraws();
    void drawOn();
    bool isScanning() const;
    bool isDrawing() const;
    void showBusy();

    Part m_part = Part::bound;
    FigureView* m_view = nullptr;
    QList<QToolButton*> m_parts;
    QCheckBox* m_logarithmic = nullptr;
    QCheckBox* m_near = nullptr;
    QPushButton* m_finer = nullptr;
    QPushButton* m_drawAgain = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_words = nullptr;
    CriteriaList* m_criteria = nullptr;
    QPointer<QWidget> m_options;  // ours until the panel takes it
    TuningPanel* m_tuning = nullptr;

    BoundData m_bound;
    BaseProfile m_profile;
    LogitDraws m_draws;
    std::uint64_t m_seed = 1;
    bool m_isDragging = false;
    std::int64_t m_heldEnd = 0;                     // of the picture, while a line is in a hand
    std::optional<BaseProfile::Range> m_heldBases;  // the same for the bases
    bool m_atOnce = false;                          // for a screenshot there is something to see
    LatestJob m_boundJob;                           // last, so that they end first
    LatestJob m_basesJob;
    LatestJob m_drawsJob;
    QTimer m_nextRound;
};

}  // namespace ropelab::ui
