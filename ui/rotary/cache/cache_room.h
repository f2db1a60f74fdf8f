#pragma once

#include <QPointer>

#include "ui/plot/figure_view.h"
#include "ui/rotary/cache/cache_figures.h"
#include "ui/rotary/rotary_room.h"

class QCheckBox;
class QLabel;
class QToolButton;

namespace ropelab::ui {

class NumberSlider;

/// The cos/sin table as it is stored, and what the precision does to it.
class CacheRoom : public RotaryRoom {
    Q_OBJECT

 public:
    explicit CacheRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~CacheRoom() override;

    FigureView* cosineView() const { return m_cosine; }
    FigureView* sineView() const { return m_sine; }
    FigureView* errorView() const { return m_error; }
    QCheckBox* anglesInFormat() const { return m_angles; }
    QCheckBox* stretch() const { return m_stretch; }
    NumberSlider* stretchFrom() const { return m_from; }
    /// Shows cosines, sines, or both.
    void showParts(bool cosine, bool sine);
    /// The sentences above the table.
    QString words() const;

 protected:
    void renew() override;
    QWidget* options() override { return m_options; }
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeOptions();
    void connectTable(FigureView* view);
    void dragStretch(FigureView* view, const QPointF& place);
    CacheOptions shownOptions() const;
    std::optional<int> channelAt(double y) const;
    std::optional<FigureView::Readout> readout(QPointF place) const;
    void renewTables();

    FigureView* m_cosine = nullptr;
    FigureView* m_sine = nullptr;
    FigureView* m_error = nullptr;
    QToolButton* m_onlyCosine = nullptr;
    QToolButton* m_onlySine = nullptr;
    QToolButton* m_both = nullptr;
    QLabel* m_words = nullptr;
    QPointer<QWidget> m_options;  // ours until the panel takes it
    QCheckBox* m_angles = nullptr;
    QCheckBox* m_stretch = nullptr;
    NumberSlider* m_from = nullptr;

    // What the tables on show were made from; a lit pair changes only the marks on them.
    struct Shown {
        RotarySetup setup;
        CacheOptions options;
        Figure figure;
        bool isThere = false;
    };
    const Figure& table(Shown& shown, TablePart part, const CacheOptions& options) const;
    Shown m_shownCosine;
    Shown m_shownSine;
    Shown m_shownError;
    struct Drag {
        double pixel = 0;
        double from = 0;
    };
    std::optional<Drag> m_drag;  // of the stretch
};

}  // namespace ropelab::ui
