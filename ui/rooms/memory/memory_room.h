#pragma once

#include <optional>

#include "ui/common/latest_job.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/run_access.h"

class QAbstractButton;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

class CacheMeasurement;
class ExperimentModel;
class ShapePanel;

/// The sizes of the cos/sin table (part "rope-cache") and of the model's KV cache (part "kv-cache"): on the same
/// logarithmic axes, or with log_axis off as bars to scale at the context.
class MemoryRoom : public RotaryRoom {
    Q_OBJECT

 public:
    /// Without runs and an experiment, the room cannot measure a KV cache.
    explicit MemoryRoom(RotaryModel& rotary, QWidget* parent = nullptr);
    MemoryRoom(RotaryModel& rotary, std::optional<RunAccess> runs, const ExperimentModel* experiment,
               QWidget* parent = nullptr);
    void fitPage(const QSize& page) override;

    FigureView* tableView() const { return m_table; }
    FigureView* cacheView() const { return m_cache; }
    ShapePanel* shape() const { return m_shape; }
    /// Null without runs.
    CacheMeasurement* cacheMeasurement() const { return m_cacheMeasurement; }
    QAbstractButton* singleLayout() const { return m_singleLayout; }
    QAbstractButton* perLayer() const { return m_perLayer; }
    QAbstractButton* toScale() const { return m_toScale; }
    QAbstractButton* showCache() const { return m_showCache; }
    QPushButton* measure() const { return m_measure; }
    /// The result of the measurement, or the reason why there is none.
    QLabel* measured() const { return m_measured; }

 protected:
    void renew() override;
    void fitOnlyPart() override { arrange(); }
    void hideEvent(QHideEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeOptions();
    QWidget* makeSizes(QWidget* parent);
    QWidget* makeMeasure(QWidget* parent);
    /// Shows both figures side by side, or only the chosen one if the page is too small for both.
    void arrange();
    /// Exports, and pages that show only one figure, use the chosen one.
    void choose(bool isCache);
    void connectView(FigureView* view);
    std::optional<FigureView::Readout> readout(const Figure& figure, QPointF place) const;
    MemoryOptions memoryOptions() const;
    void renewSizes();
    void renewWords(const MemoryOptions& options);
    void startMeasuring();

    QWidget* m_bar = nullptr;
    QWidget* m_figures = nullptr;
    FigureView* m_table = nullptr;
    FigureView* m_cache = nullptr;
    bool m_isFolded = false;            // the page is too small for both figures
    QWidget* m_figureChoice = nullptr;  // buttons that choose that figure
    QAbstractButton* m_showTable = nullptr;
    QAbstractButton* m_showCache = nullptr;
    QAbstractButton* m_singleLayout = nullptr;
    QAbstractButton* m_perLayer = nullptr;
    QAbstractButton* m_toScale = nullptr;  // bars instead of curves
    ShapePanel* m_shape = nullptr;
    CacheMeasurement* m_cacheMeasurement = nullptr;
    QList<QLabel*> m_sizes;  // table sizes: rows of (number of tables, layout), columns of precisions
    QPushButton* m_measure = nullptr;
    QLabel* m_measured = nullptr;
    QProgressBar* m_busy = nullptr;
    RotarySetup m_measuredSetup;
    LatestJob m_job;  // last member, so that it is destroyed first
};

}  // namespace ropelab::ui
