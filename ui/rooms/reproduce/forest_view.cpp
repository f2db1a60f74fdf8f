#include "ui/rooms/reproduce/forest_view.h"

#include <QComboBox>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/reproduce/report.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

constexpr double kPixelsPerMm = 4.4;  // of the figure on screen at 100 % scale, so that a row is a line of text high

}  // namespace

ForestView::ForestView(QWidget* parent)
    : QWidget(parent), m_claim(new QComboBox(this)), m_area(new QScrollArea(this)), m_view(new FigureView) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_claim->setAccessibleName(tr("Claim"));
    m_claim->setToolTip(tr("Claim whose rows the plot shows; a single claim has a scale of its own."));
    m_claim->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_claim->setFocusPolicy(Qt::StrongFocus);
    m_area->setWidget(m_view);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_claim, 0, Qt::AlignLeft);
    column->addWidget(m_area, 1);
    connect(m_claim, &QComboBox::currentIndexChanged, this, &ForestView::refresh);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ForestView::refresh);
    // The curves of this plot are marks, whose readout by the nearest x would say nothing.
    m_view->setReadout([this](QPointF place) -> std::optional<FigureView::Readout> {
        const Figure& shown = m_view->figure();
        const auto line = std::lround(place.y());
        if (line < 0 || line >= shown.y.categories.size()) return std::nullopt;
        FigureView::Readout readout;
        readout.title = shown.y.categories[line];
        readout.x = place.x();
        for (const FigureLine& each : shown.horizontalLines) {
            if (std::lround(each.at) == line) readout.rows.append({tr("verdict"), each.label});
        }
        return readout.rows.isEmpty() ? std::nullopt : std::optional(readout);
    });
}

void ForestView::setSheet(const SheetPlan& plan, std::vector<SheetRow> rows) {
    m_plan = plan;
    m_rows = std::move(rows);
    QStringList ids = {QString()};
    for (const Claim& claim : plan.claims) {
        const bool isCompared = std::any_of(m_rows.begin(), m_rows.end(), [&](const SheetRow& row) {
            return row.plan.claim == claim.id && row.plan.baseline;
        });
        if (isCompared) ids << text(claim.id);
    }
    QStringList shown;
    for (int i = 0; i < m_claim->count(); ++i) shown << m_claim->itemData(i).toString();
    if (shown != ids) {
        const QSignalBlocker quiet(m_claim);
        const QString before = m_claim->currentData().toString();
        m_claim->clear();
        for (const QString& id : std::as_const(ids)) {
            m_claim->addItem(id.isEmpty() ? tr("all claims") : text(claim_title(plan, id.toStdString())), id);
        }
        m_claim->setCurrentIndex(std::max(0, static_cast<int>(ids.indexOf(before))));
    }
    refresh();
}

Figure ForestView::figure() const {
    return forestFigure(m_plan, m_rows, m_claim->currentData().toString().toStdString());
}

void ForestView::refreshNow() {
    m_view->refreshNow();
}

void ForestView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void ForestView::refresh() {
    Figure next = figure();
    m_view->setMinimumHeight(ThemeManager::instance().pixels(static_cast<int>(kPixelsPerMm * next.heightMm)));
    m_view->setFigure(std::move(next));
}

}  // namespace ropelab::ui
