#include "ui/rotary/panel_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/explanation.h"
#include "ui/common/scaled.h"

namespace ropelab::ui {

PanelGrid::PanelGrid(FigureView* first, QWidget* parent)
    : QWidget(parent), m_name(first->accessibleName()), m_grid(new QGridLayout(this)) {
    scaleLayout(m_grid, {0, 0, 0, 0}, 8);
    addPanel(first);
}

void PanelGrid::addPanel(FigureView* view) {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 2);
    auto* title = new QLabel(box);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    column->addWidget(title);
    column->addWidget(view, 1);
    m_views.append(view);
    m_titles.append(title);
    m_boxes.append(box);
    connect(view, &FigureView::chosen, this, &PanelGrid::panelChosen);
}

void PanelGrid::show(const Figure& figure) {
    const int count = static_cast<int>(figure.panels.size());
    while (m_views.size() < count) {
        auto* view = new FigureView(this);
        view->setMinimumSize(m_views.first()->minimumSize());
        explainBy(view, m_views.first());
        connect(view, &FigureView::contextMenuRequested, this, &PanelGrid::panelMenuRequested);
        addPanel(view);
    }
    m_count = count;
    m_mostColumns = figure.panelColumns > 0 ? figure.panelColumns : count;
    for (int i = 0; i < m_views.size(); ++i) {
        m_boxes[i]->setVisible(i < count);
        if (i >= count) continue;
        const Figure& panel = figure.panels[static_cast<std::size_t>(i)];
        m_titles[i]->setText(panel.panelTitle);
        m_views[i]->setAccessibleName(tr("%1: %2").arg(m_name, panel.panelTitle));
        m_views[i]->setFigure(panel);
    }
    m_columns = 0;
    arrange();
}

QSize PanelGrid::minimumSizeHint() const {
    if (m_count == 0) return QWidget::minimumSizeHint();
    const QSize panel = m_boxes.first()->minimumSizeHint();
    const int rows = (m_count + std::max(1, m_columns) - 1) / std::max(1, m_columns);
    return {panel.width(), rows * panel.height() + (rows - 1) * m_grid->verticalSpacing()};
}

void PanelGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void PanelGrid::arrange() {
    if (m_count == 0) return;
    const int step = m_boxes.first()->minimumSizeHint().width() + m_grid->horizontalSpacing();
    const int columns = std::clamp((width() + m_grid->horizontalSpacing()) / std::max(1, step), 1, m_mostColumns);
    if (columns == m_columns) return;
    m_columns = columns;
    for (QWidget* box : std::as_const(m_boxes)) m_grid->removeWidget(box);
    for (int row = 0; row < m_grid->rowCount(); ++row) m_grid->setRowStretch(row, 0);
    for (int column = 0; column < m_grid->columnCount(); ++column) m_grid->setColumnStretch(column, 0);
    for (int i = 0; i < m_count; ++i) {
        m_grid->addWidget(m_boxes[i], i / columns, i % columns);
        m_grid->setRowStretch(i / columns, 1);
        m_grid->setColumnStretch(i % columns, 1);
    }
    updateGeometry();
}

void PanelGrid::refreshNow() {
    for (FigureView* view : std::as_const(m_views)) view->refreshNow();
}

}  // namespace ropelab::ui
