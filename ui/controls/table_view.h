#pragma once

#include <QString>
#include <QWidget>

class QAbstractItemModel;
class QComboBox;
class QPushButton;
class QTableView;
class QWidget;

namespace ropelab::ui {

/// Read-only; whole rows are selected; sizes and colours follow the theme. `name` is the accessible name.
QTableView* makeTableView(const QString& name, QAbstractItemModel* model, QWidget* parent);
void fitRows(QTableView* view, int rows);

enum class TableFormat { text, csv, latex, json };
/// "txt", "csv", "tex" or "json".
QString suffixOf(TableFormat format);

/// Exports a room's table: a choice of the format and buttons to copy or save the table.
class TableOutput : public QWidget {
    Q_OBJECT

 public:
    explicit TableOutput(QWidget* parent = nullptr);

    TableFormat format() const;
    /// An unknown suffix changes nothing.
    void choose(const QString& suffix);
    void setReady(bool ready);

    QComboBox* formats() const { return m_format; }
    QPushButton* copyButton() const { return m_copy; }
    QPushButton* saveButton() const { return m_save; }

 signals:
    void formatChanged();
    void copyRequested();
    void saveRequested();

 private:
    QComboBox* m_format;
    QPushButton* m_copy;
    QPushButton* m_save;
};

/// Atomic. Throws BadInput or WriteError if the file cannot be written.
void saveTable(const QString& path, const QString& table);

}  // namespace ropelab::ui
