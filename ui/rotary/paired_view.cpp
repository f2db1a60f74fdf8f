#include "ui/rotary/paired_view.h"

#include <QLabel>
#include <QVBoxLayout>
#include <utility>

#include "ui/common/scaled.h"

namespace ropelab::ui {
namespace {

QWidget* makeTitled(QLabel*& title, FigureView* view, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 2);
    title = new QLabel(box);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    title->hide();
    column->addWidget(title);
    column->addWidget(view, 1);
    return box;
}

}  // namespace

PairedView::PairedView(FigureView* view, QWidget* parent)
    : QWidget(parent), m_view(view), m_row(new QBoxLayout(QBoxLayout::LeftToRight, this)), m_title(nullptr) {
    scaleLayout(m_row, {0, 0, 0, 0}, 8);
    m_row->addWidget(makeTitled(m_title, view, this), 1);
}

void PairedView::setOtherReadout(std::function<std::optional<FigureView::Readout>(QPointF)> readout) {
    m_otherReadout = std::move(readout);
    if (m_otherView) m_otherView->setReadout(m_otherReadout);
}

void PairedView::makeOther() {
    m_otherView = new FigureView(this);
    if (m_otherReadout) m_otherView->setReadout(m_otherReadout);
    m_otherColumn = makeTitled(m_otherTitle, m_otherView, this);
    m_row->addWidget(m_otherColumn, 1);
    connect(m_otherView, &FigureView::chosen, this, &PairedView::otherChosen);
    connect(m_otherView, &FigureView::contextMenuRequested, this, &PairedView::otherMenuRequested);
}

void PairedView::showOne(Figure figure) {
    m_title->hide();
    if (m_otherColumn) m_otherColumn->hide();
    m_view->setFigure(std::move(figure));
}

void PairedView::showBoth(const Figure& figure, const ComparedNames& names) {
    if (!m_otherView) makeOther();
    const std::size_t edited = names.editsB ? 1 : 0;
    m_row->setDirection(names.editsB ? QBoxLayout::RightToLeft : QBoxLayout::LeftToRight);
    m_otherView->setMinimumSize(m_view->minimumSize());
    m_otherView->setAccessibleName(
        tr("%1, setup %2").arg(m_view->accessibleName(), names.editsB ? QStringLiteral("A") : QStringLiteral("B")));
    m_view->setFigure(figure.panels[edited]);
    m_otherView->setFigure(figure.panels[1 - edited]);
    m_title->setText(figure.panels[edited].panelTitle);
    m_otherTitle->setText(figure.panels[1 - edited].panelTitle);
    m_title->show();
    m_otherTitle->show();
    m_otherColumn->show();
}

void PairedView::refreshNow() {
    m_view->refreshNow();
    if (m_otherColumn && !m_otherColumn->isHidden()) m_otherView->refreshNow();
}

}  // namespace ropelab::ui
