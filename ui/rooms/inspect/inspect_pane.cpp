#include "ui/rooms/inspect/inspect_pane.h"

#include <QComboBox>
#include <QToolTip>
#include <QVBoxLayout>

#include "ui/common/explanation.h"
#include "ui/common/scaled.h"
#include "ui/plot/figure_view.h"

namespace ropelab::ui {

InspectPane::InspectPane(const QString& accessibleName, const QList<QPair<QString, QString>>& extras, QWidget* parent)
    : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 0);
    m_chooser = new QComboBox(this);
    m_chooser->setAccessibleName(accessibleName);
    m_chooser->setFocusPolicy(Qt::StrongFocus);
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chooser->setMinimumContentsLength(12);
    m_chooser->setMaxVisibleItems(32);
    for (const auto& [name, title] : extras) m_chooser->addItem(title, name);
    QString group = extras.isEmpty() ? inspectFigures().front().group : QString();
    for (const InspectFigure& figure : inspectFigures()) {
        if (figure.group != group) m_chooser->insertSeparator(m_chooser->count());
        group = figure.group;
        m_chooser->addItem(tr("%1: %2").arg(figure.group, figure.title), QLatin1String(figure.name));
        m_chooser->setItemData(m_chooser->count() - 1, figure.why, Qt::ToolTipRole);
    }
    m_view = new FigureView(this);
    column->addWidget(m_view, 1);
    explainBy(m_view, m_chooser);
    m_view->setAccessibleName(m_chooser->currentText());
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this] {
        m_chooser->setToolTip(m_chooser->currentData(Qt::ToolTipRole).toString());
        m_view->setAccessibleName(m_chooser->currentText());
        emit figureChosen();
    });
    connect(m_view, &FigureView::hovered, this, &InspectPane::hover);
    connect(m_view, &FigureView::clicked, this, &InspectPane::click);
    connect(m_view, &FigureView::left, this, [this] {
        if (m_picture.pairAt || m_picture.drawnPairAt) emit pairHovered(std::nullopt);
        if (m_picture.tokenAt) emit tokenHovered(-1);
    });
}

bool InspectPane::choose(const QString& name) {
    const int place = m_chooser->findData(currentFigureName(name));
    if (place >= 0) m_chooser->setCurrentIndex(place);
    return place >= 0;
}

void InspectPane::step(int by) {
    const int count = m_chooser->count();
    int place = m_chooser->currentIndex();
    do {
        place = (place + by + count) % count;
    } while (!m_chooser->itemData(place).isValid());  // skips separators
    m_chooser->setCurrentIndex(place);
}

QString InspectPane::chosenName() const {
    return m_chooser->currentData().toString();
}

void InspectPane::show(InspectPicture picture) {
    m_picture = std::move(picture);
    if (m_picture.readout) {
        m_view->setReadout(m_picture.readout);
    } else {
        m_view->setReadout({});
    }
    m_view->setFigure(m_picture.figure);
}

std::optional<std::optional<int>> InspectPane::pairAt(const QPointF& place) const {
    if (m_picture.pairAt) return m_picture.pairAt(place);
    if (m_picture.drawnPairAt) return m_picture.drawnPairAt(place, m_view->canvasRect(), m_view->style());
    return std::nullopt;
}

void InspectPane::hover(const QPointF& place) {
    if (const auto pair = pairAt(place)) emit pairHovered(*pair);
    if (m_picture.tokenAt) emit tokenHovered(m_picture.tokenAt(place).value_or(-1));
    if (m_picture.drawnToolTipAt) {
        const QString words = m_picture.drawnToolTipAt(place, m_view->canvasRect(), m_view->style());
        QToolTip::showText(m_view->mapToGlobal(place.toPoint()), words, m_view);
    }
}

void InspectPane::click(const QPointF& place) {
    if (const auto pair = pairAt(place)) emit pairClicked(*pair);
    if (m_picture.tokenAt) emit tokenClicked(m_picture.tokenAt(place).value_or(-1));
    if (m_picture.headAt) {
        const QRectF canvas = m_view->canvasRect();
        const QPointF relative((place.x() - canvas.left()) / canvas.width(),
                               (place.y() - canvas.top()) / canvas.height());
        if (const auto head = m_picture.headAt(relative)) emit headClicked(head->first, head->second);
    }
}

}  // namespace ropelab::ui
