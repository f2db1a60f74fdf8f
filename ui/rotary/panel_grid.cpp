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
    const int columns = figure.panelColumns > 0 ? figure.panelColumns : count;
    for (int i = 0; i < m_views.size(); ++i) {
        m_boxes[i]->setVisible(i < count);
        if (i >= count) continue;
        const Figure& panel = figure.panels[static_cast<std::size_t>(i)];
        m_grid->addWidget(m_boxes[i], i / columns, i % columns);
        m_grid->setRowStretch(i / columns, 1);
        m_grid->setColumnStretch(i % columns, 1);
        m_titles[i]->setText(panel.panelTitle);
        m_views[i]->setAccessibleName(tr("%1: %2").arg(m_name, panel.panelTitle));
        m_views[i]->setFigure(panel);
    }
}

void PanelGrid::refreshNow() {
    for (FigureView* view : std::as_const(m_views)) view->refreshNow();
}

}  // namespace ropelab::ui
