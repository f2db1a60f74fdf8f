#pragma once

#include <QList>
#include <QWidget>
#include <functional>
#include <optional>

#include "ui/figure/compared_figure.h"
#include "ui/plot/figure_view.h"

class QBoxLayout;
class QGridLayout;
class QLabel;

namespace ropelab::ui {

// Views of figures that consist of several views.

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

 signals:
    /// Another view shows a part of the figure.
    void viewAdded(ropelab::ui::FigureView* view);

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

/// A narrow grid has fewer panels per row than the figure. The first view stands for the whole figure in exports and
/// menus. For a presentation, the grid can show all panels without scrolling: as many per row as fit, and the titles of
/// the axes that they share once above them.
class PanelGrid : public QWidget {
    Q_OBJECT

 public:
    /// `lowest` is the smallest height of a view in pixels at 100 %, unless the grid shows all panels.
    PanelGrid(FigureView* first, int lowest, QWidget* parent = nullptr);

    /// In the order of the panels that draw something, which are shown; all have the accessible name of the first view
    /// with the title of their panel. What the other panels say is below the grid.
    const QList<FigureView*>& panelViews() const { return m_views; }
    /// The figure must have panels.
    void show(const Figure& figure);
    /// Small panels without notes, and without the titles of shared axes, leave space for all of them.
    void setShowsAll(bool showsAll);
    /// Titles of the shared axes, visible while the grid shows all panels.
    const QLabel* sharedTitles() const { return m_shared; }
    /// One panel per row and the current number of rows.
    QSize minimumSizeHint() const override;

 signals:
    /// Another view shows a panel of the figure.
    void viewAdded(ropelab::ui::FigureView* view);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void addPanel(FigureView* view);
    void showPanels();
    void fitViews();
    void arrange();
    int columnsThatFit() const;

    QString m_name;  // accessible name of the whole figure
    int m_lowest;
    QLabel* m_shared;
    QGridLayout* m_grid;
    Figure m_figure;
    bool m_showsAll = false;
    QLabel* m_empty;  // texts of the panels that draw nothing
    int m_count = 0;  // shown panels
    int m_columns = 0;
    QList<FigureView*> m_views;
    QList<QLabel*> m_titles;
    QList<QWidget*> m_boxes;
};

}  // namespace ropelab::ui
