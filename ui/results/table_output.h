#pragma once

#include <QString>
#include <QWidget>

class QComboBox;
class QPushButton;

namespace ropelab::ui {

enum class TableFormat { text, csv, latex, json };
/// "txt", "csv", "tex", "json".
QString suffixOf(TableFormat format);

/// The end of a panel: in which format a room's table is copied or saved.
class TableOutput : public QWidget {
    Q_OBJECT

 public:
    explicit TableOutput(QWidget* parent = nullptr);

    TableFormat format() const;
    /// By its suffix; another word changes nothing.
    void choose(const QString& suffix);
    /// Whether there is a table.
    void setReady(bool ready);

    QComboBox* formats() const { return m_format; }
    QPushButton* copyButton() const { return m_copy; }
    QPushButton* saveButton() const { return m_save; }

 signals:
    void formatChanged();
    void copyAsked();
    void saveAsked();

 private:
    QComboBox* m_format;
    QPushButton* m_copy;
    QPushButton* m_save;
};

/// Writes a table, the whole or nothing. Throws BadInput where the file cannot be written.
void saveTable(const QString& path, const QString& table);

}  // namespace ropelab::ui
