#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;
class QWidget;

namespace ropelab::ui {

/// Returns a new read-only table view. Whole rows are selected; sizes and colours follow the theme. `name` is the
/// accessible name.
QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent);
/// Fixes the view's height to that of its header and `rows` rows.
void fitRows(QTableView* view, int rows);

}  // namespace ropelab::ui
