#include "ui/common/text_list.h"

#include <QFontMetrics>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/table_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

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
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
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
    m_details->setAccessibleName(QObject::tr("Whole texts of the selected row"));
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
        if (!cell.isEmpty()) parts << content.columns[i].title + QStringLiteral(": ") + cell;
    }
    const QString text = withUnbreakablePercent(parts.join(QLatin1Char('\n')));
    if (m_details->toPlainText() != text) m_details->setPlainText(text);
}

QString TextList::details() const {
    return m_details->isHidden() ? QString() : m_details->toPlainText();
}

}  // namespace ropelab::ui
