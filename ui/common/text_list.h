#pragma once

#include <QWidget>

#include "ui/common/text_table.h"

class QLabel;
class QPlainTextEdit;
class QTableView;

namespace ropelab::ui {

/// Columns fit into the widget's width, and long cells wrap up to a few lines; a field below the table then shows the
/// whole texts of the selected row. An empty table is hidden, and `nothing` replaces the introduction.
class TextList : public QWidget {
    Q_OBJECT

 public:
    /// `name` is the accessible name of the table, `words` the introduction above it.
    TextList(const QString& name, QString words, QString nothing, QWidget* parent = nullptr);

    /// `result` follows the introduction above a table that is not empty.
    void setContent(TextTable::Content content, const QString& result = {});
    TextTable& table() { return *m_table; }
    QTableView& view() { return *m_view; }
    QString words() const;
    /// Whole texts of the selected row, or of the first one; "" if no row is shortened.
    QString details() const;

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void fitColumns();
    void showDetails();

    QString m_words;
    QString m_nothing;
    QLabel* m_label;
    TextTable* m_table;
    QTableView* m_view;
    QPlainTextEdit* m_details;
};

}  // namespace ropelab::ui
