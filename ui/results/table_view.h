#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;
class QWidget;

namespace ropelab::ui {

/// A table to read: rows are picked as a whole, its sizes and colours follow the theme.
QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent);
/// As high as its head and `rows` rows.
void fitRows(QTableView* view, int rows);

}  // namespace ropelab::ui
