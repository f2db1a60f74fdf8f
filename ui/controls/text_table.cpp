#include "ui/controls/text_table.h"

#include <QFontMetrics>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/table_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QVariant colorOf(TextTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    switch (tone) {
        case TextTable::Tone::normal:
            return {};
        case TextTable::Tone::quiet:
            return theme.quietText;
        case TextTable::Tone::success:
            return theme.success;
        case TextTable::Tone::warning:
            return theme.warning;
        case TextTable::Tone::error:
            return theme.error;
    }
    return {};
}

QPixmap colorDisc(Ink ink) {
    const auto& manager = ThemeManager::instance();
    const int size = manager.pixels(10);
    constexpr qreal ratio = 2;
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(manager.theme().dataColor(ink.index, ink.shade));
    painter.drawEllipse(QRectF(0, 0, size, size).adjusted(1, 1, -1, -1));
    return pixmap;
}

}  // namespace

TextTable::TextTable(QObject* parent) : QAbstractTableModel(parent) {
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void TextTable::setContent(Content content) {
    const bool isSameShape =
        content.rows.size() == m_content.rows.size() &&
        std::equal(content.columns.begin(), content.columns.end(), m_content.columns.begin(), m_content.columns.end(),
                   [](const Column& a, const Column& b) { return a.title == b.title; });
    if (!isSameShape) beginResetModel();
    m_content = std::move(content);
    if (!isSameShape) {
        endResetModel();
    } else if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int TextTable::columnOf(const QString& title) const {
    const auto& columns = m_content.columns;
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.title == title; });
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

QVariant TextTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto column = static_cast<std::size_t>(index.column());
    const Cell& cell = m_content.rows[static_cast<std::size_t>(index.row())][column];
    switch (role) {
        case Qt::DisplayRole:
            return m_content.columns[column].isVerbatim ? cell.text : withUnbreakablePercent(cell.text);
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? QVariant() : QVariant(cell.tip);
        case Qt::DecorationRole:
            return cell.ink ? QVariant(colorDisc(*cell.ink)) : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant((m_content.columns[column].isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            return colorOf(cell.tone);
        default:
            return {};
    }
}

QVariant TextTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = m_content.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.why;
    if (role == Qt::TextAlignmentRole) {
        return QVariant((column.isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return {};
}

namespace {

constexpr int kNarrowestColumn = 124;  // pixels at 100 % scale
constexpr int kMostLines = 6;          // of a row; more would leave no space for other rows
constexpr int kDetailLines = 6;

/// Widths that fill `available` pixels. Columns up to `least` wide keep their width; wider ones divide the rest in
/// proportion to their width, so that all cells of a row wrap into about the same number of lines.
std::vector<int> widthsThatFit(std::vector<int> widths, int available, int least) {
    int left = available;
    double wanted = 0;
    for (const int width : widths) {
        if (width <= least)
            left -= width;
        else
            wanted += width;
    }
    // Narrow columns come first: if one gets less than `least`, it takes `least`, and the others divide what remains.
    std::vector<std::size_t> order(widths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&widths](auto a, auto b) { return widths[a] < widths[b]; });
    for (const std::size_t i : order) {
        if (widths[i] <= least) continue;
        const double natural = widths[i];
        widths[i] = std::clamp(static_cast<int>(left * natural / wanted), least, widths[i]);
        left -= widths[i];
        wanted -= natural;
    }
    return widths;
}

}  // namespace

TextList::TextList(const QString& name, QString words, QString nothing, QWidget* parent)
    : QWidget(parent), m_words(std::move(words)), m_nothing(std::move(nothing)), m_table(new TextTable(this)) {
    auto* column = scaledColumn(this, 8);
    m_label = makeNote(this);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_label->setAccessibleName(name);
    column->addWidget(m_label);
    m_view = makeTableView(name, m_table, this);
    m_view->setWordWrap(true);
    column->addWidget(m_view, 1);
    m_details = new QPlainTextEdit(this);
    m_details->setReadOnly(true);
    m_details->setTabChangesFocus(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setAccessibleName(u"Full texts of the selected row"_s);
    m_details->hide();
    column->addWidget(m_details);
    column->addStretch(0);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &TextList::showDetails);
    connect(m_table, &QAbstractItemModel::dataChanged, this, &TextList::showDetails);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &TextList::fitColumns);
    setContent({});
}

void TextList::setContent(TextTable::Content content, const QString& result) {
    m_table->setContent(std::move(content));
    const bool any = m_table->rowCount() > 0;
    const QString introduction = result.isEmpty() ? m_words : m_words + QLatin1Char('\n') + result;
    m_label->setText(withUnbreakablePercent(any ? introduction : m_nothing));
    m_view->setVisible(any);
    fitColumns();
}

QString TextList::words() const {
    return m_label->text();
}

void TextList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
}

void TextList::fitColumns() {
    m_view->resizeColumnsToContents();
    const int available = width() - m_view->verticalScrollBar()->sizeHint().width() - 2 * m_view->frameWidth();
    std::vector<int> widths;
    for (int i = 0; i < m_table->columnCount(); ++i) widths.push_back(m_view->columnWidth(i));
    widths = widthsThatFit(std::move(widths), available, ThemeManager::instance().pixels(kNarrowestColumn));
    for (int i = 0; i < static_cast<int>(widths.size()); ++i) {
        m_view->setColumnWidth(i, widths[static_cast<std::size_t>(i)]);
    }
    m_view->resizeRowsToContents();
    const int line = QFontMetrics(m_view->font()).lineSpacing();
    const int highest = kMostLines * line + line / 2;
    bool isShortened = false;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        if (m_view->rowHeight(row) <= highest) continue;
        m_view->setRowHeight(row, highest);
        isShortened = true;
    }
    m_details->setFixedHeight(kDetailLines * line + line);
    m_details->setVisible(isShortened);
    showDetails();
}

void TextList::showDetails() {
    const int rows = m_table->rowCount();
    if (rows == 0) return m_details->clear();
    const int row = std::clamp(m_view->currentIndex().row(), 0, rows - 1);
    QStringList parts;
    const TextTable::Content& content = m_table->content();
    for (std::size_t i = 0; i < content.columns.size(); ++i) {
        const QString& cell = content.rows[static_cast<std::size_t>(row)][i].text;
        if (!cell.isEmpty()) parts << content.columns[i].title + u": "_s + cell;
    }
    const QString text = withUnbreakablePercent(parts.join(QLatin1Char('\n')));
    if (m_details->toPlainText() != text) m_details->setPlainText(text);
}

QString TextList::details() const {
    return m_details->isHidden() ? QString() : m_details->toPlainText();
}

namespace {

using Outcome = ScoredPrediction::Outcome;
using Tone = TextTable::Tone;

/// "4 predictions: 2 right, 1 wrong, 1 not scored."; "" if there are no predictions.
QString scoreWords(std::span<const ScoredPrediction> predictions) {
    if (predictions.empty()) return {};
    QStringList parts;
    for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::undecided, Outcome::unmeasured}) {
        const auto count = std::count_if(predictions.begin(), predictions.end(),
                                         [outcome](const ScoredPrediction& each) { return each.outcome == outcome; });
        if (count > 0) parts << u"%1 %2"_s.arg(count).arg(text(to_string(outcome)));
    }
    return u"%1: %2."_s.arg(countText(std::ssize(predictions), u"prediction"_s), parts.join(u", "_s));
}

}  // namespace

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions) {
    TextTable::Content content;
    content.columns = {
        {u"outcome"_s,
         u"The outcome of a prediction (right or wrong) is decided by a test of the groups' means; the tooltip of a "
         "cell states the values and the test."_s,
         true},
        {u"chance level"_s,
         u"The chance level is the probability that a prediction is right by chance; the tooltip of a cell states how "
         "it is computed (the null model). A prediction with a chance level of 1 is not scored."_s},
        {u"theory"_s, {}, true},
        {u"quantity"_s, u"This column shows which measured quantity the theory predicts."_s, true},
        {u"prediction"_s, {}, true},
        {u"measured result"_s, {}, true}};
    for (const ScoredPrediction& each : predictions) {
        const Tone tone = each.outcome == Outcome::right   ? Tone::success
                          : each.outcome == Outcome::wrong ? Tone::error
                                                           : Tone::quiet;
        const Prediction& prediction = each.prediction;
        const QString stated = text(prediction.words + " " + null_model_words(prediction));
        content.rows.push_back(
            {{text(to_string(each.outcome)), text(each.words), tone},
             {u"%1 %"_s.arg(text(rough_text(100 * each.chance))), text(null_model_words(prediction))},
             {text(prediction.theory), text(prediction.theory)},
             {text(prediction.quantity).replace(QLatin1Char('_'), QLatin1Char(' '))},
             {stated, stated},
             {text(each.words), text(each.words)}});
    }
    return content;
}

QString predictionWords(std::span<const ScoredPrediction> predictions) {
    const Calibration calibration = calibration_of(predictions);
    const QString words = scoreWords(predictions);
    return calibration.scored > 0 ? words + QLatin1Char(' ') + text(calibration_words(calibration)) : words;
}

TextList* makePredictionList(const QString& nothing, QWidget* parent) {
    return new TextList(
        u"Predictions"_s,
        u"The predictions are preregistered: the lab file stored them before the first run and never changes them. A "
        "prediction is not scored until its quantity is measured."_s,
        nothing, parent);
}

}  // namespace ropelab::ui
