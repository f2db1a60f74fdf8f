#pragma once

#include "ui/plot/figure_view.h"
#include "ui/rotary/latest_job.h"
#include "ui/rotary/memory/memory_figures.h"
#include "ui/rotary/rotary_room.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

class ShapePanel;

/// What a table of cosines and sines takes, beside the KV cache of the same model on the same scale.
class MemoryRoom : public RotaryRoom {
    Q_OBJECT

 public:
    explicit MemoryRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~MemoryRoom() override;

    FigureView* tableView() const { return m_table; }
    FigureView* cacheView() const { return m_cache; }
    ShapePanel* shape() const { return m_shape; }
    QToolButton* once() const { return m_once; }
    QToolButton* perLayer() const { return m_perLayer; }
    QToolButton* showCache() const { return m_showCache; }
    QPushButton* measure() const { return m_measure; }
    /// The sentence above the pictures.
    QString words() const;
    /// What was measured, or why not.
    QString measured() const;

 protected:
    void renew() override;
    QWidget* options() override { return m_options; }
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeOptions();
    QWidget* makeSizes(QWidget* parent);
    QWidget* makeMeasure(QWidget* parent);
    /// Both pictures side by side; where they would be too narrow, the one that was picked.
    void arrange();
    void connectView(FigureView* view);
    std::optional<FigureView::Readout> readout(const Figure& figure, QPointF place) const;
    void dragContext(double at);
    MemoryOptions memoryOptions() const;
    void renewSizes();
    void startMeasuring();

    FigureView* m_table = nullptr;
    FigureView* m_cache = nullptr;
    QWidget* m_pictures = nullptr;  // the choice of one
    QToolButton* m_showTable = nullptr;
    QToolButton* m_showCache = nullptr;
    QLabel* m_words = nullptr;
    QToolButton* m_once = nullptr;
    QToolButton* m_perLayer = nullptr;
    QPointer<QWidget> m_options;  // ours until the panel takes it
    ShapePanel* m_shape = nullptr;
    QList<QLabel*> m_sizes;  // layouts × tables, by precision
    QPushButton* m_measure = nullptr;
    QLabel* m_measured = nullptr;
    QProgressBar* m_busy = nullptr;
    RotarySetup m_measuredSetup;
    LatestJob m_job;  // last, so that it ends first
};

}  // namespace ropelab::ui
