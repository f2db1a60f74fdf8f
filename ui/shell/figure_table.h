#pragma once

#include <QByteArray>
#include <QDialog>
#include <vector>

#include "ui/controls/text_table.h"
#include "ui/figure/figure.h"

class QTableView;

namespace ropelab::ui {

/// Tables of a figure's exported numbers (figureCsv). A map with curves above it has two tables, every other figure has
/// one. Cells of numbers keep the digits of the exported file.
std::vector<TextTable::Content> figureTables(const Figure& figure);

/// Not modal; deletes itself when closed. Open it with show().
class FigureTableWindow : public QDialog {
    Q_OBJECT

 public:
    explicit FigureTableWindow(const Figure& figure, QWidget* parent = nullptr);

    const QList<QTableView*>& views() const { return m_views; }

 private:
    QList<QTableView*> m_views;
};

}  // namespace ropelab::ui
