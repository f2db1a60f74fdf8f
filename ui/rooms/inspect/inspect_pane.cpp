#include "ui/rooms/inspect/inspect_pane.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/common/scaled.h"
#include "ui/controls/fitting_label.h"
#include "ui/plot/figure_view.h"
#include "ui/shell/explanation.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

TextStrip::TextStrip(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(u"Text of the attention map"_s);
    setToolTip(u"Point at a token to shade the tokens to which it attends; click the token to keep it selected."_s);
}

void TextStrip::setRow(AttentionRow row) {
    const bool another = row.tokens.size() != m_row.tokens.size();
    m_row = std::move(row);
    if (m_row.query >= 0) {
        setAccessibleDescription(u"Token %1 of %2 is selected."_s.arg(m_row.query).arg(m_row.tokens.size()));
    }
    if (another) updateGeometry();
    update();
}

QList<QRectF> TextStrip::cells() const {
    const ThemeManager& manager = ThemeManager::instance();
    const QFontMetricsF metrics(manager.fontAt(10.5));
    const double least = metrics.horizontalAdvance(QLatin1Char('W')) + manager.px(2);
    const double height = metrics.height() + manager.px(4);
    // A text of one row has the whole width.
    const double even = width() / std::max(1.0, static_cast<double>(m_row.tokens.size()));
    const double usual = even >= least ? std::min(even, 2 * least) : least;
    QList<QRectF> cells;
    QPointF place;
    for (const QString& token : m_row.tokens) {
        const double wide = std::max(usual, metrics.horizontalAdvance(token) + manager.px(4));
        if (place.x() > 0 && place.x() + wide > width()) place = {0, place.y() + height};
        cells.append({place, QSizeF(wide, height)});
        place.rx() += wide;
    }
    return cells;
}

QSize TextStrip::sizeHint() const {
    // The texts of snapshots need at most two rows; longer texts are cut off after the third row.
    const QList<QRectF> all = cells();
    if (all.isEmpty()) return {1, 1};
    return {static_cast<int>(20 * all.front().width()),
            static_cast<int>(std::ceil(std::min(all.back().bottom(), 3 * all.front().height())))};
}

int TextStrip::tokenAt(const QPointF& place) const {
    const QList<QRectF> all = cells();
    const auto found = std::find_if(all.begin(), all.end(), [&](const QRectF& cell) { return cell.contains(place); });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

void TextStrip::paintEvent(QPaintEvent*) {
    const ThemeManager& manager = ThemeManager::instance();
    const Theme& theme = manager.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.paper);
    painter.setFont(manager.fontAt(10.5));
    double most = 0;
    for (const double weight : m_row.weights) most = std::max(most, weight);
    const QList<QRectF> all = cells();
    for (int i = 0; i < m_row.tokens.size(); ++i) {
        const QRectF& cell = all[i];
        QColor shade = theme.accent;
        const double weight = m_row.weights[static_cast<std::size_t>(i)];
        // The opacity is at most 45 %, so that the text stays readable.
        shade.setAlphaF(static_cast<float>(most > 0 ? 0.45 * std::sqrt(weight / most) : 0));
        painter.fillRect(cell, shade);
        painter.setPen(i <= m_row.query ? theme.text : theme.quietText);
        painter.drawText(cell, Qt::AlignCenter, m_row.tokens[i]);
        if (i == m_row.query) {
            painter.setPen(QPen(theme.accent, manager.px(hasFocus() ? 2 : 1.5)));
            painter.drawRect(cell.adjusted(1, 1, -1, -1));
        }
    }
}

void TextStrip::mouseMoveEvent(QMouseEvent* event) {
    const int token = tokenAt(event->position());
    if (token >= 0) emit hovered(token);
}

void TextStrip::mousePressEvent(QMouseEvent* event) {
    const int token = tokenAt(event->position());
    if (token >= 0) emit picked(token);
}

void TextStrip::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    const int last = static_cast<int>(m_row.tokens.size()) - 1;
    if (by == 0 || last < 0) return QWidget::keyPressEvent(event);
    emit picked(std::clamp(m_row.query + by, 0, last));
}

InspectPane::InspectPane(const QString& accessibleName, const QList<QPair<QString, QString>>& extras, QWidget* parent)
    : QWidget(parent) {
    auto* column = scaledColumn(this, 0);
    m_chooser = new QComboBox(this);
    m_chooser->setAccessibleName(accessibleName);
    m_chooser->setFocusPolicy(Qt::StrongFocus);
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chooser->setMinimumContentsLength(12);
    m_chooser->setMaxVisibleItems(32);
    for (const auto& [name, title] : extras) m_chooser->addItem(title, name);
    std::optional<InspectGroup> group;
    if (extras.isEmpty()) group = inspectFigures().front().group;
    for (const InspectFigure& figure : inspectFigures()) {
        if (figure.group != group) m_chooser->insertSeparator(m_chooser->count());
        group = figure.group;
        m_chooser->addItem(u"%1: %2"_s.arg(titleOf(figure.group), figure.title), QLatin1String(figure.name));
        m_chooser->setItemData(m_chooser->count() - 1, figure.why, Qt::ToolTipRole);
    }
    m_sentence = new FittingLabel(this);
    m_sentence->setAccessibleName(u"What the figure shows"_s);
    m_sentence->setProperty("paper", true);
    scaleMargins(m_sentence, {10, 4, 10, 0});
    m_sentence->setVisible(false);
    column->addWidget(m_sentence);
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

void InspectPane::show(InspectPicture picture) {
    m_picture = std::move(picture);
    if (m_picture.readout) {
        m_view->setReadout(m_picture.readout);
    } else {
        m_view->setReadout({});
    }
    m_sentence->setText(m_picture.sentence);
    m_sentence->setVisible(!m_picture.sentence.isEmpty());
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

#include "moc_inspect_pane.cpp"
