#include "ui/shell/figure_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/common/scaled.h"
#include "ui/controls/table_view.h"
#include "ui/figure/export/export.h"
#include "ui/figure/figure_summary.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// RFC 4180, without line breaks in fields.
QStringList csvFields(const QString& line) {
    QStringList fields;
    QString field;
    bool isQuoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar letter = line[i];
        if (isQuoted && letter == QLatin1Char('"') && line.mid(i + 1, 1) == "\""_L1) {
            field += letter;
            ++i;
        } else if (letter == QLatin1Char('"')) {
            isQuoted = !isQuoted;
        } else if (letter == QLatin1Char(',') && !isQuoted) {
            fields << field;
            field.clear();
        } else {
            field += letter;
        }
    }
    return fields << field;
}

void addRow(TextTable::Content& table, const QStringList& fields) {
    std::vector<TextTable::Cell> cells(table.columns.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i].text = fields.value(static_cast<qsizetype>(i));
        bool isNumber = false;
        cells[i].text.toDouble(&isNumber);
        if (!isNumber && !cells[i].text.isEmpty()) table.columns[i].isWord = true;
    }
    table.rows.push_back(std::move(cells));
}

}  // namespace

std::vector<TextTable::Content> figureTables(const Figure& figure) {
    std::vector<TextTable::Content> tables;
    bool isHead = true;
    for (const QString& line : QString::fromUtf8(figureCsv(figure)).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1Char('#'))) continue;
        if (line.isEmpty()) {
            isHead = true;
            continue;
        }
        if (isHead) {
            isHead = false;
            tables.emplace_back();
            for (const QString& title : csvFields(line)) tables.back().columns.push_back({title});
        } else {
            addRow(tables.back(), csvFields(line));
        }
    }
    return tables;
}

FigureTableWindow::FigureTableWindow(const Figure& figure, QWidget* parent) : QDialog(parent) {
    setObjectName(u"figure-table"_s);
    setWindowTitle(u"Values of the figure %1"_s.arg(figure.name));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    auto* column = scaledColumn(this, 8, {12, 12, 12, 12});
    auto* summary = makeNote(this);
    summary->setText(figureSummary(figure));
    summary->setTextFormat(Qt::PlainText);
    column->addWidget(summary);
    for (TextTable::Content& content : figureTables(figure)) {
        auto* table = new TextTable(this);
        QTableView* view = makeTableView(u"Values of the figure"_s, table, this);
        view->setAccessibleDescription(figureSummary(figure));
        // A map can have a thousand columns: their widths follow from the visible rows alone.
        view->horizontalHeader()->setResizeContentsPrecision(0);
        table->setContent(std::move(content));
        view->resizeColumnsToContents();
        column->addWidget(view, 1);
        m_views.append(view);
    }
    auto* row = scaledRow(nullptr, 8);
    auto* copy = new QPushButton(u"&Copy as CSV"_s, this);
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this,
            [csv = figureCsv(figure)] { QGuiApplication::clipboard()->setText(QString::fromUtf8(csv)); });
    auto* close = new QPushButton(u"C&lose"_s, this);
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    row->addWidget(copy);
    row->addStretch(1);
    row->addWidget(close);
    column->addLayout(row);
    const ThemeManager& theme = ThemeManager::instance();
    resize(theme.pixels(560), theme.pixels(420));
    if (!m_views.isEmpty()) m_views.first()->setFocus();
}

}  // namespace ropelab::ui

#include "moc_figure_table.cpp"
