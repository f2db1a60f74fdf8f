#pragma once

#include <QPointer>
#include <QWidget>
#include <functional>
#include <optional>

#include "ui/figure/compared_figure.h"
#include "ui/plot/figure_view.h"

class QBoxLayout;
class QLabel;

namespace ropelab::ui {

/// For a map or a drawing: two setups' figures are side by side, A at the left. The edited setup's view receives input.
class PairedView : public QWidget {
    Q_OBJECT

 public:
    explicit PairedView(FigureView* view, QWidget* parent = nullptr);

    FigureView* view() const { return m_view; }
    /// Null if no setups were compared yet.
    FigureView* otherView() const { return m_otherView; }
    void setOtherReadout(std::function<std::optional<FigureView::Readout>(QPointF)> readout);

    void showOne(Figure figure);
    /// `figure` is what compareFigures() returned, with two panels.
    void showBoth(const Figure& figure, const ComparedNames& names);
    void refreshNow();

 signals:
    void otherChosen();
    void otherMenuRequested(const QPoint& global);

 private:
    void makeOther();

    FigureView* m_view;
    FigureView* m_otherView = nullptr;
    QBoxLayout* m_row;
    QLabel* m_title;
    QLabel* m_otherTitle = nullptr;
    QWidget* m_otherColumn = nullptr;
    std::function<std::optional<FigureView::Readout>(QPointF)> m_otherReadout;
};

}  // namespace ropelab::ui
