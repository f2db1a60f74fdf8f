#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;
class QWidget;

namespace ropelab::ui {

/// Read-only; whole rows are selected; sizes and colours follow the theme. `name` is the accessible name.
QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent);
void fitRows(QTableView* view, int rows);

}  // namespace ropelab::ui
