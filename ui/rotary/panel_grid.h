#pragma once

#include <QList>
#include <QWidget>

#include "ui/plot/figure_view.h"

class QGridLayout;
class QLabel;

namespace ropelab::ui {

/// The views of a figure with panels: a grid in the order of the figure, each panel below its title. A narrow grid has
/// fewer panels per row than the figure. The first view stands for the whole figure in exports and menus.
///
/// For a presentation, the grid can show all panels without scrolling: as many per row as fit, and the titles of the
/// axes that they share once above them.
class PanelGrid : public QWidget {
    Q_OBJECT

 public:
    /// `first` shows the first panel; the other views are made by show(). `lowest` is the smallest height of a view in
    /// pixels at 100 %, unless the grid shows all panels.
    PanelGrid(FigureView* first, int lowest, QWidget* parent = nullptr);

    /// Returns the views in the order of the panels; all have the accessible name of the first view with the title of
    /// their panel.
    const QList<FigureView*>& panelViews() const { return m_views; }
    /// Shows the panels of a figure, which must not be empty.
    void show(const Figure& figure);
    /// Sets whether small panels without notes, and without the titles of shared axes, leave space for all of them.
    void setShowsAll(bool showsAll);
    /// Returns the label with the titles of the shared axes, which is visible while the grid shows all panels.
    const QLabel* sharedTitles() const { return m_shared; }
    /// Paints the shown panels immediately.
    void refreshNow();
    /// Returns the size with one panel per row and the current number of rows.
    QSize minimumSizeHint() const override;

 signals:
    /// The user clicked a view or gave it the focus.
    void panelChosen();
    /// The user requests the context menu of a view that is not the first one.
    void panelMenuRequested(const QPoint& global);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void addPanel(FigureView* view);
    void showPanels();
    // Sets the smallest sizes of the views for the scale of the window.
    void fitViews();
    // Distributes the shown panels over as many columns as fit.
    void arrange();
    int columnsThatFit() const;

    QString m_name;  // accessible name of the whole figure
    int m_lowest;
    QLabel* m_shared;
    QGridLayout* m_grid;
    Figure m_figure;
    bool m_showsAll = false;
    int m_count = 0;  // shown panels
    int m_columns = 0;
    QList<FigureView*> m_views;
    QList<QLabel*> m_titles;
    QList<QWidget*> m_boxes;
};

}  // namespace ropelab::ui
