#pragma once

#include "ui/controls/form.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/cache/cache_figures.h"
#include "ui/rotary/rotary_room.h"

class QToolButton;

namespace ropelab::ui {

/// The entries of the cos/sin table as they are stored, and the errors that the setup's precision causes.
class CacheRoom : public RotaryRoom {
    Q_OBJECT

 public:
    /// The parts have the names of their figures.
    explicit CacheRoom(RotaryModel& rotary, QWidget* parent = nullptr);

    FigureView* cosineView() const { return m_cosine; }
    FigureView* sineView() const { return m_sine; }
    FigureView* errorView() const { return m_error; }
    /// "angles", "range" and "first", the first position of the range.
    Form& form() { return m_form; }
    void showParts(bool cosine, bool sine);

 protected:
    void renew() override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeOptions();
    void addParts();
    void connectTable(FigureView* view);
    void dragRange(FigureView* view, const QPointF& place);
    CacheOptions shownOptions() const;
    std::optional<int> channelAt(double y) const;
    Readout readout(Side side, QPointF place) const;
    void renewTables();

    FigureView* m_cosine = nullptr;
    FigureView* m_sine = nullptr;
    FigureView* m_error = nullptr;
    QToolButton* m_cosineButton = nullptr;
    QToolButton* m_sineButton = nullptr;
    QToolButton* m_bothButton = nullptr;
    QWidget* m_tables = nullptr;  // cosines and sines
    Form m_form{this};

    // Cached because a highlighted pair changes only the marks on the figure.
    struct Shown {
        RotarySetup setup;
        CacheOptions options;
        Figure figure;
        bool isValid = false;
    };
    static const Figure& table(Shown& shown, const RotarySetup& setup, TablePart part, const CacheOptions& options);
    static Figure errors(Shown& shown, const RotarySetup& setup, std::optional<int> pair);
    BothSides<Shown> m_shownCosine;
    BothSides<Shown> m_shownSine;
    BothSides<Shown> m_shownError;
    struct Drag {
        double pixel = 0;  // x at the start of the drag
        double from = 0;   // first position at the start of the drag
    };
    std::optional<Drag> m_drag;  // set while the user drags the range of positions
};

}  // namespace ropelab::ui
