#include "ui/rotary/figure_views.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/shell/explanation.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Smallest size of a view in pixels at 100 % while the grid shows all panels. It leaves space for the numbers of the
// axes.
constexpr int kSmallPanelWidth = 130;
constexpr int kSmallPanelHeight = 100;

/// Without the note, and without the titles of the axes that the panel shares with the whole figure.
Figure smallPanel(const Figure& panel, const Figure& whole) {
    Figure result = panel;
    result.note.clear();
    for (const auto& [axis, shared] : {std::pair(&result.x, &whole.x), std::pair(&result.y, &whole.y)}) {
        if (axis->title() != shared->title()) continue;
        axis->label.clear();
        axis->unit.clear();
    }
    return result;
}

QWidget* makeTitled(QLabel*& title, FigureView* view, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = scaledColumn(box, 2);
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
    emit viewAdded(m_otherView);
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
    m_otherView->setAccessibleName(u"%1, setup %2"_s.arg(m_view->accessibleName(), names.editsB ? u"A"_s : u"B"_s));
    m_view->setFigure(figure.panels[edited]);
    m_otherView->setFigure(figure.panels[1 - edited]);
    m_title->setText(figure.panels[edited].panelTitle);
    m_otherTitle->setText(figure.panels[1 - edited].panelTitle);
    m_title->show();
    m_otherTitle->show();
    m_otherColumn->show();
}

PanelGrid::PanelGrid(FigureView* first, int lowest, QWidget* parent)
    : QWidget(parent),
      m_name(first->accessibleName()),
      m_lowest(lowest),
      m_shared(new QLabel(this)),
      m_grid(new QGridLayout) {
    auto* column = scaledColumn(this, 4);
    m_shared->setProperty("quiet", true);
    m_shared->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_shared->hide();
    column->addWidget(m_shared);
    scaleLayout(m_grid, {0, 0, 0, 0}, 8);
    column->addLayout(m_grid, 1);
    m_empty = makeNote(this);
    m_empty->setProperty("paper", true);
    scaleMargins(m_empty, {12, 4, 12, 4});
    m_empty->hide();
    column->addWidget(m_empty);
    addPanel(first);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        fitViews();
        arrange();
    });
    fitViews();
}

void PanelGrid::addPanel(FigureView* view) {
    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 2);
    auto* title = new QLabel(box);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    column->addWidget(title);
    column->addWidget(view, 1);
    m_views.append(view);
    m_titles.append(title);
    m_boxes.append(box);
}

void PanelGrid::show(const Figure& figure) {
    m_figure = figure;
    showPanels();
}

void PanelGrid::setShowsAll(bool showsAll) {
    if (showsAll == m_showsAll) return;
    m_showsAll = showsAll;
    showPanels();
}

void PanelGrid::showPanels() {
    std::vector<const Figure*> drawn;
    QStringList empty;
    for (const Figure& panel : m_figure.panels) {
        if (isEmpty(panel)) {
            empty << u"%1. %2"_s.arg(panel.panelTitle, panel.emptyText);
        } else {
            drawn.push_back(&panel);
        }
    }
    m_empty->setText(empty.join(QLatin1Char(' ')));
    m_empty->setVisible(!empty.isEmpty() && !m_showsAll);
    m_count = static_cast<int>(drawn.size());
    while (m_views.size() < m_count) {
        auto* view = new FigureView(this);
        explainBy(view, m_views.first());
        addPanel(view);
        emit viewAdded(view);
    }
    for (int i = 0; i < m_views.size(); ++i) {
        m_boxes[i]->setVisible(i < m_count);
        if (i >= m_count) continue;
        const Figure& panel = *drawn[static_cast<std::size_t>(i)];
        m_titles[i]->setText(panel.panelTitle);
        m_titles[i]->setToolTip(m_showsAll ? panel.note : QString());
        m_views[i]->setAccessibleName(u"%1: %2"_s.arg(m_name, panel.panelTitle));
        m_views[i]->setFigure(m_showsAll ? smallPanel(panel, m_figure) : panel);
    }
    const QString shared = u"%1 versus %2"_s.arg(m_figure.y.title(), m_figure.x.title());
    m_shared->setText(m_figure.note.isEmpty() ? shared : u"%1; %2"_s.arg(shared, m_figure.note));
    m_shared->setVisible(m_showsAll && m_count > 0);
    fitViews();
    m_columns = 0;
    arrange();
}

void PanelGrid::fitViews() {
    const ThemeManager& theme = ThemeManager::instance();
    const QSize least = m_showsAll ? QSize(theme.pixels(kSmallPanelWidth), theme.pixels(kSmallPanelHeight))
                                   : QSize(0, theme.pixels(m_lowest));
    for (FigureView* view : std::as_const(m_views)) view->setMinimumSize(least);
}

QSize PanelGrid::minimumSizeHint() const {
    if (m_count == 0) return QWidget::minimumSizeHint();
    const QSize panel = m_boxes.first()->minimumSizeHint();
    const int columns = std::max(1, m_columns);
    const int rows = (m_count + columns - 1) / columns;
    const int above = m_showsAll ? m_shared->sizeHint().height() + layout()->spacing() : 0;
    const int below = m_empty->isHidden() ? 0 : m_empty->sizeHint().height() + layout()->spacing();
    return {panel.width(), above + rows * panel.height() + (rows - 1) * m_grid->verticalSpacing() + below};
}

void PanelGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

int PanelGrid::columnsThatFit() const {
    const int step = m_boxes.first()->minimumSizeHint().width() + m_grid->horizontalSpacing();
    const int fitting = (width() + m_grid->horizontalSpacing()) / std::max(1, step);
    const int most = m_showsAll || m_figure.panelColumns == 0 ? m_count : m_figure.panelColumns;
    const int columns = std::clamp(fitting, 1, std::max(1, most));
    // The last row is as full as possible.
    const int rows = (m_count + columns - 1) / columns;
    return (m_count + rows - 1) / rows;
}

void PanelGrid::arrange() {
    if (m_count == 0) return;
    const int columns = columnsThatFit();
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

}  // namespace ropelab::ui

#include "moc_figure_views.cpp"
