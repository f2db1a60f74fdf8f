#pragma once

#include <QList>
#include <QWidget>

#include "ui/plot/figure_view.h"

class QGridLayout;
class QLabel;

namespace ropelab::ui {

/// The views of a figure with panels: a grid in the order of the figure, each panel below its title. A narrow grid has
/// fewer panels per row than the figure. The first view stands for the whole figure in exports and menus.
class PanelGrid : public QWidget {
    Q_OBJECT

 public:
    /// `first` shows the first panel; the other views are made by show().
    explicit PanelGrid(FigureView* first, QWidget* parent = nullptr);

    /// Returns the views in the order of the panels; all have the accessible name of the first view with the title of
    /// their panel.
    const QList<FigureView*>& panelViews() const { return m_views; }
    /// Shows the panels of a figure, which must not be empty.
    void show(const Figure& figure);
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
    // Distributes the shown panels over as many columns as fit.
    void arrange();

    QString m_name;  // accessible name of the whole figure
    QGridLayout* m_grid;
    int m_count = 0;        // shown panels
    int m_mostColumns = 1;  // as the figure has
    int m_columns = 0;
    QList<FigureView*> m_views;
    QList<QLabel*> m_titles;
    QList<QWidget*> m_boxes;
};

}  // namespace ropelab::ui
