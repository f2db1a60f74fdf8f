#include "ui/controls/table_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "core/store/output_file.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFittedRows = 100;  // columns are as wide as the visible cells and those of these rows
constexpr int kPadding = 8;       // pixels at 100 % scale, on both sides of a cell's text, as in style.qss

/// A selected row keeps the colours of its text and of its swatch, and a row with wrapped text is high enough for it.
class WordDelegate : public QStyledItemDelegate {
 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* view = qobject_cast<const QTableView*>(option.widget);
        if (!view || !view->wordWrap()) return QStyledItemDelegate::sizeHint(option, index);
        const auto& manager = ThemeManager::instance();
        const int around = manager.pixels(2 * kPadding + 8);
        const QString words = index.data().toString();
        const QRect space(0, 0, view->columnWidth(index.column()) - around, 1 << 16);
        const int height = option.fontMetrics.boundingRect(space, Qt::TextWordWrap, words).height();
        return {option.fontMetrics.horizontalAdvance(words) + around, height + manager.pixels(kPadding)};
    }

 protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant color = index.data(Qt::ForegroundRole);
        const Theme& theme = ThemeManager::instance().theme();
        if (!option->icon.isNull())
            option->icon.addPixmap(index.data(Qt::DecorationRole).value<QPixmap>(), QIcon::Selected);
        option->palette.setColor(QPalette::HighlightedText, color.isValid() ? color.value<QColor>() : theme.text);
    }
};

/// A hidden page gets its style when it is shown (ui/theme/page_styles.h).
class FitsColumns : public QObject {
 public:
    explicit FitsColumns(QTableView* view) : QObject(view), m_view(view) { fit(); }
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::StyleChange) fit();
        return false;
    }

 private:
    void fit() {
        m_view->verticalHeader()->setDefaultSectionSize(ThemeManager::instance().pixels(26));
        m_view->resizeColumnsToContents();
    }
    QTableView* m_view;
};

}  // namespace

QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent) {
    auto* view = new QTableView(parent);
    view->setModel(model);
    view->setItemDelegate(new WordDelegate(view));
    view->setAccessibleName(name);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setResizeContentsPrecision(kFittedRows);
    view->setProperty("fitted", true);
    view->installEventFilter(new FitsColumns(view));
    return view;
}

void fitRows(QTableView* view, int rows) {
    view->setFixedHeight(view->horizontalHeader()->sizeHint().height() +
                         rows * view->verticalHeader()->defaultSectionSize() +
                         view->horizontalScrollBar()->sizeHint().height() + 2 * view->frameWidth());
}

QString suffixOf(TableFormat format) {
    switch (format) {
        case TableFormat::text:
            return u"txt"_s;
        case TableFormat::csv:
            return u"csv"_s;
        case TableFormat::latex:
            return u"tex"_s;
        case TableFormat::json:
            return u"json"_s;
    }
    return {};
}

TableOutput::TableOutput(QWidget* parent)
    : QWidget(parent),
      m_format(makeChoice(u"Format of the table"_s, this)),
      m_copy(new QPushButton(u"Copy table"_s, this)),
      m_save(new QPushButton(u"Save table …"_s, this)) {
    auto* column = scaledColumn(this, 8, {0, 12, 0, 0});
    column->addWidget(makeHeading(u"Export table"_s, this));
    m_format->setToolTip(
        u"Selects the format of the exported table: text for a terminal, CSV with full precision, LaTeX with booktabs, "
        "or JSON with the values of every seed."_s);
    m_format->addItem(u"Text"_s, static_cast<int>(TableFormat::text));
    m_format->addItem(u"CSV"_s, static_cast<int>(TableFormat::csv));
    m_format->addItem(u"LaTeX"_s, static_cast<int>(TableFormat::latex));
    m_format->addItem(u"JSON"_s, static_cast<int>(TableFormat::json));
    connect(m_format, &QComboBox::currentIndexChanged, this, &TableOutput::formatChanged);
    column->addWidget(m_format);
    auto* row = scaledRow(nullptr, 8);
    m_copy->setToolTip(u"Copies the table to the clipboard in the selected format."_s);
    connect(m_copy, &QPushButton::clicked, this, &TableOutput::copyRequested);
    m_save->setToolTip(u"Saves the table to a file in the selected format."_s);
    connect(m_save, &QPushButton::clicked, this, &TableOutput::saveRequested);
    for (QPushButton* button : {m_copy, m_save}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button, 1);
    }
    column->addLayout(row);
}

TableFormat TableOutput::format() const {
    return static_cast<TableFormat>(m_format->currentData().toInt());
}

void TableOutput::choose(const QString& suffix) {
    for (int i = 0; i < m_format->count(); ++i) {
        if (suffixOf(static_cast<TableFormat>(m_format->itemData(i).toInt())) == suffix) m_format->setCurrentIndex(i);
    }
}

void TableOutput::setReady(bool ready) {
    m_copy->setEnabled(ready);
    m_save->setEnabled(ready);
}

void saveTable(const QString& path, const QString& table) {
    write_output(toPath(path), table.toStdString());
}

}  // namespace ropelab::ui

#include "moc_table_view.cpp"
